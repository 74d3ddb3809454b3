"""Replaces functions while a pass of a watched model runs, and reports their calls to the pass.

A replacement calls the original with the same arguments and returns its result. In threads without such a pass it
does nothing else.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from types import FrameType
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

import torch

from ._calls import Call

Tap = Tuple[Any, str, Callable[[Any], Any]]  # where, the name there, what makes the replacement


class Tapping:
    """One pass in one thread: ``owns`` tells whether a module is the model's, ``take`` receives the calls."""

    stack: List["Tapping"]  # of the thread in which it began

    def __init__(self, take: Callable[[Any, Callable[[], Optional[Call]]], None], owns: Callable[[Any], bool]) -> None:
        self.take, self.owns = take, owns
        self.is_inside = False  # a call that is seen already
        self.is_cross: Optional[bool] = None  # of the MultiheadAttention that runs

    @contextlib.contextmanager
    def inside(self) -> Iterator[None]:
        before, self.is_inside = self.is_inside, True
        try:
            yield
        finally:
            self.is_inside = before

    def owner(self) -> Any:
        """The module of the model whose code calls; None if the call is not the model's."""
        frame: Optional[FrameType] = sys._getframe(2)
        for _ in range(64):
            if frame is None:
                return None
            if frame.f_code.co_varnames[:1] == ("self",):
                module = frame.f_locals.get("self")
                if isinstance(module, torch.nn.Module) and self.owns(module):
                    return module
            frame = frame.f_back
        return None


_here = threading.local()


def running_tapping() -> Optional[Tapping]:
    """The tapping of this thread; None while code is compiled or traced, which must see the original function."""
    running = getattr(_here, "running", None)
    if not running or torch.compiler.is_compiling() or torch.jit.is_tracing():
        return None
    return running[-1] if not running[-1].is_inside else None


class _Installed:
    def __init__(self, original: Any, replacement: Any, own: bool) -> None:
        self.original, self.replacement, self.own, self.users = original, replacement, own, 1


_lock = threading.Lock()
_installed: Dict[Tuple[int, str], _Installed] = {}


def _put_in(where: Any, name: str, make: Callable[[Any], Any]) -> None:
    found = _installed.get((id(where), name))
    if found is not None:
        found.users += 1
        return
    original = getattr(where, name)
    found = _installed[id(where), name] = _Installed(original, make(original), name in vars(where))
    setattr(where, name, found.replacement)


def _take_out(where: Any, name: str) -> None:
    found = _installed[id(where), name]
    found.users -= 1
    if found.users:
        return
    del _installed[id(where), name]
    if vars(where).get(name) is not found.replacement:
        return  # other code has replaced it meanwhile, and calls ours: it passes everything on
    if found.own:
        setattr(where, name, found.original)
    else:
        delattr(where, name)


def original_of(where: Any, name: str) -> Any:
    """The original function, also while it is replaced."""
    found = _installed.get((id(where), name))
    return getattr(where, name) if found is None else found.original


def begin(tapping: Tapping, taps: List[Tap]) -> None:
    """Reports the calls of this thread to ``tapping`` until ``end``."""
    with _lock:
        for where, name, make in taps:
            _put_in(where, name, make)
    if not hasattr(_here, "running"):
        _here.running = []
    tapping.stack = _here.running
    tapping.stack.append(tapping)


def end(tapping: Tapping, taps: List[Tap]) -> None:
    """May be called from another thread."""
    if tapping not in tapping.stack:
        return
    tapping.stack.remove(tapping)
    with _lock:
        for where, name, _ in taps:
            _take_out(where, name)


def is_tapped() -> bool:
    """Whether anything is replaced now; for tests."""
    return bool(_installed)
