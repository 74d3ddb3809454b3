"""Makes quantised_folders.safetensors: matrices as quantised folders of Hugging Face hold them, and their numbers.

    python3 make_quantised_folder_goldens.py        needs numpy, torch and safetensors; writes the file beside itself

For each form F the metadata has "F", its quantization_config, and the file "F/w.…", the tensors in place of w.weight, and
"F/values" F32, what they stand for: by PyTorch's own float8 and by the formulas of each library, in float32, number by
number. Codes are random bits, and all set; scales have NaN and infinity among them.
"""

import json
import pathlib

import numpy
import torch
from safetensors.torch import save_file

HERE = pathlib.Path(__file__).parent
tensors, metadata = {}, {}
generator = torch.Generator().manual_seed(48)


def bits(shape, dtype):
    """Random bits; the first number has all of them set."""
    size = torch.empty(0, dtype=dtype).element_size()
    count = int(numpy.prod(shape)) * size
    some = torch.randint(0, 256, (count,), generator=generator, dtype=torch.uint8)
    some[:size] = 255
    return some.view(dtype).reshape(shape)


def scales(shape, dtype=torch.float32, odd=True):
    some = torch.randn(shape, generator=generator) * 0.02
    if odd and some.numel() > 2:
        some.view(-1)[1], some.view(-1)[2] = float("nan"), float("inf")
    return some.to(dtype)


def keep(form, config, parts, values):
    metadata[form] = json.dumps(config)
    for name, tensor in parts.items():
        tensors[f"{form}/w.{name}"] = tensor.contiguous()
    tensors[f"{form}/values"] = values.float().contiguous()


def spread(some, rows, columns, shape):
    return some.float().repeat_interleave(rows, 0).repeat_interleave(columns, 1)[:shape[0], :shape[1]]


def codes_of(words, bits_each):
    """Codes of words of 32 bits, the lowest bits first, along the last axis."""
    found = words.view(torch.int32).to(torch.int64) & 0xFFFFFFFF
    each = 32 // bits_each
    return torch.stack([found >> bits_each * k & 2 ** bits_each - 1 for k in range(each)], -1).flatten(-2)


def float8():
    block = {"quant_method": "fp8", "fmt": "e4m3", "activation_scheme": "dynamic", "weight_block_size": [8, 16]}
    for form, config, name, shape, dtype, by in (
            ("fp8_blocks", block, "weight_scale_inv", (3, 3), torch.float32, (8, 16)),
            ("fp8_rows", {"quant_method": "compressed-tensors", "format": "float-quantized"}, "weight_scale", (20, 1),
             torch.bfloat16, (1, 40)),
            ("fp8_one", {"quant_method": "compressed-tensors", "format": "naive-quantized"}, "weight_scale", (1,),
             torch.float32, (20, 40))):
        for kind in (torch.float8_e4m3fn, torch.float8_e5m2):
            weight, scale = bits((20, 40), kind), scales(shape, dtype)
            values = weight.float() * spread(scale.reshape(-1, scale.shape[-1]), *by, (20, 40))
            if dtype == torch.bfloat16:
                values = values.bfloat16()
            keep(form + ("" if kind == torch.float8_e4m3fn else "_e5m2"), config, {"weight": weight, name: scale}, values)


