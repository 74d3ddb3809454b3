"""Makes the goldens of relative positions: what transformers computes, in float64, for small seeded layers.

    python3 make_position_goldens.py    needs torch, transformers and safetensors; writes positions/*.safetensors

deberta*: DisentangledSelfAttention of DeBERTa v2 with shared projections (share_att_key) and no logarithmic buckets.
swin*: SwinAttention on the windows of one image, rolled and masked as SwinLayer does it; weights and outputs are put
back where their patches stand in the image, row by row. Conventions are those of make_goldens.py.
"""

import pathlib

import torch
from safetensors.torch import save_file
from transformers import DebertaV2Config, SwinConfig
from transformers.models.deberta_v2.modeling_deberta_v2 import DisentangledSelfAttention
from transformers.models.swin.modeling_swin import SwinAttention, SwinLayer, window_partition

from make_goldens import normal

HERE = pathlib.Path(__file__).parent / "positions"


def projections(layer, names):
    tensors = {}
    for short, name in names.items():
        tensors[f"w_{short}"] = getattr(layer, name).weight.detach().T
        tensors[f"b_{short}"] = getattr(layer, name).bias.detach()
    return tensors


def seeded(layer, generator):
    layer = layer.eval().double()
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.copy_(normal(generator, *parameter.shape) * 0.5)
    return layer


def deberta(seed, terms, span=3, tokens=8, d_model=12, heads=3):
    generator = torch.Generator().manual_seed(seed)
    config = DebertaV2Config(
        hidden_size=d_model,
        num_attention_heads=heads,
        relative_attention=True,
        share_att_key=True,
        pos_att_type=terms,
        max_relative_positions=span,
        position_buckets=-1,
        hidden_dropout_prob=0,
        attention_probs_dropout_prob=0,
    )
    layer = seeded(DisentangledSelfAttention(config), generator)
    x, vectors = normal(generator, 1, tokens, d_model), normal(generator, 2 * span, d_model)
    seen = torch.ones(1, 1, tokens, tokens, dtype=torch.bool)
    with torch.no_grad():
        out, weights = layer(x, seen, output_attentions=True, rel_embeddings=vectors)[:2]
    names = {"q": "query_proj", "k": "key_proj", "v": "value_proj"}
    return projections(layer, names) | {"x": x, "relative_vectors": vectors, "weights": weights, "out": out}


def swin(seed, shift, grid=6, side=3, d_model=8, heads=2):
    generator = torch.Generator().manual_seed(seed)
    config = SwinConfig(window_size=side, attention_probs_dropout_prob=0.0, attn_implementation="eager")
    layer = seeded(SwinAttention(config, d_model, heads, side), generator)
    x = normal(generator, 1, grid * grid, d_model)
    block = SwinLayer(config, d_model, (grid, grid), heads, shift_size=shift)
    mask = block.get_attn_mask(grid, grid, torch.float64, x.device)
    places = torch.arange(grid * grid).view(1, grid, grid, 1)
    rolled = torch.roll(places, shifts=(-shift, -shift), dims=(1, 2))
    windows = window_partition(rolled, side).reshape(-1, side * side)
    with torch.no_grad():
        result = layer(x[0][windows], mask)
    out = torch.zeros(1, grid * grid, d_model, dtype=torch.float64)
    weights = torch.zeros(1, heads, grid * grid, grid * grid, dtype=torch.float64)
    for window, of_window, shares in zip(windows, result[0], result[1]):
        out[0, window] = of_window
        for head in range(heads):
            weights[0, head][window[:, None], window[None]] = shares[head]
    names = {"q": "q_proj", "k": "k_proj", "v": "v_proj", "o": "o_proj"}
    table = layer.relative_position_bias.relative_position_bias_table.detach()
    return projections(layer, names) | {"x": x, "window_bias": table, "weights": weights, "out": out}


CASES = {
    "deberta": lambda: deberta(1, ["c2p", "p2c"]),
    "deberta_c2p": lambda: deberta(2, ["c2p"]),
    "deberta_p2c": lambda: deberta(3, ["p2c"]),
    "swin": lambda: swin(4, shift=0),
    "swin_shifted": lambda: swin(5, shift=1),
}


def main():
    torch.set_num_threads(1)
    HERE.mkdir(exist_ok=True)
    for name, make in CASES.items():
        tensors = {key: tensor.contiguous() for key, tensor in make().items()}
        save_file(tensors, HERE / f"{name}.safetensors")


if __name__ == "__main__":
    main()
