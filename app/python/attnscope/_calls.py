"""Turns an attention call of PyTorch into a record: which keys are new, and what the mask adds to causality."""

from __future__ import annotations

import bisect
import weakref
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import numpy as np
import torch
from torch import Tensor

from ._stream import Blob

_dtypes = {torch.float32: ("F32", np.float32), torch.float16: ("F16", np.float16), torch.bfloat16: ("BF16", np.int16),
           torch.int64: ("I64", np.int64), torch.bool: ("BOOL", np.bool_)}
_most_rows = 256  # of earlier keys that are compared


class Call(NamedTuple):
    """An observed attention call. Weights are softmax(scale · q kᵀ, soft-capped, + bias + mask)."""

    query: Tensor  # [batch, heads, queries, d_k]
    key: Tensor  # [batch or 1, kv heads, keys, d_k]
    value: Tensor  # [batch or 1, kv heads, keys, d_v]
    kind: str  # self, cross, encoder
    scale: float
    mask: Optional[Tensor] = None  # bool, True may look, or added; up to four axes, from the last
    bias: Optional[Tensor] = None  # added, likewise
    # Without a mask: "last" if the queries are the last of the keys' tokens and causal, "first" if they are the first
    # ones and causal, "" if each sees all keys.
    causal: str = ""
    may_be_causal: bool = True  # False: a mask that looks causal is so by chance
    window: Optional[int] = None
    softcap: Optional[float] = None
    sinks: Optional[Tensor] = None  # [heads]
    output: Optional[Tensor] = None  # [batch, queries, heads, d_v]
    whole_key: Optional[Tensor] = None  # what ``key`` is a part of, where it is one: the same tensor has the same keys


def blob_of(tensor: Tensor) -> Blob:
    """The tensor is copied once, directly into the ring. Numbers of other types become float32."""
    name, kind = _dtypes.get(tensor.dtype, _dtypes[torch.float32])

    def fill(place: np.ndarray) -> None:
        target = torch.from_numpy(place.view(kind)).view(tuple(tensor.shape))
        if name == "BF16":
            target = target.view(torch.bfloat16)
        target.copy_(tensor)

    return Blob(name, tuple(tensor.shape), fill)


class Chosen:
    """Selects one sequence of a batch in the calls of one pass. Layers share masks, and so the slices of them."""

    def __init__(self, sequence: int) -> None:
        self._sequence = sequence
        self._parts: Dict[int, Tuple[Tensor, Tensor]] = {}  # by id; the whole lives on, so that its id stays its own

    def number(self, batch: int) -> Optional[int]:
        """Its index in a batch of that size, from 0; None if the batch is too small."""
        number = self._sequence + batch if self._sequence < 0 else self._sequence
        return number if 0 <= number < batch else None

    def of(self, call: Call, number: int) -> Call:
        """The call reduced to that sequence."""

        def part(tensor: Optional[Tensor]) -> Optional[Tensor]:
            if tensor is None or tensor.dim() < 4 or tensor.shape[0] == 1:
                return tensor  # all sequences share it
            if id(tensor) not in self._parts:
                self._parts[id(tensor)] = tensor, tensor[number:number + 1]
            return self._parts[id(tensor)][1]

        query, key, value = (one if one.shape[0] == 1 else one[number:number + 1]
                             for one in (call.query, call.key, call.value))
        return call._replace(query=query, key=key, value=value, whole_key=call.key, mask=part(call.mask),
                             bias=part(call.bias), output=None if call.output is None else call.output[number:number + 1])


def four_axes(tensor: Tensor) -> Tensor:
    """[.., a, b] as [1, .., a, b]."""
    return tensor[(None,) * (4 - tensor.dim())] if tensor.dim() < 4 else tensor


class Mask(NamedTuple):
    """The mask of a record, [1 or batch, 1 or heads, queries, keys]; None if it adds nothing to ``causal``."""

    sent: Optional[Tensor]
    causal: bool
    window: Optional[int]
    used: int  # keys behind these are hidden from all queries: places of a cache that are free yet


def _triangle(queries: int, keys: int, window: Optional[int], device: torch.device) -> Tensor:
    """[queries, keys]: True where a query sees a key, for queries that are the last of the keys' tokens."""
    rows = torch.arange(keys - queries, keys, device=device)[:, None]
    columns = torch.arange(keys, device=device)[None, :]
    seen = columns <= rows
    return seen & (columns > rows - window) if window else seen


