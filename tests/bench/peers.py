#!/usr/bin/env python3
"""Times PyTorch's attention beside `attnscope_bench` on the same shapes and prints the ratios.

    python3 tests/bench/peers.py build/release/attnscope_bench [--n 512,1024] [--threads 2] [--rounds 5] [--json FILE] [--model MODEL]

With --model a whole model, a folder or a .gguf, beside transformers and llama.cpp: see model_peers.py.
With --train TASK,TASK the training of tasks beside PyTorch: see training_peers.py.

Peers: sdpa (the fused kernel: output only), eager (softmax of the scores, weights kept), entropy (eager and the rows'
entropy), full (that, log-sum-exp and both pictures). Each round runs the product and every peer once, in turns, in processes of their own;
the figures are medians over the rounds. A ratio above 1 says that the product is faster. PyTorch's version, BLAS and
instruction set stand above the table: the wrong BLAS makes PyTorch ten times slower and the comparison worthless.
So does what its matrix product reaches: beside the share of Eigen's it tells whether the BLAS uses the processor. MKL
uses AVX-512 on Intel's processors only; on others it believes a library that is loaded before it (LD_PRELOAD) and
defines mkl_serv_intel_cpu_true() to return 1. That is the harder peer: half the time.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import model_peers
import training_peers

PEERS = ("sdpa", "eager", "entropy", "full")
PRODUCT = {"output,entropy": "O+H", "output,entropy,picture": "O+H+picture"}


def torch_round(peer, n, causal, heads, dim, threads, seconds):
    """Median seconds of one peer; runs in a process of its own."""
    import torch
    import torch.nn.functional as functional

    torch.set_num_threads(threads)
    torch.manual_seed(0)
    q, k, v = (torch.randn(1, heads, n, dim) for _ in range(3))
    mask = None
    if causal and peer != "sdpa":
        mask = torch.full((n, n), torch.finfo(torch.float32).min).triu(1)[None, None]

    def eager():
        scores = torch.matmul(q, k.transpose(2, 3)) * dim**-0.5
        if mask is not None:
            scores = scores + mask
        weights = torch.softmax(scores, dim=-1)
        return scores, weights, torch.matmul(weights, v)

    def with_entropy():
        scores, weights, output = eager()
        return scores, weights, output, -(weights * torch.log(weights.clamp_min(1e-30))).sum(-1)

    def full():
        scores, weights, output, entropy = with_entropy()
        log_sum_exp = torch.logsumexp(scores, -1)
        del scores
        cell = max(1, n // 512)
        mean = functional.avg_pool2d(weights, cell) if cell > 1 else weights
        largest = functional.max_pool2d(weights, cell) if cell > 1 else weights
        return output, log_sum_exp, entropy, mean, largest

    run = {
        "sdpa": lambda: functional.scaled_dot_product_attention(q, k, v, is_causal=causal),
        "eager": eager,
        "entropy": with_entropy,
        "full": full,
    }[peer]
    times = []
    with torch.inference_mode():
        run()
        start = time.perf_counter()
        while len(times) < 3 or (time.perf_counter() - start < seconds and len(times) < 1000):
            begin = time.perf_counter()
            run()
            times.append(time.perf_counter() - begin)
    return statistics.median(times)


def torch_facts(threads):
    import torch

    torch.set_num_threads(threads)
    n = 1024
    left, right = torch.randn(n, n), torch.randn(n, n)
    times = []
    for _ in range(30):
        begin = time.perf_counter()
        torch.mm(left, right)
        times.append(time.perf_counter() - begin)
    config = torch.__config__.show()
    library = [line.strip(" -") for line in config.splitlines() if "Math Kernel" in line or "OpenBLAS" in line]
    blas = [part for part in config.split(",") if "BLAS_INFO" in part]
    return {
        "version": torch.__version__,
        "blas": (library + [part.strip().split()[-1] for part in blas] + ["unknown"])[0],
        "capability": torch.backends.cpu.get_cpu_capability(),
        "gemm_gflops": 2 * n**3 / statistics.median(times) / 1e9,
    }


def ask_self(*arguments):
    done = subprocess.run([sys.executable, __file__, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, arguments))}: {done.stderr.strip().splitlines()[-1:]}")
    return json.loads(done.stdout)


def product_round(options, emit, n, causal):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "bench.json")
        command = [options.program, "--n", str(n), "--heads", str(options.heads), "--dim", str(options.dim),
                   "--threads", str(options.threads), "--emit", emit, "--seconds", str(options.seconds), "--json", path]
        if options.isa:
            command += ["--isa", options.isa]
        subprocess.run(command + (["--causal"] if causal else []), check=True, stdout=subprocess.DEVNULL)
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
    return report["isa"], report["lengths"][0]


def measure(options, n, causal):
    """One line of the table: medians over the rounds, in milliseconds."""
    peers = [peer for peer in options.peers if peer == "sdpa" or n <= options.largest_eager]
    times = {name: [] for name in [*PRODUCT.values(), *peers]}
    shares, foreign, isa = [], [], ""
    for _ in range(options.rounds):
        for emit, name in PRODUCT.items():
            isa, row = product_round(options, emit, n, causal)
            times[name].append(row["median_ms"])
            foreign.append(row["foreign_processors"])
            if emit == "output,entropy":
                shares.append(row["share_of_gemm"])
        for peer in peers:
            seconds = ask_self("--round", peer, n, int(causal), options.heads, options.dim, options.threads, options.seconds)
            times[peer].append(1e3 * seconds)
    medians = {name: statistics.median(found) for name, found in times.items()}
    ratios = {f"{peer} / {name}": medians[peer] / medians[name] for peer in peers for name in PRODUCT.values()}
    return {"n": n, "causal": causal, "isa": isa, "ms": medians, "ratios": ratios, "all_ms": times,
            "share_of_gemm": statistics.median(shares), "foreign_processors": max(foreign),
            "load": os.getloadavg()[0]}


def main():
    if len(sys.argv) > 1 and sys.argv[1] == "--round":
        peer, n, causal, heads, dim, threads, seconds = sys.argv[2:]
        print(torch_round(peer, int(n), causal == "1", int(heads), int(dim), int(threads), float(seconds)))
        return
    if sys.argv[1:2] == ["--facts"]:
        print(json.dumps(torch_facts(int(sys.argv[2]))))
        return
    if sys.argv[1:2] == ["--model-round"]:
        model_peers.main_round(sys.argv[2:])
        return
    if sys.argv[1:2] == ["--train-round"]:
        training_peers.main_round(sys.argv[2:])
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="attnscope_bench of a build, which measures")
    parser.add_argument("--model", help="a folder or a .gguf, measured whole")
    parser.add_argument("--train", help="tasks, measured while they are trained")
    parser.add_argument("--n", default="", help="256,512,1024,2048,4096 when not given; of a model 128,512,1024")
    parser.add_argument("--heads", type=int, default=12)
    parser.add_argument("--dim", type=int, default=64)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--isa", default="", help="AVX2 must be compared with AVX2: see the capability printed")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.5, help="per program and round")
    parser.add_argument("--largest-eager", type=int, default=4096, help="longer sequences do not fit")
    parser.add_argument("--peers", default=",".join(PEERS))
    parser.add_argument("--json", help="a file for all numbers")
    options = parser.parse_args()
    options.peers = options.peers.split(",")
    options.n = options.n or ("128,512,1024" if options.model else "256,512,1024,2048,4096")

    facts = ask_self("--facts", options.threads)
    print(f"torch {facts['version']}, {facts['blas']}, {facts['capability']}, matrix product "
          f"{facts['gemm_gflops']:.0f} GFLOP/s; {options.threads} threads; medians of {options.rounds} rounds in turns, ms")
    if not options.model and not options.train:
        print(f"{options.heads} heads of {options.dim}")
    rows = model_peers.compare_models(options, __file__) if options.model else []
    if options.train:
        rows = training_peers.compare_training(options, __file__)
    for n in [] if options.model or options.train else map(int, options.n.split(",")):
        for causal in (False, True):
            row = measure(options, n, causal)
            rows.append(row)
            text = "  ".join(f"{name} {value:.2f}" for name, value in row["ms"].items())
            ratios = "  ".join(f"{name} {value:.2f}" for name, value in row["ratios"].items())
            print(f"n {n} {'causal' if causal else 'full'} ({row['isa']}): {text}\n    ratios: {ratios}\n    "
                  f"{100 * row['share_of_gemm']:.0f} % of Eigen's GEMM, others took up to "
                  f"{row['foreign_processors']:.2f} processors", flush=True)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"torch": facts, "rows": rows}, file, indent=1)


if __name__ == "__main__":
    main()
