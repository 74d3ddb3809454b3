"""Whole models: `attnscope_bench --model` beside transformers and, of a .gguf, llama.cpp. Called by peers.py --model.

Ours keeps every head's entropy, attention received and picture, and the last token's logits. Peers: eager (transformers
with output_attentions, all logits: what one needs to see the same), sdpa (nothing captured, the last token's logits),
llama.cpp (activations of 8 bits, nothing captured, the last token's logits). "token": one token more behind n. A .gguf is
dequantised by transformers (needs gguf and accelerate); llama_cpp is used where it is installed.
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time


def ids_of(count, vocabulary):
    return [((i + 1) * 2654435761) % vocabulary for i in range(count)]


def timed(run, seconds):
    """Median of at least three runs behind one that warms up."""
    run()
    times, start = [], time.perf_counter()
    while len(times) < 3 or (time.perf_counter() - start < seconds and len(times) < 1000):
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
    return 1e3 * statistics.median(times)


def transformers_round(path, n, threads, seconds):
    import torch
    import transformers

    torch.set_num_threads(threads)
    transformers.logging.set_verbosity_error()
    path = pathlib.Path(path)
    where = {"pretrained_model_name_or_path": str(path)}
    if path.suffix == ".gguf":
        where = {"pretrained_model_name_or_path": str(path.parent), "gguf_file": path.name}
    found = {}
    with torch.inference_mode():
        for kind in ("eager", "sdpa"):
            model = transformers.AutoModelForCausalLM.from_pretrained(
                **where, attn_implementation=kind, dtype=torch.float32).eval()
            ids = torch.tensor([ids_of(n, model.config.vocab_size)])
            if kind == "eager":
                found["eager"] = timed(lambda: model(ids, output_attentions=True, use_cache=False), seconds)
                continue
            found["sdpa"] = timed(lambda: model(ids, use_cache=False, logits_to_keep=1), seconds)
            times = []
            cache = model(ids[:, : n - 16], use_cache=True, logits_to_keep=1).past_key_values
            for i in range(n - 16, n):
                begin = time.perf_counter()
                cache = model(ids[:, i : i + 1], past_key_values=cache, use_cache=True).past_key_values
                times.append(time.perf_counter() - begin)
            found["token"] = 1e3 * statistics.median(times)
    return found


def llama_round(path, n, threads, seconds):
    import llama_cpp

    model = llama_cpp.Llama(model_path=path, n_ctx=n + 32, n_batch=512, n_threads=threads, n_threads_batch=threads,
                            verbose=False, logits_all=False)
    ids = ids_of(n, model.n_vocab())

    def whole():
        model.reset()
        model.eval(ids)

    found = {"llama.cpp": timed(whole, seconds)}
    model.reset()
    model.eval(ids[: n - 16])
    times = []
    for i in range(n - 16, n):
        begin = time.perf_counter()
        model.eval(ids[i : i + 1])
        times.append(time.perf_counter() - begin)
    found["llama.cpp token"] = 1e3 * statistics.median(times)
    return found


def product_round(options, n):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "bench.json")
        subprocess.run([options.program, "--model", options.model, "--n", str(n), "--threads", str(options.threads),
                        "--seconds", str(options.seconds), "--json", path], check=True, stdout=subprocess.DEVNULL)
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
    row = report["lengths"][0]
    return {"ours": row["median_ms"], "our token": row["token_ms"], "share": row["share_of_gemm"],
            "open": report["open_ms"], "private": report["private_megabytes"]}


ROUNDS = {"transformers": transformers_round, "llama": llama_round}


def ask_self(script, *arguments):
    done = subprocess.run([sys.executable, script, "--model-round", *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, arguments))}: {done.stderr.strip().splitlines()[-1:]}")
    return json.loads(done.stdout.splitlines()[-1])


def main_round(arguments):
    kind, path, n, threads, seconds = arguments
    print(json.dumps(ROUNDS[kind](path, int(n), int(threads), float(seconds))))


def has_llama():
    return subprocess.run([sys.executable, "-c", "import llama_cpp"], capture_output=True).returncode == 0


def measure(options, script, n, peers):
    rounds = {}
    for _ in range(options.rounds):
        found = dict(product_round(options, n))
        for peer in peers:
            found.update(ask_self(script, peer, options.model, n, options.threads, options.seconds))
        for name, value in found.items():
            rounds.setdefault(name, []).append(value)
    medians = {name: statistics.median(values) for name, values in rounds.items()}
    ratios = {name: medians[name] / medians["ours"] for name in ("eager", "sdpa", "llama.cpp") if name in medians}
    ratios.update({name: medians[name] / medians["our token"] for name in ("token", "llama.cpp token") if name in medians})
    return {"n": n, "ms": medians, "ratios": ratios, "all": rounds}


def compare_models(options, script):
    gguf = options.model.endswith(".gguf")
    peers = ["transformers"] + (["llama"] if gguf and has_llama() else [])
    rows = []
    for n in map(int, options.n.split(",")):
        row = measure(options, script, n, peers)
        rows.append(row)
        text = "  ".join(f"{name} {value:.1f}" for name, value in row["ms"].items() if name != "share")
        print(f"n {n}: {text}\n    ratios to ours: " + "  ".join(f"{k} {v:.2f}" for k, v in row["ratios"].items()) +
              f"\n    {100 * row['ms']['share']:.0f} % of Eigen's GEMM", flush=True)
    return rows
