"""What the checks look at: the files that git tracks or would track."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


class Tree(Mapping[Path, str]):
    """The project's text files by path relative to the root; pictures and other binary files are left out."""

    def __init__(self) -> None:
        listed = subprocess.run(
            ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
            cwd=ROOT,
            capture_output=True,
            check=True,
        )
        self._texts: dict[Path, str] = {}
        for name in sorted(filter(None, listed.stdout.decode().split("\0"))):
            path = ROOT / name
            data = path.read_bytes() if path.is_file() else b"\0"
            if b"\0" not in data:
                self._texts[Path(name)] = data.decode("utf-8")

    def __getitem__(self, path: Path) -> str:
        return self._texts[path]

    def __iter__(self) -> Iterator[Path]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)

    def python(self) -> dict[Path, str]:
        return {path: text for path, text in self.items() if path.suffix == ".py"}

    def modules(self) -> dict[str, ast.Module]:
        """Every module of the parts, by its import name."""
        found = {}
        for path, text in self.python().items():
            if path.parts[0] in ("libs", "services") and path.parts[2] == "src":
                names = list(path.with_suffix("").parts[3:])
                if names[-1] == "__init__":
                    names.pop()
                found[".".join(names)] = ast.parse(text)
        return found


@pytest.fixture(scope="session")
def tree() -> Tree:
    return Tree()


@pytest.fixture(scope="session")
def modules(tree: Tree) -> dict[str, ast.Module]:
    return tree.modules()