def integers():
    config = {"quant_method": "compressed-tensors", "format": "int-quantized"}
    for form, dtype, shape, columns in (("int8_rows", torch.float32, (6, 1), 40), ("int8_groups", torch.float16, (6, 5), 8)):
        weight, scale = bits((6, 40), torch.int8), scales(shape, dtype)
        values = weight.float() * spread(scale, 1, columns, (6, 40))
        keep(form, config, {"weight": weight, "weight_scale": scale},
             values.to(dtype) if dtype == torch.float16 else values)
    weight, scale = bits((6, 40), torch.int8), scales((6,))
    keep("bitsandbytes_int8", {"quant_method": "bitsandbytes", "load_in_8bit": True}, {"weight": weight, "SCB": scale},
         weight.float() * (scale * torch.tensor(1 / 127, dtype=torch.float32))[:, None])
    for each, dtype in ((4, torch.bfloat16), (8, torch.float32)):
        words, scale = bits((6, 40 * each // 32), torch.int32), scales((6, 5), dtype)
        values = (codes_of(words, each) - 2 ** (each - 1)).float() * spread(scale, 1, 8, (6, 40))
        keep(f"packed_{each}", {"quant_method": "compressed-tensors", "format": "pack-quantized"},
             {"weight_packed": words, "weight_scale": scale, "weight_shape": torch.tensor([6, 40])},
             values.bfloat16() if dtype == torch.bfloat16 else values)


def gptq():
    for form, each, order, version in (("gptq_4", 4, True, "gptq"), ("gptq_8", 8, False, "gptq"),
                                       ("gptq_2", 2, False, "gptq_v2")):
        rows, columns, group = 48, 64, 16
        words, zeros = bits((columns * each // 32, rows), torch.int32), bits((4, rows * each // 32), torch.int32)
        scale = scales((4, rows), torch.float16)
        groups = torch.arange(columns, dtype=torch.int32) // group
        if order:
            groups = groups[torch.randperm(columns, generator=generator)]
        zero = codes_of(zeros, each) + (1 if version == "gptq" else 0)
        code = codes_of(words.T.contiguous(), each).T
        values = ((code - zero[groups.long()]).float() * scale.float()[groups.long()]).T
        parts = {"qweight": words, "qzeros": zeros, "scales": scale}
        keep(form, {"quant_method": "gptq", "bits": each, "group_size": group, "checkpoint_format": version},
             {**parts, "g_idx": groups} if order else parts, values)


def awq():
    rows, columns, group = 48, 64, 16
    words, zeros, scale = bits((columns, rows // 8), torch.int32), bits((4, rows // 8), torch.int32), scales((4, rows),
                                                                                                             torch.float16)

    def ordered(packed):
        found = codes_of(packed, 4).reshape(packed.shape[0], -1, 8)
        return torch.stack([found[:, :, [0, 2, 4, 6, 1, 3, 5, 7].index(i)] for i in range(8)], -1).flatten(1)
    values = ((ordered(words) - ordered(zeros).repeat_interleave(group, 0)).float() *
              scale.float().repeat_interleave(group, 0)).T
    keep("awq", {"quant_method": "awq", "bits": 4, "group_size": group, "version": "gemm", "zero_point": True},
         {"qweight": words, "qzeros": zeros, "scales": scale}, values)


def four_bits():
    for form, nested, kind, dtype, shape in (("nf4_nested", True, "nf4", "bfloat16", (40, 72)),
                                             ("fp4_plain", False, "fp4", "float16", (5, 27)),
                                             ("nf4_float32", False, "nf4", "float32", (4, 128))):
        count = shape[0] * shape[1]
        blocks = -(-count // 64)
        codes, table = bits(((count + 1) // 2, 1), torch.uint8), torch.randn(16, generator=generator)
        state = {"quant_type": kind, "blocksize": 64, "dtype": dtype, "shape": list(shape)}
        parts = {"weight": codes, "weight.quant_map": table}
        if nested:
            state |= {"nested_blocksize": 16, "nested_dtype": "float32", "nested_offset": 0.3125}
            absmax, outer, factors = bits((blocks,), torch.uint8), torch.randn(256, generator=generator), scales((-(-blocks // 16),))
            parts |= {"weight.absmax": absmax, "weight.nested_quant_map": outer, "weight.nested_absmax": factors}
            scale = outer[absmax.long()] * factors.repeat_interleave(16)[:blocks] + 0.3125
        else:
            scale = scales((blocks,))
            parts |= {"weight.absmax": scale}
        text = json.dumps(state).encode()
        parts[f"weight.quant_state.bitsandbytes__{kind}"] = torch.frombuffer(bytearray(text), dtype=torch.uint8)
        index = torch.stack([codes.flatten() >> 4, codes.flatten() & 15], 1).flatten()[:count].long()
        values = (table[index] * scale.repeat_interleave(64)[:count]).to(getattr(torch, dtype)).reshape(shape)
        keep(form, {"quant_method": "bitsandbytes", "load_in_4bit": True}, parts, values)


def mlx():
    for each in (2, 3, 4, 5, 6, 8):
        rows, columns, group = 4, 64, 32
        words = bits((rows, columns * each // 32), torch.int32).view(torch.uint32)
        scale, bias = scales((rows, 2), torch.bfloat16), scales((rows, 2), torch.bfloat16)
        stream = numpy.unpackbits(words.view(torch.uint8).numpy(), axis=1, bitorder="little").reshape(rows, columns, each)
        codes = torch.from_numpy((stream.astype(numpy.int64) << numpy.arange(each)).sum(-1))
        product = codes.float() * spread(scale, 1, group, (rows, columns))
        keep(f"mlx_{each}", {"group_size": group, "bits": each}, {"weight": words, "scales": scale, "biases": bias},
             product + spread(bias, 1, group, (rows, columns)))


def mxfp4():
    codes, exponents = bits((2, 3, 2, 16), torch.uint8), bits((2, 3, 2), torch.uint8)
    exponents.view(-1)[1] = 0
    table = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])
    index = torch.stack([codes & 15, codes >> 4], -1).flatten(-2).long()
    power = torch.where(exponents == 255, float("nan"), torch.exp2(exponents.double() - 127))
    values = (table[index].double() * power[..., None]).float().reshape(2, 3, 64)
    metadata["mxfp4"] = json.dumps({"quant_method": "mxfp4"})
    tensors.update({"mxfp4/w_blocks": codes, "mxfp4/w_scales": exponents, "mxfp4/values": values})


if __name__ == "__main__":
    for make in (float8, integers, gptq, awq, four_bits, mlx, mxfp4):
        make()
    save_file(tensors, HERE / "quantised_folders.safetensors", metadata)
