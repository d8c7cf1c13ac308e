"""Two worlds that differ only in what a viewer may not know look the same to him, to the byte, at every moment.

Hidden from everybody: the seed and the numbers to come. From all but its holder: a ticket, beyond the rows that have
won, and its marks. A display and a spectator see the public view; the host sees no more than his own seat.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import msgspec
import pytest
from cartelle import seated
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.tombola import ClaimAll, MarkSet, NumberDrawn, PrizeAwarded, TombolaEvent, TombolaStarted
from circolo_events import canonical
from circolo_events.aggregate import Entry, StreamKind
from circolo_events.decider import PUBLIC, Viewer
from circolo_events.pushing import views_of
from circolo_tombola.game import Tombola
from circolo_tombola.marks import Marks, MarksDecider
from circolo_tombola.registry import REGISTRY
from circolo_tombola.rehearsal import TOMBOLA, Rehearsal
from circolo_tombola.shown import TombolaWithMarks
from circolo_tombola.state import TombolaState
from circolo_tombola.tickets.ticket import numbers_of
from msgspec.structs import replace

PLAYERS = 7
VIEWERS = [*(Viewer.of_seat(seat, seat) for seat in range(PLAYERS)), PUBLIC, Viewer("tv"), Viewer(""), Viewer("team-0")]


def played(seed_no: int = 1, **settings: object) -> Rehearsal:
    """A whole game: after each call everybody claims what he can."""
    game = seated(PLAYERS, seed_no=seed_no, **settings)
    while game.state.is_running:
        game.draw()
        for seat in range(PLAYERS):
            game.play(game.state.seats[seat].player, ClaimAll())  # type: ignore[arg-type]
    return game


def fold(decider: Tombola, events: Sequence[TombolaEvent]) -> list[TombolaState]:
    states = [decider.initial]
    for event in events:
        states.append(decider.evolve(states[-1], event))
    return states


def otherwise(events: Sequence[TombolaEvent], viewer: Viewer, chance: random.Random) -> list[TombolaEvent]:
    """The same public story: other numbers to come, another seed, and another ticket at every seat but the viewer's.

    Rows that have won stay, as do the calls that were made.
    """
    started = events[0]
    assert isinstance(started, TombolaStarted)
    called = [event.number for event in events if isinstance(event, NumberDrawn)]
    ahead = [number for number in range(1, 91) if number not in called]
    chance.shuffle(ahead)
    shown = {
        (event.seat, event.row) for event in events if isinstance(event, PrizeAwarded)
    }  # fmt: skip
    others = seated(PLAYERS, seed_no=chance.random()).state.tickets  # type: ignore[arg-type]
    tickets = []
    for seat, rows in enumerate(started.tickets):
        fresh = [list(row) for row in others[seat] or ()]
        won = [row for row in range(3) if (seat, row) in shown]
        whole = any((seat, row) in shown for row in (None, msgspec.UNSET))
        kept = seat == viewer.seat or whole
        tickets.append(rows if kept else [rows[row] if row in won else fresh[row] for row in range(3)])
    return [replace(started, seed="f" * 64, draws=[*called, *ahead], tickets=tickets), *events[1:]]


def pushed(decider: Tombola, state: TombolaState, viewer: Viewer) -> bytes:
    """As the kit puts it together."""
    entry = Entry("tombola", StreamKind("tombola", decider, {}))
    entry.state = state
    return bytes(views_of(entry, [viewer])[viewer.audience])


def told(events: Sequence[TombolaEvent], states: Sequence[TombolaState], viewer: Viewer) -> bytes:
    return canonical.encode([TOMBOLA.tell(e, states[n], states[n + 1], viewer) for n, e in enumerate(events)])


@pytest.mark.parametrize("rule", ["SHARED_DRAW", "FIRST_CLAIM"])
def test_two_worlds_look_the_same_at_every_moment_to_everybody(rule: str) -> None:
    game, chance, different = played(claimRule=rule), random.Random(3), 0
    moments = range(1, len(game.events) - 2, 3)
    for viewer in VIEWERS:
        for version in moments:
            events = game.events[:version]
            other = otherwise(events, viewer, chance)
            here, there = fold(TOMBOLA, events), fold(TOMBOLA, other)
            different += here[-1].tickets != there[-1].tickets
            same = canonical.encode(TOMBOLA.view(here[-1], viewer))
            assert same == canonical.encode(TOMBOLA.view(there[-1], viewer)), (viewer, version)
            assert pushed(TOMBOLA, here[-1], viewer) == pushed(TOMBOLA, there[-1], viewer)
            assert msgspec.json.decode(pushed(TOMBOLA, here[-1], viewer)) == msgspec.json.decode(same)
            assert told(events, here, viewer) == told(other, there, viewer)
            assert TOMBOLA.deadlines(here[-1]) == TOMBOLA.deadlines(there[-1])
            assert here[-1].version == there[-1].version
    assert different > len(VIEWERS) * 5, "the other worlds must be other worlds"


@pytest.mark.parametrize("viewer", VIEWERS, ids=lambda viewer: viewer.audience or "nobody")
def test_two_worlds_with_other_marks_look_the_same_to_all_but_their_seat(viewer: Viewer) -> None:
    game = played()
    state = game.states[40]
    here = {seat: Marks(1, frozenset(numbers_of(ticket)[:1])) for seat, ticket in enumerate(state.tickets) if ticket}
    there = {seat: marks if seat == viewer.seat else Marks(9, frozenset(range(1, 9))) for seat, marks in here.items()}
    views = [
        pushed(TombolaWithMarks(lambda _game, seat, world=world: world.get(seat)), state, viewer)  # type: ignore[misc]
        for world in (here, there)
    ]
    assert views[0] == views[1]
    assert (b"marks" in views[0]) == (viewer.seat >= 0)


def test_of_a_ticket_the_public_sees_the_rows_that_have_won_and_no_more() -> None:
    game = played()
    for version in range(1, len(game.events) - 2, 5):
        state, view = game.states[version], TOMBOLA.view(game.states[version], PUBLIC)
        awards = [event for event in game.events[:version] if isinstance(event, PrizeAwarded)]
        assert [winner.numbers for prize in view.prizes for winner in prize.winners] == [
            award.numbers for won in ("AMBO", "TERNO", "QUATERNA", "CINQUINA", "TOMBOLA")
            for award in awards if award.prize == won
        ]  # fmt: skip
        decoded = msgspec.to_builtins(view)
        assert decoded.keys().isdisjoint({"ticket", "tickets", "marks", "marks_version", "seat", "seed", "draws"})
        assert state.seed not in canonical.encode(view).decode()


def test_analysts_see_no_seed_no_ticket_no_call_to_come_and_no_mark() -> None:
    game = played()
    started = for_analysts(game.events[0])
    assert started.keys().isdisjoint({"seed", "tickets", "draws"})
    mark = MarkSet(at=1, game_id="7" * 32, marked=True, number=44, player="a" * 32, seat=0)
    assert "number" not in for_analysts(mark)
    for event in game.events[1:-1]:
        assert game.state.seed not in str(for_analysts(event))


def for_analysts(event: TombolaEvent | MarkSet) -> dict[str, object]:
    name, _, data = REGISTRY.encode(event)
    decoded: dict[str, object] = msgspec.json.decode(REGISTRY.by_name[name].without_secrets(data))
    return decoded


def test_the_marks_own_stream_shows_nothing_to_anybody() -> None:
    decider = MarksDecider()
    marks = Marks(3, frozenset({4, 23}), "a" * 32)
    assert decider.audiences(marks) == ()
    for who in ("a" * 32, "b" * 32, ""):
        assert decider.viewer(marks, who).code is RefusalCode.NOT_FOUND  # type: ignore[union-attr]
    assert canonical.encode(decider.view(marks, PUBLIC)) == b'{"version":3}'
    event = MarkSet(at=1, game_id="7" * 32, marked=True, number=44, player="a" * 32, seat=0)
    assert decider.tell(event, marks, marks, PUBLIC) == ()


def test_a_refused_claim_tells_its_claimant_only_about_his_own_ticket() -> None:
    """The refusal is the same in every world in which his ticket and the public story are the same."""
    game, chance = played(), random.Random(8)
    for version in range(5, len(game.events) - 2, 7):
        events = game.events[:version]
        for seat in range(PLAYERS):
            here, there = (
                refused(events, seat),
                refused(otherwise(events, Viewer.of_seat(seat, seat), chance), seat),
            )
            assert here == there


def refused(events: Sequence[TombolaEvent], seat: int) -> object:
    game = seated(PLAYERS)
    game.events[:] = list(events)
    game.states[:] = fold(TOMBOLA, events)
    done = game.play(game.state.seats[seat].player, ClaimAll())  # type: ignore[arg-type]
    return done if isinstance(done, RefusalCode) else [e for e in done if isinstance(e, PrizeAwarded)]


def test_the_seed_is_shown_after_the_end() -> None:
    game = played()
    assert game.view().seed == game.state.seed
    assert game.states[-2].seed
    assert TOMBOLA.view(game.states[-2], PUBLIC).seed is msgspec.UNSET
