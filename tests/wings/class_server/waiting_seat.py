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
        process = {"pid": str(os.getpid()), "parent": str(os.getppid())}
        self.wfile.write(json.dumps({**given, **process}).encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Nothing is logged."""


def serve(line: int) -> None:
    server = HTTPServer(("127.0.0.1", 0), Answer, bind_and_activate=False)
    server.socket.close()
    server.socket = socket.socket(fileno=line)
    server.serve_forever()


if __name__ == "__main__":
    serve(int(sys.argv[1]))
