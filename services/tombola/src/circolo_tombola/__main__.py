"""``python -m circolo_tombola`` runs the service until SIGTERM."""

from circolo_service.run import main

from .service import compose

if __name__ == "__main__":
    main("tombola", compose)
