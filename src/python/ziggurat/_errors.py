"""The exceptions: ziggurat.Error with a code, each also what Python calls such a failure."""

from __future__ import annotations

import os
from typing import ClassVar


class Error(Exception):
    """What ziggurat throws on purpose. The text is one line: what failed, on which object, why.

    `code` says what the caller can do about it: usage, input, format, io, worker, cancelled, busy
    or internal, as in the C++ library.
    """

    code: ClassVar[str] = "internal"

    def __str__(self) -> str:
        # KeyError and OSError have their own ideas of a text.
        return str(self.args[0]) if self.args else ""


class UsageError(Error, ValueError):
    """The request makes no sense: options, grammar, impossible resolutions."""

    code = "usage"


class InputError(Error, OSError):
    """The source cannot be had: missing, unreadable, changed while it was read."""

    code = "input"


class FormatError(Error, ValueError):
    """The source breaks a rule of its format."""

    code = "format"


class OutputError(Error, OSError):
    """Writing failed: full disk, permissions, a broken device."""

    code = "io"


class WorkerError(Error, RuntimeError):
    """A reader process died or spoke nonsense."""

    code = "worker"


class CancelledError(Error, RuntimeError):
    """The work was stopped."""

    code = "cancelled"


class BusyError(Error, TimeoutError):
    """Somebody else holds what is needed; trying again later may work."""

    code = "busy"


class InternalError(Error, RuntimeError):
    """A fault of ziggurat itself."""


class UnknownNameError(UsageError, KeyError):
    """The map has no column of that name."""


class ExistsError(UsageError, FileExistsError):
    """What was to be made is there already, and nothing said to replace it."""


class InputNotFoundError(InputError, FileNotFoundError):
    """The source, or its folder, does not exist."""


class InputPermissionError(InputError, PermissionError):
    """The source may not be read."""


class OutputFolderNotFoundError(OutputError, FileNotFoundError):
    """The folder of the output does not exist."""


class OutputPermissionError(OutputError, PermissionError):
    """The output may not be written there."""


# In the order of ziggurat::ErrorCode, which counts from 1.
_BY_CODE: tuple[type[Error], ...] = (
    UsageError,
    InputError,
    FormatError,
    OutputError,
    WorkerError,
    CancelledError,
    BusyError,
    InternalError,
)

# The library gives the system's words for a failed call, and has these of its own.
_NOT_FOUND = (2, os.strerror(2))
_DENIED = (13, os.strerror(13))
_THERE_ALREADY = (17, "already exists", "there is a map at")
_NARROWER: dict[type[Error], tuple[tuple[type[Error], tuple[int | str, ...]], ...]] = {
    UsageError: ((ExistsError, _THERE_ALREADY),),
    InputError: ((InputNotFoundError, _NOT_FOUND), (InputPermissionError, _DENIED)),
    OutputError: ((OutputFolderNotFoundError, _NOT_FOUND), (OutputPermissionError, _DENIED)),
}


def error_of(code: int, message: str) -> Error:
    """The exception for an error of the library. Called by the extension."""
    kind = _BY_CODE[code - 1] if 1 <= code <= len(_BY_CODE) else InternalError
    for narrower, (number, *words) in _NARROWER.get(kind, ()):
        if any(str(word) in message for word in words):
            error = narrower(message)
            if isinstance(error, OSError):
                error.errno = int(number)
            return error
    return kind(message)
