"""Makes models/NAME: tiny models of families and heads, and what transformers computes with them.

    python3 make_model_goldens.py [NAME …]   needs torch, transformers and safetensors; writes models/ beside itself

Each folder is as transformers writes it (config.json, model.safetensors), with goldens.safetensors beside: "batch.",
two sequences, the second padded on the right (of some families one sequence), "left.", the same padded on the left,
and "short.", their first five tokens: input_ids, attention_mask, attentions.{layer}, hidden_states.{i}, logits
(start_logits, end_logits) and what else the model returns; of decoders "cache.logits", the tokens behind the fifth
one by one with a cache. Weights are scrambled (1.4 / sqrt(fan in), norms 1 ± 0.25, biases 0.25): with the usual
beginning all attention is nearly uniform, and a wrong mask or scale passes unseen. They are stored as bfloat16 and
computed with in float32.
"""

import pathlib
import shutil
import sys
import zlib

import torch
import transformers as t
from safetensors.torch import save_file

import family_cases

HERE = pathlib.Path(__file__).parent
VOCABULARY, BLOCKS, LENGTHS, PAD = 40, 2, (8, 5), 1
BERT = {"vocab_size": VOCABULARY, "hidden_size": 16, "num_hidden_layers": BLOCKS, "num_attention_heads": 4,
        "intermediate_size": 24, "max_position_embeddings": 16, "pad_token_id": PAD}
LLAMA = BERT | {"num_key_value_heads": 2, "bos_token_id": 2, "eos_token_id": 3}
GPT2 = {"vocab_size": VOCABULARY, "n_embd": 16, "n_layer": 1, "n_head": 4, "n_inner": 24, "n_positions": 16,
        "pad_token_id": PAD, "bos_token_id": 2, "eos_token_id": 3}
DISTILBERT = {"vocab_size": VOCABULARY, "dim": 16, "n_layers": 1, "n_heads": 4, "hidden_dim": 24,
              "max_position_embeddings": 16, "pad_token_id": PAD}
T5 = {"vocab_size": VOCABULARY, "d_model": 16, "d_kv": 6, "d_ff": 24, "num_layers": BLOCKS, "num_heads": 4,
      "relative_attention_num_buckets": 8, "relative_attention_max_distance": 16, "pad_token_id": 0}
VIT = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 4, "intermediate_size": 24, "image_size": 8,
       "patch_size": 4, "num_channels": 3}
SMALL = {"num_hidden_layers": 1}
LABELS = {"id2label": {0: "sad", 1: "so-so", 2: "glad"}, "label2id": {"sad": 0, "so-so": 1, "glad": 2}}

