"""A trivia night by its frontends: four people in two teams and a television, three games of one evening."""

from __future__ import annotations

import asyncio
import base64
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import asyncpg
import msgspec
from circolo_contracts.trivia import (
    AllRevealed,
    BuzzersOpened,
    FinalOpened,
    QuestionOpened,
    QuestionRevealed,
    TriviaQuestion,
    TriviaStarted,
)
from circolo_devstack.api import Api, Follower, Json
from circolo_devstack.stack import Stack
from circolo_trivia.registry import REGISTRY
from evening import (
    JOIN,
    PLAY,
    REFUSED,
    ROOM_SUBSCRIPTION,
    START,
    Table,
    done,
    guests,
    insist,
    key,
    mutation,
    open_room,
    refused,
)

TRIVIA_FIELDS = """
  __typename id version status deadline result { outcome winner }
  ... on Trivia {
    host { id } commitment seed mode phase questionCount answeredCount openAt control lockedOut
    seats { seat team connected answered points player { id name } } teams { team rank total }
    board { category theme value state } captains { seat team } buzz { seat team }
    question { no theme difficulty value only prompt { it en } options { it en } }
    reveal {
      answer source reason answers { seat option points elapsed }
      results { team stake option right before after }
    }
    seat team can option stake lockedUntil settings { ... on TriviaSettings { mode teams questions } }
  }
"""
HAPPENED = "kind atVersion seat ... on TriviaEvent { questionNo team tile right gained closeReason }"
FOLLOW = f"""subscription($game: ID!, $after: Int) {{
  game(id: $game, after: $after) {{ version reset happened {{ {HAPPENED} }} game {{ {TRIVIA_FIELDS} }} }} }}"""
ANSWER = f"{{ __typename ... on GameDone {{ version replayed game {{ {TRIVIA_FIELDS} }} }} {REFUSED} }}"


def move(name: str, **types: str) -> str:
    declared = "".join(f", ${each}: {kind}" for each, kind in types.items())
    passed = "".join(f", {each}: ${each}" for each in types)
    return (
        f"mutation($game: ID!, $key: UUID, $version: Int{declared}) {{ "
        f"{name}(gameId: $game, idempotencyKey: $key, expectedVersion: $version{passed}) {ANSWER} }}"
    )


NEXT, SKIP, CLOSE = move("nextQuestion"), move("skipQuestion"), move("closeQuestion")
SAY = move("answerQuestion", questionNo="Int!", option="Int!")
PICK = move("pickTile", category="String!", value="Int!")
BUZZ = move("buzz", questionNo="Int!")
STAKE = move("stake", amount="Int!")
CAPTAIN = move("actAsCaptain", team="Int!", seat="Int!")
PASS = move("passControl", team="Int!")
DRAW = move("drawNumber")
ASSIGN = mutation("assignTeam", roomId="ID!", player="ID!", team="Int!")
CHANGE = mutation("changeSettings", roomId="ID!", game="GameInput!")
FILE = """{ __typename
  ... on QuestionsDone { replayed stored taken rows { row theme difficulty prompt { it en } }
                         refused { row problem field } }
  ... on Refused { code field message } }"""
PREVIEW = f"mutation($file: QuestionFileInput!) {{ previewQuestions(file: $file) {FILE} }}"
IMPORT = (
    f"mutation($file: QuestionFileInput!, $key: UUID) {{ importQuestions(file: $file, idempotencyKey: $key) {FILE} }}"
)
NAMES = ("Anna", "Bruno", "Carla", "Dino")


class Night(Table):
    """A game of the evening: people by seat, seat n of team n modulo two."""

    live: dict[int, Follower]
    tv: Follower
    questions: list[TriviaQuestion]
    log: list[Any]

    @property
    def host(self) -> Api:
        return self.people[0]

    @property
    def shown(self) -> Json:
        view: Json = self.tv.latest["game"]
        return view

    @property
    def no(self) -> int:
        number: int = self.shown["question"]["no"]
        return number

    @property
    def right(self) -> int:
        return self.questions[self.no - 1].answer if self.shown["mode"] != "SHOWDOWN" else self._of_tile()

    def _of_tile(self) -> int:
        """By its text: in a showdown questions are stored as the board lies."""
        shown = self.shown["question"]["prompt"]["it"]
        return next(each.answer for each in self.questions if each.prompt.it == shown)

    async def go_on(self) -> None:
        await insist(self.host, NEXT, game=self.game, key=key(), version=self.tv.latest["version"])

    async def until(self, *phases: str) -> Json:
        for follower in (self.tv, *self.live.values()):
            await follower.until(lambda update: update["game"]["phase"] in phases)
        return self.shown

    async def open(self) -> None:
        """Till answers and presses count."""
        opens = datetime.fromisoformat(self.shown["openAt"]).timestamp()
        await asyncio.sleep(max(0.0, opens - time.time()) + 0.02)

    async def say(self, seat: int, option: int) -> Json:
        return await insist(self.people[seat], SAY, game=self.game, questionNo=self.no, option=option, key=key())


