#!/usr/bin/env python3
"""Opens models that `attnscope train` made with transformers and compares logits and attention of every head.

    python3 tests/models/trained.py PROGRAM FOLDER [FOLDER …]    needs torch, transformers and safetensors

Folders of a family that transformers does not know (attnscope_reader) are named and left out. Exit code 1 where a number
is further apart than 1e-5.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import torch
import transformers
from safetensors.torch import load_file, save_file

TOLERANCE = 1e-5


def compare_pictures(program, folder, config):
    side = config["image_size"]
    pixels = torch.rand((2, 3, side, side), generator=torch.Generator().manual_seed(1))
    with tempfile.TemporaryDirectory() as scratch:
        batch, out = pathlib.Path(scratch) / "in.safetensors", pathlib.Path(scratch) / "out.safetensors"
        save_file({"pixel_values": pixels}, batch)
        subprocess.run([program, "run", folder, "--batch", batch, "-o", out], check=True, stdout=subprocess.DEVNULL)
        ours = load_file(out)
    model, told = transformers.AutoModelForImageClassification.from_pretrained(
        folder, attn_implementation="eager", dtype=torch.float32, output_loading_info=True)
    with torch.inference_mode():
        theirs = model.eval()(pixels, output_attentions=True)
    worst = (ours["logits"] - theirs.logits).abs().max().item()
    for i, weights in enumerate(theirs.attentions):
        worst = max(worst, (ours[f"attentions.{i}"] - weights).abs().max().item())
    clean = not told["missing_keys"] and not told["unexpected_keys"] and not told["mismatched_keys"]
    print(f"{folder}: {type(model).__name__}, {model.num_parameters()} weights, largest difference {worst:.1e}, "
          f"{model.config.id2label}, keys {'all used' if clean else told}")
    return worst < TOLERANCE and clean


def compare(program, folder):
    config = json.loads((folder / "config.json").read_text())
    if config["model_type"] == "vit":
        return compare_pictures(program, folder, config)
    if config["model_type"].startswith("attnscope"):
        print(f"{folder}: {config['model_type']} is this program's own")
        return True
    length = config.get("n_positions") or config["max_position_embeddings"]
    generator = torch.Generator().manual_seed(1)
    ids = torch.randint(config["vocab_size"], (1, length), generator=generator)
    with tempfile.TemporaryDirectory() as scratch:
        out = pathlib.Path(scratch) / "out.safetensors"
        text = ",".join(map(str, ids[0].tolist()))
        subprocess.run([program, "run", folder, "--ids", text, "-o", out], check=True, stdout=subprocess.DEVNULL)
        ours = load_file(out)
    model, told = transformers.AutoModelForCausalLM.from_pretrained(
        folder, attn_implementation="eager", dtype=torch.float32, output_loading_info=True)
    with torch.inference_mode():
        theirs = model.eval()(ids, output_attentions=True)
    worst = (ours["logits"] - theirs.logits).abs().max().item()
    for i, weights in enumerate(theirs.attentions):
        worst = max(worst, (ours[f"attentions.{i}"] - weights).abs().max().item())
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    clean = not told["missing_keys"] and not told["unexpected_keys"] and not told["mismatched_keys"]
    print(f"{folder}: {type(model).__name__}, {model.num_parameters()} weights, largest difference {worst:.1e}, "
          f"{len(tokenizer)} tokens, keys {'all used' if clean else told}")
    return worst < TOLERANCE and clean


if __name__ == "__main__":
    transformers.logging.set_verbosity_error()
    fine = [compare(sys.argv[1], pathlib.Path(folder)) for folder in sys.argv[2:]]
    sys.exit(0 if all(fine) else 1)
