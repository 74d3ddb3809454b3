"""watch(): shows a model's attention in the window, call by call."""

from __future__ import annotations

import os
import re
import sys
import threading
import time
import warnings
import weakref
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence, Set, Tuple, Type, Union

from . import _window
from ._program import Error
from ._stream import CALL, END_OF_PASS, MASK, OUTPUT, QKV, Blob, Stream
from ._tensors import words
from ._watched_model import check_watchable, encoder_of, facts_of, has_compiled, ids_of, is_compiled_now

if TYPE_CHECKING:
    import torch

    from ._calls import Call, Chosen
    from ._tapping import Tapping

_parts = {"qkv": QKV, "mask": MASK, "output": OUTPUT}
_cross = re.compile(r"cross|enc_?dec|encoder_attn|multihead_attn", re.IGNORECASE)
_watched: "weakref.WeakKeyDictionary[Any, weakref.ref[Watch]]" = weakref.WeakKeyDictionary()


class _Hook:
    """A hook of a model. In a copy of the model, or in a saved model, the hook does nothing."""

    def __init__(self, call: Optional[Callable[..., None]] = None) -> None:
        self.call = call

    def __call__(self, *args: Any) -> None:
        if self.call is not None:
            self.call(*args)

    def __reduce__(self) -> Tuple[Any, ...]:
        return _Hook, ()


class _Pass:
    """One call of the model, in one thread."""

    def __init__(self, number: int, wanted: int) -> None:
        self.number, self.wanted = number, wanted
        self.begin = time.perf_counter()
        self.calls: Dict[int, int] = {}  # of each module so far
        self.masks: Dict[Any, Any] = {}
        self.chosen: Optional["Chosen"] = None  # None: all sequences of a batch
        self.seen = 0
        self.is_causal = self.is_encoder = False
        self.tapping: Optional["Tapping"] = None
        self.ids: Dict[str, Any] = {}

    def ms(self) -> float:
        return round(1e3 * (time.perf_counter() - self.begin), 3)


