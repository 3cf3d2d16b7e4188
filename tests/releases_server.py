"""Where releases are, as far as a program sees it: an HTTPS server on a real socket."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

# A certificate for 127.0.0.1 with its key, which nobody but these tests trusts.
CERTIFICATE = Path(__file__).parent / "data" / "certificates" / "loopback.pem"
PROJECT = "somebody/tavernkeep"


class ReleasesServer:
    """Tells of the newest release as Forgejo and GitHub do. page: of all releases. asked: path and
    headers of each request. status, body, headers: of the answers. released: what lets them go on.
    """

    def __init__(self, port: int) -> None:
        self.port = port
        self.page = f"https://127.0.0.1:{port}/{PROJECT}/releases"
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.status = 200
        self.headers: dict[str, str] = {}
        self.body = b""
        self.released = threading.Event()
        self.released.set()

    def tell(self, tag: str, **more: Any) -> None:
        """What is the newest from now on."""
        page = f"{self.page}/tag/{tag}"
        self.body = json.dumps({"tag_name": tag, "html_url": page, "id": 7, **more}).encode()


@contextmanager
def releases_server() -> Iterator[ReleasesServer]:
    """One that runs. Whoever asks it has to trust `CERTIFICATE`."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            server.asked.append((self.path, dict(self.headers)))
            server.released.wait(20)
            try:
                self.send_response(server.status)
                for name, value in server.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(server.body)
            except OSError:
                pass  # whoever asked has read enough

        def log_message(self, *_args: object) -> None:
            """Tests are quiet."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    http.socket = context.wrap_socket(http.socket, server_side=True)
    http.handle_error = lambda *_: None  # type: ignore[method-assign]
    server = ReleasesServer(http.server_address[1])
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield server
    finally:
        server.released.set()
        http.shutdown()
        thread.join()
        http.server_close()
