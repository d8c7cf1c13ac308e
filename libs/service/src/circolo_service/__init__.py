"""What every Circolo process has: settings, logs, telemetry, health, migrations, drain."""
