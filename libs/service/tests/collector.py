"""An OTLP receiver for tests."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


class Collector:
    """An OTLP receiver over HTTP: keeps the spans it is sent, by name."""

    def __init__(self) -> None:
        self.spans: dict[str, Any] = {}
        self.services: set[str] = set()
        self.all: list[tuple[str, Any]] = []
        """(service, span) in the order of arrival."""
        collector = self

        class Receiver(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                if self.path == "/v1/traces":
                    for of_resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                        names = {a.key: a.value.string_value for a in of_resource.resource.attributes}
                        collector.services.add(names["service.name"])
                        for scope in of_resource.scope_spans:
                            collector.spans.update({span.name: span for span in scope.spans})
                            collector.all += [(names["service.name"], span) for span in scope.spans]
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
