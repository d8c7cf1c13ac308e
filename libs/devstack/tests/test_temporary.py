from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from circolo_devstack import temporary
from circolo_devstack.temporary import temporary_folder


@pytest.fixture(autouse=True)
def own_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(temporary, "YOUNG_SECONDS", 0.0)
    return tmp_path


def test_it_is_removed_at_the_end_also_after_an_error(own_root: Path) -> None:
    with pytest.raises(ZeroDivisionError), temporary_folder() as folder:
        1 / len(list(folder.glob("nothing")))
    assert list(own_root.iterdir()) == []


def test_what_a_killed_run_left_is_removed_by_the_next(own_root: Path) -> None:
    script = "import time\nfrom circolo_devstack.temporary import temporary_folder\n"
    script += "with temporary_folder() as f:\n    print(f, flush=True)\n    time.sleep(60)"
    env = {**os.environ, "TMPDIR": str(own_root)}
    killed = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, env=env)
    assert killed.stdout is not None
    left = Path(killed.stdout.readline().strip())
    with temporary_folder():
        assert left.exists(), "it is in use"
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    with temporary_folder():
        assert not left.exists()


def test_a_folder_of_that_name_that_is_not_ours_to_judge_stays(own_root: Path) -> None:
    stranger = own_root / f"{temporary.PREFIX}stranger"
    stranger.mkdir()
    with temporary_folder():
        assert stranger.exists()
