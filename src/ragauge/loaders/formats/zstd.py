"""Unpack zstd, with Python's own module from 3.14 on, or with zstandard."""

import io
from collections.abc import Callable
from importlib import import_module
from typing import Any, BinaryIO, Protocol

from ragauge.errors import MissingExtraError

READ_AT_ONCE = 4_096
"""Packed bytes that are unpacked at once: few, because zeros unpack to many times their size."""


class _Frame(Protocol):
    """One frame that is being unpacked; a file may have several."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


class _Unpacked(io.RawIOBase):
    """The content of a zstd stream. EOFError if it is damaged, or ends within a frame."""

    def __init__(
        self, packed: BinaryIO, frame: Callable[[], _Frame], broken: type[Exception]
    ) -> None:
        self._packed, self._new_frame, self._broken = packed, frame, broken
        self._frame: _Frame | None = None
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        while not self._ready:
            if not self._read_more():
                return 0
        n = min(len(buffer), len(self._ready))
        buffer[:n] = self._ready[:n]
        self._ready = self._ready[n:]
        return n

    def _read_more(self) -> bool:
        """Unpack more bytes; False at the end of the file."""
        ended = self._frame is not None and self._frame.eof
        data = self._frame.unused_data if ended and self._frame is not None else b""
        data = data or self._packed.read(READ_AT_ONCE)
        if ended or self._frame is None:
            self._frame = self._new_frame() if data else None
        if not data:
            if self._frame is not None:
                raise EOFError("it ends too early")
            return False
        assert self._frame is not None
        try:
            self._ready = memoryview(self._frame.decompress(data))
        except self._broken as error:
            raise EOFError(str(error)) from None
        return True


def unpacked(packed: BinaryIO, name: str) -> BinaryIO:
    """The content of a zstd stream; raises MissingExtraError if nothing here can unpack it."""
    frame, broken = _implementation(name)
    return io.BufferedReader(_Unpacked(packed, frame, broken))


def _implementation(name: str) -> tuple[Callable[[], _Frame], type[Exception]]:
    try:
        module: Any = import_module("compression.zstd")
        return module.ZstdDecompressor, module.ZstdError
    except ImportError:
        pass
    try:
        module = import_module("zstandard")
    except ImportError:
        raise MissingExtraError(f"{name} is packed with zstd", "zstd") from None
    return lambda: module.ZstdDecompressor().decompressobj(), module.ZstdError
