#!/usr/bin/env python3
"""Trains four small models of SentencePiece on the README.md files and writes what AutoTokenizer makes of folders that have
one of them and no tokenizer.json, into sentencepiece/: the models, and goldens.json.

Made with sentencepiece 0.2.3, transformers 5.24.0 and tokenizers 0.23.3:
    python3 tests/goldens/make_sentencepiece_goldens.py
Folders without a class of their own are compared with SentencePiece itself as well, and the differences printed: it
finds no special tokens in a text, and where it removes spaces it takes a "▁" at the end of a text for one.
"""
import json
import os
import random
import re
import shutil
import tempfile

import sentencepiece
from sentencepiece.sentencepiece_model_pb2 import ModelProto
from transformers import AutoTokenizer

here = os.path.dirname(os.path.abspath(__file__))
out = os.path.join(here, "sentencepiece")

RULES = "41\t61\nFB01\t66 69\n2003\t20\n09\t20\nAD\t\nE9\t65 301\n"  # A a, fi ligature, spaces, soft hyphen, é
MODELS = {
    "llama": dict(model_type="bpe", vocab_size=420, byte_fallback=True, normalization_rule_name="identity",
                  remove_extra_whitespaces=False, split_digits=True, allow_whitespace_only_pieces=True),
    "gemma": dict(model_type="bpe", vocab_size=420, byte_fallback=True, normalization_rule_name="identity",
                  remove_extra_whitespaces=False, add_dummy_prefix=False, split_digits=True,
                  allow_whitespace_only_pieces=True, pad_id=0, eos_id=1, bos_id=2, unk_id=3, bos_piece="<bos>",
                  eos_piece="<eos>", user_defined_symbols=["<mask>", "<turn>", "\n\n", "\n"]),
    "rules": dict(model_type="bpe", vocab_size=160, normalization_rule_tsv=True, user_defined_symbols=["ab", "x y"]),
    "fairseq": dict(model_type="unigram", vocab_size=180, normalization_rule_name="identity"),
}
LLAMA = {"tokenizer_class": "LlamaTokenizer", "add_bos_token": True, "add_eos_token": False, "bos_token": "<s>",
         "eos_token": "</s>", "unk_token": "<unk>"}
GEMMA = {"tokenizer_class": "GemmaTokenizer", "add_bos_token": True, "bos_token": "<bos>", "eos_token": "<eos>",
         "unk_token": "<unk>", "pad_token": "<pad>"}


def decoder(*tokens):
    return {str(i): {"content": t, "special": True, "normalized": False, "lstrip": False, "rstrip": False,
                     "single_word": False} for i, t in tokens}


# name: model, file, model_type, tokenizer_config.json, added_tokens.json
FOLDERS = {
    "llama": ("llama", "tokenizer.model", "llama", LLAMA, None),
    "llama legacy": ("llama", "tokenizer.model", "llama", dict(LLAMA, legacy=True), None),
    "llama without prefix": ("llama", "tokenizer.model", "llama", dict(LLAMA, add_prefix_space=False), None),
    "llama with null": ("llama", "tokenizer.model", "llama", dict(LLAMA, add_prefix_space=None, legacy=None), None),
    "llama with more": ("llama", "tokenizer.model", "llama",
                        dict(LLAMA, pad_token="<pad>", add_eos_token=True,
                             added_tokens_decoder=decoder((0, "<unk>"), (1, "<s>"), (2, "</s>"), (420, "<pad>"))),
                        None),
    "llama with a file": ("llama", "tokenizer.model", "llama", LLAMA, {"<tool>": 420}),
    "alone": ("llama", "tokenizer.model", None, None, None),
    "llama alone": ("llama", "tokenizer.model", "llama", None, None),
    "mistral": ("llama", "tokenizer.model", "mistral", LLAMA, None),
    "mistral not legacy": ("llama", "tokenizer.model", "mistral", dict(LLAMA, legacy=False), None),
    "gemma": ("gemma", "tokenizer.model", "gemma2", GEMMA, None),
    "gemma alone": ("gemma", "tokenizer.model", "gemma", None, None),
    "gemma's by itself": ("gemma", "tokenizer.model", None, None, None),
    "rules": ("rules", "tokenizer.model", None, None, None),
    "rules not legacy": ("rules", "tokenizer.model", None, {"legacy": False}, None),
    "xlm-r": ("fairseq", "sentencepiece.bpe.model", "xlm-roberta", None, None),
    "xlm-r named": ("fairseq", "sentencepiece.bpe.model", None,
                    {"tokenizer_class": "XLMRobertaTokenizer", "mask_token": "<m>", "add_prefix_space": False}, None),
    "camembert": ("fairseq", "sentencepiece.bpe.model", "camembert", None, None),
}
AS_SENTENCEPIECE = ("alone", "llama alone", "gemma's by itself", "rules")