class Watch:
    """A watched model, from ``attnscope.watch()``. Ends with ``close()`` or at the end of a ``with``."""

    def __init__(self, model: "torch.nn.Module", tokenizer: Any, layers: Optional[Sequence[Union[int, str]]],
                 what: Sequence[str], ring: int, sequence: Optional[int] = None) -> None:
        from ._calls import Layers
        from ._taps import taps_for
        self._model = weakref.ref(model)
        self._tokenizer, self._wanted_layers, self._what = tokenizer, None if layers is None else set(layers), set(what)
        self._sequence = sequence
        self._compiled = False  # a call that torch.compile has compiled ran: it writes this, and no more can be seen of it
        self._names = {id(module): name for name, module in model.named_modules()}
        encoder = encoder_of(model)
        self._encoder = None if encoder is None else weakref.ref(encoder)
        self._encoder_name = self._names.get(id(encoder), "")
        self._taps, self._layers = taps_for(model), Layers()
        self._numbers: Dict[Tuple[int, int], int] = {}
        self._threads: Dict[int, List[_Pass]] = {}
        self._reader: Tuple[int, int] = (0, 0)
        self._was_read = False
        self._memory: Dict[str, Any] = {}  # what an encoder read that was called before the model
        self._warned: Set[str] = set()
        self._count = 0
        self._stream = Stream(facts_of(model), ring)
        self._finalizer = weakref.finalize(self, Stream.close, self._stream)  # at the end of the process, too
        self._hooks: List[Any] = []
        self._put_hooks(model)

    def _put_hooks(self, model: "torch.nn.Module") -> None:
        import torch
        if isinstance(model, torch.nn.TransformerEncoderLayer):
            # Hooks on the layer itself would disable its fast path and so change its numbers.
            from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
            begin, end = _Hook(lambda module, args: self._begin(module, args, {})), _Hook(self._end)
            self._hooks.append(register_module_forward_pre_hook(begin))
            self._hooks.append(register_module_forward_hook(end, always_call=True))
            weakref.finalize(model, self.close)
            return
        self._hooks.append(model.register_forward_pre_hook(_Hook(self._begin), with_kwargs=True, prepend=True))
        self._hooks.append(model.register_forward_hook(_Hook(self._end), always_call=True))
        encoder = None if self._encoder is None else self._encoder()
        if encoder is not None:
            begin, end = _Hook(self._begin_encoder), _Hook(self._end_encoder)
            self._hooks.append(encoder.register_forward_pre_hook(begin, with_kwargs=True, prepend=True))
            self._hooks.append(encoder.register_forward_hook(end, always_call=True))

    @property
    def passes(self) -> int:
        """The number of calls of the model so far, including those without a window."""
        return self._count

    @property
    def dropped(self) -> int:
        """The number of attention calls that were not sent since their record is larger than the ring. Calls that a
        window did not read in time are counted by the window."""
        return self._stream.too_large()

    @property
    def path(self) -> str:
        """The stream's file, for ``attnscope watch PATH``."""
        return self._stream.path

    def close(self) -> None:
        """Removes the hooks from the model and ends the stream. May be called again."""
        if self._hooks:
            self._say_compiled()
        for hook in self._hooks:
            hook.remove()
        self._hooks.clear()
        for running in list(self._threads.values()):
            for one in list(running):
                self._leave(one)
        self._finalizer()

    def __enter__(self) -> "Watch":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    # ---- passes -------------------------------------------------------------------------------------------------

    def _running(self) -> List[_Pass]:
        """The passes that run in this thread, the innermost last."""
        return self._threads.setdefault(threading.get_ident(), [])

    def _begin(self, module: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> None:
        if is_compiled_now():
            self._compiled = True
            return
        if module is not self._model():
            return
        running = self._running()
        if running and not self._is_inside():
            for one in list(running):
                self._leave(one)  # an interrupted one: hooks do not hear of KeyboardInterrupt
        if running:
            running.append(_Pass(-1, 0))  # the model calls itself: of the same pass
            return
        running.append(self._enter(module, args, kwargs))
        self._count += 1

    def _end(self, module: Any, args: Tuple[Any, ...], result: Any) -> None:
        if is_compiled_now() or module is not self._model():
            return
        running = self._running()
        if not running:
            return
        one = running[-1]
        self._leave(one)
        if not running:
            self._threads.pop(threading.get_ident(), None)
        if one.tapping is None or result is None:
            return
        self._safely(lambda: self._send_end(one, result))
        if one.seen == 0:
            self._say("No attention was seen in a pass of %s: it is computed where attnscope.watch() cannot look, in code "
                      "of its own or in what torch.compile has compiled." % type(module).__name__)

    def _begin_encoder(self, module: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> None:
        if is_compiled_now() or self._encoder is None or module is not self._encoder() or self._running():
            return
        one = self._enter(module, args, kwargs)
        one.is_encoder = True
        self._memory = {"memory_ids": one.ids.get("memory_ids", one.ids.get("ids"))}
        self._running().append(one)

    def _end_encoder(self, module: Any, args: Tuple[Any, ...], result: Any) -> None:
        if is_compiled_now():
            return
        running = self._running()
        if running and running[-1].is_encoder:
            self._leave(running[-1])

    def _enter(self, module: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> _Pass:
        """Starts a pass, whose calls are recorded if a window is reading."""
        one = _Pass(self._count, 0)
        if self._stream.has_reader():
            self._safely(lambda: self._tap(one, ids_of(module, args, kwargs)))
        else:
            self._was_read = False
        return one

    def _tap(self, one: _Pass, ids: Dict[str, Any]) -> None:
        from ._calls import Chosen
        from ._tapping import Tapping, begin
        reader = self._stream.reader()
        if not self._was_read or reader != self._reader:
            self._layers.forget()
        self._was_read, self._reader = True, reader
        one.wanted = self._stream.wanted() | (OUTPUT if "output" in self._what else 0)
        one.wanted &= ~(0 if "mask" in self._what else MASK)
        one.ids = ids
        one.chosen = None if self._sequence is None else Chosen(self._sequence)
        one.tapping = Tapping(lambda module, call: self._take(one, module, call), self._owns)
        begin(one.tapping, self._taps)

    def _leave(self, one: _Pass) -> None:
        from ._tapping import end
        for running in list(self._threads.values()):
            if one in running:
                running.remove(one)
        if one.tapping is not None:
            end(one.tapping, self._taps)

    def _is_inside(self) -> bool:
        """Whether an earlier call of the model is still running in this thread."""
        found = 0
        frame: Optional[FrameType] = sys._getframe(1)
        while frame is not None and found < 2:
            if frame.f_code.co_name == "_call_impl" and frame.f_locals.get("self") is self._model():
                found += 1
            frame = frame.f_back
        return found > 1

    def _owns(self, module: Any) -> bool:
        return id(module) in self._names

    # ---- records ------------------------------------------------------------------------------------------------

    def _take(self, one: _Pass, module: Any, make: Callable[[], Optional["Call"]]) -> None:
        nth = one.calls[id(module)] = one.calls.get(id(module), -1) + 1
        number = self._numbers.setdefault((id(module), nth), len(self._numbers))
        name = self._names[id(module)] + ("" if nth == 0 else " (%d)" % (nth + 1))
        one.seen += 1
        if self._wanted_layers is not None and number not in self._wanted_layers and name not in self._wanted_layers:
            return
        if one.wanted & QKV:
            self._safely(lambda: self._send(one, number, name, make))

    def _send(self, one: _Pass, layer: int, name: str, make: Callable[[], Optional["Call"]]) -> None:
        import torch
        with torch.no_grad():
            call = make()
            if call is None or call.query.is_meta or 0 in call.query.shape or 0 in call.key.shape:
                return
            call = call._replace(kind=call.kind or self._kind(name), output=call.output if one.wanted & OUTPUT else None)
            of_batch: Dict[str, int] = {}
            if one.chosen is not None:
                batch = call.query.shape[0]
                number = one.chosen.number(batch)
                if number is None:
                    self._say("attnscope.watch(sequence=%d) saw a batch of %d, of which nothing is sent."
                              % (self._sequence or 0, batch))
                    return
                of_batch = {"sequence": number, "sequences": batch}
                call = one.chosen.of(call, number)
            fields, blobs = self._layers.describe(layer, call, bool(one.wanted & MASK), one.masks)
            one.is_causal = one.is_causal or bool(fields["causal"] and call.kind == "self")
            sent = self._stream.write(CALL, {"pass": one.number, "layer": layer, "name": name, **fields, **of_batch,
                                             "ms": one.ms()}, blobs)
            if not sent:
                self._layers.forget()

    def _kind(self, name: str) -> str:
        if _cross.search(name.rpartition(".")[2]) or _cross.search(name.split(".")[-2] if "." in name else ""):
            return "cross"
        return "encoder" if self._encoder_name and name.startswith(self._encoder_name + ".") else "self"

    def _send_end(self, one: _Pass, result: Any) -> None:
        from ._calls import blob_of
        fields: Dict[str, Any] = {"pass": one.number, "ms": one.ms()}
        blobs: Dict[str, Blob] = {}
        for name, ids in {**self._memory, **one.ids}.items():
            if ids is not None and ids.dim() == 2 and ids.numel():
                ids = ids.detach().long().cpu()
                number = 0 if one.chosen is None else one.chosen.number(ids.shape[0])
                if number is None:
                    continue
                if one.chosen is not None:
                    ids = ids[number:number + 1]
                blobs[name] = blob_of(ids)
                if self._tokenizer is not None:
                    said = words(ids[0].tolist(), self._tokenizer) or []
                    fields[name.replace("ids", "tokens")] = [str(w).encode("utf-8", "replace").decode() for w in said]
        logits = getattr(result, "logits", None)
        if one.is_causal and logits is not None and logits.dim() == 3 and logits.numel():
            number = 0 if one.chosen is None else one.chosen.number(logits.shape[0])
            if number is not None:
                fields["next_id"] = int(logits[number, -1].argmax())
        self._stream.write(END_OF_PASS, fields, blobs)

    def _safely(self, do: Callable[[], None]) -> None:
        """Calls ``do``; an exception becomes a warning, so that the model continues."""
        try:
            do()
        except Exception as error:  # noqa: BLE001
            self._layers.forget()
            self._say("attnscope.watch() could not send an attention call: %s: %s" % (type(error).__name__, error))

    def _say_compiled(self) -> None:
        """Warns about compiled calls, which bypass all hooks: only that there were some is known."""
        model = self._model()
        if model is not None and (self._compiled or (self._count == 0 and has_compiled())):
            self._say("%s of %s that torch.compile has compiled were not seen by attnscope.watch(): call the model itself%s."
                      % ("Calls" if self._compiled else "Maybe calls", type(model).__name__,
                         ", and generate() with disable_compile=True" if hasattr(model, "generation_config") else ""), 4)

    def _say(self, sentence: str, level: int = 3) -> None:
        if sentence not in self._warned:
            self._warned.add(sentence)
            warnings.warn(sentence, RuntimeWarning, stacklevel=level)


def watch(model: Any, *, tokenizer: Any = None, layers: Optional[Sequence[Union[int, str]]] = None,
          what: Sequence[str] = ("qkv", "mask"), sequence: Optional[int] = None, ring: int = 64 << 20,
          open_window: bool = True) -> Watch:
    """Shows the attention of a PyTorch model in AttnScope's window while the model runs, every head of every layer.

    Under SDPA and Flash ``attentions`` is None since they never make the weights. watch() does not switch the model to
    eager attention: it sends queries, keys and values of each call to the window, which computes the exact weights.
    Call watch() once, then call the model or ``generate()`` as before::

        attnscope.watch(model, tokenizer=tokenizer)
        model.generate(**tokenizer("The cat", return_tensors="pt"))

    ``model`` is a ``torch.nn.Module``: a model of transformers with any ``attn_implementation``, or one that uses
    ``nn.MultiheadAttention`` or ``torch.nn.functional.scaled_dot_product_attention``. Its results are bit-identical
    to those without watch(). Each call sends queries ``[batch, heads, new, d_k]`` after rotary positions, keys and
    values ``[batch, kv heads, new, d]`` (those of a cache once), scale, mask, position bias, soft-cap and sinks.
    Weights are those before dropout.

    ``tokenizer`` converts token ids to words. ``layers`` selects layers: numbers in the order in which they are called,
    or names of modules. ``what`` may be sent: "qkv", "mask" (without it masks are not sent), "output" (attention's own
    result [batch, new, heads, d_v], also if the window does not request it). ``sequence`` selects one sequence of a
    batch, from 0, or from the end with -1 for the last: only that one is sent, and the window shows its number. None
    sends all, of which the window shows the first. ``ring`` is the number of bytes that wait for the window; when it is
    full, the oldest calls are lost and the window counts them. ``open_window=False`` opens no window:
    ``attnscope watch PATH`` does, with the ``.path`` of the returned Watch.

    The model does not wait for the window, and nothing is copied while no window reads. ``close()``, the end of a
    ``with`` or the end of the process undoes everything. Watching a model again ends the watch before.

    Raises attnscope.Error if there is no display, and, with its name, for what torch.compile has compiled: a model, a
    module in it, or its ``forward``. The model may be compiled later, but calls of the compiled model are not seen;
    ``close()`` warns of them. Code that computes softmax(q kᵀ) itself is not seen, either.
    """
    check_watchable(model)
    unknown = set(what) - set(_parts)
    if isinstance(what, str) or unknown or "qkv" not in what:
        raise ValueError("what is %r, expected \"qkv\" and maybe \"mask\" and \"output\"" % (what,))
    if open_window and not os.environ.get("DISPLAY") and not os.environ.get("WAYLAND_DISPLAY"):
        raise Error("There is no display to open a window on (neither DISPLAY nor WAYLAND_DISPLAY is set): "
                    "attnscope.watch(model, open_window=False) makes the stream alone.")
    if sequence is not None and not isinstance(sequence, int):
        raise ValueError("sequence is %r, expected the number of one of a batch, or None" % (sequence,))
    before = _watched.get(model)
    old = None if before is None else before()
    if old is not None:
        old.close()
    made = Watch(model, tokenizer, layers, what, ring, sequence)
    _watched[model] = weakref.ref(made)
    if open_window:
        try:
            _window.open_window(made.path, None)
        except BaseException:
            made.close()
            raise
    return made