@dataclass
class Evening:
    house: Stack
    room: Json
    people: dict[int, Api]
    screen: Api
    stack: AsyncExitStack
    games: list[Night] = field(default_factory=list)

    async def play(self, **settings: Any) -> Night:
        """Another game at this table, with everybody looking."""
        if settings:
            await done(self.people[0], CHANGE, roomId=self.room["id"], game={"trivia": settings})
        started = (await done(self.people[0], START, roomId=self.room["id"], idempotencyKey=key()))["room"]
        night = Night(started, started["gameId"], self.people)
        night.tv = await self._follow(self.screen, night.game)
        night.live = {seat: await self._follow(person, night.game) for seat, person in self.people.items()}
        for follower in (night.tv, *night.live.values()):
            await follower.until(lambda update: update["game"]["status"] == "RUNNING")
        await self.read(night)
        self.games.append(night)
        return night

    async def _follow(self, api: Api, game: str) -> Follower:
        return await self.stack.enter_async_context(Follower(api, "game", FOLLOW, after=0, game=game))

    async def read(self, night: Night) -> None:
        connection = await asyncpg.connect(self.house.postgres_url)
        try:
            found = await connection.fetch(
                "SELECT type, schema_v, data FROM trivia.event WHERE stream = $1 ORDER BY version", night.stream
            )
        finally:
            await connection.close()
        night.log = [REGISTRY.decode(row["type"], row["schema_v"], row["data"]) for row in found]
        assert isinstance(night.log[0], TriviaStarted)
        night.questions = night.log[0].questions

    async def over(self, night: Night) -> Json:
        for follower in (night.tv, *night.live.values()):
            await follower.until(lambda update: bool(update["game"]["seed"]))
        async with Follower(self.people[0], "room", ROOM_SUBSCRIPTION, room=self.room["id"]) as lobby:
            await lobby.until(lambda update: update["room"]["phase"] == "LOBBY")
        await self.read(night)
        return night.shown


@asynccontextmanager
async def evening(house: Stack, **settings: Any) -> AsyncIterator[Evening]:
    async with AsyncExitStack() as stack:
        people = await stack.enter_async_context(guests(house.url, *NAMES))
        screen = await stack.enter_async_context(Api(house.url))
        for each in (*people, screen):
            each.record = True
        room = await open_room(people[0], kind="trivia", **settings)
        for person in people[1:]:
            await done(person, JOIN, code=room["code"], watch=False)
        yield Evening(house, room, dict(enumerate(people)), screen, stack)


async def quiz(night: Night) -> None:
    """Team 0 always knows, team 1 never does; the third question is skipped."""
    for number in range(1, 6):
        shown = await night.until("READY")
        assert (shown["question"]["no"], shown["question"]["prompt"], shown["question"]["options"]) == (
            number,
            None,
            [],
        )
        await night.go_on()
        shown = await night.until("OPEN")
        assert len(shown["question"]["options"]) == 4
        assert shown["reveal"] is None
        if number == 3:
            assert (await refused(night.people[1], SKIP, game=night.game))["code"] == "NOT_HOST"
            await done(night.host, SKIP, game=night.game, key=key(), version=night.tv.latest["version"])
        else:
            early = await refused(night.people[1], SAY, game=night.game, questionNo=number, option=0)
            assert early["code"] == "TOO_EARLY"
            await night.open()
            for seat in range(4):
                locked = (await night.say(seat, night.right if seat % 2 == 0 else (night.right + 1) % 4))["game"]
                assert locked["option"] is not None
                if locked["phase"] == "OPEN":
                    assert (locked["answeredCount"], locked["can"]) == (seat + 1, [])
        shown = await night.until("REVEAL")
        reveal = shown["reveal"]
        assert reveal["answer"] == night.questions[number - 1].answer
        assert reveal["reason"] == ("SKIPPED" if number == 3 else "ALL_ANSWERED")
        assert reveal["source"] == (night.questions[number - 1].source or None)
        if number != 3:
            assert [each["seat"] for each in reveal["answers"]] == [0, 1, 2, 3]
            assert [each["points"] > 0 for each in reveal["answers"]] == [True, False, True, False]
        assert (await refused(night.people[0], SAY, game=night.game, questionNo=number, option=0))["code"] in (
            "WRONG_PHASE", "LATE",
        )  # fmt: skip
        await night.go_on()


