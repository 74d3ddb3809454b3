"""Makes the goldens of latent attention: what transformers computes for small seeded layers, in float64 but for what
it does in float32 itself: norms, rotary positions and softmax.

    python3 make_latent_goldens.py    needs torch, transformers and safetensors; writes latent/*.safetensors

DeepseekV2Attention under a causal mask; "lite" has no latent of queries, as DeepSeek-V2-Lite. AttnScope has the
dimensions that positions turn first in every head, DeepSeek last: the columns of W_Q are put in that order here, and
those of W_KV_b are dealt out to W_K and W_V. Conventions are those of make_goldens.py.
"""

import pathlib

import torch
from safetensors.torch import save_file
from transformers import DeepseekV2Config
from transformers.models.deepseek_v2.modeling_deepseek_v2 import DeepseekV2Attention, DeepseekV2RotaryEmbedding

from make_goldens import normal

HERE = pathlib.Path(__file__).parent / "latent"


def deepseek(seed, query_width, content=6, own=4, shared=4, d_v=3, tokens=7, d_model=12, heads=3):
    generator = torch.Generator().manual_seed(seed)
    config = DeepseekV2Config(
        hidden_size=d_model,
        num_attention_heads=heads,
        num_key_value_heads=heads,
        q_lora_rank=query_width,
        kv_lora_rank=content,
        qk_nope_head_dim=own,
        qk_rope_head_dim=shared,
        v_head_dim=d_v,
        attention_bias=False,
        attn_implementation="eager",
    )
    layer = DeepseekV2Attention(config, 0).eval().double()
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.copy_(normal(generator, *parameter.shape) * 0.5)
    x = normal(generator, 1, tokens, d_model)
    turns = DeepseekV2RotaryEmbedding(config)(x, torch.arange(tokens)[None])
    assert turns.shape[-1] == shared // 2
    mask = torch.full((1, 1, tokens, tokens), float("-inf"), dtype=torch.float64).triu(1)
    with torch.no_grad():
        out, weights = layer(x, attention_mask=mask, position_embeddings=turns)

    def matrix(linear):
        return linear.weight.detach().T

    def of_heads(block, *widths):
        return block.unflatten(-1, (heads, sum(widths))).split(widths, dim=-1)

    query = layer.q_b_proj if query_width else layer.q_proj
    not_turned, turned = of_heads(matrix(query), own, shared)
    key, value = of_heads(matrix(layer.kv_b_proj), own, d_v)
    tensors = {
        "x": x,
        "w_q": torch.cat((turned, not_turned), dim=-1).flatten(-2),
        "w_k": key.flatten(-2),
        "w_v": value.flatten(-2),
        "w_o": matrix(layer.o_proj),
        "w_latent": matrix(layer.kv_a_proj_with_mqa),
        "latent_norm": layer.kv_a_layernorm.weight.detach(),
        "weights": weights,
        "out": out,
    }
    if query_width:
        tensors["w_query_latent"] = matrix(layer.q_a_proj)
        tensors["query_latent_norm"] = layer.q_a_layernorm.weight.detach()
    return tensors


CASES = {"deepseek": lambda: deepseek(1, query_width=5), "deepseek_lite": lambda: deepseek(2, query_width=None)}


def main():
    torch.set_num_threads(1)
    HERE.mkdir(exist_ok=True)
    for name, make in CASES.items():
        tensors = {key: tensor.contiguous() for key, tensor in make().items()}
        save_file(tensors, HERE / f"{name}.safetensors")


if __name__ == "__main__":
    main()
