"""Object stores such as s3:// and gs://: the file system of a URL, through fsspec, and its errors in words."""

import errno
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Literal

from ragauge.errors import MissingExtraError, RagaugeError, StoreError

EXTRAS = {"s3": "s3", "gs": "gs"}
"""The extra that reads each kind of URL."""
CREDENTIALS = {
    "s3": "such as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
    "gs": "such as GOOGLE_APPLICATION_CREDENTIALS",
}
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)
MAX_REASON = 200


def scheme_of(url: str) -> str:
    return url.partition("://")[0].lower()


def file_system(url: str, extra: str | None = None) -> Any:
    """The file system of a URL; MissingExtraError, which names the extra, if its package is not installed."""
    scheme = scheme_of(url)
    try:
        return import_module("fsspec").filesystem(scheme)
    except ImportError:
        raise MissingExtraError(
            f"{url:.200}: {scheme}:// needs another package", extra or EXTRAS[scheme]
        ) from None


def key_of(url: str) -> str:
    """Bucket and key, as file systems name what they list."""
    return (url.partition("://")[2] or url).strip("/")


def reason_of(error: BaseException) -> str:
    """An error of any file system as a short text without line breaks."""
    return " ".join(str(error).split())[:MAX_REASON] or type(error).__name__


@contextmanager
def store_at(url: str, what: Literal["read", "written"]) -> Generator[Any]:
    """The file system of a URL; whatever goes wrong with it is a StoreError that says what to do."""
    try:
        yield file_system(url)
    except RagaugeError:
        raise
    except Exception as error:  # each file system has errors of its own
        if isinstance(error, FileNotFoundError):
            advice = "correct the URL, or create the bucket"
        elif isinstance(error, OSError) and error.errno in NO_ROOM:
            advice = "free space on this machine, or set XDG_CACHE_HOME to a folder with room"
        else:
            advice = f"check the network and the credentials ({CREDENTIALS[scheme_of(url)]})"
        raise StoreError(f"{url}: cannot be {what}: {reason_of(error)}; {advice}") from error
