#!/usr/bin/env python3
"""What tests/bench/gpu compares with, on the same card: cuBLAS through torch.matmul, PyTorch's flash attention (output
only), and eager attention with everything that a sweep gives. Lines are name, value, unit; medians of 20."""
import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel


def median_ms(run, runs=20):
    for _ in range(3):
        run()
    times = []
    for _ in range(runs):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        run()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end))
    return sorted(times)[len(times) // 2]


def report(name, value, unit):
    print(f"{name}\t{value:.6g}\t{unit}", flush=True)


def normal(*shape):
    return torch.randn(*shape, device="cuda", dtype=torch.bfloat16)


def eager(q, k, v, cells=512):
    """Output, log-sum-exp, entropy, largest weight, attention received and both pictures, with every score in memory."""
    n = q.shape[-2]
    scores = (q @ k.transpose(-1, -2)).float() * q.shape[-1] ** -0.5
    log_sum_exp = torch.logsumexp(scores, -1)
    weights = torch.softmax(scores, -1)
    output = weights.to(v.dtype) @ v
    entropy = log_sum_exp - (weights * scores).sum(-1)
    side = max(1, n // cells)
    pooled = weights.unsqueeze(0)
    mean = F.avg_pool2d(pooled.squeeze(0), side)
    most = F.max_pool2d(pooled.squeeze(0), side)
    strongest, received = weights.max(-1), weights.sum(-2)
    return [x.to("cpu") for x in (output, log_sum_exp, entropy, received, mean, most, *strongest)]


def main():
    a, b = normal(8192, 8192), normal(8192, 8192)
    report("cublas bf16", 2 * 8192**3 / median_ms(lambda: a @ b) / 1e9, "TFLOP/s")
    for d, heads in ((64, 12), (128, 32)):
        for n in (4096, 8192, 16384, 32768):
            q, k, v = (normal(1, heads, n, d) for _ in range(3))
            with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
                report(f"flash d={d} n={n}", median_ms(lambda: F.scaled_dot_product_attention(q, k, v)), "ms")
    for n in (4096, 16384):
        q, k, v = (normal(12, n, 64) for _ in range(3))
        try:
            report(f"eager n={n}", median_ms(lambda: eager(q, k, v)), "ms")
        except torch.cuda.OutOfMemoryError:
            print(f"eager n={n}: out of memory", flush=True)
        torch.cuda.empty_cache()


main()
