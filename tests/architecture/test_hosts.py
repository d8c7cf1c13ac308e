"""No file names a package index or a folder of somebody's machine: such names go stale, and mislead who clones."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

import pip._internal.models.index as indexes

ROOT = Path(__file__).parents[2]
PLACE_OF_A_PERSON = re.compile(r"(?<![\w.~/-])/(?:home|Users)/[A-Za-z0-9_]+/|(?<![\w.~/-])/root/")


def index_hosts() -> set[str]:
    """Hosts of the indexes that pip knows by itself and of those that this machine is set to."""
    hosts = set()
    for known in vars(indexes).values():
        if isinstance(known, indexes.PackageIndex):
            hosts |= {known.netloc, known.file_storage_domain}
    configured = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=True
    ).stdout
    sources = [configured, *(path.read_text() for path in Path("/etc/apt").glob("sources.list*") if path.is_file())]
    sources += [path.read_text() for path in Path("/etc/apt").glob("sources.list.d/*") if path.is_file()]
    npm = Path.home() / ".npmrc"
    sources.append(npm.read_text() if npm.is_file() else "")
    for address in re.findall(r"https?://[^\s'\"]+", "\n".join(sources)):
        hosts.add(urlsplit(address).hostname or "")
    return {host for host in hosts if host and "." in host and not host[0].isdigit()}


def test_pip_tells_us_its_hosts() -> None:
    assert len(index_hosts()) >= 2


def test_no_file_names_a_package_index(tree: Mapping[Path, str]) -> None:
    hosts = index_hosts()
    assert [f"{path}: {host}" for path, text in tree.items() for host in hosts if host in text] == []


def test_no_file_names_a_folder_of_somebodys_machine(tree: Mapping[Path, str]) -> None:
    here = re.compile(r"(?<![\w.~/-])" + re.escape(str(ROOT)) + "/")
    found = []
    for path, text in tree.items():
        for pattern in (here, PLACE_OF_A_PERSON):
            found += [
                f"{path}: {match[0]}" for match in [pattern.search(text)] if match and path.name != Path(__file__).name
            ]
    assert found == []


def test_nothing_is_read_from_beside_the_project(tree: Mapping[Path, str]) -> None:
    beside = "../" + "shared"
    assert [str(path) for path, text in tree.items() if beside in text] == []


def test_the_pins_have_hashes_and_no_index() -> None:
    pins = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    entries = re.split(r"\n(?=\S)", pins.strip())
    assert [entry.split(" ")[0] for entry in entries if "==" not in entry or "--hash=sha256:" not in entry] == []
    wanted = {line.split(" ")[0] for line in (ROOT / "requirements.in").read_text().splitlines() if line[:1].isalpha()}
    assert {name for name in wanted if f"\n{name}==" not in f"\n{pins}"} == set()


def test_parts_declare_no_dependencies_of_their_own() -> None:
    for path in ROOT.glob("*/*/pyproject.toml"):
        assert "dependencies" not in path.read_text(encoding="utf-8"), f"{path}: requirements.in is the only list"
