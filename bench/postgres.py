"""A Postgres alone, fresh, with fsync on: the embedded one that Circolo brings, for whoever is measured on it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from circolo_devstack.binaries import find_postgres
from circolo_devstack.places import cache_folder, make_owned, runnable, unprivileged_user
from circolo_devstack.postgres import Postgres
from circolo_devstack.template import copy_cluster, template_cluster
from circolo_devstack.temporary import temporary_folder


@contextmanager
def fresh_postgres() -> Iterator[tuple[str, int]]:
    """The superuser's URL and the process; removed at the end."""
    user = unprivileged_user()
    binaries = runnable(find_postgres(), user)
    with temporary_folder() as folder, ExitStack() as stack:
        data = make_owned(folder / "postgres", user)
        cluster = copy_cluster(template_cluster(binaries, user, cache_folder()), data)
        postgres = Postgres(cluster, log=folder / "logs" / "postgres.log")
        stack.callback(postgres.stop)
        postgres.start()
        postgres.wait_ready()
        assert postgres.child is not None
        yield postgres.url, postgres.child.pid
