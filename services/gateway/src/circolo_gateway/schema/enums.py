"""Closed lists. Their values are those of the contracts (a test compares them)."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

import strawberry
from circolo_contracts.games import CATALOGUE
from circolo_contracts.refusals import RefusalCode

RefusalCodeEnum = strawberry.enum(
    RefusalCode, name="RefusalCode", description="Why a mutation was refused. No code ever changes meaning."
)

if TYPE_CHECKING:

    class GameKind(Enum):
        """Made from the catalogue."""

else:
    GameKind = strawberry.enum(
        Enum("GameKind", {kind: kind for kind in CATALOGUE}), description="Every game of the house."
    )


@strawberry.enum
class Language(Enum):
    IT = "IT"
    EN = "EN"


@strawberry.enum
class Visibility(Enum):
    PUBLIC = "PUBLIC"
    PRIVATE = "PRIVATE"


@strawberry.enum
class RoomPhase(Enum):
    LOBBY = "LOBBY"
    PLAYING = "PLAYING"
    CLOSED = "CLOSED"


@strawberry.enum
class CpuLevel(Enum):
    EASY = "EASY"
    MEDIUM = "MEDIUM"
    HARD = "HARD"


@strawberry.enum(description="STARTING: requested, and its first event has not come yet.")
class GameStatus(Enum):
    STARTING = "STARTING"
    RUNNING = "RUNNING"
    ENDED = "ENDED"


@strawberry.enum(description="D coins (denari), C cups (coppe), S swords (spade), B clubs (bastoni).")
class Suit(Enum):
    D = "D"
    C = "C"
    S = "S"
    B = "B"


@strawberry.enum(
    description="NAPOLETANA: ace, two and three of one suit. BUONGIOCO: three or four aces, twos or threes."
)
class DeclarationKind(Enum):
    NAPOLETANA = "NAPOLETANA"
    BUONGIOCO = "BUONGIOCO"


@strawberry.enum(
    description="A place of the pyramid. COVERED: face down; FREE: face up, may be removed; EMPTY: its card is gone."
)
class PlaceState(Enum):
    COVERED = "COVERED"
    FREE = "FREE"
    EMPTY = "EMPTY"


@strawberry.enum
class SolitaireMoveKind(Enum):
    REMOVE = "REMOVE"
    MOVE = "MOVE"
    TURN = "TURN"


@strawberry.enum(
    description="How a game ended. STOPPED: by the host; IDLE: nobody played for 24 hours; CANCELLED: it never "
    "started; BLOCKED: a patience that did not come out."
)
class Outcome(Enum):
    WON = "WON"
    TIED = "TIED"
    ABANDONED = "ABANDONED"
    STOPPED = "STOPPED"
    IDLE = "IDLE"
    CANCELLED = "CANCELLED"
    BLOCKED = "BLOCKED"


@strawberry.enum(description="Why a seat abandoned: its player left, his clock ran out, or the others put him out.")
class AbandonReason(Enum):
    LEFT = "LEFT"
    TIMEOUT = "TIMEOUT"
    EXPELLED = "EXPELLED"


@strawberry.enum(
    description="Why brilli were given or taken. DEAL: a deal's prize; MATCH: the match's; UNPLAYED: of the deals that "
    "a short match did not need; PENALTY: the fine of who abandoned; REVERSED: the direction took something back."
)
class LedgerRule(Enum):
    DEAL = "DEAL"
    MATCH = "MATCH"
    UNPLAYED = "UNPLAYED"
    PENALTY = "PENALTY"
    REVERSED = "REVERSED"


@strawberry.enum(
    description="COLLUSION: the result was arranged; DIRECTION: the direction decided so; FAULT: a fault of the house."
)
class ReversalReason(Enum):
    COLLUSION = "COLLUSION"
    DIRECTION = "DIRECTION"
    FAULT = "FAULT"


@strawberry.enum(description="POT: where prizes come from. PENALTIES: where fines go.")
class AccountKind(Enum):
    PLAYER = "PLAYER"
    POT = "POT"
    PENALTIES = "PENALTIES"


@strawberry.enum(description="What people are ranked by.")
class Measure(Enum):
    BRILLI = "BRILLI"
    WINS = "WINS"


@strawberry.enum(description="ROOM: everybody there hears it. TEAM: one's partners and oneself.")
class Channel(Enum):
    ROOM = "ROOM"
    TEAM = "TEAM"


@strawberry.enum(
    description="SAID: somebody said something. TALK_CLOSED: a first trick has begun in which who sits at the table is "
    "silent; TALK_OPENED: it is over. LAGGED: something is missing here, read `messages`."
)
class MessageKind(Enum):
    SAID = "SAID"
    TALK_CLOSED = "TALK_CLOSED"
    TALK_OPENED = "TALK_OPENED"
    LAGGED = "LAGGED"


@strawberry.enum(description="OPERATOR: of the direction. ANALYST: may read the events.")
class Role(Enum):
    ANALYST = "ANALYST"
    OPERATOR = "OPERATOR"


@strawberry.enum(description="PLAY_DECLARATION: telling what one holds or will play, which is forbidden.")
class ReportReason(Enum):
    BLASPHEMY = "BLASPHEMY"
    CHEATING = "CHEATING"
    INSULTS = "INSULTS"
    OTHER = "OTHER"
    PLAY_DECLARATION = "PLAY_DECLARATION"


@strawberry.enum(description="What the direction decided about a report.")
class Verdict(Enum):
    BANNED = "BANNED"
    DISMISSED = "DISMISSED"
    MUTED = "MUTED"
    WARNED = "WARNED"


@strawberry.enum(
    description="What happened in a game. OTHER: something that this version of the gateway does not know."
)
class GameEventKind(Enum):
    MATCH_STARTED = "MATCH_STARTED"
    DEAL_STARTED = "DEAL_STARTED"
    DEAL_VOIDED = "DEAL_VOIDED"
    CARD_PLAYED = "CARD_PLAYED"
    CARD_DRAWN = "CARD_DRAWN"
    HANDS_DEALT = "HANDS_DEALT"
    DECLARED = "DECLARED"
    TRICK_ENDED = "TRICK_ENDED"
    TABLE_TAKEN = "TABLE_TAKEN"
    DEAL_ENDED = "DEAL_ENDED"
    MATCH_ENDED = "MATCH_ENDED"
    SEED_REVEALED = "SEED_REVEALED"
    GAME_CANCELLED = "GAME_CANCELLED"
    SOLITAIRE_STARTED = "SOLITAIRE_STARTED"
    CARDS_REMOVED = "CARDS_REMOVED"
    CARD_MOVED = "CARD_MOVED"
    STOCK_TURNED = "STOCK_TURNED"
    WASTE_TURNED = "WASTE_TURNED"
    TOMBOLA_STARTED = "TOMBOLA_STARTED"
    NUMBER_DRAWN = "NUMBER_DRAWN"
    PRIZE_AWARDED = "PRIZE_AWARDED"
    CALLING_CHANGED = "CALLING_CHANGED"
    CALLING_PAUSED = "CALLING_PAUSED"
    CALLING_RESUMED = "CALLING_RESUMED"
    CALLER_CHANGED = "CALLER_CHANGED"
    GAME_SUPERSEDED = "GAME_SUPERSEDED"
    TRIVIA_STARTED = "TRIVIA_STARTED"
    QUESTION_READY = "QUESTION_READY"
    QUESTION_OPENED = "QUESTION_OPENED"
    ANSWER_LOCKED = "ANSWER_LOCKED"
    QUESTION_REVEALED = "QUESTION_REVEALED"
    PICK_OPENED = "PICK_OPENED"
    TILE_PICKED = "TILE_PICKED"
    BUZZERS_OPENED = "BUZZERS_OPENED"
    BUZZED_TOO_EARLY = "BUZZED_TOO_EARLY"
    BUZZ_ACCEPTED = "BUZZ_ACCEPTED"
    ANSWER_JUDGED = "ANSWER_JUDGED"
    CONTROL_PASSED = "CONTROL_PASSED"
    STAKES_OPENED = "STAKES_OPENED"
    STAKE_LOCKED = "STAKE_LOCKED"
    FINAL_OPENED = "FINAL_OPENED"
    FINAL_LOCKED = "FINAL_LOCKED"
    CAPTAIN_NAMED = "CAPTAIN_NAMED"
    ALL_REVEALED = "ALL_REVEALED"
    SEAT_AWAY = "SEAT_AWAY"
    SEAT_BACK = "SEAT_BACK"
    SEAT_LEFT = "SEAT_LEFT"
    HOST_MOVED = "HOST_MOVED"
    OTHER = "OTHER"


@strawberry.enum(
    description="What happened in a room. OTHER: something that this version of the gateway does not know."
)
class RoomEventKind(Enum):
    ROOM_CREATED = "ROOM_CREATED"
    PLAYER_JOINED = "PLAYER_JOINED"
    PLAYER_LEFT = "PLAYER_LEFT"
    SEAT_TAKEN = "SEAT_TAKEN"
    CPU_SEATED = "CPU_SEATED"
    CPU_REMOVED = "CPU_REMOVED"
    HOST_CHANGED = "HOST_CHANGED"
    SETTINGS_CHANGED = "SETTINGS_CHANGED"
    PLAYER_CONNECTED = "PLAYER_CONNECTED"
    PLAYER_DISCONNECTED = "PLAYER_DISCONNECTED"
    GAME_REQUESTED = "GAME_REQUESTED"
    GAME_STOP_REQUESTED = "GAME_STOP_REQUESTED"
    GAME_FINISHED = "GAME_FINISHED"
    EXPULSION_VOTED = "EXPULSION_VOTED"
    EXPULSION_DECIDED = "EXPULSION_DECIDED"
    REMATCH_OFFERED = "REMATCH_OFFERED"
    REMATCH_ACCEPTED = "REMATCH_ACCEPTED"
    REMATCH_WITHDRAWN = "REMATCH_WITHDRAWN"
    ROOM_CLOSED = "ROOM_CLOSED"
    OTHER = "OTHER"


@strawberry.enum(
    description="UPSERT: the room is new or changed. REMOVE: it is not in the (filtered) list. "
    "RESET: read the list anew, changes were lost."
)
class LobbyChangeKind(Enum):
    UPSERT = "UPSERT"
    REMOVE = "REMOVE"
    RESET = "RESET"


def _type_name(word: str) -> str:
    return word.title().replace("_", "")


_GAME_EVENTS = {_type_name(kind.value): kind for kind in GameEventKind}
_ROOM_EVENTS = {_type_name(kind.value): kind for kind in RoomEventKind}


def game_event_kind(type_name: str) -> GameEventKind:
    """``CardPlayed`` is what the API calls ``CARD_PLAYED``."""
    return _GAME_EVENTS.get(type_name, GameEventKind.OTHER)


def room_event_kind(type_name: str) -> RoomEventKind:
    return _ROOM_EVENTS.get(type_name, RoomEventKind.OTHER)