async def showdown(night: Night) -> None:
    """Team 1 presses first and misses, team 0 has the rebound; then whoever picks also knows."""
    rebounds = 0
    while night.shown["status"] == "RUNNING":
        shown = await night.until("PICK")
        picker = next(seat for seat in night.people if seat % 2 == shown["control"])
        assert night.live[picker].latest["game"]["can"] == ["PICK"]
        tile = next(each for each in shown["board"] if each["state"] == "FREE")
        chosen = {"category": tile["category"], "value": tile["value"]}
        other = await refused(night.people[1 - picker], PICK, game=night.game, **chosen)
        assert other["code"] == "NOT_YOUR_TURN"
        await insist(night.people[picker], PICK, game=night.game, key=key(), **chosen)
        first = 1 if not rebounds else picker
        await press(night, first)
        if not rebounds:
            rebounds += 1
            await night.say(first, (night.right + 1) % 4)
            assert (await night.until("BUZZ"))["lockedOut"] == [1]
            locked = await refused(night.people[3], BUZZ, game=night.game, questionNo=night.no)
            assert locked["code"] == "TEAM_LOCKED_OUT"
            first = 0
            await press(night, first)
        await night.say(first, night.right)
        shown = await night.until("REVEAL")
        assert shown["reveal"]["reason"] == "RIGHT"
        assert shown["reveal"]["answers"][-1]["points"] > 0
        await night.go_on()
        await night.until("PICK", "ENDED")


async def press(night: Night, seat: int) -> None:
    """Everybody of both teams at once; who was asked to be first is."""
    await night.until("BUZZ")
    await night.open()
    pressed = await insist(night.people[seat], BUZZ, game=night.game, questionNo=night.no, key=key())
    assert pressed["game"]["buzz"] == {"seat": seat, "team": seat % 2}
    await night.until("ANSWER")
    late = await refused(night.people[2 if seat == 0 else 0], BUZZ, game=night.game, questionNo=night.no)
    assert late["code"] in ("BUZZER_LOCKED", "WRONG_PHASE", "TEAM_LOCKED_OUT")


STAKES = (373, 0)


async def tutto_o_niente(night: Night) -> None:
    shown = await night.until("STAKE")
    assert shown["captains"] == [{"seat": 0, "team": 0}, {"seat": 1, "team": 1}]
    assert (shown["question"]["prompt"], shown["question"]["theme"] != "") == (None, True)
    assert (await refused(night.people[2], STAKE, game=night.game, amount=1))["code"] == "NOT_CAPTAIN"
    over = await refused(night.people[0], STAKE, game=night.game, amount=2**30)
    assert (over["code"], over["field"]) == ("STAKE_OUT_OF_RANGE", over["field"])
    for seat in (0, 1):
        staked = await insist(night.people[seat], STAKE, game=night.game, amount=STAKES[seat], key=key())
        assert staked["game"]["stake"] == STAKES[seat]
    await night.until("ANSWER")
    await night.open()
    for seat in (0, 1):
        await night.say(seat, night.right)
    shown = await night.until("REVEAL")
    assert [each["stake"] for each in shown["reveal"]["results"]] == list(STAKES)
    assert all(each["right"] and each["after"] == each["before"] + each["stake"] for each in shown["reveal"]["results"])
    await night.go_on()


def totals(shown: Json) -> list[int]:
    return [team["total"] for team in sorted(shown["teams"], key=lambda team: int(team["team"]))]


