#!/usr/bin/env python3
"""What tests/bench/gpu compares with, on the same card: cuBLAS through torch.matmul, PyTorch's fused attention (flash and
cuDNN in bfloat16, its best in float32; output only), and eager attention with everything that a sweep gives, in float32
and bfloat16. gpu_torch.py --out FOLDER fused|fused-more|eager appends name, value, unit to FOLDER/measured.tsv, each on the
disk before the next is measured. Medians by CUDA's events, "wall" by the clock of the computer."""
import os
import sys
import time

if len(sys.argv) != 4 or sys.argv[1] != "--out" or sys.argv[3] not in ("fused", "fused-more", "eager"):
    sys.exit(__doc__)
FOLDER, PART = sys.argv[2:]
try:
    import torch
    import torch.nn.functional as F
    from torch.nn.attention import SDPBackend, sdpa_kernel
except ImportError as e:
    print(f"no PyTorch here: {e}")
    sys.exit(77)
if not torch.cuda.is_available():
    print("PyTorch sees no card here")
    sys.exit(77)
torch.backends.cuda.matmul.allow_tf32 = False  # float32 is float32


def report(name, value, unit):
    line = f"{name}\t{value}\t{unit}\n"
    print(line, end="", flush=True)
    file = os.open(os.path.join(FOLDER, "measured.tsv"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    os.write(file, line.encode())
    os.fsync(file)
    os.close(file)


def measure(name, run, runs=20, long_enough=3.0):
    """Milliseconds of the card; a line for them and one for the wall. Nothing where it does not run."""
    try:
        for _ in range(3):
            run()
        torch.cuda.synchronize()
        card, wall, began = [], [], time.perf_counter()
        while len(card) < runs and (len(card) < 5 or time.perf_counter() - began < long_enough):
            first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin = time.perf_counter()
            first.record()
            run()
            last.record()
            last.synchronize()
            wall.append(1e3 * (time.perf_counter() - begin))
            card.append(first.elapsed_time(last))
    except (RuntimeError, torch.cuda.OutOfMemoryError) as e:
        report("NOTE", name, " ".join(str(e).split())[:200])
        torch.cuda.empty_cache()
        return None
    median = sorted(card)[len(card) // 2]
    report(name, f"{median:.6g}", "ms")
    report(name + " wall", f"{sorted(wall)[len(wall) // 2]:.6g}", "ms")
    return median


def normal(*shape, dtype=torch.bfloat16):
    return torch.randn(*shape, device="cuda", dtype=dtype)


def fused(d, n, dtype, causal):
    q, k, v = (normal(1, 12 if d == 64 else 32, n, d, dtype=dtype) for _ in range(3))
    size = f"d={d} n={n} {'causal' if causal else 'full'}"

    def run():
        return F.scaled_dot_product_attention(q, k, v, is_causal=causal)

    if dtype == torch.float32:
        measure(f"fused fp32 {size}", run)  # PyTorch chooses; flash and cuDNN have no float32
        return
    for name, backend in (("flash", SDPBackend.FLASH_ATTENTION), ("cudnn", SDPBackend.CUDNN_ATTENTION)):
        with sdpa_kernel(backend):
            measure(f"{name} bf16 {size}", run)


def cublas():
    for name, dtype in (("bf16", torch.bfloat16), ("fp32", torch.float32)):
        a, b = normal(8192, 8192, dtype=dtype), normal(8192, 8192, dtype=dtype)
        median = measure(f"cublas {name}", lambda: a @ b)
        if median:
            report(f"rate cublas {name}", f"{2 * 8192**3 / median / 1e9:.6g}", "TFLOP/s")


def everything(q, k, v, cells=1024):
    """Output, log-sum-exp, entropy, largest weight, attention received and both pictures, with every score in memory."""
    n = q.shape[-2]
    scores = (q @ k.transpose(-1, -2)).float() * q.shape[-1] ** -0.5
    log_sum_exp = torch.logsumexp(scores, -1)
    weights = torch.softmax(scores, -1)
    output = weights.to(v.dtype) @ v
    entropy = log_sum_exp - (weights * scores).sum(-1)
    side = max(1, n // cells)
    mean, most = F.avg_pool2d(weights, side), F.max_pool2d(weights, side)
    strongest, received = weights.max(-1), weights.sum(-2)
    return [x.to("cpu") for x in (output, log_sum_exp, entropy, received, mean, most, *strongest)]


def main():
    bf16, fp32 = torch.bfloat16, torch.float32
    if PART == "fused":
        cublas()
        for n in (4096, 16384):
            for d in (128, 64):
                for causal in (False, True):
                    fused(d, n, bf16, causal)
        for causal in (False, True):
            fused(64, 4096, fp32, causal)
    elif PART == "fused-more":
        for n in (1024, 16384):
            for causal in (False, True):
                fused(64, n, fp32, causal)
        for n in (8192, 32768):
            for d in (128, 64):
                for causal in (False, True):
                    fused(d, n, bf16, causal)
    else:
        for n in (1024, 4096, 16384):
            for name, dtype in (("fp32", fp32), ("bf16", bf16)):
                q, k, v = (normal(12, n, 64, dtype=dtype) for _ in range(3))
                measure(f"eager {name} n={n}", lambda: everything(q, k, v))
                del q, k, v
                torch.cuda.empty_cache()


main()
