"""Multi-resolution Hi-C contact matrices: make, balance, verify and read .cool and .mcool files.

The commands of `ziggurat` are functions here; open() reads. What the library has to say while it works
are records of the logger "ziggurat", at level INFO.
"""

import os as _os
import sys as _sys

# The libraries below the extension keep their symbols to themselves even where the host program
# has asked for one scope: another HDF5 (h5py has its own) must not find those of ours.
_flags = _sys.getdlopenflags()
_sys.setdlopenflags(_flags & ~_os.RTLD_GLOBAL | _os.RTLD_NOW)
try:
    from . import _native
finally:
    _sys.setdlopenflags(_flags)

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

__version__: str = _native.version

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
