from __future__ import annotations

from pathlib import Path

import msgspec
from circolo_cardgames.evolve import evolve
from circolo_cardgames.registry import REGISTRY
from circolo_cardgames.state import MatchState
from circolo_events.testing import check_samples

SAMPLES = Path(__file__).parent / "samples"
STORY = [
    "MatchStarted",
    "DealStarted",
    "CardPlayed",
    "CardPlayed",
    "TrickEnded",
    "DealEnded",
    "MatchEnded",
    "SeedRevealed",
]


def test_every_event_ever_stored_can_still_be_read() -> None:
    check_samples(REGISTRY, SAMPLES)


def test_the_samples_fold_into_a_match() -> None:
    state = MatchState()
    for name in STORY:
        data = (SAMPLES / f"{name}.v1.json").read_bytes()
        if name == "CardPlayed" and state.deal is not None and state.deal.trick:
            data = data.replace(b'"2C"', b'"2D"').replace(b'"seat":1', b'"seat":0')
        state = evolve(state, REGISTRY.decode(name, 1, data))  # type: ignore[arg-type]
    assert state.version == len(STORY)
    assert state.revealed
    assert state.result is not None
    assert state.result.outcome == "WON"


def test_a_cancelled_game_folds_too() -> None:
    data = (SAMPLES / "GameCancelled.v1.json").read_bytes()
    state = evolve(MatchState(), REGISTRY.decode("GameCancelled", 1, data))  # type: ignore[arg-type]
    assert not state.is_running


def test_analysts_see_neither_seed_nor_deck_nor_draws_nor_hands_of_a_running_match() -> None:
    for name, secret in (
        ("MatchStarted", "seed"),
        ("DealStarted", "deck"),
        ("TrickEnded", "drawn"),
        ("HandsDealt", "cards"),
        ("SolitaireStarted", "deck"),
        ("SolitaireStarted", "seed"),
    ):
        data = (SAMPLES / f"{name}.v1.json").read_bytes()
        assert secret in msgspec.json.decode(data)
        assert secret not in msgspec.json.decode(REGISTRY.by_name[name].without_secrets(data))
    assert REGISTRY.open_marker == "SeedRevealed"
