from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from circolo_devstack.children import Child
from circolo_devstack.supervisor import Backoff, StartFailed, StopSteps, Supervisor

QUICK = Backoff(first=0.05, longest=0.2, reset_after=30)


class Script:
    """A shell script as a program; ready when it says so in a file."""

    def __init__(self, name: str, script: str, folder: Path, *, tier: int = 1, patience: float = 5) -> None:
        self.name = name
        self.log = folder / f"{name}.log"
        self.tier = tier
        self.stop_steps: StopSteps = ((signal.SIGTERM, patience),)
        self.starts: list[float] = []
        self._script = script
        self._ready = folder / f"{name}.ready"
        self._folder = folder

    def start(self) -> Child:
        self._ready.unlink(missing_ok=True)
        self.starts.append(time.monotonic())
        env = {"PATH": os.defpath, "ready": str(self._ready), "folder": str(self._folder), "name": self.name}
        return Child.start(self.name, ["/bin/sh", "-c", self._script], log=self.log, env=env)

    def is_ready(self) -> bool:
        return self._ready.exists()


SERVES = 'touch "$ready"; while true; do sleep 0.02; done'
TELLS = "trap 'echo $name >> \"$folder/order\"; exit 0' TERM; " + SERVES


class Said(list[str]):
    def wait_for(self, wanted: str, seconds: float = 5) -> str:
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            for line in self:
                if wanted in line:
                    return line
            time.sleep(0.01)
        raise AssertionError(f"{wanted!r} was not said: {list(self)}")


@pytest.fixture
def said() -> Said:
    return Said()


Supervise = Callable[..., Supervisor]


@pytest.fixture
def supervise(said: Said) -> Iterator[Supervise]:
    made: list[Supervisor] = []

    def start(*programs: Script, backoff: Backoff = QUICK, hurry: threading.Event | None = None) -> Supervisor:
        supervisor = Supervisor(programs, say=said.append, backoff=backoff, hurry=hurry)
        made.append(supervisor)
        supervisor.start()
        return supervisor

    yield start
    for supervisor in made:
        supervisor.stop()


def test_it_waits_until_all_are_ready(supervise: Supervise, tmp_path: Path) -> None:
    seen: list[str] = []
    supervisor = supervise(Script("quick", SERVES, tmp_path), Script("slow", f"sleep 0.3; {SERVES}", tmp_path))
    supervisor.wait_ready(5, seen.append)
    assert seen == ["quick", "slow"]


def test_a_killed_program_is_started_again_and_it_says_so_once(
    supervise: Supervise, said: Said, tmp_path: Path
) -> None:
    supervisor = supervise(Script("rooms", SERVES, tmp_path))
    supervisor.wait_ready(5)
    first = supervisor.pid("rooms")
    assert first is not None
    os.kill(first, signal.SIGKILL)
    said.wait_for("rooms started again")
    supervisor.wait_ready(5)
    assert supervisor.pid("rooms") not in (None, first)
    assert said == [
        f"rooms was ended by SIGKILL; again in 0.1 s, log: {tmp_path / 'rooms.log'}",
        f"rooms started again (process {supervisor.pid('rooms')})",
    ]
    assert [one.restarts for one in supervisor.snapshot()] == [1]


def test_the_pauses_double_up_to_ten_seconds() -> None:
    backoff = Backoff()
    assert [backoff.delay(crashes) for crashes in range(1, 9)] == [0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10, 10]
    assert backoff.delay(10_000) == 10


def test_repeated_crashes_wait_longer_each_time(supervise: Supervise, said: Said, tmp_path: Path) -> None:
    program = Script("rooms", 'touch "$ready"; exit 3', tmp_path)
    supervise(program)
    said.wait_for("again in 0.2 s")
    while len(program.starts) < 4:
        time.sleep(0.01)
    pauses = [after - before for before, after in zip(program.starts, program.starts[1:], strict=False)]
    assert pauses[1] > pauses[0]
    assert said[0].startswith("rooms ended with code 3; again in 0.1 s")


