"""What every Circolo process has: settings, logs, telemetry, health, migrations, drain."""

from .health import Health
from .platform import Compose, Platform, Service
from .run import main
from .settings import Settings

__all__ = ["Compose", "Health", "Platform", "Service", "Settings", "main"]
