"""AttnScope, an oscilloscope for self-attention, from Python.

``show(x)`` opens the window on tensors, a model's output or a model's folder; ``watch(model)`` shows the attention of a
PyTorch model there while it runs, under SDPA and Flash too; ``Model(path)`` runs a model without any framework and
returns NumPy arrays; ``head_view`` and ``model_view`` take BertViz' parameters and make one HTML page. On the command
line ``attnscope`` is the program itself. Errors are ``attnscope.Error`` with the program's own sentence.

Needs NumPy. Objects of PyTorch, JAX, transformers, TransformerLens and nnsight are accepted, but these are never
imported; only ``watch`` uses the PyTorch of its model.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, List

from ._program import Error

if TYPE_CHECKING:
    from ._bertviz import Page, head_view, model_view
    from ._model import Arrays, Encoding, Model
    from ._watch import Watch, watch
    from ._window import show

__all__ = ["Arrays", "Encoding", "Error", "Model", "Page", "Watch", "head_view", "model_view", "show", "watch"]

# NumPy is imported when the first of these is used: the command line does not need it.
_homes = {"show": "_window", "Arrays": "_model", "Encoding": "_model", "Model": "_model",
          "Watch": "_watch", "watch": "_watch", "Page": "_bertviz", "head_view": "_bertviz", "model_view": "_bertviz"}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from ._program import version
        return version()
    if name not in _homes:
        raise AttributeError("module 'attnscope' has no attribute %r" % name)
    value = getattr(importlib.import_module("." + _homes[name], __name__), name)
    globals()[name] = value
    return value


def __dir__() -> List[str]:
    return sorted([*globals(), *__all__, "__version__"])
