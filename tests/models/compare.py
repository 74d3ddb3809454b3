#!/usr/bin/env python3
"""Holds what the program makes of two real checkpoints against transformers, and prints the figures.

    tests/models/fetch                                      once
    python3 tests/models/compare.py build/release/attnscope [--folder build/models] [--megabytes 4]

needs torch, transformers, accelerate, tokenizers, safetensors, numpy and gguf. Exit code 1 when a figure is above its bound: all
attention weights of all-MiniLM-L6-v2 within 6e-6 of transformers'; of SmolLM2, on the weights that transformers makes
of the same file, within 3e-5, logits 1e-3, rows of the residual stream 1e-5 of their length from what it computes in
float64 (a token whose row falls from 800 to 110 between blocks 9 and 11 and then rises to 4,000 amplifies every
rounding, transformers' too); every token of a text of some megabytes in many scripts the same. transformers' conversion of a GGUF tokenizer ignores which pre-tokenizer the
file names, so SmolLM2's tokens are held against its rule: every digit alone, between digits GPT-2's expression.
"""
import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import numpy

TEXTS = [
    "The cat sat on the mat because it was tired.",
    "In 1905, Einstein published four papers; one of them (on the photoelectric effect) won him a Nobel Prize in 1921.",
    "Le café était fermé, alors nous sommes allés à l'hôtel — «quelle surprise!»",
    "def attention(q, k, v):\n    return softmax(q @ k.T / sqrt(d)) @ v  # 12 heads\n",
    "a",
    "When Mary and John went to the store, John gave a drink to Mary. " * 12,
]
# First and last letters of what most writing uses.
SCRIPTS = {"latin": "az", "latin-1": "àÿ", "greek": "αω", "cyrillic": "ая", "hebrew": "את", "arabic": "بي", "devanagari": "कह",
           "bengali": "কন", "tamil": "கண", "thai": "กฮ", "georgian": "აჰ", "armenian": "աք", "ethiopic": "ሀህ", "khmer": "កឝ",
           "hiragana": "ぁゖ", "katakana": "ァヺ", "han": "一鿋", "hangul": "가힣", "emoji": "😀🙏", "mathematics": "∀⋿"}
BETWEEN = [" "] * 20 + [", ", ". ", "\n", "\n\n", "  ", "\t", "'s ", "'ll ", "-", "…", "! ", "? ", "\u00a0", " 2026 ", " 3.14", "「", "」"]
failures = []


def figure(name, value, bound):
    ok = value <= bound
    print(f"  {name:<48} {value:.2e}  (bound {bound:.0e}){'' if ok else '  TOO LARGE'}")
    if not ok:
        failures.append(name)


def many_scripts(megabytes):
    """Lines of words in many scripts, the same each time."""
    chance = random.Random(20)
    lines, size = [], 0
    while size < megabytes * 1_000_000:
        words = []
        for _ in range(chance.randint(5, 120)):
            first, last = (ord(c) for c in chance.choice(list(SCRIPTS.values())))
            word = "".join(chr(chance.randint(first, last)) for _ in range(chance.randint(1, 9)))
            words.append(word.title() if chance.random() < 0.2 else word)
            words.append(chance.choice(BETWEEN))
        lines.append("".join(words))
        size += len(lines[-1].encode())
    return lines


def tokenized(program, model, lines):
    text = "".join(json.dumps(line) + "\n" for line in lines)
    begin = time.monotonic()
    out = subprocess.run([program, "tokenize", model, "--json"], input=text, capture_output=True, text=True, check=True)
    return [json.loads(line)["ids"] for line in out.stdout.splitlines()], time.monotonic() - begin


def compare_tokens(program, model, reference, lines):
    ids, seconds = tokenized(program, model, lines)
    begin = time.monotonic()
    expected = [reference.encode(line).ids for line in lines]
    theirs = time.monotonic() - begin
    wrong = [i for i, (a, b) in enumerate(zip(ids, expected, strict=True)) if a != b]
    size = sum(len(line.encode()) for line in lines) / 1e6
    print(f"  {size:.1f} MB: {sum(map(len, expected)):,} tokens, {len(wrong)} of {len(lines)} lines differ; "
          f"ours {seconds:.1f} s with JSON, theirs {theirs:.1f} s")
    if wrong:
        failures.append("tokens")
        line = lines[wrong[0]]
        at = next((k for k, (a, b) in enumerate(zip(ids[wrong[0]], expected[wrong[0]])) if a != b), 0)
        print(f"    first: {line[:80]!r}, token {at}: {ids[wrong[0]][at:at + 8]} for {expected[wrong[0]][at:at + 8]}")


