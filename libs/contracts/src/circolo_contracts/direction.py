"""The direction of the house: roles, reports, what operators decide of them, and a player's wish to be forgotten.

No event holds free text: why something was done is one of a closed list, and the report that it names has the rest.
"""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, Raw, Struct, UnsetType

from .talk import Channel

Role = Literal["ANALYST", "OPERATOR"]
"""An operator belongs to the direction; an analyst may read the events."""
Reason = Literal["BLASPHEMY", "CHEATING", "INSULTS", "OTHER", "PLAY_DECLARATION"]
"""What somebody is reported, warned, muted or banned for."""
Verdict = Literal["BANNED", "DISMISSED", "MUTED", "WARNED"]

MAX_NOTE = 500
"""Code points of what a reporter adds in his own words."""
REPORTS_IN_WINDOW = 10
REPORTS_WINDOW_MS = 3_600_000
"""So many reports may one player make within so long; the next one is RATE_LIMITED."""
FROZEN_MESSAGES = 50
"""The last messages, as far as the reporter may read them, that a report keeps."""
KEPT_DAYS = 90
"""How long after its end what a report froze can still be read: for an appeal. Then texts and position are erased."""
LONGEST_SANCTION_MS = 10 * 366 * 24 * 3_600_000

SIGN_OUTS = "signout.rooms"
"""Subject on which rooms says ``SignedOut`` to every gateway. Who may have missed it reads ``rooms.player_epoch``."""

# ---------------------------------------------------------------- events of ``player-<id>``


class RoleGranted(Struct, frozen=True):
    at: int
    by: str
    """The service that asked for it: people do not grant roles."""
    role: Role


class RoleRevoked(Struct, frozen=True):
    at: int
    by: str
    epoch: int
    """From now on his tokens of earlier epochs are refused, since they name the role."""
    role: Role


class PlayerWarned(Struct, frozen=True):
    at: int
    by: str
    """The operator's player id."""
    reason: Reason
    report: str | UnsetType = UNSET
    """The report that it decides."""


class PlayerMuted(Struct, frozen=True):
    """He says nothing in any chat until ``until`` (ms since 1970); a later one replaces an earlier one."""

    at: int
    by: str
    reason: Reason
    until: int
    report: str | UnsetType = UNSET


class PlayerBanned(Struct, frozen=True):
    """Signed out everywhere, put out of ranked tables and kept out of them, and mute, until ``until``."""

    at: int
    by: str
    epoch: int
    reason: Reason
    until: int
    report: str | UnsetType = UNSET


class PlayerErased(Struct, frozen=True):
    """He asked to be forgotten. The id stays, and with it the sums; nobody signs in by it again."""

    at: int
    epoch: int


StandingEvent = RoleGranted | RoleRevoked | PlayerWarned | PlayerMuted | PlayerBanned | PlayerErased

# ---------------------------------------------------------------- events of ``report-<id>``


class FrozenLine(Struct, frozen=True):
    """A message as it stood in the chat when it was reported; its text lies beside the report, by this digest."""

    at: int
    channel: Channel
    digest: str
    message_id: str
    player: str


class ReportFiled(Struct, frozen=True):
    at: int
    messages: list[FrozenLine]
    """In the order in which they were said."""
    player: str
    """Who is reported."""
    reason: Reason
    report: str
    """The id of the stream, so that a fold alone knows which report it is."""
    reporter: str
    room: str
    game_id: str | UnsetType = UNSET
    """The room's running or last game, if its service had it."""
    game_version: int | UnsetType = UNSET
    note_digest: str | UnsetType = UNSET
    """HMAC-SHA-256(salt, note), hex."""
    position_digest: str | UnsetType = UNSET
    """SHA-256 of the public view of the game at that version, hex."""


class ReportClosed(Struct, frozen=True):
    at: int
    by: str
    verdict: Verdict
    until: int | UnsetType = UNSET
    """Of the mute or the ban."""


ReportEvent = ReportFiled | ReportClosed

# ---------------------------------------------------------------- commands


class GrantRole(Struct, frozen=True):
    """To ``player-<id>``, by a service: ``circolo grant``."""

    role: Role


class RevokeRole(Struct, frozen=True):
    role: Role


class EraseMe(Struct, frozen=True):
    """To one's own ``player-<id>``. Done means that name and texts are gone."""


class ReportPlayer(Struct, frozen=True):
    """To ``room-<id>``, by somebody who is there. The answer's view is a ``ReportReceipt``."""

    player: str
    reason: Reason
    note: str = ""


class WarnPlayer(Struct, frozen=True):
    """To ``player-<id>``, by an operator; as are the next two. ``report`` is decided by it."""

    reason: Reason
    report: str | UnsetType = UNSET


class MutePlayer(Struct, frozen=True):
    reason: Reason
    until: int
    report: str | UnsetType = UNSET


class BanPlayer(Struct, frozen=True):
    reason: Reason
    until: int
    report: str | UnsetType = UNSET


class DismissReport(Struct, frozen=True):
    """To ``report-<id>``, by an operator: nothing is done about it."""


class ListReports(Struct, frozen=True):
    """To the operator's own ``player-<id>``; nothing is stored, the answer's ``extra`` is a ``ReportList``."""

    after: str = ""
    """The cursor of the last one that he has; empty: from the newest."""
    first: int = 20
    open_only: bool = False


# ---------------------------------------------------------------- what operators and gateways read


class SignedOut(Struct, frozen=True):
    """His sockets are to be closed. His tokens of an earlier epoch are good for ``RefreshToken`` only; of who is
    ``erased``, for nothing."""

    epoch: int
    erased: bool
    player: str


class ReportReceipt(Struct, frozen=True):
    report: str
    version: int


class ReportLine(Struct, frozen=True):
    """One report in the list."""

    cursor: str
    filed_at: int
    player: str
    reason: Reason
    report: str
    reporter: str
    room: str
    closed_at: int | UnsetType = UNSET
    closed_by: str | UnsetType = UNSET
    verdict: Verdict | UnsetType = UNSET


class ReportList(Struct, frozen=True):
    """The newest first."""

    more: bool
    reports: list[ReportLine]


class FrozenMessage(Struct, frozen=True):
    """``text`` is what stood there when it was reported; absent when it was erased before, or kept long enough."""

    at: int
    channel: Channel
    digest: str
    message_id: str
    player: str
    text: str | UnsetType = UNSET


class ReportView(Struct, frozen=True):
    """The answer to an operator's ``Ask`` to ``report-<id>``: exactly what was frozen, and what became of it."""

    filed_at: int
    messages: list[FrozenMessage]
    player: str
    reason: Reason
    report: str
    reporter: str
    room: str
    version: int
    closed_at: int | UnsetType = UNSET
    closed_by: str | UnsetType = UNSET
    game_id: str | UnsetType = UNSET
    game_version: int | UnsetType = UNSET
    note: str | UnsetType = UNSET
    position: Raw | UnsetType = UNSET
    """The game's public view of that moment."""
    until: int | UnsetType = UNSET
    verdict: Verdict | UnsetType = UNSET
