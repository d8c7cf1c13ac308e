from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Protocol

import pytest
from circolo_devstack import children
from circolo_devstack.children import Child, tail

SH = Path("/bin/sh")
ENV = {"PATH": os.defpath}


class Processes(Protocol):
    def is_alive(self, pid: int) -> bool: ...

    def are_gone(self, *pids: int) -> bool: ...


def shell(script: str, log: Path, **options: object) -> Child:
    return Child.start("child", [SH, "-c", script], log=log, env=ENV, **options)  # type: ignore[arg-type]


def test_a_child_writes_to_a_log_that_only_its_owner_reads(tmp_path: Path) -> None:
    log = tmp_path / "logs" / "child.log"
    child = shell("echo one; echo two >&2; exit 3", log)
    assert child.wait(5)
    assert child.exit_code == 3
    assert tail(log) == "one\ntwo"
    assert log.stat().st_mode & 0o777 == 0o600


def test_a_long_log_is_put_aside_at_the_next_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "LOG_LIMIT", 10)
    log = tmp_path / "child.log"
    for word in ("a line of the first run", "second"):
        assert shell(f"echo {word}", log).wait(5)
    assert log.read_text() == "second\n"
    assert (tmp_path / "child.log.1").read_text() == "a line of the first run\n"


def test_a_program_that_is_not_there_says_so_in_its_log(tmp_path: Path) -> None:
    child = Child.start("child", ["/absent/program"], log=tmp_path / "log", env=ENV)
    assert child.wait(5)
    assert child.exit_code == 127
    assert "cannot start /absent/program" in tail(tmp_path / "log")


def test_a_child_that_ignores_the_request_is_killed_with_its_whole_group(tmp_path: Path, processes: Processes) -> None:
    child = shell("trap '' TERM; sleep 60 & echo $!; wait; sleep 60", tmp_path / "log")
    while not tail(tmp_path / "log"):
        time.sleep(0.01)
    grandchild = int(tail(tmp_path / "log"))
    child.stop(((signal.SIGTERM, 0.1),))
    assert child.exit_code == -signal.SIGKILL
    assert processes.are_gone(grandchild)


def test_a_child_is_in_a_group_of_its_own(tmp_path: Path) -> None:
    child = shell("sleep 60", tmp_path / "log")
    try:
        assert os.getpgid(child.pid) == child.pid != os.getpgid(0)
    finally:
        child.stop(())


def test_a_child_ends_when_its_parent_is_killed(tmp_path: Path, processes: Processes) -> None:
    script = (
        "import sys, time\nfrom pathlib import Path\nfrom circolo_devstack.children import Child\n"
        f"child = Child.start('c', ['/bin/sleep', '60'], log=Path({str(tmp_path / 'log')!r}), env={{}})\n"
        "print(child.pid, flush=True)\ntime.sleep(60)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    assert processes.is_alive(pid)
    parent.kill()
    parent.communicate()
    assert processes.are_gone(pid)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can start a child as somebody else")
def test_a_child_can_run_as_somebody_else_and_still_ends_with_its_parent(tmp_path: Path, processes: Processes) -> None:
    script = (
        "import os, time\nfrom pathlib import Path\nfrom circolo_devstack.children import Child, User\n"
        f"child = Child.start('c', ['/bin/sleep', '60'], log=Path({str(tmp_path / 'log')!r}), env={{}},\n"
        "    user=User(65534, 65534), cwd=Path('/'))\n"
        "time.sleep(0.3)\nprint(child.pid, flush=True)\ntime.sleep(60)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    status = Path(f"/proc/{pid}/status").read_text()
    assert "Uid:\t65534\t65534\t65534\t65534" in status
    assert "Groups:\t \n" in status
    parent.kill()
    parent.communicate()
    assert processes.are_gone(pid)
