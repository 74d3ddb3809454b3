"""The tiny models of make_model_goldens.py that are more than one family's usual settings.

Settings differ from the defaults of transformers: a key that a reader of config.json leaves out then changes numbers.
The text has seven tokens, more than windows of 3 and contexts of 5; dimensions are small, and widths that a reader
could confuse differ. Padding is the same for most families: only those of TWO_TEXTS have a second, padded text.
"""

import transformers as t

VOCABULARY, BLOCKS, PAD = 17, 2, 1
SHAPE = {"vocab_size": VOCABULARY, "hidden_size": 12, "num_hidden_layers": BLOCKS, "num_attention_heads": 4,
         "intermediate_size": 18, "max_position_embeddings": 20, "pad_token_id": PAD}
SPECIAL = {"bos_token_id": 2, "eos_token_id": 3}
LLAMA = SHAPE | SPECIAL | {"num_key_value_heads": 2, "head_dim": 4, "rms_norm_eps": 3e-3}
NO_HEAD_DIM = {key: value for key, value in LLAMA.items() if key != "head_dim"} | {"hidden_size": 16}
GEMMA = LLAMA | {"hidden_size": 16, "head_dim": 6}  # the root of 16 is the same number in every type of weights
WINDOWS = ["sliding_attention", "full_attention"]


def rope(base, **more):
    return {"rope_type": "default", "rope_theta": base} | more


YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 5, "beta_fast": 2.0, "beta_slow": 0.1}


def without(shape, *keys):
    return {key: value for key, value in shape.items() if key not in keys}


# Positions that count otherwise, buckets of distances on both sides, windows that reach into the padding.
TWO_TEXTS = ("esm", "gemma3_two_sided", "gpt_oss", "modernbert", "mpnet", "opt", "roformer")
# Further goldens of them, beside those padded on the right.
FURTHER_SIDES = {"phi3_longrope": ("short",), "gemma3_two_sided": ("left",), "opt": ("left",), "mpnet": ("left",)}


def lengths_of(name):
    return (7, 4) if name in TWO_TEXTS else (7,)


