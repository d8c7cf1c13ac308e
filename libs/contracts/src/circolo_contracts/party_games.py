"""The games that a host runs for as many people as there are: a tombola, a night of trivia."""

from __future__ import annotations

from .descriptors import GameDescriptor, Setting

TOMBOLA = GameDescriptor(
    kind="TOMBOLA",
    service="tombola",
    stream_kind="tombola",
    graphql_type="Tombola",
    title_it="Tombola",
    title_en="Tombola",
    settings=(
        Setting(
            "claimRule",
            "enum",
            "SHARED_DRAW",
            "A chi va un premio",
            "Who gets a prize",
            choices=("SHARED_DRAW", "FIRST_CLAIM"),
        ),
        Setting(
            "calling",
            "enum",
            "MANUAL",
            "Come si chiamano i numeri",
            "How numbers are called",
            choices=("MANUAL", "AUTOMATIC"),
        ),
        Setting(
            "everySeconds",
            "int",
            8,
            "Secondi fra due chiamate automatiche",
            "Seconds between automatic calls",
            minimum=3,
            maximum=30,
        ),
    ),
    seats=(24,),
    cpu=False,
    least_people=1,
)
"""For 1 to 24 people, the host included: four strips of six."""


def _theme(key: str, title_it: str, title_en: str) -> Setting:
    return Setting(f"theme{key.capitalize()}", "bool", True, title_it, title_en)


TRIVIA = GameDescriptor(
    kind="TRIVIA",
    service="trivia",
    stream_kind="trivia",
    graphql_type="Trivia",
    title_it="Serata quiz",
    title_en="Trivia night",
    settings=(
        Setting(
            "mode",
            "enum",
            "QUIZ",
            "Gioco",
            "Game",
            choices=("QUIZ", "SHOWDOWN", "TUTTO_O_NIENTE"),
            graphql_type="TriviaMode",
        ),
        Setting(
            "teams",
            "int",
            2,
            "Squadre (24: ognuno per sé)",
            "Teams (24: each for himself)",
            choices=(2, 3, 4, 6, 8, 24),
        ),
        Setting("questions", "int", 10, "Domande del quiz", "Questions of the quiz", minimum=5, maximum=30),
        Setting("categories", "int", 5, "Categorie del tabellone", "Categories of the board", minimum=3, maximum=6),
        Setting(
            "seconds", "int", 20, "Secondi per rispondere al quiz", "Seconds for a quiz answer", minimum=5, maximum=60
        ),
        Setting("speedPoints", "bool", True, "Punti per la velocità", "Speed points"),
        Setting("rebounds", "bool", True, "Rimbalzo dopo un errore", "Rebound after a miss"),
        Setting(
            "startingScore",
            "int",
            1000,
            "Punti per Tutto o Niente se tutti sono a zero",
            "Points for Tutto o Niente when everybody has none",
            minimum=100,
            maximum=10_000,
        ),
        _theme("geografia", "Geografia e paesaggi", "Geography"),
        _theme("storia", "Storia e Repubblica", "History"),
        _theme("arte", "Arte e architettura", "Art and architecture"),
        _theme("spettacolo", "Musica, opera e cinema", "Music, opera, cinema"),
        _theme("lingua", "Lingua e letteratura", "Language and literature"),
        _theme("cucina", "Cucina e vino", "Food and wine"),
        _theme("scienza", "Scienza e invenzioni", "Science and inventions"),
        _theme("tradizioni", "Feste, giochi e sport", "Feasts, games, sport"),
        _theme("diaspora", "Italiani nel mondo", "Italians around the world"),
    ),
    seats=(24,),
    cpu=False,
    least_people=2,
)
"""For 2 to 24 people, the host included. Teams sit round the table: seat n is of team n modulo their number."""
