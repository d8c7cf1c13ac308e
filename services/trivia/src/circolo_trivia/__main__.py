"""``python -m circolo_trivia`` runs the service until SIGTERM."""

from circolo_service.run import main

from .service import compose

if __name__ == "__main__":
    main("trivia", compose)