async def test_three_games_of_one_evening_with_two_teams_and_a_television(house: Stack) -> None:
    async with evening(house, mode="QUIZ", teams=2, questions=5) as table:
        carla = table.people[2].player
        moved = await done(table.people[2], ASSIGN, roomId=table.room["id"], player=carla, team=1)
        assert [seat["team"] for seat in moved["room"]["seats"] if seat["player"]] == [0, 1, 1, 1]
        back = await done(table.people[0], ASSIGN, roomId=table.room["id"], player=carla, team=0)
        assert [seat["team"] for seat in back["room"]["seats"] if seat["player"]] == [0, 1, 0, 1]

        first = await table.play()
        assert first.shown["settings"] == {"mode": "QUIZ", "teams": 2, "questions": 5}
        assert (first.shown["seat"], first.shown["team"], first.shown["can"]) == (None, None, None)
        assert [(seat["team"], seat["player"]["name"]) for seat in first.shown["seats"]] == [
            (0, "Anna"), (1, "Bruno"), (0, "Carla"), (1, "Dino"),
        ]  # fmt: skip
        await quiz(first)
        ended = await table.over(first)
        assert ended["result"] == {"outcome": "WON", "winner": 0}
        after_quiz = totals(ended)
        assert after_quiz[0] > after_quiz[1] == 0
        assert [team["rank"] for team in sorted(ended["teams"], key=lambda team: int(team["team"]))] == [1, 2]

        second = await table.play(mode="SHOWDOWN", categories=3)
        assert totals(second.shown) == after_quiz, "the evening adds up"
        assert (len(second.shown["board"]), second.shown["questionCount"]) == (12, 12)
        await showdown(second)
        after_board = totals(await table.over(second))
        judged = [each for each in second.tv.happened if each["kind"] == "ANSWER_JUDGED"]
        assert [sum(each["gained"] for each in judged if each["team"] == team) for team in (0, 1)] == [
            after - before for after, before in zip(after_board, after_quiz, strict=True)
        ]
        assert {each["state"] for each in second.shown["board"]} == {"PLAYED"}

        third = await table.play(mode="TUTTO_O_NIENTE")
        await tutto_o_niente(third)
        ended = await table.over(third)
        assert totals(ended) == [max(0, after_board[0]) + STAKES[0], max(0, after_board[1])]
        assert (await refused(table.people[0], NEXT, game=first.game))["code"] == "STALE_GAME"

        for night in table.games:
            await table.read(night)
            last = len(night.log)
            await night.tv.until(lambda update, last=last: update["version"] == last)  # type: ignore[misc]
            assert [each["atVersion"] for each in night.tv.happened] == list(range(1, last + 1))
            for seat, person in table.people.items():
                nothing_hidden(night, person, seat)
            nothing_hidden(night, table.screen, None)


def strings_in(value: object) -> set[str]:
    if isinstance(value, str):
        return {value}
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return set().union(*map(strings_in, inner))


def views_in(value: object, game: str) -> Iterator[Json]:
    if isinstance(value, dict) and value.get("id") == game and "phase" in value:
        yield value
        return
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from views_in(each, game)


def first_versions(log: list[Any], *kinds: type) -> dict[int, int]:
    """Of each question, by its number, the version at which such an event came first."""
    found: dict[int, int] = {}
    for version, event in enumerate(log, 1):
        if isinstance(event, kinds):
            found.setdefault(event.no, version)  # type: ignore[attr-defined]
    return found


def nothing_hidden(night: Night, api: Api, seat: int | None) -> None:
    """In whatever somebody was sent of this game: no question before it is opened, no source or answer before the
    reveal, nothing that somebody else has locked.
    """
    opened = first_versions(night.log, QuestionOpened, BuzzersOpened, FinalOpened)
    revealed = first_versions(night.log, QuestionRevealed, AllRevealed)
    looked_at = 0
    asked = {each.prompt.it: each for each in night.questions}
    for frame in api.received:
        document = msgspec.json.decode(frame)
        for view in views_in(document, night.game):
            version, text = view["version"], strings_in(document)
            if not version:
                continue
            looked_at += 1
            known = {no for no, at in opened.items() if at <= version}
            told = {no for no, at in revealed.items() if at <= version}
            on_table = view["question"]
            if on_table is not None and on_table["prompt"] is not None:
                assert on_table["no"] in known
                said = asked[on_table["prompt"]["it"]]
                if on_table["no"] not in told:
                    assert view["reveal"] is None
                    assert said.source not in text or not said.source
            hidden = {each.prompt.it for each in night.questions} - {on_table and (on_table["prompt"] or {}).get("it")}
            assert not hidden & text
            assert (view["reveal"] is None) == (view["phase"] not in ("REVEAL", "ENDED"))
            assert view["seat"] == seat
            if seat is None:
                assert (view["option"], view["stake"], view["can"]) == (None, None, None)
            if view["mode"] == "TUTTO_O_NIENTE" and view["reveal"] is None and seat != 0:
                assert view["stake"] != STAKES[0]
            if view["status"] == "RUNNING":
                assert view["seed"] is None
    assert looked_at > 5


