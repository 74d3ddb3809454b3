"""The window: show() writes arrays into a file, and the program opens it."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import time
from typing import Any, List, Optional, Union

from . import _program
from ._files import write_tensors
from ._program import Error
from ._tensors import Dump, Tokens, dump_of

_kept = 20  # what was shown last stays on disk: its window reads layers from there
_patience = 60.0  # seconds; a window is there after a fraction of one
_children: List["subprocess.Popen[bytes]"] = []
_went_to_another = b"opened in the window that was there"  # what the program says then (app/cli/open_command.cpp)


def show(obj: Any, tokens: Optional[Tokens] = None, *, decoder_tokens: Optional[Tokens] = None, tokenizer: Any = None,
         layer: Union[int, str, None] = None, causal: Optional[bool] = None, scale: Union[float, str, None] = None,
         positions_applied: Optional[bool] = None, title: Optional[str] = None) -> None:
    """Opens AttnScope's window on ``obj`` and returns at once. The window stays when Python ends; the next call
    goes to the same window.

    ``obj`` is one of

    * attention weights: ``[heads, queries, keys]`` or ``[batch, heads, queries, keys]``, an array or a list of
      them, one for each layer (NumPy, PyTorch, JAX, anything with ``__array__``);
    * a dict of arrays, as the program's dumps have them: ``{"q": …, "k": …, "v": …}`` with
      ``[batch, heads, n, d]``, ``{"layers.0.q": …, …}`` or ``{"attentions.0": …}``;
    * what a model of transformers returned with ``output_attentions=True`` (``generate()`` too);
    * a cache of TransformerLens; what ``attnscope.Model.run()`` gave;
    * the path of a file or of a model's folder.

    ``tokens`` names the positions: a list of str, or one such list for each sequence; numbers of tokens where
    ``tokenizer`` is given. Of encoder-decoders they are the encoder's, ``decoder_tokens`` the decoder's.
    ``layer`` is looked at first, by its number or its name. ``causal`` and ``scale`` (a number, "1/sqrt(d_k)" or
    "off") and ``positions_applied`` (rotary ones: True, or there are none) say of queries and keys what they do not say
    themselves; what is left out the window guesses and asks for. ``title`` names what is shown, "attention" when it
    is left out. A file or a folder says all this itself: there ``layer`` alone may be given.

    Raises attnscope.Error where there is no display, or nothing that can be shown, ValueError for a parameter that
    does not go with ``obj``.
    """
    if tokenizer is not None and tokens is None and decoder_tokens is None:
        raise ValueError("tokenizer is given, but no tokens: give their numbers as tokens, too")
    if isinstance(obj, (str, os.PathLike)):
        _refuse_beside_path(tokens=tokens, decoder_tokens=decoder_tokens, tokenizer=tokenizer, causal=causal, scale=scale,
                            positions_applied=positions_applied, title=title)
        path = os.path.abspath(os.path.expanduser(os.fspath(obj)))
        if not os.path.exists(path):
            raise Error("Cannot read \"%s\": No such file or directory." % obj)
        open_window(path, None if layer is None else str(layer))
        return
    dump = dump_of(obj, tokens, decoder_tokens, tokenizer, causal, scale, positions_applied)
    need_display()
    open_window(write_shown(dump, "attention" if title is None else title), dump.layer_name(layer))


def _refuse_beside_path(**given: Any) -> None:
    for name, value in given.items():
        if value is not None:
            raise ValueError("%s is given beside a path: a file or a folder says that itself; give arrays instead, or "
                             "leave %s out" % (name, name))


def need_display() -> None:
    """Raises Error where no window can be opened."""
    if not os.environ.get("DISPLAY") and not os.environ.get("WAYLAND_DISPLAY"):
        raise Error("There is no display to open a window on (neither DISPLAY nor WAYLAND_DISPLAY is set): "
                    "attnscope.head_view() makes a page instead.")


def shown_folder() -> str:
    """The folder of files for windows; only its owner can read it."""
    cache = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(cache):
        cache = os.path.join(os.path.expanduser("~"), ".cache")
    folder = os.path.join(cache, "attnscope", "shown")
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    except OSError:
        folder = tempfile.mkdtemp(prefix="attnscope-shown-")
    return folder


def write_shown(dump: Dump, title: str) -> str:
    """Writes a new file in shown_folder(), and removes the oldest ones."""
    folder = shown_folder()
    name = re.sub(r"[^\w .-]", "-", title).strip(". ") or "attention"
    own = tempfile.mkdtemp(prefix=time.strftime("%Y%m%d-%H%M%S-"), dir=folder)
    path = os.path.join(own, name + ".safetensors")
    write_tensors(path, dump.arrays, dump.metadata)
    for old in sorted(os.listdir(folder))[:-_kept]:
        _remove_shown(os.path.join(folder, old))
    return path


def _remove_shown(folder: str) -> None:
    try:
        for name in os.listdir(folder):
            if name.endswith((".safetensors", ".part")):
                os.unlink(os.path.join(folder, name))
        os.rmdir(folder)
    except OSError:
        pass  # of another user, or gone already


def open_window(path: str, layer: Optional[str]) -> None:
    """Starts the program, which asks a running window or opens one itself, and waits until it reports which."""
    need_display()
    _children[:] = [child for child in _children if child.poll() is None]
    command = [_program.program(), "open", "--same-window"]
    if layer is not None:
        command += ["--layer=" + layer]
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as complained:
        child = subprocess.Popen([*command, path], stdin=subprocess.DEVNULL, stdout=said, stderr=complained,
                                 start_new_session=True)
        end = time.monotonic() + _patience
        pause = 0.005
        while time.monotonic() < end:
            code = child.poll()
            # The program shares the file's offset, so it is read without moving the offset.
            line = os.pread(said.fileno(), 200, 0)
            if code is None and b"\n" in line and not line.startswith(_went_to_another):  # a window of its own
                _children.append(child)
                return
            if code == 0:
                return
            if code is not None:
                complained.seek(0)
                raise Error(_program.sentence(complained.read().decode("utf-8", "replace"),
                                              "The window could not be opened: attnscope ended with %d." % code))
            time.sleep(pause)
            pause = min(0.1, 1.5 * pause)
        _children.append(child)
        raise Error("No window was there after %d seconds." % _patience)
