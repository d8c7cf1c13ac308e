"""The gateway's own settings: ``CIRCOLO_GATEWAY_<NAME>``. Every queue and limit has its name here."""

from __future__ import annotations

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class GatewaySettings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="CIRCOLO_GATEWAY_", env_ignore_empty=True, extra="ignore", frozen=True)

    allowed_origins: str = Field(
        default="",
        description="Origins of other sites whose pages may call the API, separated by commas; `*`: all. "
        "The gateway's own origin and loopback ones always may.",
    )
    max_body_bytes: int = Field(
        default=1_310_720, ge=1024, description="Largest HTTP body and WebSocket message; larger: 413, or close 1009."
    )
    body_seconds: float = Field(
        default=10.0, gt=0, description="How long a client may take to send its body; then 408."
    )
    max_document_bytes: int = Field(default=65_536, ge=256, description="Longest GraphQL document (UTF-8).")
    max_tokens: int = Field(default=4_000, ge=10, description="Most tokens of a document.")
    max_depth: int = Field(default=16, ge=2, description="Deepest nesting of fields, through fragments.")
    max_fields: int = Field(default=1_000, ge=10, description="Most fields of an operation, fragments expanded.")
    max_aliases: int = Field(default=50, ge=0, description="Most aliases of an operation, fragments expanded.")
    max_directives: int = Field(default=50, ge=0, description="Most directives of an operation, fragments expanded.")
    max_cost: int = Field(default=5_000, ge=10, description="Largest cost of an operation (see transport/cost.py).")
    document_cache_entries: int = Field(
        default=1_000, ge=1, description="Documents kept parsed and validated; the one unused longest goes first."
    )
    document_cache_bytes: int = Field(default=4_194_304, ge=1024, description="Most text in that cache; as above.")
    init_seconds: float = Field(
        default=10.0, gt=0, description="How long a socket may take to say `connection_init`; then 4408."
    )
    socket_operations: int = Field(
        default=100, ge=1, description="Most operations at once on a socket; one more gets an `error`."
    )
    socket_soft_bytes: int = Field(
        default=262_144, ge=1024, description="Unsent bytes of a socket above which its views wait and are coalesced."
    )
    socket_hard_bytes: int = Field(
        default=2_097_152, ge=1024, description="Unsent bytes of a socket above which it is closed with 4413."
    )
    socket_stalled_seconds: float = Field(
        default=30.0, gt=0, description="How long a socket may take no byte while some wait; then it is cut off."
    )
    pending_updates: int = Field(
        default=32, ge=1, description="Updates that wait for a slow subscriber before they are merged into one."
    )
    pending_happenings: int = Field(
        default=256, ge=1, description="Happenings kept by a merged update; with more it becomes a reset."
    )
    player_operations_per_second: float = Field(
        default=200.0, gt=0, description="Operations (root fields) of a player per second; more: RATE_LIMITED."
    )
    player_burst: int = Field(default=2_000, ge=1, description="How many of them a rested player may do at once.")
    address_operations_per_second: float = Field(
        default=500.0, gt=0, description="The same for each network address, for who is not signed in."
    )
    address_burst: int = Field(default=5_000, ge=1, description="How many of them a rested address may do at once.")
    command_seconds: float = Field(default=10.0, gt=0, description="How long a command is repeated; then UNAVAILABLE.")
    name_cache_seconds: float = Field(default=5.0, ge=0, description="How old a player's shown name may be.")
    name_cache_entries: int = Field(default=10_000, ge=1, description="Names kept; the oldest goes first.")
    name_batch: int = Field(default=500, ge=1, description="Most names read by one query.")
    recall_cache_seconds: float = Field(
        default=45.0,
        ge=0,
        description="How old it may be that a player's tokens were not recalled (a ban is told at once besides).",
    )
    recall_cache_entries: int = Field(default=20_000, ge=1, description="Players of whom that is kept.")
    recall_check_seconds: float = Field(
        default=30.0, gt=0, description="How often it is read anew for everybody who has a socket here."
    )
    lobby_pending: int = Field(
        default=500, ge=1, description="Rooms that wait for a slow lobby subscriber; with more it is told to read anew."
    )
    stream_check_seconds: float = Field(
        default=5.0, gt=0, description="A view that stays quiet is asked for after this long, then ever more rarely."
    )
    stream_check_most_seconds: float = Field(default=40.0, gt=0, description="The longest time between such questions.")
    presence_grace_seconds: float = Field(
        default=1.0, ge=0, description="How long after the last socket of a player in a room closed it is said."
    )