async def test_a_night_has_refusals_of_its_own(house: Stack) -> None:
    async with evening(house, mode="QUIZ", teams=24, questions=5) as table, guests(house.url, "Zeno") as (zeno,):
        night = await table.play()
        anna, bruno = table.people[0], table.people[1]

        async def code(api: Api, document: str, **variables: Any) -> str:
            return str((await refused(api, document, game=night.game, **variables))["code"])

        assert await code(table.screen, NEXT) == "UNAUTHENTICATED"
        assert await code(zeno, SAY, questionNo=1, option=0) == "NOT_IN_GAME"
        assert await code(bruno, NEXT) == "NOT_HOST"
        assert await code(bruno, SAY, questionNo=2, option=0) == "STALE_QUESTION"
        assert await code(bruno, SAY, questionNo=1, option=0) == "WRONG_PHASE"
        assert await code(anna, BUZZ, questionNo=1) == "WRONG_PHASE"
        assert await code(anna, PICK, category="arte", value=100) == "WRONG_PHASE"
        assert await code(anna, STAKE, amount=1) == "WRONG_PHASE"
        assert await code(anna, CAPTAIN, team=0, seat=0) == "WRONG_PHASE"
        assert await code(anna, PASS, team=0) == "WRONG_PHASE"
        for foreign, variables in ((PLAY, {"card": "7D"}), (DRAW, {})):
            assert await code(anna, foreign, **variables) == "UNKNOWN_COMMAND"
        await night.go_on()
        await night.until("OPEN")
        await night.open()
        version = night.tv.latest["version"]
        assert await code(bruno, SAY, questionNo=1, option=4) == "BAD_OPTION"
        await night.say(1, 2)
        assert (await night.say(1, 2))["game"]["option"] == 2, "once more is the same"
        assert await code(bruno, SAY, questionNo=1, option=3) == "ANSWER_LOCKED"
        await night.tv.until(lambda update: update["version"] > version)
        assert night.shown["answeredCount"] == 1
        assert [seat["answered"] for seat in night.shown["seats"]] == [False, True, False, False]
        await done(anna, CLOSE, game=night.game, key=key(), version=night.tv.latest["version"])
        assert (await night.until("REVEAL"))["reveal"]["reason"] == "CLOSED"


def as_file(text: str, **more: str) -> Json:
    return {"format": "AIKEN", "data": base64.b64encode(text.encode()).decode(), "theme": "tradizioni", **more}


AIKEN = """Quante carte ha un mazzo da briscola italiano?
A. 36
B. 40
C. 52
D. 54
ANSWER: B

Quale di queste non ha quattro opzioni?
A. Questa
B. Quella
ANSWER: A
"""


async def test_a_file_of_questions_is_looked_at_and_brought_in(house: Stack) -> None:
    async with guests(house.url, "Anna") as (anna,), Api(house.url) as nobody:
        looked = await done(anna, PREVIEW, file=as_file(AIKEN))
        assert (looked["stored"], looked["taken"], looked["replayed"]) == (False, 1, False)
        assert looked["rows"][0]["theme"] == "tradizioni"
        assert [each["problem"] for each in looked["refused"]] == ["NOT_FOUR_OPTIONS"]
        again = key()
        stored = await done(anna, IMPORT, file=as_file(AIKEN), key=again)
        assert (stored["stored"], stored["taken"], stored["refused"]) == (True, 1, looked["refused"])
        repeated = await done(anna, IMPORT, file=as_file(AIKEN), key=again)
        assert (repeated["replayed"], repeated["taken"]) == (True, 1)
        twice = await done(anna, IMPORT, file=as_file(AIKEN), key=key())
        assert (twice["taken"], twice["refused"][0]["problem"]) == (0, "DUPLICATE")
        assert (await refused(nobody, PREVIEW, file=as_file(AIKEN)))["code"] == "UNAUTHENTICATED"
        assert (await refused(anna, PREVIEW, file=as_file("", format="KAHOOT")))["code"] == "UNREADABLE_FILE"
        wrong = await refused(anna, PREVIEW, file={"format": "CSV", "data": "not base64!"})
        assert (wrong["code"], wrong["field"]) == ("MALFORMED", "data")
        assert (await refused(anna, PREVIEW, file=as_file(AIKEN, theme="a\x00")))["field"] == "theme"
