"""The window's side of a stream, for tests: looks, reads records, and computes weights from them in NumPy."""

import json
import mmap
import os
import struct
import time

import numpy as np

_types = {"F32": np.float32, "F16": np.float16, "BF16": np.uint16, "I64": np.int64, "BOOL": np.bool_}


def _numbers(dtype, data, shape):
    array = np.frombuffer(data, _types[dtype]).reshape(shape)
    if dtype == "BF16":
        array = (array.astype(np.uint32) << 16).view(np.float32)
    return array.copy()


class Reader:
    """Like the window: what was overwritten is lost and counted."""

    def __init__(self, path):
        with open(path, "r+b") as file:
            self.map = mmap.mmap(file.fileno(), 0)
        assert self.map[:8] == b"ATTNWTCH" and self.word(8) == 1
        self.capacity = self.word(16)
        assert len(self.map) == 4096 + self.capacity and self.capacity % 64 == 0
        self.facts = json.loads(self.map[1024:1024 + self.word(80)])
        self.cursor, self.expected, self.dropped = self.word(48), None, 0
        self.look()

    def word(self, at, value=None):
        if value is None:
            return struct.unpack_from("<Q", self.map, at)[0]
        struct.pack_into("<Q", self.map, at, value)

    def look(self, wanted=3):
        self.word(144, wanted)
        self.word(136, time.monotonic_ns())
        self.word(128, os.getpid())

    def ask_for_whole(self):
        self.word(152, self.word(152) + 1)

    def close(self):
        self.word(128, 0)
        self.map.close()

    def poll(self):
        """Records since the last call: dicts of fields, arrays in them, with "number" and "end"."""
        self.look()
        found, written = [], self.word(48)
        if self.word(40) - self.cursor > self.capacity:
            self.cursor = written
            self.ask_for_whole()
        while self.cursor < written:
            begin = 4096 + self.cursor % self.capacity
            magic, kind, size, number, length = struct.unpack_from("<IIQQI", self.map, begin)
            assert magic == 0x52575441 and kind <= 2 and size % 64 == 0 and size >= 64, (magic, kind, size)
            assert self.cursor % self.capacity + size <= self.capacity, "a record wraps"
            self.cursor += size
            if kind == 0:
                continue
            if self.expected is not None:
                self.dropped += number - self.expected
            self.expected = number + 1
            record = json.loads(self.map[begin + 64:begin + 64 + length])
            for name, value in record.items():
                if isinstance(value, dict):
                    assert value["offset"] % 64 == 0 and value["offset"] >= 64 + length
                    count = int(np.prod(value["shape"])) * np.dtype(_types[value["dtype"]]).itemsize
                    assert value["offset"] + count <= size
                    first = begin + value["offset"]
                    record[name] = _numbers(value["dtype"], self.map[first:first + count], value["shape"])
            found.append(dict(record, number=number, end=kind == 2))
        return found


def softmax(scores):
    with np.errstate(invalid="ignore"):
        powers = np.exp(scores - np.max(scores, -1, keepdims=True))
        return np.nan_to_num(powers / powers.sum(-1, keepdims=True))


class Text:
    """What is known of each layer. ``take`` fails where a record does not go with those before."""

    def __init__(self):
        self.keys, self.values, self.weights, self.kinds, self.names, self.ends = {}, {}, {}, {}, {}, []
        self.starts = {}
        self.masks = 0

    def take(self, records):
        for record in records:
            if record["end"]:
                self.ends.append(record)
            else:
                self.take_call(record)
        return self

    def take_call(self, call):
        layer, first = call["layer"], call["keys_from"]
        for kept, name in ((self.keys, "k"), (self.values, "v")):
            if first:
                assert layer in kept and kept[layer].shape[2] == first, (layer, first)
                kept[layer] = np.concatenate([kept[layer], call[name]], 2)
            else:
                kept[layer] = call[name]
        self.kinds[layer], self.names[layer] = call["kind"], call["name"]
        self.masks += "mask" in call
        self.weights.setdefault(layer, []).append(weights_of(call, self.keys[layer]))
        self.starts.setdefault(layer, []).append(call["queries_from"])


def weights_of(call, keys):
    """softmax(scale · q kᵀ, soft-capped, + bias + mask), [batch, heads, queries, keys]."""
    q, k = call["q"].astype(np.float64), keys.astype(np.float64)
    k = np.repeat(k, q.shape[1] // k.shape[1], 1)
    scores = call["scale"] * (q @ k.transpose(0, 1, 3, 2))
    if "softcap" in call:
        scores = call["softcap"] * np.tanh(scores / call["softcap"])
    if "bias" in call:
        scores = scores + call["bias"]
    rows = call["queries_from"] + np.arange(q.shape[2])[:, None]
    columns = np.arange(k.shape[2])[None, :]
    if call["causal"]:
        scores = np.where(columns <= rows, scores, -np.inf)
        if "window" in call:
            scores = np.where(columns > rows - call["window"], scores, -np.inf)
    if "mask" in call:
        mask = call["mask"]
        assert mask.shape[2:] == scores.shape[2:], (mask.shape, scores.shape)
        scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores.astype(np.float32) + mask
    if "sinks" in call:
        sinks = np.broadcast_to(call["sinks"][None, :, None, None], (*scores.shape[:3], 1))
        return softmax(np.concatenate([scores, sinks], -1))[..., :-1]
    return softmax(scores)
