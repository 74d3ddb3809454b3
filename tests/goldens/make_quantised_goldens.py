"""Makes quantised.safetensors: blocks of every quantised type that AttnScope reads, and what the reference makes of them.

    python3 make_quantised_goldens.py        needs numpy and gguf; writes quantised.safetensors beside itself

For each type T: "T.bytes" U8 [blocks][bytes of a block], random, with chosen half floats as scales in the first blocks:
NaN, infinities, zeros, subnormal and extreme numbers; "T.values" F32 [blocks][elements of a block], which the Python
package gguf computes from them.
"""

import json
import pathlib
import struct

import gguf
import numpy

HERE = pathlib.Path(__file__).parent
CHOSEN = [0x7E00, 0xFC00, 0x7C00, 0x0000, 0x8000, 0x0001, 0x83FF, 0x7BFF, 0x3C00]
# Where the half floats of a block begin.
HALVES = {"Q8_0": [0], "Q4_0": [0], "Q4_1": [0, 2], "Q5_0": [0], "Q5_1": [0, 2], "Q4_K": [0, 2], "Q5_K": [0, 2],
          "Q6_K": [208]}


def blocks_of(name, generator):
    elements, size = gguf.GGML_QUANT_SIZES[gguf.GGMLQuantizationType[name]]
    count = 20 if elements == 32 else 12
    blocks = generator.integers(0, 256, (count, size), dtype=numpy.uint8)
    for i, half in enumerate(CHOSEN):
        for which, at in enumerate(HALVES[name]):
            # The second scale meets the first in another order, so that infinities meet numbers too.
            value = half if which == 0 else CHOSEN[(i + 3) % len(CHOSEN)]
            blocks[i, at:at + 2] = numpy.frombuffer(struct.pack("<H", value), numpy.uint8)
    # Scales of the size that weights have.
    for block in blocks[len(CHOSEN) + 1:]:
        for at in HALVES[name]:
            block[at:at + 2] = numpy.array([generator.normal() * 0.01], numpy.float16).view(numpy.uint8)
    return blocks


def main():
    generator = numpy.random.default_rng(20)
    header, data = {}, b""
    for name in HALVES:
        blocks = blocks_of(name, generator)
        with numpy.errstate(all="ignore"):
            values = gguf.dequantize(blocks, gguf.GGMLQuantizationType[name])
        for key, dtype, array in (("values", "F32", values), ("bytes", "U8", blocks)):
            stored = array.tobytes()
            header[f"{name}.{key}"] = {"dtype": dtype, "shape": list(array.shape),
                                       "data_offsets": [len(data), len(data) + len(stored)]}
            data += stored
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    (HERE / "quantised.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)


if __name__ == "__main__":
    main()
