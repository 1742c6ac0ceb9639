"""Object stores that cannot be reached."""

import socket
import threading
import time

import pytest
from cases import cases

from ragauge.errors import StoreError
from ragauge.storage import object_store


def test_a_store_of_google_that_cannot_be_reached_is_an_error_at_once_that_says_what_is_missing(
    monkeypatch, tmp_path
):
    pytest.importorskip("gcsfs", reason="pip install 'ragauge[gs]'")
    for name in ("GOOGLE_APPLICATION_CREDENTIALS", "STORAGE_EMULATOR_HOST"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HTTPS_PROXY", "https_proxy", "GCE_METADATA_HOST"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CLOUDSDK_CONFIG", str(tmp_path))
    with socket.socket() as closed:  # bound and not listening: connections are refused
        closed.bind(("127.0.0.1", 0))
        monkeypatch.setattr(object_store, "GOOGLE", "127.0.0.1")
        monkeypatch.setattr(object_store, "HTTPS", closed.getsockname()[1])
        start = time.monotonic()
        with pytest.raises(
            StoreError, match=r"gs://b/run: 127\.0\.0\.1 cannot be reached; .* none were found"
        ):
            object_store.file_system("gs://b/run")
    assert time.monotonic() - start < 5


@cases(
    (b"", False),  # accepts connections and stays silent
    (b"HTTP/1.0 200 OK\r\nMetadata-Flavor: Google\r\n\r\n", True),
    (b"HTTP/1.0 404 Not Found\r\n\r\n", False),
    (b"SSH-2.0-OpenSSH_9.6\r\n", False),
)
def test_a_metadata_server_has_credentials_only_if_it_says_that_it_is_googles(
    reply, is_google, monkeypatch, tmp_path
):
    monkeypatch.delenv("GOOGLE_APPLICATION_CREDENTIALS", raising=False)
    monkeypatch.setenv("CLOUDSDK_CONFIG", str(tmp_path))
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setenv("GCE_METADATA_HOST", f"127.0.0.1:{server.getsockname()[1]}")
        accepted = []

        def serve():
            accepted.append(server.accept()[0])
            if reply:
                accepted[0].sendall(reply)

        thread = threading.Thread(target=serve)
        thread.start()
        assert object_store._has_google_credentials() is is_google
        thread.join()
        accepted[0].close()
