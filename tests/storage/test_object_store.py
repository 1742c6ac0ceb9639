"""Object stores that cannot be reached."""

import socket
import time

import pytest

from ragauge.errors import StoreError
from ragauge.storage import object_store


def test_a_store_of_google_that_cannot_be_reached_is_an_error_at_once_that_says_what_is_missing(
    monkeypatch, tmp_path
):
    pytest.importorskip("gcsfs", reason="pip install 'ragauge[gs]'")
    for name in ("GOOGLE_APPLICATION_CREDENTIALS", "STORAGE_EMULATOR_HOST"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HTTPS_PROXY", "https_proxy"):
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