def _as_said(mask: Tensor) -> Tuple[Tensor, Optional[Tensor]]:
    """The allowed cells, bool, and the additive mask if it has other values than 0 and −∞. A row of padding, with all
    keys hidden, sees none: its uniform weights in eager attention are an accident."""
    if mask.dtype == torch.bool:
        return mask, None
    hides = mask <= torch.finfo(mask.dtype).min / 2
    seen = ~hides
    if not bool((hides | (mask == 0)).all()):
        return seen, mask.float().masked_fill(hides, -torch.inf)
    return seen, None


def read_mask(call: Call, expected: Optional[int]) -> Mask:
    """``expected``: the number of keys if the call continues where the previous one ended."""
    queries, keys = call.query.shape[2], call.key.shape[2]
    if call.mask is None:
        if call.causal == "first":
            used = min(queries, keys)
            if queries > keys:  # queries behind the keys see all of them
                seen = _triangle(queries, queries, None, call.query.device)[None, None, :, :keys]
                return Mask(seen, False, None, keys)
            return Mask(None, True, call.window, used)
        # A single new query that sees all keys agrees with causality.
        alone = call.kind == "self" and call.may_be_causal and queries == 1 and not call.causal
        fits = alone and (call.window is None or keys <= call.window)
        return Mask(None, call.causal == "last" or fits, call.window if call.causal or fits else None, keys)
    mask = four_axes(call.mask.detach())[..., :keys]
    mask = mask.expand(*mask.shape[:2], queries, keys)
    seen, added = _as_said(mask)
    used = keys
    if call.kind == "self" and queries < keys:
        columns = seen.any(dim=2).flatten(0, 1).any(dim=0).nonzero()
        last = int(columns[-1]) + 1 if len(columns) else 0
        used = min(keys, max(last, queries, expected or 0))
        seen, added = seen[..., :used], None if added is None else added[..., :used]
    sent = seen if added is None else added
    if added is None and bool(seen.all()) and (queries > 1 or call.kind != "self"):
        return Mask(None, False, None, used)
    if call.kind != "self" or not call.may_be_causal:
        return Mask(None if added is None and bool(seen.all()) else sent, False, None, used)
    for window in dict.fromkeys((call.window, None)):
        triangle = _triangle(queries, used, window, seen.device)
        if bool((seen & ~triangle).any()):
            continue
        if added is None and bool((seen == triangle).all()):
            return Mask(None, True, window, used)
        return Mask(sent, True, window, used)
    return Mask(sent, False, None, used)


def behind(tensor: Optional[Tensor], before: int) -> Optional[Tensor]:
    """The mask with ``before`` hidden keys inserted in front."""
    if tensor is None or before == 0:
        return tensor
    hidden = 0.0 if tensor.dtype == torch.bool else -torch.inf
    return torch.nn.functional.pad(tensor.to(torch.uint8) if tensor.dtype == torch.bool else tensor, (before, 0),
                                   value=hidden).to(tensor.dtype)


