"""``python -m circolo_gateway`` runs the gateway until SIGTERM."""

from circolo_service.run import main

from .service import compose

if __name__ == "__main__":
    main("gateway", compose)