# Families, then heads: of those one block is enough, and their attention has its goldens above. More families are in
# family_cases.py.
CASES = {
    "bloom": lambda: t.BloomForCausalLM(t.BloomConfig(
        vocab_size=VOCABULARY, hidden_size=12, n_layer=BLOCKS, n_head=6, pad_token_id=PAD)),
    "bloom_after_norm": lambda: t.BloomForCausalLM(t.BloomConfig(
        vocab_size=VOCABULARY, hidden_size=16, n_layer=BLOCKS, n_head=4, pad_token_id=PAD,
        apply_residual_connection_post_layernorm=True)),
    "gemma2": lambda: t.Gemma2ForCausalLM(t.Gemma2Config(
        **LLAMA, head_dim=6, sliding_window=4, query_pre_attn_scalar=9, attn_logit_softcapping=3.0,
        final_logit_softcapping=2.0)),
    "qwen3": lambda: t.Qwen3ForCausalLM(t.Qwen3Config(**LLAMA, head_dim=8, tie_word_embeddings=True)),
    "qwen2_window": lambda: t.Qwen2ForCausalLM(t.Qwen2Config(
        **LLAMA, use_sliding_window=True, sliding_window=3, max_window_layers=1)),
    "smollm3": lambda: t.SmolLM3ForCausalLM(t.SmolLM3Config(
        **LLAMA, no_rope_layer_interval=2, use_sliding_window=True, sliding_window=3)),
    "mistral_window": lambda: t.MistralForCausalLM(t.MistralConfig(**LLAMA, sliding_window=3)),
    "gpt_neox_serial": lambda: t.GPTNeoXForCausalLM(t.GPTNeoXConfig(
        **BERT, use_parallel_residual=False, rotary_pct=0.5, bos_token_id=2, eos_token_id=3)),
    "roberta": lambda: t.RobertaForMaskedLM(t.RobertaConfig(
        **(BERT | {"max_position_embeddings": 18}), type_vocab_size=1, layer_norm_eps=1e-5)),
    "distilbert": lambda: t.DistilBertForMaskedLM(t.DistilBertConfig(**(DISTILBERT | {"n_layers": BLOCKS}))),
    "t5_gated": lambda: untied(t.T5ForConditionalGeneration(t.T5Config(
        **T5, feed_forward_proj="gated-gelu", tie_word_embeddings=False, decoder_start_token_id=0))),
    "bert_masked": lambda: t.BertForMaskedLM(t.BertConfig(**(BERT | SMALL))),
    "bert_classify": lambda: t.BertForSequenceClassification(t.BertConfig(**(BERT | SMALL), **LABELS)),
    "bert_tokens": lambda: t.BertForTokenClassification(t.BertConfig(**(BERT | SMALL), **LABELS)),
    "bert_answer": lambda: t.BertForQuestionAnswering(t.BertConfig(**(BERT | SMALL))),
    "roberta_classify": lambda: t.RobertaForSequenceClassification(t.RobertaConfig(
        **(BERT | SMALL | {"max_position_embeddings": 18}), type_vocab_size=1, **LABELS)),
    "roberta_answer": lambda: t.RobertaForQuestionAnswering(t.RobertaConfig(
        **(BERT | SMALL | {"max_position_embeddings": 18}), type_vocab_size=1)),
    "distilbert_classify": lambda: t.DistilBertForSequenceClassification(t.DistilBertConfig(**DISTILBERT, **LABELS)),
    "distilbert_answer": lambda: t.DistilBertForQuestionAnswering(t.DistilBertConfig(**DISTILBERT)),
    "vit_classify": lambda: t.ViTForImageClassification(t.ViTConfig(**VIT, **LABELS)),
    "gpt2_classify": lambda: t.GPT2ForSequenceClassification(t.GPT2Config(**GPT2, **LABELS)),
    "llama_classify": lambda: t.LlamaForSequenceClassification(t.LlamaConfig(**(LLAMA | SMALL), **LABELS)),
}


def untied(model):
    """With a table of logits of its own, as T5 v1.1 has it; transformers 5 ties what is missing, whatever it is told."""
    model.lm_head.weight = torch.nn.Parameter(torch.empty_like(model.lm_head.weight))
    return model


def scramble(model, seed):
    generator = torch.Generator().manual_seed(seed)
    conv1d = {id(m.weight) for m in model.modules() if type(m).__name__ == "Conv1D"}
    no_one = any(family in type(model).__name__.lower() for family in ("gemma", "nemotron"))  # files hold weight - 1
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if not parameter.requires_grad:
                continue
            noise = torch.randn(parameter.shape, generator=generator)
            if parameter.dim() == 1:
                one = name.endswith("weight") and not no_one
                value = one + 0.25 * noise
            elif name.endswith("proj_bias"):
                value = 0.25 * noise
            elif "embed" in name or "shared.weight" in name or "wte" in name or "wpe" in name or "_token" in name:
                value = 0.7 * noise
            else:
                fan_in = parameter.shape[0] if id(parameter) in conv1d else parameter[0].numel()
                if parameter.dim() == 3:  # of all experts
                    fan_in = parameter.shape[1 if "GptOss" in type(model).__name__ else 2]
                value = 1.4 / fan_in**0.5 * noise
            parameter.copy_(value.bfloat16().float())


