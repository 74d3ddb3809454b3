"""Makes the goldens of attention: what PyTorch computes, in float64, for small seeded cases.

    python3 make_goldens.py        needs torch and safetensors; writes *.safetensors and index.json beside itself

Conventions are AttnScope's, not PyTorch's: y = x·W + b, so matrices are transposed against torch.nn.Linear, and a mask
is what is added to the scores, so a hidden key is -inf. Inputs are float32 values widened to float64, since AttnScope
reads them as float32: then the only differences are those of its own arithmetic.
"""

import json
import pathlib

import torch
from safetensors.torch import save_file

HERE = pathlib.Path(__file__).parent
INFINITY = float("inf")


def normal(generator, *shape):
    return torch.randn(*shape, generator=generator, dtype=torch.float32).double()


def added_mask(queries, keys, causal, lengths, batch):
    """[batch][1][queries][keys]: 0, or -inf where causal order or padding hides the key."""
    mask = torch.zeros(batch, 1, queries, keys, dtype=torch.float64)
    if causal:
        future = torch.ones(queries, keys, dtype=torch.bool).triu(1)
        mask.masked_fill_(future, -INFINITY)
    if lengths is not None:
        for b, length in enumerate(lengths):
            mask[b, :, :, length:] = -INFINITY
    return mask


def multi_head(seed, batch=2, tokens=5, keys=None, d_model=12, heads=3, bias=True, causal=False, lengths=None):
    """torch.nn.MultiheadAttention; cross-attention when `keys` is given."""
    generator = torch.Generator().manual_seed(seed)
    layer = torch.nn.MultiheadAttention(d_model, heads, bias=bias, batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.copy_(normal(generator, *parameter.shape) * 0.5)
    x = normal(generator, batch, tokens, d_model)
    memory = x if keys is None else normal(generator, batch, keys, d_model)
    count = memory.shape[1]
    hidden = added_mask(tokens, count, causal, lengths, batch) == -INFINITY
    mask = hidden.expand(batch, heads, tokens, count).reshape(batch * heads, tokens, count)
    with torch.no_grad():
        out, weights = layer(x, memory, memory, attn_mask=mask, need_weights=True, average_attn_weights=False)
    w_q, w_k, w_v = layer.in_proj_weight.detach().chunk(3)
    tensors = {"x": x, "out": out, "weights": weights}
    if keys is not None:
        tensors["memory"] = memory
    matrices = {"w_q": w_q, "w_k": w_k, "w_v": w_v, "w_o": layer.out_proj.weight.detach()}
    tensors |= {name: matrix.T for name, matrix in matrices.items()}
    if bias:
        b_q, b_k, b_v = layer.in_proj_bias.detach().chunk(3)
        tensors |= {"b_q": b_q, "b_k": b_k, "b_v": b_v, "b_o": layer.out_proj.bias.detach()}
    return tensors, {"kind": "multi_head", "heads": heads, "causal": causal, "lengths": lengths}


def dot_product(seed, q, k, v, causal=False, scale=None, additive=None, dead_row=False):
    """torch.nn.functional.scaled_dot_product_attention on given Q, K and V."""
    generator = torch.Generator().manual_seed(seed)
    query, key, value = normal(generator, *q), normal(generator, *k), normal(generator, *v)
    tensors = {"q": query, "k": key, "v": value}
    mask = None
    if additive is not None:
        mask = normal(generator, *additive)
        mask[torch.rand(mask.shape, generator=generator) < 0.25] = -INFINITY
        mask[..., 0] = 0.5  # every row keeps a key …
        if dead_row:
            mask[..., 1, :] = -INFINITY  # … but this one
        tensors["mask"] = mask
    out = torch.nn.functional.scaled_dot_product_attention(
        query, key, value, attn_mask=mask, is_causal=causal, scale=scale, enable_gqa=q[1] != k[1]
    )
    if dead_row:
        out[..., 1, :] = 0  # AttnScope's rule; kernels of PyTorch differ between 0 and NaN here
    return tensors | {"out": out}, {"kind": "dot_product", "causal": causal, "scale": scale}


CASES = {
    "mha_plain": lambda: multi_head(1),
    "mha_no_bias": lambda: multi_head(2, bias=False),
    "mha_causal": lambda: multi_head(3, causal=True),
    "mha_padding": lambda: multi_head(4, lengths=[5, 2]),
    "mha_causal_padding": lambda: multi_head(5, causal=True, lengths=[3, 5]),
    "mha_one_head": lambda: multi_head(6, heads=1),
    "mha_one_token": lambda: multi_head(7, batch=1, tokens=1, heads=2),
    "mha_cross": lambda: multi_head(8, tokens=4, keys=7),
    "sdpa_plain": lambda: dot_product(11, (2, 3, 5, 4), (2, 3, 5, 4), (2, 3, 5, 4)),
    "sdpa_wide_values": lambda: dot_product(12, (1, 2, 3, 4), (1, 2, 6, 4), (1, 2, 6, 9)),
    "sdpa_causal_short_queries": lambda: dot_product(13, (1, 2, 3, 4), (1, 2, 7, 4), (1, 2, 7, 4), causal=True),
    "sdpa_causal_short_keys": lambda: dot_product(14, (1, 2, 7, 4), (1, 2, 3, 4), (1, 2, 3, 4), causal=True),
    "sdpa_scale": lambda: dot_product(15, (1, 2, 5, 4), (1, 2, 5, 4), (1, 2, 5, 4), scale=0.05),
    "sdpa_negative_scale": lambda: dot_product(16, (1, 2, 5, 4), (1, 2, 5, 4), (1, 2, 5, 4), scale=-1.5),
    "sdpa_grouped": lambda: dot_product(17, (2, 6, 5, 4), (2, 2, 5, 4), (2, 2, 5, 4)),
    "sdpa_mask": lambda: dot_product(18, (2, 3, 5, 4), (2, 3, 6, 4), (2, 3, 6, 4), additive=(2, 3, 5, 6)),
    "sdpa_dead_row": lambda: dot_product(
        19, (1, 2, 4, 4), (1, 2, 4, 4), (1, 2, 4, 4), additive=(1, 1, 4, 4), dead_row=True
    ),
}


def main():
    torch.set_num_threads(1)
    index = {"torch": torch.__version__, "cases": {}}
    for name, make in CASES.items():
        tensors, settings = make()
        save_file({key: tensor.contiguous() for key, tensor in tensors.items()}, HERE / f"{name}.safetensors")
        index["cases"][name] = settings
    (HERE / "index.json").write_text(json.dumps(index, indent=1) + "\n")


if __name__ == "__main__":
    main()