CASES = {
    "olmo": lambda: t.OlmoForCausalLM(t.OlmoConfig(
        **without(NO_HEAD_DIM, "rms_norm_eps"), rope_parameters=rope(30.0), hidden_act="gelu",
        attention_bias=True)),
    "olmo2": lambda: t.Olmo2ForCausalLM(t.Olmo2Config(
        **NO_HEAD_DIM, rope_parameters=rope(30.0), attention_bias=True)),
    "olmo3": lambda: t.Olmo3ForCausalLM(t.Olmo3Config(
        **NO_HEAD_DIM, sliding_window=3, layer_types=WINDOWS, rope_parameters={
            "sliding_attention": rope(30.0), "full_attention": YARN | {"rope_theta": 50.0}})),
    "exaone4": lambda: t.Exaone4ForCausalLM(t.Exaone4Config(
        **LLAMA, sliding_window=3, layer_types=WINDOWS, rope_parameters=rope(30.0))),
    "granite": lambda: t.GraniteForCausalLM(t.GraniteConfig(
        **NO_HEAD_DIM, embedding_multiplier=1.7, attention_multiplier=0.8, residual_multiplier=0.6,
        logits_scaling=2.5, attention_bias=True, mlp_bias=True)),
    "cohere": lambda: t.CohereForCausalLM(t.CohereConfig(
        **without(NO_HEAD_DIM, "rms_norm_eps"), layer_norm_eps=3e-3, logit_scale=0.4, attention_bias=True,
        rope_parameters=rope(30.0))),
    "cohere2": lambda: t.Cohere2ForCausalLM(t.Cohere2Config(
        **without(LLAMA, "rms_norm_eps"), layer_norm_eps=3e-3, logit_scale=0.4, sliding_window=3,
        layer_types=WINDOWS, rope_parameters=rope(30.0))),
    "glm": lambda: t.GlmForCausalLM(t.GlmConfig(
        **(LLAMA | {"head_dim": 8}), rope_parameters=rope(30.0, partial_rotary_factor=0.75))),
    "glm4": lambda: t.Glm4ForCausalLM(t.Glm4Config(
        **(LLAMA | {"head_dim": 8}), attention_bias=False, rope_parameters=rope(30.0, partial_rotary_factor=0.25))),
    "phi": lambda: t.PhiForCausalLM(t.PhiConfig(
        **without(NO_HEAD_DIM, "rms_norm_eps"), layer_norm_eps=3e-3,
        rope_parameters=rope(30.0, partial_rotary_factor=0.5))),
    "phi3_longrope": lambda: t.Phi3ForCausalLM(t.Phi3Config(
        **(NO_HEAD_DIM | {"num_attention_heads": 2, "num_key_value_heads": 1}), original_max_position_embeddings=5,
        sliding_window=4, rope_parameters=rope(
            30.0, rope_type="longrope", partial_rotary_factor=0.5, short_factor=[1.1, 1.3], long_factor=[2.0, 5.0],
            original_max_position_embeddings=5))),
    "gemma": lambda: t.GemmaForCausalLM(t.GemmaConfig(**GEMMA, attention_bias=True)),
    "gemma3": lambda: t.Gemma3ForCausalLM(t.Gemma3TextConfig(
        **GEMMA, query_pre_attn_scalar=7, sliding_window=3, final_logit_softcapping=2.0,
        layer_types=WINDOWS, rope_parameters={
            "sliding_attention": rope(30.0), "full_attention": rope(50.0, rope_type="linear", factor=2.0)})),
    "gemma3_two_sided": lambda: t.Gemma3TextModel(t.Gemma3TextConfig(
        **GEMMA, query_pre_attn_scalar=7, sliding_window=4, use_bidirectional_attention=True, layer_types=WINDOWS)),
    "gpt_neo": lambda: t.GPTNeoForCausalLM(t.GPTNeoConfig(
        vocab_size=VOCABULARY, hidden_size=12, num_layers=3, num_heads=4, intermediate_size=18, window_size=3,
        attention_types=[[["local"], 1], [["global", "local"], 1]], max_position_embeddings=20,
        layer_norm_epsilon=3e-3, **SPECIAL)),
    "opt": lambda: t.OPTForCausalLM(t.OPTConfig(
        **without(SHAPE, "intermediate_size"), ffn_dim=18, word_embed_proj_dim=12, activation_function="gelu",
        **SPECIAL)),
    "gptj": lambda: t.GPTJForCausalLM(t.GPTJConfig(
        vocab_size=VOCABULARY, n_positions=20, n_embd=16, n_layer=BLOCKS, n_head=2, rotary_dim=6, n_inner=18,
        activation_function="relu", layer_norm_epsilon=3e-3, **SPECIAL)),
    "falcon_7b": lambda: t.FalconForCausalLM(t.FalconConfig(
        **without(SHAPE, "intermediate_size", "hidden_size"), hidden_size=16, ffn_hidden_size=18, multi_query=True,
        layer_norm_epsilon=3e-3, bias=True, rope_parameters=rope(30.0), attn_implementation="eager", **SPECIAL)),
    "falcon_40b": lambda: t.FalconForCausalLM(t.FalconConfig(
        **without(SHAPE, "intermediate_size", "hidden_size"), hidden_size=16, ffn_hidden_size=18,
        new_decoder_architecture=True, num_kv_heads=2, activation="relu", rope_parameters=rope(30.0),
        attn_implementation="eager", **SPECIAL)),
    "stablelm_parallel": lambda: t.StableLmForCausalLM(t.StableLmConfig(
        **without(NO_HEAD_DIM, "rms_norm_eps", "num_attention_heads", "num_key_value_heads"), num_attention_heads=2,
        num_key_value_heads=1, layer_norm_eps=3e-3, use_parallel_residual=True, use_qkv_bias=True,
        rope_parameters=rope(30.0, partial_rotary_factor=0.75))),
    "starcoder2": lambda: t.Starcoder2ForCausalLM(t.Starcoder2Config(
        **without(NO_HEAD_DIM, "rms_norm_eps"), norm_epsilon=3e-3, sliding_window=3, rope_parameters=rope(30.0))),
    "nemotron": lambda: t.NemotronForCausalLM(t.NemotronConfig(
        **(without(LLAMA, "rms_norm_eps") | {"head_dim": 8}), norm_eps=3e-3, attention_bias=True, mlp_bias=True,
        rope_parameters=rope(30.0, partial_rotary_factor=0.75))),
    "helium": lambda: t.HeliumForCausalLM(t.HeliumConfig(
        **NO_HEAD_DIM, head_dim=4, attention_bias=True, mlp_bias=True, rope_parameters=rope(30.0))),
    "ministral": lambda: t.MinistralForCausalLM(t.MinistralConfig(
        **LLAMA, sliding_window=3, layer_types=WINDOWS, rope_parameters=rope(30.0))),
    "mixtral": lambda: t.MixtralForCausalLM(t.MixtralConfig(
        **(LLAMA | {"intermediate_size": 6}), sliding_window=3, num_local_experts=4, num_experts_per_tok=3,
        rope_parameters=rope(30.0))),
    "qwen2_moe": lambda: t.Qwen2MoeForCausalLM(t.Qwen2MoeConfig(
        **(NO_HEAD_DIM | {"num_hidden_layers": 3}), num_experts=5, num_experts_per_tok=2, moe_intermediate_size=6,
        shared_expert_intermediate_size=10, norm_topk_prob=True, decoder_sparse_step=2, qkv_bias=False,
        use_sliding_window=True, sliding_window=3, max_window_layers=1, rope_parameters=rope(30.0))),
    "qwen3_moe": lambda: t.Qwen3MoeForCausalLM(t.Qwen3MoeConfig(
        **LLAMA, num_experts=5, num_experts_per_tok=2, moe_intermediate_size=6, norm_topk_prob=False,
        mlp_only_layers=[0], rope_parameters=rope(30.0))),
    "olmoe": lambda: t.OlmoeForCausalLM(t.OlmoeConfig(
        **(NO_HEAD_DIM | {"intermediate_size": 6}), num_experts=5, num_experts_per_tok=2, norm_topk_prob=True,
        rope_parameters=rope(30.0))),
    "gpt_oss": lambda: t.GptOssForCausalLM(t.GptOssConfig(
        **(LLAMA | {"intermediate_size": 6}), num_local_experts=4, num_experts_per_tok=2, sliding_window=3,
        layer_types=WINDOWS[::-1], rope_parameters=YARN | {"rope_theta": 30.0, "truncate": False})),
    "roformer": lambda: t.RoFormerForMaskedLM(t.RoFormerConfig(
        **(SHAPE | {"hidden_size": 16}), embedding_size=16, type_vocab_size=1, layer_norm_eps=3e-3,
        hidden_act="gelu_new")),
    "mpnet": lambda: t.MPNetForMaskedLM(t.MPNetConfig(
        **SHAPE, layer_norm_eps=3e-3, hidden_act="relu")),
    "nomic_bert": lambda: t.NomicBertModel(t.NomicBertConfig(
        **SHAPE | {"hidden_size": 16}, type_vocab_size=2, layer_norm_eps=3e-3, rope_parameters=rope(30.0))),
    "electra": lambda: t.ElectraForMaskedLM(t.ElectraConfig(
        **SHAPE, embedding_size=10, type_vocab_size=1, layer_norm_eps=3e-3, hidden_act="relu")),
    "esm": lambda: t.EsmForMaskedLM(t.EsmConfig(
        **(SHAPE | {"num_hidden_layers": 1, "hidden_size": 16}), position_embedding_type="rotary", layer_norm_eps=3e-3,
        token_dropout=True, mask_token_id=10)),
    "modernbert": lambda: t.ModernBertForMaskedLM(t.ModernBertConfig(
        **(SHAPE | {"hidden_size": 16, "num_hidden_layers": 3}), norm_eps=3e-3, local_attention=4,
        layer_types=["full_attention", "sliding_attention", "full_attention"], attention_bias=True,
        mlp_bias=True, hidden_activation="gelu_new", **SPECIAL, cls_token_id=2, sep_token_id=3, rope_parameters={
            "sliding_attention": rope(30.0), "full_attention": rope(50.0)})),
}