def ran(program, model, ids, folder, types=None):
    from safetensors.numpy import load_file, save_file
    batch = {"input_ids": numpy.array([ids])}
    if types is not None:
        batch["token_type_ids"] = numpy.array([types])
    save_file(batch, folder / "in.safetensors")
    subprocess.run([program, "run", model, "--batch", folder / "in.safetensors", "-o", folder / "out.safetensors"], check=True)
    return load_file(folder / "out.safetensors")


def worst_of(ours, theirs, worst):
    """Attention as it is, rows of the residual stream against their length, all else as it is."""
    def note(name, value):
        worst[name] = max(worst.get(name, 0.0), float(value))
    for i, weights in enumerate(theirs.attentions):
        note("attention weights", abs(ours[f"attentions.{i}"] - weights.numpy()).max())
    for i, rows in enumerate(theirs.hidden_states):
        rows = rows.numpy()
        off = numpy.linalg.norm(ours[f"hidden_states.{i}"] - rows, axis=-1) / numpy.linalg.norm(rows, axis=-1)
        note("rows of the residual stream, relative", off.max())
    for name in ("logits", "pooler_output"):
        if theirs.get(name) is not None:
            note(name, abs(ours[name] - theirs[name].numpy()).max())


def minilm(program, folder, megabytes, scratch):
    import torch
    from tokenizers import Tokenizer
    from transformers import AutoModel
    print("all-MiniLM-L6-v2")
    reference = Tokenizer.from_file(str(folder / "tokenizer.json"))
    reference.no_truncation()
    reference.no_padding()
    model = AutoModel.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    worst = {}
    pairs = [(text, None) for text in TEXTS] + [(TEXTS[0], TEXTS[1])]
    for text, pair in pairs:
        encoding = reference.encode(text, pair) if pair else reference.encode(text)
        with torch.no_grad():
            theirs = model(input_ids=torch.tensor([encoding.ids]), token_type_ids=torch.tensor([encoding.type_ids]),
                           output_attentions=True, output_hidden_states=True)
        worst_of(ran(program, folder, encoding.ids, scratch, encoding.type_ids), theirs, worst)
    bounds = {"attention weights": 6e-6, "rows of the residual stream, relative": 1e-5, "pooler_output": 1e-4}
    for name, value in worst.items():
        figure(name, value, bounds[name])
    compare_tokens(program, folder, reference, many_scripts(megabytes))


def smollm2_tokenizer(path):
    """SmolLM2's own: the vocabulary of the file, with the pre-tokenizer that it names."""
    import gguf
    from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers
    fields = gguf.GGUFReader(path).fields
    words, merges, kinds = (fields[f"tokenizer.ggml.{name}"].contents() for name in ("tokens", "merges", "token_type"))
    reference = Tokenizer(models.BPE({word: i for i, word in enumerate(words)}, [tuple(m.split(" ")) for m in merges]))
    reference.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
    reference.add_special_tokens([AddedToken(w, normalized=False) for w, kind in zip(words, kinds) if kind == 3])
    return reference


def smollm2(program, path, megabytes, scratch):
    import torch
    from transformers import AutoModelForCausalLM
    print("SmolLM2-135M-Instruct, Q4_1")
    reference = smollm2_tokenizer(path)
    target = path.resolve()
    model = AutoModelForCausalLM.from_pretrained(target.parent, gguf_file=target.name, dtype=torch.float32,
                                                 attn_implementation="eager").eval()
    texts = [reference.encode(text).ids for text in TEXTS]
    ours = [ran(program, path, ids, scratch) for ids in texts]
    for precision, rows in (("float32", 2e-5), ("float64", 1e-5)):
        worst = {}
        for ids, found in zip(texts, ours):
            with torch.no_grad():
                theirs = model(input_ids=torch.tensor([ids]), output_attentions=True, output_hidden_states=True)
            worst_of(found, theirs, worst)
        bounds = {"attention weights": 3e-5, "rows of the residual stream, relative": rows, "logits": 1e-3}
        for name, value in worst.items():
            figure(f"{name}, {precision}", value, bounds[name])
        model = model.double()
    compare_tokens(program, path, reference, many_scripts(megabytes))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path(__file__).parents[2] / "build/models")
    parser.add_argument("--megabytes", type=float, default=4)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        minilm(options.program, options.folder / "minilm", options.megabytes, pathlib.Path(scratch))
        smollm2(options.program, options.folder / "smollm2.gguf", options.megabytes, pathlib.Path(scratch))
    if failures:
        sys.exit(f"{len(failures)} figures are above their bounds: {', '.join(failures)}")


if __name__ == "__main__":
    main()
