"""Multi-resolution Hi-C contact matrices: make, balance, verify and read .cool and .mcool files.

The commands of `ziggurat` are functions here; open() reads. Warnings of the library are records of
the logger "ziggurat".
"""

from . import _native
from ._errors import (
    BusyError,
    CancelledError,
    Error,
    ExistsError,
    FormatError,
    InputError,
    InputNotFoundError,
    InputPermissionError,
    InternalError,
    OutputError,
    OutputFolderNotFoundError,
    OutputPermissionError,
    UnknownNameError,
    UsageError,
    WorkerError,
)
from ._map import ContactMap, info, ls, open
from ._reports import (
    BalanceOutcome,
    BuildReport,
    CompareReport,
    Difference,
    LevelReport,
    LevelVerdict,
    Progress,
    VerifyReport,
)
from ._stages import (
    assemble,
    balance,
    balanced,
    coarsen,
    compare,
    cp,
    ln,
    merge,
    mv,
    verify,
    zoomify,
)

__version__: str = _native.__version__

__all__ = [
    "BalanceOutcome",
    "BuildReport",
    "BusyError",
    "CancelledError",
    "CompareReport",
    "ContactMap",
    "Difference",
    "Error",
    "ExistsError",
    "FormatError",
    "InputError",
    "InputNotFoundError",
    "InputPermissionError",
    "InternalError",
    "LevelReport",
    "LevelVerdict",
    "OutputError",
    "OutputFolderNotFoundError",
    "OutputPermissionError",
    "Progress",
    "UnknownNameError",
    "UsageError",
    "VerifyReport",
    "WorkerError",
    "__version__",
    "assemble",
    "balance",
    "balanced",
    "coarsen",
    "compare",
    "cp",
    "info",
    "ln",
    "ls",
    "merge",
    "mv",
    "open",
    "verify",
    "zoomify",
]
