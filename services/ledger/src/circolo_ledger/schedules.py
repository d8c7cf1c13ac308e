"""The schedules as data (``prizes.toml``), read and judged before the service starts."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Mapping
from importlib.resources import files
from typing import Annotated, Any, Self

from circolo_contracts.games import CATALOGUE, GameDescriptor
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from .prizes import Prizes, Schedule

Brilli = Annotated[int, Field(strict=True, gt=0, le=1_000)]


class WrongSchedule(Exception):
    """The schedules cannot be used; the text says which and why."""


class ScheduleData(BaseModel):
    """One ``[[schedule]]``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    game: str
    seats: int
    total: Brilli
    winner: Brilli | None = None
    loser: Brilli | None = None
    tie: Brilli | None = None
    deal: Brilli | None = None
    deals: Annotated[int, Field(strict=True, gt=0, le=20)] | None = None
    ranks: tuple[Brilli, ...] | None = None

    @model_validator(mode="after")
    def _is_of_one_form(self) -> Self:
        if (self.ranks is None) != (self.winner is not None and self.loser is not None):
            raise ValueError("give winner and loser, or ranks")
        if (self.deal is None) != (self.deals is None):
            raise ValueError("give deal and deals, or neither")
        if self.ranks is not None and (self.tie is not None or self.deal is not None):
            raise ValueError("ranks stand alone")
        if self.deal is not None and self.deal % 2:
            raise ValueError("a deal without points is divided into halves, so its prize is even")
        return self

    @model_validator(mode="after")
    def _hands_out_its_total(self) -> Self:
        if self.ranks is not None:
            if len(self.ranks) != self.seats or list(self.ranks) != sorted(self.ranks, reverse=True):
                raise ValueError("ranks have a prize for each seat, the highest first")
            handed_out = sum(self.ranks)
        else:
            assert self.winner is not None and self.loser is not None
            if self.tie is not None and 2 * self.tie != self.winner + self.loser:
                raise ValueError("a tie hands out what a victory does")
            handed_out = (self.winner + self.loser + (self.deal or 0) * (self.deals or 0)) * self.seats // 2
        if handed_out != self.total:
            raise ValueError(f"a complete match hands out {handed_out}, not {self.total}")
        return self

    def schedule(self) -> Schedule:
        given = {name: value for name, value in self.model_dump().items() if value is not None}
        return Schedule(**given)


class PrizesData(BaseModel):
    """The whole file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    penalty: Brilli
    schedule: tuple[ScheduleData, ...]


def load(text: str | None = None, catalogue: Mapping[str, GameDescriptor] = CATALOGUE) -> Prizes:
    """From ``prizes.toml``, or from this text. Raises WrongSchedule, also when a ranked table of the catalogue would
    be without a schedule."""
    try:
        data = PrizesData.model_validate(tomllib.loads(_file() if text is None else text))
    except tomllib.TOMLDecodeError as error:
        raise WrongSchedule(str(error)) from None
    except ValidationError as error:
        raise WrongSchedule("; ".join(_said(problem) for problem in error.errors())) from None
    schedules = [each.schedule() for each in data.schedule]
    _check_complete(schedules, catalogue)
    return Prizes(data.penalty, {(each.game, each.seats): each for each in schedules})


def _file() -> str:
    return files(__package__).joinpath("prizes.toml").read_text(encoding="utf-8")


def _said(problem: Any) -> str:
    return f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}"


def _check_complete(schedules: list[Schedule], catalogue: Mapping[str, GameDescriptor]) -> None:
    given = Counter((each.game, each.seats) for each in schedules)
    wanted = {(game.kind, seats): game for game in catalogue.values() if game.ranked for seats in game.seats}
    for (game, seats), times in given.items():
        if times > 1 or (game, seats) not in wanted:
            raise WrongSchedule(f"{game} with {seats} seats " + ("is there twice" if times > 1 else "is not ranked"))
    for game, seats in wanted:
        if (game, seats) not in given:
            raise WrongSchedule(f"{game} with {seats} seats has no schedule")
    for each in schedules:
        in_two_sides = wanted[each.game, each.seats].team_count({"players": each.seats}) == 2
        if in_two_sides == bool(each.ranks):
            raise WrongSchedule(f"{each.game} with {each.seats} seats: ranks are for who plays for himself")
