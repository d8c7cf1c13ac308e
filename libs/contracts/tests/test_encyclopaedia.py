"""The encyclopaedia: every game of the house has its rules in both languages, and they say what the catalogue says."""

from __future__ import annotations

import re
from typing import get_args

import pytest
from circolo_contracts.encyclopaedia import SECTIONS, BadPage, NoPage, Page, page, pages, read
from circolo_contracts.games import CATALOGUE, Setting
from circolo_contracts.languages import LANGUAGES, Language
from circolo_contracts.rooms import CpuLevel

PAGES = sorted(pages())
ALL = pytest.mark.parametrize(("game", "language"), PAGES, ids=[f"{game}-{language}" for game, language in PAGES])
QUOTED = re.compile(r"`([^`]+)`")


def rows(page: Page) -> dict[str, tuple[list[str], list[str], list[str]]]:
    """Of the table of settings: name to the values that may be chosen, the default, and what else is quoted."""
    settings = next(section.markdown for section in page.sections if section.id == "settings")
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in settings.splitlines() if line[:1] == "|"]
    return {
        row[0].strip("`"): (QUOTED.findall(row[1]), QUOTED.findall(row[2]), QUOTED.findall(row[3])) for row in cells[2:]
    }


def values(setting: Setting) -> list[str]:
    if setting.kind == "bool":
        return ["true", "false"]
    return [str(value) for value in setting.choices or (setting.minimum, setting.maximum)]


def shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def test_no_game_of_the_house_lacks_its_page() -> None:
    assert [(game, language) for game in CATALOGUE for language in LANGUAGES if (game, language) not in pages()] == []


@pytest.mark.parametrize("game", CATALOGUE)
def test_a_page_has_the_title_of_its_game(game: str) -> None:
    titles = (page(game, "IT").title, page(game, "EN").title)
    assert titles == (CATALOGUE[game].title_it, CATALOGUE[game].title_en)


def test_every_page_is_there_in_both_languages() -> None:
    assert {game for game, language in PAGES if language == "IT"} == {
        game for game, language in PAGES if language == "EN"
    }


@ALL
def test_both_languages_have_the_same_sections(game: str, language: Language) -> None:
    read_page = page(game, language)
    assert [section.id for section in read_page.sections] == list(SECTIONS)
    assert [section.title for section in read_page.sections] == [titles[language] for titles in SECTIONS.values()]
    other = page(game, "EN" if language == "IT" else "IT")
    for mine, theirs in zip(read_page.sections, other.sections, strict=True):
        assert shape(mine.markdown) == shape(theirs.markdown), mine.id


def shape(markdown: str) -> list[str]:
    """What kind of block follows what: paragraphs, tables with their rows, lists with their items."""
    kinds = {"|": "row", "-": "item", "#": "heading"}
    blocks = []
    for block in markdown.split("\n\n"):
        lines = [line for line in block.splitlines() if not line.startswith(" ")]
        kind = "number" if re.match(r"\d+\. ", block) else kinds.get(block[0], "paragraph")
        blocks.append(f"{kind} {1 if kind == 'paragraph' else len(lines)}")
    return blocks


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", CATALOGUE)
def test_a_page_lists_every_setting_of_its_game_and_no_other(game: str, language: Language) -> None:
    listed = rows(page(game, language))
    assert set(listed) == {setting.name for setting in CATALOGUE[game].settings}
    for setting in CATALOGUE[game].settings:
        chosen, default, others = listed[setting.name]
        assert sorted(chosen) == sorted(values(setting)), setting.name
        assert default == [shown(setting.default)], setting.name
        assert others == [shown(default) for _, default in setting.default_for], f"{setting.name}: other defaults"


@ALL
def test_both_languages_list_the_same_settings(game: str, language: Language) -> None:
    assert rows(page(game, language)) == rows(page(game, "IT"))
    for name, (chosen, default, _) in rows(page(game, language)).items():
        assert len(default) == 1, name
        assert len(chosen) >= 2, name


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", CATALOGUE)
def test_a_page_names_the_levels_of_the_cpu_where_one_can_sit(game: str, language: Language) -> None:
    cpu = next(section.markdown for section in page(game, language).sections if section.id == "cpu")
    levels = list(get_args(CpuLevel)) if CATALOGUE[game].cpu else []
    assert [level for level in get_args(CpuLevel) if f"`{level}`" in cpu] == levels


@ALL
def test_a_page_is_plain_markdown_that_any_frontend_can_show(game: str, language: Language) -> None:
    text = page(game, language).markdown
    assert not re.search(r"<[a-zA-Z/!]", text), "raw HTML"
    assert not re.search(r"&[a-z#0-9]+;", text), "an entity"
    assert "](" not in text, "a link"
    assert not re.search(r"[\t\r\u00a0\u200b]", text)
    assert max(map(len, text.splitlines())) <= 120
    assert [line for line in text.splitlines() if line != line.rstrip()] == []
    assert "\n\n\n" not in text
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        assert len({line.count("|") for line in table.splitlines()}) == 1, table
    assert text.count("**") % 2 == 0


@ALL
def test_the_sums_on_a_page_are_right(game: str, language: Language) -> None:
    for terms, total in re.findall(r"(\d+(?: \+ \d+)+) = (\d+)", page(game, language).markdown):
        assert sum(map(int, terms.split(" + "))) == int(total), terms


def test_a_game_without_a_page_is_a_typed_error() -> None:
    for game in ("LUDO", "briscola", "../pages/BRISCOLA", "", "\ud800"):
        with pytest.raises(NoPage) as caught:
            page(game, "IT")
        assert (caught.value.game, caught.value.language) == (game, "IT")


def test_a_page_is_read_once() -> None:
    assert page("BRISCOLA", "EN") is page("BRISCOLA", "EN")


GOOD = "# Ludo\n\n" + "\n".join(f"## {titles['EN']}\n\ntext\n" for titles in SECTIONS.values())


def test_a_page_is_its_title_and_its_sections() -> None:
    ludo = read("LUDO", "EN", GOOD)
    assert (ludo.title, ludo.markdown) == ("Ludo", GOOD)
    assert [section.markdown for section in ludo.sections] == ["text"] * len(SECTIONS)


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        GOOD.removeprefix("# Ludo\n\n"),
        GOOD.replace("# Ludo\n", "# Ludo\nA stray line.\n"),
        GOOD.replace("## Scoring\n\ntext\n\n", ""),
        GOOD.replace("## Scoring\n\ntext\n", "## Scoring\n"),
        GOOD.replace("## Scoring", "## Points"),
        GOOD + "\n## More\n\ntext\n",
        GOOD.replace("## The deal", "## The play", 1),
    ],
    ids=["empty", "no title", "a lead", "a section less", "an empty one", "another name", "one more", "twice"],
)
def test_a_page_of_another_structure_is_a_typed_error(wrong: str) -> None:
    with pytest.raises(BadPage) as caught:
        read("LUDO", "EN", wrong)
    assert (caught.value.game, caught.value.language) == ("LUDO", "EN")
