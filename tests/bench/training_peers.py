"""Training: `attnscope_bench --train TASK` beside PyTorch. Called by peers.py --train.

Both train the same network on batches of the same size with the same optimiser and clipping, in turns. Ours makes its
data afresh, the peer draws random tokens. The peer is what one would write for speed: one product for queries, keys and
values, scaled_dot_product_attention, fused AdamW. A ratio above 1 says that the product is faster.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time


def network(spec):
    import torch
    import torch.nn as nn
    import torch.nn.functional as functional

    d, heads, n = spec["width"], spec["heads"], spec["length"]
    d_k = spec["head_width"] or d // heads
    inside, rotary = heads * d_k, spec["positions"] == "rotary"
    angle = torch.arange(n)[:, None] * 10000.0 ** (-torch.arange(0, d_k, 2) / d_k)
    cosine, sine = angle.cos(), angle.sin()

    def turned(x):
        low, high = x.chunk(2, -1)
        return torch.cat((low * cosine - high * sine, high * cosine + low * sine), -1)

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm, self.maps, self.out = nn.LayerNorm(d), nn.Linear(d, 3 * inside), nn.Linear(inside, d)
            self.mlp = None
            if spec["inner"]:
                self.mlp = nn.Sequential(nn.LayerNorm(d), nn.Linear(d, spec["inner"]), nn.GELU(approximate="tanh"),
                                         nn.Linear(spec["inner"], d))

        def forward(self, x):
            q, k, v = (y.unflatten(-1, (heads, d_k)).transpose(1, 2) for y in self.maps(self.norm(x)).chunk(3, -1))
            if rotary:
                q, k = turned(q), turned(k)
            y = functional.scaled_dot_product_attention(q, k, v, is_causal=spec["causal"])
            x = x + self.out(y.transpose(1, 2).flatten(-2))
            return x if self.mlp is None else x + self.mlp(x)

    class Network(nn.Module):
        def __init__(self):
            super().__init__()
            self.table = nn.Linear(spec["patch"], d) if spec["patch"] else nn.Embedding(spec["vocabulary"], d)
            self.first = nn.Parameter(torch.zeros(1, 1, d)) if spec["patch"] else None
            self.places = nn.Parameter(torch.randn(n, d) * 0.5) if spec["positions"] == "learned" else None
            self.blocks = nn.Sequential(*[Block() for _ in range(spec["layers"])])
            self.norm = nn.LayerNorm(d)
            self.read_outs = nn.ModuleList([nn.Linear(d, one["classes"], bias=one["bias"]) for one in spec["read_outs"]])

        def forward(self, x):
            x = self.table(x)
            if self.first is not None:
                x = torch.cat((self.first.expand(len(x), 1, d), x), 1)
            if self.places is not None:
                x = x + self.places
            last = self.norm(self.blocks(x))
            return [read_out(last) for read_out in self.read_outs]

    return Network()


def torch_round(recipe, threads, seconds):
    """Seconds of a step, mean; runs in a process of its own."""
    import torch
    import torch.nn.functional as functional

    torch.set_num_threads(threads)
    torch.manual_seed(0)
    spec, batch, settings = recipe["network"], recipe["batch"], recipe["optimiser"]
    model = network(spec)
    optimiser = torch.optim.AdamW(model.parameters(), lr=settings["rate"], betas=(0.9, 0.99), fused=True)
    n = spec["length"]

    def step():
        if spec["patch"]:
            x = torch.randn(batch, n - 1, spec["patch"])
        else:
            x = torch.randint(spec["vocabulary"], (batch, n))
        loss = 0
        for logits, read_out in zip(model(x), spec["read_outs"]):
            targets = torch.randint(read_out["classes"], (batch * n,))
            loss = loss + functional.cross_entropy(logits.flatten(0, 1), targets)
        optimiser.zero_grad()
        loss.backward()
        if settings["clip"] > 0:
            torch.nn.utils.clip_grad_norm_(model.parameters(), settings["clip"])
        optimiser.step()

    for _ in range(10):
        step()
    steps, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds or steps < 3:
        step()
        steps += 1
    return (time.perf_counter() - start) / steps


def main_round(arguments):
    path, threads, seconds = arguments
    with open(path, encoding="utf-8") as file:
        recipe = json.load(file)["recipe"]
    print(json.dumps(torch_round(recipe, int(threads), float(seconds))))


def compare_training(options, script):
    rows = []
    for task in options.train.split(","):
        ours, theirs, foreign = [], [], []
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "bench.json")
            for _ in range(options.rounds):
                subprocess.run([options.program, "--train", task, "--threads", str(options.threads), "--seconds",
                                str(options.seconds), "--json", path], check=True, stdout=subprocess.DEVNULL)
                with open(path, encoding="utf-8") as file:
                    report = json.load(file)
                ours.append(report["ms_per_step"])
                foreign.append(report["foreign_processors"])
                done = subprocess.run([sys.executable, script, "--train-round", path, str(options.threads),
                                       str(options.seconds)], capture_output=True, text=True, check=True)
                theirs.append(1e3 * json.loads(done.stdout))
        recipe = report["recipe"]
        tokens = 1e3 * recipe["batch"] * recipe["network"]["length"]
        row = {"task": task, "isa": report["isa"], "ms": statistics.median(ours), "torch_ms": statistics.median(theirs),
               "all_ms": ours, "all_torch_ms": theirs, "foreign_processors": max(foreign)}
        row["ratio"] = row["torch_ms"] / row["ms"]
        rows.append(row)
        print(f"{task} ({report['isa']}): {row['ms']:.3f} ms a step, {tokens / row['ms']:.0f} tokens a second; torch "
              f"{row['torch_ms']:.3f} ms, {tokens / row['torch_ms']:.0f}; ratio {row['ratio']:.2f}; others took up to "
              f"{row['foreign_processors']:.2f} processors", flush=True)
    return rows
