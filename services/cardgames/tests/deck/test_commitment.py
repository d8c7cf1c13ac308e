from __future__ import annotations

import hashlib

import pytest
from circolo_cardgames.deck.commitment import commit, keeps_promise

GAME = "0" * 32


def test_the_promise_is_a_hash_over_the_game_and_the_seed() -> None:
    seed = bytes(range(32))
    assert commit(GAME, seed) == "e8630c4e230280aaa1c3b9d6b276cb1c02c6a832344ef7e9c1d6df8c33fa7d6c"
    assert commit(GAME, seed) == hashlib.sha256(f"circolo-1|{GAME}|{seed.hex()}".encode()).hexdigest()


def test_another_seed_or_another_game_breaks_the_promise() -> None:
    promise = commit(GAME, bytes(32))
    assert keeps_promise(promise, GAME, bytes(32).hex())
    assert not keeps_promise(promise, GAME, bytes(31).hex() + "01")
    assert not keeps_promise(promise, "1" * 32, bytes(32).hex())


@pytest.mark.parametrize("text", ["", "00", "Z" * 64, "0" * 63, "A" * 64, "0" * 64 + "\n"])
def test_what_is_no_seed_keeps_no_promise(text: str) -> None:
    assert not keeps_promise(commit(GAME, bytes(32)), GAME, text)


def test_a_seed_has_32_bytes() -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        commit(GAME, bytes(16))
