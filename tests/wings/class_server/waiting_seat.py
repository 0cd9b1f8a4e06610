"""A process in place of a workbench: it says what it was started with, and waits."""

import json
import os
import socket
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer


class Answer(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        given = {k: v for k, v in os.environ.items() if k.startswith("LAYERLOOM_")}
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps({**given, "pid": str(os.getpid())}).encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Nothing is logged."""


if __name__ == "__main__":
    server = HTTPServer(("127.0.0.1", 0), Answer, bind_and_activate=False)
    server.socket.close()
    server.socket = socket.socket(fileno=int(sys.argv[1]))
    server.serve_forever()
