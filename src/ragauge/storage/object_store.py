"""Object stores such as s3:// and gs://: the file system of a URL, through fsspec, and its errors in words."""

import errno
import os
import socket
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from ragauge.errors import MissingExtraError, RagaugeError, StoreError

EXTRAS = {"s3": "s3", "gs": "gs"}
CREDENTIALS = {
    "s3": "such as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
    "gs": "such as GOOGLE_APPLICATION_CREDENTIALS",
}
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)
MAX_REASON = 200
GOOGLE, HTTPS, FLAVOR = "storage.googleapis.com", 443, "Metadata-Flavor"
REACHED_S, METADATA_S = 3.0, 0.5
"""Seconds after which a host counts as out of reach."""


def scheme_of(url: str) -> str:
    return url.partition("://")[0].lower()


def file_system(url: str) -> Any:
    """The file system of a URL; MissingExtraError, or StoreError if it cannot be reached."""
    scheme = scheme_of(url)
    try:
        fsspec = import_module("fsspec")
        is_google = fsspec.get_filesystem_class(scheme).__module__.startswith("gcsfs")
        if not is_google or os.environ.get("STORAGE_EMULATOR_HOST"):
            return fsspec.filesystem(scheme)
        has_credentials = _has_google_credentials()
        proxy = urlsplit(os.environ.get("HTTPS_PROXY") or os.environ.get("https_proxy") or "")
        host, port = (proxy.hostname, proxy.port or 80) if proxy.hostname else (GOOGLE, HTTPS)
        try:
            socket.create_connection((host, port), REACHED_S).close()
        except OSError:
            what = f"the proxy {host}:{port} of HTTPS_PROXY" if proxy.hostname else host
            lacks = "" if has_credentials else " and the credentials, of which none were found"
            raise StoreError(
                f"{url:.200}: {what} cannot be reached; check the network{lacks} ({CREDENTIALS['gs']})"
            ) from None
        # Without credentials gcsfs waits for those of a Google machine; public buckets need none.
        token = None if has_credentials else "anon"
        return fsspec.filesystem(scheme, token=token, session_kwargs={"trust_env": True})
    except ImportError:
        what = f"{url:.200}: {scheme}:// needs another package"
        raise MissingExtraError(what, EXTRAS[scheme]) from None


def _has_google_credentials() -> bool:
    """Whether there is a key, a login of gcloud, or the metadata server of a Google machine."""
    if os.environ.get("GOOGLE_APPLICATION_CREDENTIALS"):
        return True
    config = os.environ.get("CLOUDSDK_CONFIG") or Path.home() / ".config" / "gcloud"
    if (Path(config) / "application_default_credentials.json").exists():
        return True
    host = os.environ.get("GCE_METADATA_HOST") or "metadata.google.internal"
    from http.client import HTTPConnection, HTTPException  # imports ssl

    connection = HTTPConnection(host, timeout=METADATA_S)
    try:
        # A server that only accepts connections is none.
        connection.request("GET", "/", headers={FLAVOR: "Google"})
        return connection.getresponse().headers.get(FLAVOR) == "Google"
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def key_of(url: str) -> str:
    """Bucket and key, as file systems name what they list."""
    return (url.partition("://")[2] or url).strip("/")


def reason_of(error: BaseException) -> str:
    """An error of any file system as a short text without line breaks."""
    return " ".join(str(error).split())[:MAX_REASON] or type(error).__name__


def advice_for(url: str, error: BaseException) -> str:
    """What to do about an error of a file system."""
    if isinstance(error, FileNotFoundError):
        return "correct the URL, or create the bucket"
    if isinstance(error, OSError) and error.errno in NO_ROOM:
        return "free space on this machine, or set XDG_CACHE_HOME to a folder with room"
    return f"check the network and the credentials ({CREDENTIALS[scheme_of(url)]})"


@contextmanager
def store_at(url: str, what: Literal["read", "written"]) -> Generator[Any]:
    """The file system of a URL; whatever goes wrong with it is a StoreError that says what to do."""
    try:
        yield file_system(url)
    except RagaugeError:
        raise
    except Exception as error:  # each file system has errors of its own
        reason = f"cannot be {what}: {reason_of(error)}; {advice_for(url, error)}"
        raise StoreError(f"{url}: {reason}") from error
