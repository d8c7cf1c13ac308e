"""The party games' compiled selections against graphql-core, and that their views are read from the owner's JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from circolo_contracts import tombola, trivia, trivia_view
from circolo_contracts.cardgames import MatchResult
from circolo_contracts.ids import GameId, RoomId
from circolo_gateway.schema.games import GameUpdate, game_update
from circolo_gateway.streams.update import Update
from circolo_gateway.streams.watch import GameAddress, Requested
from gateway_oracle import DOCUMENTS, EXECUTION, both, valid_document
from msgspec import Raw

ADA = "1" * 32
TICKET = [[3, 10, 21, 52, 60], [34, 43, 53, 73, 83], [7, 46, 64, 75, 90]]
COMMON: dict[str, Any] = {
    "commitment": "c" * 64, "game_id": "a" * 32, "host": ADA, "room": "b" * 32, "started_at": 1_800_000_000_123,
    "status": "RUNNING", "version": 12,
}  # fmt: skip


def board(**more: Any) -> tombola.TombolaView:
    plain: dict[str, Any] = {
        "called": [3, 90, 10], "calling": "MANUAL", "every_seconds": 8, "game": "TOMBOLA", "superseded": False,
        "prizes": [
            tombola.PrizeState("AMBO", [tombola.PrizeWinner(TICKET[0], 0, 0)], 3), tombola.PrizeState("TERNO", []),
            tombola.PrizeState("TOMBOLA", [tombola.PrizeWinner(sorted(n for row in TICKET for n in row), 4)], 80),
        ],
        "seats": [tombola.TombolaSeat(ADA, 0), tombola.TombolaSeat("2" * 32, 4)], "settings": {"calling": "AUTOMATIC"},
    }  # fmt: skip
    return tombola.TombolaView(**{**COMMON, **plain, **more})


def night(**more: Any) -> trivia_view.TriviaView:
    plain: dict[str, Any] = {
        "answered_count": 1, "board": [], "captains": [], "game": "TRIVIA", "locked_out": [], "mode": "QUIZ",
        "phase": "READY", "question_count": 5, "seats": [trivia_view.TriviaSeat(True, False, ADA, -100, 1, 1)],
        "settings": {}, "teams": [trivia_view.TriviaTeam(1, 1, 300)],
        "question": trivia_view.QuestionView(2, 1, [], "arte"),
    }  # fmt: skip
    return trivia_view.TriviaView(**{**COMMON, **plain, **more})


SAID = trivia.Said("Who?", "Chi?")
OPEN = trivia_view.QuestionView(2, 1, [SAID] * 4, "arte", only="IT", prompt=SAID, value=200)
BOARDS = [
    board(),
    board(seat=0, ticket=TICKET, marks=[3, 10], marks_version=4, calling="AUTOMATIC", deadline=1_800_000_030_000),
    board(paused="HOST_DISCONNECTED", seat=4, ticket=TICKET, marks=[], marks_version=0),
    board(status="ENDED", superseded=True, seed="d" * 64, result=MatchResult(outcome="WON", winner=4)),
    board(status="ENDED", host="", result=MatchResult(outcome="CANCELLED")),
]  # fmt: skip
NIGHTS = [
    night(),
    night(phase="OPEN", question=OPEN, open_at=1_800_000_000_500, deadline=1_800_000_020_000, seat=1, team=1, option=2,
          can=[]),
    night(mode="SHOWDOWN", phase="BUZZ", question=OPEN, control=0, locked_out=[1], can=["BUZZ", "PICK"], seat=0, team=0,
          locked_until=1_800_000_000_750, board=[trivia_view.Tile("arte2", "ON", "arte", 200)]),
    night(mode="SHOWDOWN", phase="ANSWER", question=OPEN, buzz=trivia_view.Holder(0, 0)),
    night(mode="TUTTO_O_NIENTE", phase="STAKE", captains=[trivia.Captain(1, 1)], seat=1, team=1, stake=0, can=[]),
    night(phase="REVEAL", question=OPEN, reveal=trivia_view.Reveal(
        1, [trivia.RevealedAnswer(0, 1), trivia.RevealedAnswer(900, 2, 1200, 1)], "TIME",
        [trivia.FinalResult(0, 300, False, 300, 0), trivia.FinalResult(2, 1, True, 1, 1, 3)], "")),
    night(status="ENDED", phase="ENDED", seed="d" * 64, result=MatchResult(outcome="WON", winner=1),
          reveal=trivia_view.Reveal(1, [], "SKIPPED", [], "https://example.org/a")),
]  # fmt: skip
CALLED = [
    tombola.TombolaHappening(10, "NumberDrawn", number=90, seq=2),
    tombola.TombolaHappening(11, "PrizeAwarded", numbers=TICKET[0], prize="AMBO", row=0, seat=0, winning_draw=3),
    tombola.TombolaHappening(11, "CallingChanged", calling="AUTOMATIC", every_seconds=3),
    tombola.TombolaHappening(11, "CallingPaused", reason="HOST"),
    tombola.TombolaHappening(12, "CallerChanged", player=ADA),
    tombola.TombolaHappening(12, "SomethingNew"),
]  # fmt: skip
ASKED = [
    trivia_view.TriviaHappening(10, "QuestionOpened", no=1),
    trivia_view.TriviaHappening(11, "AnswerJudged", no=1, points=-200, right=False, seat=1, team=1),
    trivia_view.TriviaHappening(12, "TilePicked", no=2, tile=0, team=0),
    trivia_view.TriviaHappening(12, "QuestionRevealed", no=1, reason="ALL_ANSWERED"),
    trivia_view.TriviaHappening(12, "SomethingNew"),
]  # fmt: skip
EVERYTHING = """subscription { game(id: "x") { __typename version reset
  happened { __typename atVersion kind seat
    ... on TombolaEvent { number seq prize row numbers winningDraw calling everySeconds pauseReason player { id } }
    ... on TriviaEvent { questionNo team tile right gained closeReason } }
  game { id kind version status startedAt deadline ranked result { outcome winner abandonedBy reason }
    ... on Tombola { host { id } commitment seed called calling everySeconds paused superseded seat ticket marks
      marksVersion settings { ... on TombolaSettings { claimRule calling everySeconds } }
      seats { seat player { id } } prizes { prize winningDraw winners { seat row numbers } } }
    ... on Trivia { host { id } commitment seed mode phase questionCount answeredCount openAt control lockedOut
      team can option stake lockedUntil settings { ... on TriviaSettings { mode teams themeArte } }
      seats { seat team connected answered points player { id } } teams { team rank total }
      board { category theme value state } captains { seat team } buzz { seat team }
      question { no theme difficulty value only prompt { it en } options { it en } }
      reveal { answer source reason answers { seat option points elapsed }
        results { team stake option right before after } } }
  } } }"""


def updates() -> Iterator[GameUpdate]:
    for kind, views, told in (("tombola", BOARDS, CALLED), ("trivia", NIGHTS, ASKED)):
        at = GameAddress(kind, f"{kind}-{'a' * 32}", RoomId("b" * 32), GameId("a" * 32))
        happened = [Raw(msgspec.json.encode(each)) for each in told]
        for view in views:
            yield game_update(Update(10, 12, False, happened, Raw(msgspec.json.encode(view))), at)
        starting = Update(0, 0, True, (), Raw(b""))
        starting.decoded = Requested(kind.upper())
        yield game_update(starting, at)


@pytest.mark.parametrize("seed", range(100))
def test_a_plan_of_a_party_game_gives_the_same_bytes_as_graphql_core(seed: int) -> None:
    text = valid_document(1_000 + seed)
    for payload in updates():
        rendered, expected = both(text, payload)
        assert rendered == expected, text


def test_everything_of_a_party_game_is_read_from_the_owners_json() -> None:
    payloads = [each for each in updates() if each.version]
    expected = [both(EVERYTHING, payload)[1] for payload in payloads]
    for payload in payloads:
        payload.of = dataclasses.replace(payload.of, from_view=None, from_happening=None)  # type: ignore[arg-type]
    render = EXECUTION.renderer(DOCUMENTS.get(EVERYTHING).select(None))
    assert render is not None
    for payload, answer in zip(payloads, expected, strict=True):
        payload.rendered.clear()
        assert render(payload) == answer


def test_everybody_who_watches_the_same_board_shares_one_rendering() -> None:
    payload = next(updates())
    render = EXECUTION.renderer(DOCUMENTS.get(EVERYTHING).select(None))
    assert render is not None
    first = render(payload)
    payload.update.view = Raw(b"read once")
    assert [render(payload) for _ in range(24)] == [first] * 24
