"""Makes codewords.safetensors: blocks of the GGUF types of two or three bits, with a codebook or with a table of values,
and what the reference makes of them.

    python3 make_codeword_goldens.py        needs numpy and gguf; writes codewords.safetensors beside itself

For each type T: "T.bytes" U8 [blocks][bytes of a block]: zeros, 255, scales that are NaN and infinite, random ones;
"T.values" F32 [blocks][elements of a block], which the Python package gguf computes from them; "T.hash" I64 [1]: of the
values of 3,000 blocks of pseudorandom bytes, in which every codeword occurs.
"""

import json
import pathlib
import struct

import gguf
import numpy

HERE = pathlib.Path(__file__).parent
TYPES = ["Q2_K", "Q3_K", "IQ1_S", "IQ1_M", "IQ2_XXS", "IQ2_XS", "IQ2_S", "IQ3_XXS", "IQ3_S", "IQ4_NL", "IQ4_XS", "TQ1_0",
         "TQ2_0", "MXFP4", "NVFP4"]
CHOSEN = [0x7E00, 0xFC00, 0x8001]
# Where the half floats of a block begin. Those of IQ1_M lie in the highest bits of four numbers.
HALVES = {"Q2_K": [80, 82], "Q3_K": [108], "TQ1_0": [52], "TQ2_0": [64], "IQ1_M": [], "MXFP4": [], "NVFP4": []}
BLOCKS = 3000


def reference(name, blocks):
    with numpy.errstate(all="ignore"):
        return gguf.dequantize(blocks, gguf.GGMLQuantizationType[name])


def blocks_of(name, size, generator):
    blocks = generator.integers(0, 256, (7, size), dtype=numpy.uint8)
    blocks[0], blocks[1] = 0, 255
    for i, half in enumerate(CHOSEN):
        for which, at in enumerate(HALVES.get(name, [0])):
            value = half if which == 0 else CHOSEN[(i + 1) % len(CHOSEN)]
            blocks[2 + i, at:at + 2] = numpy.frombuffer(struct.pack("<H", value), numpy.uint8)
    return blocks


def pseudorandom(count):
    """The bytes of SplitMix64 from the state 0."""
    words = -(-count // 8)
    z = numpy.arange(1, words + 1, dtype=numpy.uint64) * numpy.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
    return (z ^ (z >> numpy.uint64(31))).view(numpy.uint8)[:count]


def hash_of(values):
    """The sum of the values' bits, each times its odd number, modulo 2^64; NaN counts as one value."""
    bits = numpy.where(numpy.isnan(values), numpy.uint32(0x7FC00000), values.view(numpy.uint32)).ravel()
    numbers = numpy.arange(bits.size, dtype=numpy.uint64) * numpy.uint64(2) + numpy.uint64(1)
    return numpy.array([(bits.astype(numpy.uint64) * numbers).sum(dtype=numpy.uint64)], numpy.uint64).view(numpy.int64)


def main():
    generator = numpy.random.default_rng(48)
    header, data = {}, b""
    for name in TYPES:
        _, size = gguf.GGML_QUANT_SIZES[gguf.GGMLQuantizationType[name]]
        blocks = blocks_of(name, size, generator)
        many = pseudorandom(BLOCKS * size).reshape(BLOCKS, size)
        for key, dtype, array in (("hash", "I64", hash_of(reference(name, many))),
                                  ("values", "F32", reference(name, blocks)), ("bytes", "U8", blocks)):
            header[f"{name}.{key}"] = {"dtype": dtype, "shape": list(array.shape),
                                       "data_offsets": [len(data), len(data) + array.nbytes]}
            data += array.tobytes()
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    (HERE / "codewords.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)


if __name__ == "__main__":
    main()
