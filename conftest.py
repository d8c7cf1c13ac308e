"""Every test may ask for real servers: ``servers``, ``nats_url``, ``database`` (see libs/devstack)."""

pytest_plugins = ["circolo_devstack.pytest_plugin"]
