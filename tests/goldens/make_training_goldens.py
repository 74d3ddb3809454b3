"""Makes the goldens of training: what PyTorch computes for small seeded networks in float64: the loss, the gradient of
every array of weights, and the weights after three steps of AdamW with clipping.

    python3 make_training_goldens.py    needs torch and safetensors; writes training/*.safetensors

The header of each file has the network's spec as a recipe has it. Names and layouts of the weights are those of
core/training/network/layout.hpp: matrices [d_in][d_out], queries, keys and values side by side.
"""

import json
import math
import pathlib

import torch
import torch.nn.functional as F
from safetensors.torch import save_file

HERE = pathlib.Path(__file__).parent / "training"
SEQUENCES, RATE, DECAY, CLIP = 3, 3e-3, 0.1, 0.5

BASE = {
    "layers": 1, "width": 12, "heads": 3, "head_width": 0, "inner": 10, "vocabulary": 7, "patch": 0, "length": 18,
    "positions": "learned", "norm": "pre", "causal": True, "scaled": True, "head_norms": False,
    "read_outs": [{"classes": 7, "tied": False, "bias": True}],
}
CASES = {
    "learned": {"layers": 2},
    "rotary_norms_of_heads": {"positions": "rotary", "head_norms": True, "width": 16, "heads": 4, "inner": 0},
    "alibi_post_norm": {"positions": "alibi", "norm": "post", "heads": 4, "head_width": 5, "causal": False},
    "waves_no_norm_unscaled": {"positions": "sinusoidal", "norm": "none", "scaled": False},
    "tied_two_read_outs": {
        "read_outs": [{"classes": 7, "tied": True, "bias": True}, {"classes": 5, "tied": False, "bias": False}]},
    "patches": {"vocabulary": 0, "patch": 6, "causal": False, "length": 10},
}


def shapes_of(spec):
    """Name and shape of every array, and whether it decays."""
    d, d_k = spec["width"], spec["head_width"] or spec["width"] // spec["heads"]
    inside = spec["heads"] * d_k
    arrays = []

    def linear(name, d_in, d_out, bias=True):
        arrays.append((name + ".weight", (d_in, d_out), True))
        if bias:
            arrays.append((name + ".bias", (d_out,), False))

    def norm(name):
        arrays.append((name + ".weight", (d,), False))
        arrays.append((name + ".bias", (d,), False))

    if spec["patch"]:
        linear("patches", spec["patch"], d)
        arrays.append(("class_token", (d,), False))
    else:
        arrays.append(("token_table", (spec["vocabulary"], d), True))
    if spec["positions"] == "learned":
        arrays.append(("position_table", (spec["length"], d), True))
    for i in range(spec["layers"]):
        if spec["norm"] != "none":
            norm(f"{i}.attention_norm")
        linear(f"{i}.query_key_value", d, 3 * inside)
        if spec["head_norms"]:
            arrays.append((f"{i}.query_norm.weight", (d_k,), False))
            arrays.append((f"{i}.key_norm.weight", (d_k,), False))
        linear(f"{i}.output", inside, d)
        if spec["inner"]:
            if spec["norm"] != "none":
                norm(f"{i}.mlp_norm")
            linear(f"{i}.up", d, spec["inner"])
            linear(f"{i}.down", spec["inner"], d)
    if spec["norm"] == "pre":
        norm("final_norm")
    for i, read_out in enumerate(spec["read_outs"]):
        if not read_out["tied"]:
            linear(f"read_out.{i}", d, read_out["classes"], read_out["bias"])
        elif read_out["bias"]:
            arrays.append((f"read_out.{i}.bias", (read_out["classes"],), False))
    return arrays


def turned(x):
    """Rotary positions: dimension i goes with dimension i + d_k / 2."""
    n, d_k = x.shape[-2:]
    angle = torch.arange(n).double()[:, None] * 10000.0 ** (-torch.arange(0, d_k, 2).double() / d_k)
    low, high = x.chunk(2, -1)
    return torch.cat((low * angle.cos() - high * angle.sin(), high * angle.cos() + low * angle.sin()), -1)


def attention(spec, w, i, x):
    heads, n = spec["heads"], x.shape[1]
    maps = x @ w[f"{i}.query_key_value.weight"] + w[f"{i}.query_key_value.bias"]
    q, k, v = (part.unflatten(-1, (heads, -1)).transpose(1, 2) for part in maps.chunk(3, -1))
    d_k = q.shape[-1]
    if spec["head_norms"]:
        q = F.rms_norm(q, (d_k,), w[f"{i}.query_norm.weight"], 1e-6)
        k = F.rms_norm(k, (d_k,), w[f"{i}.key_norm.weight"], 1e-6)
    if spec["positions"] == "rotary":
        q, k = turned(q), turned(k)
    bias = torch.zeros(heads, n, n, dtype=torch.float64)
    if spec["positions"] == "alibi":
        place = torch.arange(n).double()
        slopes = 2.0 ** (-8.0 * torch.arange(1, heads + 1).double() / heads)
        bias = -slopes[:, None, None] * (place[:, None] - place[None]).abs()
    if spec["causal"]:
        bias = bias.masked_fill(torch.ones(n, n).triu(1).bool(), float("-inf"))
    out = F.scaled_dot_product_attention(q, k, v, attn_mask=bias[None], scale=None if spec["scaled"] else 1.0)
    return out.transpose(1, 2).flatten(-2) @ w[f"{i}.output.weight"] + w[f"{i}.output.bias"]


