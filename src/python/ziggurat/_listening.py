"""Following long work: progress callbacks, tqdm, and notes as log records."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ._reports import Progress

# True: a tqdm bar; a function: called with each moment, and ends the work when it raises.
ProgressOption = Callable[[Progress], object] | bool | None

_log = logging.getLogger("ziggurat")


class _Bar:
    """One tqdm bar a stage, since stages count different things."""

    def __init__(self) -> None:
        try:
            from tqdm.auto import tqdm
        except ImportError as error:
            raise ImportError("progress=True needs the package tqdm") from error
        self._make: Any = tqdm
        self._bar: Any = None
        self._stage = ""

    def __call__(self, moment: Progress) -> None:
        if self._bar is None or moment.stage != self._stage:
            self.close()
            self._stage = moment.stage
            self._bar = self._make(desc=moment.stage, unit="px", unit_scale=True)
        self._bar.total = moment.total or None
        self._bar.n = moment.done
        self._bar.refresh()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


def _note(text: str) -> None:
    _log.info("%s", text)


@contextmanager
def listening(progress: ProgressOption) -> Iterator[dict[str, Any]]:
    """The arguments by which the extension reports."""
    if progress is None or progress is False:
        yield {"note": _note}
        return
    bar = _Bar() if progress is True else None
    report: Callable[[Progress], object] = bar if bar is not None else progress  # type: ignore[assignment]
    try:
        yield {
            "progress": lambda *moment: report(Progress(*moment)),
            "note": _note,
        }
    finally:
        if bar is not None:
            bar.close()