class _Earlier:
    """The sent keys of a layer, as far as needed to recognise them: rows of head 0, and only some of the older ones."""

    def __init__(self, like: Tuple[Any, ...], key: Tensor) -> None:
        self.like, self.total = like, 0
        self.places: List[int] = []  # of the rows, ascending
        self.rows = torch.empty((key.shape[0], 2 * _most_rows, key.shape[3]), dtype=key.dtype, device=key.device)
        self.key: Optional["weakref.ref[Tensor]"] = None
        self.add(key, 0, 0)

    def is_in(self, key: Tensor, dropped: int) -> bool:
        """Whether ``key`` begins with the sent keys from number ``dropped`` on."""
        first, last = bisect.bisect_left(self.places, dropped), len(self.places)
        if first == last or self.rows.device != key.device:
            return False
        head, known = key[:, 0], self.rows[:, first:last]
        if last - first == self.total - dropped:  # no row is missing
            return bool(torch.equal(head[:, :last - first], known))
        places = torch.tensor(self.places[first:], device=key.device) - dropped
        return bool(torch.equal(head.index_select(1, places), known))

    def add(self, key: Tensor, first: int, number: int) -> None:
        """Adds rows [first, …) of ``key``; ``number`` is that of the first."""
        count, room = key.shape[2] - first, self.rows.shape[1]
        kept, head = len(self.places), key[:, 0]
        if kept + count <= room:
            self.rows[:, kept:kept + count] = head[:, first:]
            self.places.extend(range(number, number + count))
        else:  # every so many, and the last ones
            places = self.places + list(range(number, number + count))
            chosen = [*range(0, len(places) - room // 2, 1 + 4 * len(places) // room),
                      *range(len(places) - room // 2, len(places))]
            rows = torch.cat([self.rows[:, :kept], head[:, first:]], 1)
            self.rows[:, :len(chosen)] = rows.index_select(1, torch.tensor(chosen, device=rows.device))
            self.places = [places[i] for i in chosen]
        self.total = number + count


class Layers:
    """The keys sent of each layer: a record contains the new keys of a call, or all of them."""

    def __init__(self) -> None:
        self._earlier: Dict[Any, _Earlier] = {}

    def forget(self) -> None:
        """Makes the next record of each layer contain all keys."""
        self._earlier.clear()

    def describe(self, layer: Any, call: Call, with_mask: bool,
                 masks: Dict[Any, Tuple[Any, Mask]]) -> Tuple[Dict[str, Any], Dict[str, Blob]]:
        """The fields and arrays of the call's record. ``masks``: a cache for this pass, since layers share masks."""
        queries, keys = call.query.shape[2], call.key.shape[2]
        earlier = self._earlier.get(layer)
        expected = earlier.total + queries if earlier and earlier.total + queries <= keys else None
        named = (id(call.mask), call.query.shape[2:3], call.key.shape[2:3], call.kind, call.causal, call.may_be_causal,
                 call.window, expected)
        if named not in masks:
            masks[named] = call.mask, read_mask(call, expected)  # the tensor lives on, so that its id stays its own
        mask = masks[named][1]
        batch = call.query.shape[0]
        key = call.key.detach()[:, :, :mask.used].expand(batch, -1, -1, -1)
        value = call.value.detach()[:, :, :mask.used].expand(batch, -1, -1, -1)
        first, dropped = self._new_keys(layer, call, key, mask)
        start = mask.used - queries if call.kind == "self" and call.may_be_causal and mask.used >= queries else 0
        number = dropped + first
        fields: Dict[str, Any] = {"kind": call.kind, "keys_from": number, "queries_from": dropped + start,
                                  "scale": call.scale, "causal": mask.causal}
        if mask.window:
            fields["window"] = mask.window
        if call.softcap:
            fields["softcap"] = float(call.softcap)
        tensors: List[Tuple[str, Optional[Tensor]]] = [
            ("q", call.query.detach()), ("k", key[:, :, first:]), ("v", value[:, :, first:]),
            ("mask", behind(mask.sent, dropped) if with_mask else None), ("bias", self._bias(call, mask, dropped)),
            ("output", call.output), ("sinks", None if call.sinks is None else call.sinks.detach().flatten().float())]
        return fields, {name: blob_of(tensor) for name, tensor in tensors if tensor is not None}

    @staticmethod
    def _bias(call: Call, mask: Mask, dropped: int) -> Optional[Tensor]:
        if call.bias is None or not bool(call.bias.any()):
            return None
        bias = four_axes(call.bias.detach().float())[..., :mask.used]
        return behind(bias.expand(*bias.shape[:2], call.query.shape[2], mask.used), dropped)

    def _new_keys(self, layer: Any, call: Call, key: Tensor, mask: Mask) -> Tuple[int, int]:
        """The first row of ``key`` to send, and the number of sent keys that were dropped in front of its row 0."""
        if call.kind == "encoder" or not (call.kind == "cross" or call.may_be_causal):
            return 0, 0
        like = (call.kind, tuple(key.shape[:2]), key.shape[3], tuple(call.query.shape[:2]), call.value.shape[3],
                call.scale, call.softcap, mask.window, call.sinks is None)
        earlier = self._earlier.get(layer)
        known = earlier is not None and earlier.like == like
        rows, whole = key.shape[2], call.key if call.whole_key is None else call.whole_key
        if call.kind == "cross":
            if known and earlier is not None and earlier.key is not None and earlier.key() is whole:
                if earlier.total == rows and earlier.is_in(key, 0):
                    return rows, 0
        elif known and earlier is not None:
            first = rows - call.query.shape[2]
            dropped = earlier.total - first
            if first > 0 and (dropped == 0 or (dropped > 0 and mask.window)) and earlier.is_in(key, dropped):
                earlier.add(key, first, earlier.total)
                return first, dropped
        earlier = self._earlier[layer] = _Earlier(like, key)
        if call.kind == "cross":
            earlier.key = weakref.ref(whole)
        return 0, 0
