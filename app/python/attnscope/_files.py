"""Tensors in files, with NumPy alone: https://huggingface.co/docs/safetensors."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from typing import Dict, List, Mapping, Tuple

import numpy as np

from ._program import Error

_types = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "|i1",
          "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "|u1", "BOOL": "|b1"}
_names = {np.dtype(type_): name for name, type_ in _types.items()}


def write_tensors(path: str, arrays: Mapping[str, np.ndarray], metadata: Mapping[str, str]) -> None:
    """Writes a .safetensors file: all of it, or none."""
    stored: List[Tuple[str, np.ndarray]] = []
    for name, array in arrays.items():
        little = array.astype(array.dtype.newbyteorder("<"), copy=False)
        if little.dtype not in _names:
            raise Error('"%s" holds %s, which is no type of numbers that AttnScope reads.' % (name, array.dtype))
        stored.append((name, little))
    stored.sort(key=lambda one: -one[1].dtype.itemsize)  # each is aligned where it is mapped
    head: Dict[str, object] = {"__metadata__": dict(metadata)} if metadata else {}
    offset = 0
    for name, array in stored:
        head[name] = {"dtype": _names[array.dtype], "shape": list(array.shape),
                      "data_offsets": [offset, offset + array.nbytes]}
        offset += array.nbytes
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    unfinished = path + ".part"
    try:
        with open(unfinished, "wb") as file:
            file.write(len(text).to_bytes(8, "little") + text)
            for _, array in stored:
                file.write(np.ascontiguousarray(array).data if array.size else b"")
        os.replace(unfinished, path)
    except OSError as error:
        raise Error("Cannot write \"%s\": %s." % (path, error.strerror or error)) from None
    finally:
        if os.path.exists(unfinished):
            os.unlink(unfinished)


def map_tensors(path: str) -> Dict[str, np.ndarray]:
    """The tensors of a .safetensors file, mapped without a copy. Writes to the arrays stay in this process. The arrays
    stay valid after the file is removed."""
    data = np.memmap(path, np.uint8, mode="c")
    begin = 8 + int.from_bytes(data[:8].tobytes(), "little")
    head = json.loads(data[8:begin].tobytes())
    arrays: Dict[str, np.ndarray] = {}
    for name, entry in head.items():
        if name == "__metadata__":
            continue
        first, last = entry["data_offsets"]
        flat = data[begin + first:begin + last].view(np.ndarray)
        arrays[name] = flat.view(_types[entry["dtype"]]).reshape(entry["shape"])
    return arrays


def private_folder() -> str:
    """A new folder for result files, which are mapped and then removed: in memory if there is enough room."""
    memory = "/dev/shm"
    try:
        roomy = shutil.disk_usage(memory).free > 4 << 30 and os.access(memory, os.W_OK | os.X_OK)
    except OSError:
        roomy = False
    return tempfile.mkdtemp(prefix="attnscope-", dir=memory if roomy else None)