def forward(spec, w, given):
    d, n = spec["width"], spec["length"]
    if spec["patch"]:
        rows = given["patches"] @ w["patches.weight"] + w["patches.bias"]
        x = torch.cat((w["class_token"].expand(SEQUENCES, 1, d), rows), 1)
    else:
        x = w["token_table"][given["tokens"]]
    if spec["positions"] == "learned":
        x = x + w["position_table"]
    if spec["positions"] == "sinusoidal":
        angle = torch.arange(n).double()[:, None] * 10000.0 ** (-torch.arange(0, d, 2).double() / d)
        x = x + torch.stack((angle.sin(), angle.cos()), -1).flatten(-2)

    def norm(name, x):
        return F.layer_norm(x, (d,), w[name + ".weight"], w[name + ".bias"], 1e-5)

    def mlp(i, x):
        inner = F.gelu(x @ w[f"{i}.up.weight"] + w[f"{i}.up.bias"], approximate="tanh")
        return inner @ w[f"{i}.down.weight"] + w[f"{i}.down.bias"]

    for i in range(spec["layers"]):
        parts = [("attention_norm", lambda x: attention(spec, w, i, x))]
        if spec["inner"]:
            parts.append(("mlp_norm", lambda x: mlp(i, x)))
        for name, part in parts:
            if spec["norm"] == "pre":
                x = x + part(norm(f"{i}.{name}", x))
            elif spec["norm"] == "post":
                x = norm(f"{i}.{name}", x + part(x))
            else:
                x = x + part(x)
    return norm("final_norm", x) if spec["norm"] == "pre" else x


def loss_of(spec, w, given):
    last, loss = forward(spec, w, given), 0
    for i, read_out in enumerate(spec["read_outs"]):
        weight = w["token_table"].T if read_out["tied"] else w[f"read_out.{i}.weight"]
        logits = last @ weight + (w[f"read_out.{i}.bias"] if read_out["bias"] else 0)
        loss = loss + F.cross_entropy(logits.flatten(0, 1), given[f"targets.{i}"].flatten(), ignore_index=-1)
    return loss


def make(name, change, seed):
    spec = BASE | change
    if spec["patch"]:
        spec["read_outs"] = [{"classes": 4, "tied": False, "bias": True}]
    generator = torch.Generator().manual_seed(seed)
    arrays = shapes_of(spec)
    w = {}
    for array, shape, _ in arrays:
        numbers = torch.randn(shape, generator=generator, dtype=torch.float64) * 0.4
        w[array] = (numbers + (1 if "norm.weight" in array else 0)).requires_grad_()
    given = {}
    if spec["patch"]:
        given["patches"] = torch.randn(SEQUENCES, spec["length"] - 1, spec["patch"], generator=generator).double()
    else:
        given["tokens"] = torch.randint(spec["vocabulary"], (SEQUENCES, spec["length"]), generator=generator)
    for i, read_out in enumerate(spec["read_outs"]):
        targets = torch.randint(read_out["classes"], (SEQUENCES, spec["length"]), generator=generator)
        targets[torch.rand(targets.shape, generator=generator) < 0.4] = -1
        given[f"targets.{i}"] = targets
    file = {"given." + key: value.clone() for key, value in given.items()}
    file |= {"weights." + key: value.detach().clone() for key, value in w.items()}
    loss = loss_of(spec, w, given)
    loss.backward()
    file |= {"gradient." + key: value.grad.clone() for key, value in w.items()}
    file["loss"] = loss.detach().reshape(1).clone()
    decay = [w[array] for array, _, decays in arrays if decays]
    rest = [w[array] for array, _, decays in arrays if not decays]
    optimiser = torch.optim.AdamW(
        [{"params": decay, "weight_decay": DECAY}, {"params": rest, "weight_decay": 0.0}], lr=RATE, betas=(0.9, 0.99))
    for _ in range(3):
        optimiser.zero_grad()
        loss_of(spec, w, given).backward()
        torch.nn.utils.clip_grad_norm_(w.values(), CLIP)
        optimiser.step()
    file |= {"after." + key: value.detach().clone() for key, value in w.items()}
    recipe = {
        "task": "two-jobs", "batch": SEQUENCES, "network": spec,
        "optimiser": {"rate": RATE, "warm_up": 0, "schedule": "constant", "decay": DECAY, "clip": CLIP,
                      "beta_square": 0.99},
    }
    save_file(file, HERE / f"{name}.safetensors", metadata={"recipe": json.dumps(recipe)})


if __name__ == "__main__":
    HERE.mkdir(exist_ok=True)
    for seed, (name, change) in enumerate(CASES.items()):
        make(name, change, seed)
