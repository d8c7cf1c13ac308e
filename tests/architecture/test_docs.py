from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"!?\[[^\]\n]*\]\(\s*<?([^)\s>]+)>?[^)\n]*\)")
FENCED = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*$", re.MULTILINE)


def anchors(text: str) -> set[str]:
    """The names that a Markdown renderer gives to the headings."""
    found = set()
    for heading in HEADING.findall(FENCED.sub("", text)):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        found.add(re.sub(r"[^\w\- ]", "", plain).replace(" ", "-"))
    return found


def test_every_link_within_the_project_leads_somewhere(tree: Mapping[Path, str]) -> None:
    dead = []
    for page, text in tree.items():
        if page.suffix != ".md":
            continue
        for link in LINK.findall(re.sub(r"`[^`\n]*`", "", FENCED.sub("", text))):
            if re.match(r"[a-z][a-z0-9+.-]*:", link):
                continue
            target, _, anchor = link.partition("#")
            file = ROOT / page.parent / target if target else ROOT / page
            if not file.exists():
                dead.append(f"{page}: {link}")
            elif anchor and file.suffix == ".md" and anchor not in anchors(file.read_text(encoding="utf-8")):
                dead.append(f"{page}: {link} (no such heading)")
    assert dead == []


def test_the_pages_that_a_newcomer_looks_for_are_there() -> None:
    names = [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "SECURITY.md",
        "LICENSE",
        "docs/settings.md",
    ]
    assert [name for name in names if not (ROOT / name).is_file()] == []


def test_every_command_of_make_says_what_it_does() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    phony = next(line for line in makefile.splitlines() if line.startswith(".PHONY:")).split()[1:]
    for target in phony:
        lines = [line for line in makefile.splitlines() if line.startswith(f"{target}:")]
        assert len(lines) == 1, f"{target} is one line"
        assert "  ## " in lines[0], f"{target} has its help text"
