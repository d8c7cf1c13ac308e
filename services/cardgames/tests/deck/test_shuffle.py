from __future__ import annotations

import itertools
from collections import Counter

import pytest
from circolo_cardgames.deck.shuffle import first_dealer, shuffled_deck
from circolo_contracts.cards import DECK
from circolo_contracts.chance import below, words

ZEROS = bytes(32)
COUNTING = bytes(range(32))

GOLDEN = {
    (ZEROS, 1): "3C 5B 2S 2D 8B 8D 10S 9B 3B 7S 8S 4C 9S 8C 6D 7B 2C 2B 4S 6B "
    "1B 6S 4B 10C 3S 1D 4D 5D 5C 7D 1C 9C 6C 1S 7C 10D 3D 5S 9D 10B",
    (ZEROS, 2): "1C 10B 5C 9B 7D 7C 3B 5S 3D 8B 4C 1B 9S 8C 2C 6B 4B 8D 3C 4D "
    "5B 1S 4S 2S 7B 5D 7S 10D 8S 9C 2D 10C 3S 10S 6S 9D 6D 2B 6C 1D",
    (COUNTING, 1): "9S 6D 2C 2D 5C 9B 10S 5S 6S 1S 7B 10D 4S 3S 3C 8C 10B 4D 2S 8S "
    "6C 10C 8D 5B 9C 1B 9D 4C 7D 6B 1D 3D 7C 7S 2B 3B 8B 1C 5D 4B",
    (COUNTING, 2): "8D 5B 2S 8C 1D 10C 3D 1C 9B 6S 2C 1S 5C 4B 3B 5S 6D 4D 1B 8B "
    "5D 3S 4C 2D 10B 8S 2B 9S 10S 7D 4S 7B 10D 6C 6B 9D 7C 7S 9C 3C",
}


@pytest.mark.parametrize(("label", "deck"), GOLDEN.items())
def test_a_known_seed_gives_a_known_deck_for_ever(label: tuple[bytes, int], deck: str) -> None:
    assert " ".join(shuffled_deck(*label)) == deck


def test_the_words_are_those_that_any_hmac_tool_prints() -> None:
    """``printf 'deal|1|0' | openssl dgst -sha256 -mac HMAC -macopt hexkey:00...00``."""
    block = bytes.fromhex("effedde46382717eb44f8a69fb141facb67a4deda444f9b0d8422273393427e4")
    expected = [int.from_bytes(block[at : at + 4], "big") for at in range(0, 32, 4)]
    assert list(itertools.islice(words(ZEROS, "deal", 1), 8)) == expected


def test_the_first_dealer_comes_from_a_label_of_his_own() -> None:
    assert [first_dealer(ZEROS, 2), first_dealer(ZEROS, 4)] == [1, 3]
    assert [first_dealer(COUNTING, 2), first_dealer(COUNTING, 4)] == [1, 1]


def test_the_shuffle_is_written_down_so_that_it_can_be_done_again_by_other_means() -> None:
    import hashlib
    import hmac

    def word(index: int) -> int:
        block = hmac.new(COUNTING, f"deal|1|{index // 8}".encode(), hashlib.sha256).digest()
        return int.from_bytes(block[index % 8 * 4 : index % 8 * 4 + 4], "big")

    cards, used = list(DECK), 0
    for place in range(39):
        left = 40 - place
        while word(used) >= 2**32 - 2**32 % left:
            used += 1
        other = place + word(used) % left
        used += 1
        cards[place], cards[other] = cards[other], cards[place]
    assert tuple(cards) == shuffled_deck(COUNTING, 1)


def test_a_word_that_would_favour_a_card_is_thrown_away() -> None:
    biased, fair = 2**32 - 1, 7
    assert below(iter([biased, fair]), 3) == fair % 3
    assert below(iter([biased]), 4) == 3, "2^32 is a multiple of 4: every word is fair"


def test_every_shuffle_is_a_whole_deck() -> None:
    for n in range(1, 200):
        assert sorted(shuffled_deck(COUNTING, n)) == sorted(DECK)


def test_cards_bug_37_each_card_is_as_likely_at_each_place() -> None:
    """Chi-square over 40 places for each of the 40 cards; bounds at about one in a million for each."""
    shuffles = 4000
    seen = [Counter[str]() for _ in range(40)]
    for n in range(1, shuffles + 1):
        for place, card in enumerate(shuffled_deck(COUNTING, n)):
            seen[place][card] += 1
    expected = shuffles / 40
    by_card = [sum((seen[place][card] - expected) ** 2 / expected for place in range(40)) for card in DECK]
    assert max(by_card) < 92, max(by_card)
    assert min(by_card) > 11, min(by_card)
    whole = sum(by_card)  # 39 * 39 = 1521 degrees of freedom, standard deviation 55
    assert 1521 - 5 * 55 < whole < 1521 + 5 * 55


def test_the_next_card_does_not_follow_from_the_one_before() -> None:
    pairs = Counter[int]()
    for n in range(1, 2001):
        deck = shuffled_deck(ZEROS, n)
        pairs.update((DECK.index(b) - DECK.index(a)) % 40 for a, b in itertools.pairwise(deck))
    expected = 2000 * 39 / 39
    assert sum((count - expected) ** 2 / expected for count in pairs.values()) < 92
    assert 0 not in pairs