def tokens(seed, side, lengths, vocabulary):
    """[sequences][tokens] and their mask; none of them is the padding."""
    generator = torch.Generator().manual_seed(seed)
    ids = torch.full((len(lengths), lengths[0]), PAD)
    mask = torch.zeros_like(ids)
    for b, length in enumerate(lengths):
        at = slice(lengths[0] - length, None) if side == "left" else slice(0, length)
        ids[b, at] = torch.randint(4, vocabulary, (length,), generator=generator)
        mask[b, at] = 1
    return (ids[:, :5], mask[:, :5]) if side == "short" else (ids, mask)


COUNT_THEMSELVES = ("bloom", "opt")  # the tokens that are not padding


def is_decoder(model):
    return type(model).__name__.endswith("CausalLM")


def inputs_of(model, seed, side, lengths):
    if model.config.model_type == "vit":
        generator = torch.Generator().manual_seed(seed)
        return {"pixel_values": torch.randn(2, 3, 8, 8, generator=generator)}
    ids, mask = tokens(seed, side, lengths, model.config.vocab_size)
    inputs = {"input_ids": ids, "attention_mask": mask}
    if is_decoder(model) and model.config.model_type not in COUNT_THEMSELVES and side == "left":
        inputs["position_ids"] = (mask.cumsum(-1) - 1).clamp(min=0)
    if model.config.model_type == "t5":
        inputs["decoder_input_ids"] = torch.cat([torch.zeros(2, 1, dtype=torch.long), ids[:, 1:6]], 1)
    return inputs


def outputs_of(model, inputs, whole):
    with torch.no_grad():
        out = model(**inputs, output_attentions=True, output_hidden_states=True)
    kept = dict(inputs)
    for name, value in out.items():
        if name in ("logits", "start_logits", "end_logits") or (whole and name == "last_hidden_state"):
            kept[name] = value
        elif whole and (name.endswith("attentions") or name.endswith("hidden_states")):
            kept |= {f"{name}.{i}": one for i, one in enumerate(value)}
    return kept


def cached(model, ids):
    """The logits of the tokens behind the fifth, each alone in its pass."""
    rows = []
    with torch.no_grad():
        out = model(input_ids=ids[:, :5], use_cache=True)
        for i in range(5, ids.shape[1]):
            out = model(input_ids=ids[:, i:i + 1], past_key_values=out.past_key_values, use_cache=True)
            rows.append(out.logits)
    return torch.cat(rows, 1)


def sides_of(name):
    if name in family_cases.CASES:
        return ("right", *family_cases.FURTHER_SIDES.get(name, ()))
    return ("right",) if name in ("vit_classify", "t5_gated") or name.startswith("bert_") else ("right", "left")


def make(name):
    seed = zlib.crc32(name.encode())
    lengths = family_cases.lengths_of(name) if name in family_cases.CASES else LENGTHS
    model = (CASES | family_cases.CASES)[name]()
    model.set_attn_implementation("eager")
    model.set_experts_implementation("eager")
    model.eval()
    scramble(model, seed)
    whole = len(getattr(model.config, "id2label", {})) != 3 and name != "bert_masked" and not name.endswith("_answer")
    goldens = {}
    for side in sides_of(name):
        inputs = inputs_of(model, seed, side, lengths)
        part = "batch" if side == "right" else side
        goldens |= {f"{part}.{key}": value for key, value in outputs_of(model, inputs, whole).items()}
        # With LongRope, keys in transformers' cache keep the angles of the short text.
        if is_decoder(model) and side == "right" and name != "phi3_longrope":
            goldens["cache.logits"] = cached(model, inputs["input_ids"][:1])
    folder = HERE / "models" / name
    shutil.rmtree(folder, ignore_errors=True)
    model.bfloat16().save_pretrained(folder)
    (folder / "generation_config.json").unlink(missing_ok=True)
    (folder / "model.safetensors").chmod(0o644)
    save_file({key: value.contiguous().clone() for key, value in goldens.items()}, folder / "goldens.safetensors")


if __name__ == "__main__":
    for case in sys.argv[1:] or CASES | family_cases.CASES:
        make(case)
