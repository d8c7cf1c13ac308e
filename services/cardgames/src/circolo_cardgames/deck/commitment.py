"""The promise about chance: the seed is fixed, and its hash public, before the first card is dealt."""

from circolo_contracts.chance import SEED_BYTES, commit, keeps_promise

__all__ = ["SEED_BYTES", "commit", "keeps_promise"]