TEXTS = ["The cat sat on the mat.", "", " ", "  ", " attention", "two  spaces,   three ", "a\nb\n\nc\n\n\nd", "tab\there",
         "naïve café 😀 漢字", "1234 tokens in 56.7 s", "▁x ▁▁", "ﬁrst e\u00adnd", "attention attention attention",
         "aaaaaaaaaaaaaaaa", "<s>The cat</s> sat", "<s> The</s>", "<bos>a <eos>", "x <mask> y<mask>", "<turn>x <turn> y",
         "<pad><unk>a", "<tool>a <tool> b", "ab xab x yab x  y", "AB éa Abab", "<m>", "\u2003a\u2003\u2003b", "a\0b",
         "<0x41> <0x0A>", "The\u00a0cat", "e\u0301e"]


def more_texts():
    rng = random.Random(7)
    parts = [" ", "  ", "the", "at", "ten", "tion", "a", "b", "x", "y", "é", "😀", "\n", ".", "1", "▁", "T", "ﬁ"]
    return ["".join(rng.choice(parts) for _ in range(rng.randrange(1, 16))) for _ in range(25)]


def train(folder):
    house, written = os.path.join(here, "..", ".."), ""
    for page in ("README.md", "app/README.md"):
        with open(os.path.join(house, page), encoding="utf-8") as file:
            written += file.read()
    lines = [line for line in re.sub(r"[^\x20-\x7e\n]", "", written).split("\n") if line.strip()][:200]
    text, rules = os.path.join(folder, "text"), os.path.join(folder, "rules.tsv")
    with open(text, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))
    with open(rules, "w", encoding="utf-8") as file:
        file.write(RULES)
    for name, settings in MODELS.items():
        settings = dict(settings)
        if "normalization_rule_tsv" in settings:
            settings["normalization_rule_tsv"] = rules
        sentencepiece.SentencePieceTrainer.train(input=text, model_prefix=os.path.join(folder, name),
                                                 hard_vocab_limit=False, minloglevel=2, **settings)
        proto = ModelProto()
        with open(os.path.join(folder, name + ".model"), "rb") as file:
            proto.ParseFromString(file.read())
        # Paths of the machine it was trained on.
        for field in ("input", "model_prefix"):
            proto.trainer_spec.ClearField(field)
        proto.normalizer_spec.ClearField("normalization_rule_tsv")
        with open(os.path.join(out, name + ".model"), "wb") as file:
            file.write(proto.SerializeToString())


def folder_of(path, model, file, model_type, config, added):
    files = {}
    if model_type is not None:
        files["config.json"] = {"model_type": model_type}
    if config is not None:
        files["tokenizer_config.json"] = config
    if added is not None:
        files["added_tokens.json"] = added
    os.makedirs(path)
    shutil.copy(os.path.join(out, model + ".model"), os.path.join(path, file))
    for name, value in files.items():
        with open(os.path.join(path, name), "w", encoding="utf-8") as stream:
            json.dump(value, stream)
    return files


def main():
    os.makedirs(out, exist_ok=True)
    goldens = []
    with tempfile.TemporaryDirectory() as work:
        train(work)
        for name, (model, file, model_type, config, added) in FOLDERS.items():
            path = os.path.join(work, name)
            files = folder_of(path, model, file, model_type, config, added)
            if model_type is None:  # AutoTokenizer wants to be told of a model unless a class is named
                with open(os.path.join(path, "config.json"), "w", encoding="utf-8") as stream:
                    json.dump({} if config and "tokenizer_class" in config else {"model_type": "mistral"}, stream)
            tokenizer = AutoTokenizer.from_pretrained(path)
            processor = sentencepiece.SentencePieceProcessor(model_file=os.path.join(out, model + ".model"))
            cases = []
            for text in TEXTS + (more_texts() if name in AS_SENTENCEPIECE + ("xlm-r",) else []):
                ids = tokenizer(text)["input_ids"]
                if name in AS_SENTENCEPIECE and processor.encode(text) != ids:
                    print(name, repr(text), "SentencePiece:", processor.encode(text), "AutoTokenizer:", ids)
                cases.append({"text": text, "ids": ids,
                              "decoded": tokenizer.decode(ids, skip_special_tokens=True,
                                                          clean_up_tokenization_spaces=False)})
            pair = tokenizer("a cat", " the mat")["input_ids"]
            goldens.append({"name": name, "model": model + ".model", "file": file, "files": files, "cases": cases,
                            "pair": {"a": "a cat", "b": " the mat", "ids": pair}, "size": len(tokenizer)})
    with open(os.path.join(out, "goldens.json"), "w", encoding="utf-8") as stream:
        lines = []
        for one in goldens:
            head = {key: value for key, value in one.items() if key != "cases"}
            lines.append(json.dumps(head, ensure_ascii=False, separators=(",", ":"))[:-1] + ',"cases":[\n' + ",\n".join(
                json.dumps(case, ensure_ascii=False, separators=(",", ":")) for case in one["cases"]) + "]}")
        stream.write("[" + ",\n".join(lines) + "]\n")


if __name__ == "__main__":
    main()