def test_after_long_health_a_crash_counts_as_the_first(supervise: Supervise, said: Said, tmp_path: Path) -> None:
    supervisor = supervise(Script("rooms", SERVES, tmp_path), backoff=Backoff(first=0.1, longest=9, reset_after=0.1))
    for _ in range(3):
        supervisor.wait_ready(5)
        time.sleep(0.2)
        pid = supervisor.pid("rooms")
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        while supervisor.pid("rooms") == pid:
            time.sleep(0.01)
    assert [line.partition(";")[2] for line in said if "again in" in line] == [
        f" again in 0.1 s, log: {tmp_path / 'rooms.log'}"
    ] * 3


def test_a_start_that_keeps_failing_is_given_up_with_the_end_of_the_log(supervise: Supervise, tmp_path: Path) -> None:
    supervisor = supervise(Script("rooms", "echo no database; exit 1", tmp_path))
    with pytest.raises(StartFailed, match=r"rooms does not start \(ended with code 1\).*\nno database") as failed:
        supervisor.wait_ready(10)
    assert str(tmp_path / "rooms.log") in str(failed.value)


def test_a_wrong_setting_is_given_up_at_once(supervise: Supervise, tmp_path: Path) -> None:
    program = Script("rooms", "echo CIRCOLO_NATS_URL is not set; exit 2", tmp_path)
    supervisor = supervise(program, backoff=Backoff(first=60))
    with pytest.raises(StartFailed, match="CIRCOLO_NATS_URL is not set"):
        supervisor.wait_ready(5)
    assert len(program.starts) == 1


def test_a_start_that_takes_too_long_names_who_is_missing(supervise: Supervise, tmp_path: Path) -> None:
    supervisor = supervise(Script("quick", SERVES, tmp_path), Script("never", "sleep 60", tmp_path))
    with pytest.raises(StartFailed, match=r"not ready after 0 s: never \("):
        supervisor.wait_ready(0.4)


def test_it_stops_from_the_highest_tier_down_and_leaves_nothing(supervise: Supervise, tmp_path: Path) -> None:
    names = {"postgres": 0, "rooms": 1, "gateway": 2}
    supervisor = supervise(*(Script(name, TELLS, tmp_path, tier=tier) for name, tier in names.items()))
    supervisor.wait_ready(5)
    pids = [one.pid for one in supervisor.snapshot()]
    supervisor.stop()
    assert (tmp_path / "order").read_text().split() == ["gateway", "rooms", "postgres"]
    assert not any(pid and Path(f"/proc/{pid}").exists() for pid in pids)


def test_who_does_not_stop_in_time_is_killed_and_it_says_so(supervise: Supervise, said: Said, tmp_path: Path) -> None:
    supervisor = supervise(Script("rooms", f"trap '' TERM; {SERVES}", tmp_path, patience=0.2))
    supervisor.wait_ready(5)
    supervisor.stop()
    assert said == ["rooms did not stop in time and was killed"]


def test_in_a_hurry_services_are_killed_and_servers_still_stop_properly(supervise: Supervise, tmp_path: Path) -> None:
    hurry = threading.Event()
    supervisor = supervise(
        Script("postgres", TELLS, tmp_path, tier=0),
        Script("rooms", f"trap '' TERM; {SERVES}", tmp_path, patience=60),
        hurry=hurry,
    )
    supervisor.wait_ready(5)
    hurry.set()
    before = time.monotonic()
    supervisor.stop()
    assert time.monotonic() - before < 5
    assert (tmp_path / "order").read_text().split() == ["postgres"]


def test_a_program_that_was_started_before_is_watched_as_well(said: Said, tmp_path: Path) -> None:
    program = Script("postgres", SERVES, tmp_path)
    child = program.start()
    supervisor = Supervisor([program], say=said.append, backoff=QUICK)
    supervisor.adopt("postgres", child)
    supervisor.start()
    try:
        supervisor.wait_ready(1)
        assert len(program.starts) == 1
        os.kill(child.pid, signal.SIGKILL)
        said.wait_for("postgres started again")
    finally:
        supervisor.stop()
