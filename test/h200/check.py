"""Kernels of kernels.cu, compiled by Tern, against PyTorch: check.py LAUNCH KERNELS.ptx FOLDER"""
import subprocess
import sys

try:
    import numpy as np
    import torch
except ImportError as e:
    print(f"SKIP torch: {e}")
    sys.exit(0)

launch, ptx, folder = sys.argv[1:4]


def run(kernel, grid, block, *args):
    """Arrays go in, ('out', shape, dtype) comes back."""
    words, outs = [], []
    for k, a in enumerate(args):
        path = f"{folder}/{kernel}.{k}"
        if isinstance(a, tuple):
            size = int(np.prod(a[1])) * np.dtype(a[2]).itemsize
            words.append(f"out:{size}:{path}")
            outs.append((path, a[1], a[2]))
        elif isinstance(a, np.ndarray):
            a.tofile(path)
            words.append(f"in:{path}")
        else:
            words.append(f"i:{a}" if isinstance(a, int) else f"f:{a!r}")
    dims = [str(x) for x in (*grid, *(1,) * (3 - len(grid)), *block, *(1,) * (3 - len(block)))]
    subprocess.run([launch, ptx, kernel, *dims, *words], check=True)
    return [np.fromfile(p, dtype=t).reshape(s) for p, s, t in outs]


def verdict(name, ok, text):
    print(f"{'PASS' if ok else 'FAIL'} {name}: {text}", flush=True)


torch.manual_seed(1)
rng = np.random.default_rng(1)

# H5: three matrix products against float64
n = 512
a, b = (rng.standard_normal((n, n), dtype=np.float32) for _ in range(2))
exact = torch.tensor(a, dtype=torch.float64) @ torch.tensor(b, dtype=torch.float64)
for kernel, grid, block in (("sgemm_naive", (n // 16, n // 16), (16, 16)),
                            ("sgemm_tiled", (n // 32, n // 32), (32, 32)),
                            ("sgemm_register", (n // 64, n // 64), (256,))):
    (c,) = run(kernel, grid, block, n, a, b, ("out", (n, n), np.float32))
    err = float((torch.tensor(c, dtype=torch.float64) - exact).abs().max() / exact.abs().max())
    verdict(f"H5_{kernel}", err < 1e-3, f"largest error {err:.2e} of the largest element")
i4 = np.eye(4, dtype=np.float32)
m4 = rng.standard_normal((4, 4), dtype=np.float32)
(c,) = run("sgemm_naive", (1, 1), (4, 4), 4, i4, m4, ("out", (4, 4), np.float32))
verdict("identity_4x4", bool((c == m4).all()), "I * M is M, bit for bit")

# H6: fused attention
heads, n, d = 8, 1024, 64
q, k, v = (rng.standard_normal((heads, n, d), dtype=np.float32) for _ in range(3))
(o,) = run("attention", (n // 64, heads), (64,), n, 1 / 8, q, k, v, ("out", (heads, n, d), np.float32))
want = torch.nn.functional.scaled_dot_product_attention(*(torch.tensor(x) for x in (q, k, v)))
err = float((torch.tensor(o) - want).abs().max())
verdict("H6_attention", err < 1e-2, f"largest difference from PyTorch {err:.2e}")

(s,) = run("scores", (n // 16, n // 16, heads), (16, 16), n, 1 / 8, q, k, ("out", (heads, n, n), np.float32))
torch_s = torch.tensor(q) @ torch.tensor(k).transpose(1, 2) / 8
err = float((torch.tensor(s) - torch_s).abs().max())
w = torch.softmax(torch_s, 2).numpy()
(o3,) = run("weighted", (n // 4, heads), (64, 4), n, w, v, ("out", (heads, n, d), np.float32))
err = max(err, float((torch.tensor(o3) - want).abs().max()))
verdict("unfused_attention", err < 1e-3, f"in three steps: largest difference from PyTorch {err:.2e}")

# softmax and layer norm
rows = 256
x = (rng.standard_normal((rows, 1024)) * 3 + 1).astype(np.float32)
(y,) = run("softmax", (rows,), (256,), x, ("out", (rows, 1024), np.float32))
sums = np.abs(y.astype(np.float64).sum(axis=1) - 1).max()
err = float((torch.tensor(y) - torch.softmax(torch.tensor(x), 1)).abs().max())
verdict("softmax", sums < 1e-5 and err < 1e-5, f"rows sum to 1 within {sums:.1e}, PyTorch within {err:.1e}")
(y,) = run("layer_norm", (rows,), (256,), x, ("out", (rows, 1024), np.float32))
mean, var = np.abs(y.mean(axis=1, dtype=np.float64)).max(), np.abs(y.astype(np.float64).var(axis=1) - 1).max()
verdict("layer_norm", mean < 1e-4 and var < 1e-3, f"mean within {mean:.1e} of 0, variance within {var:.1e} of 1")

# H7: Q4_K by its definition
blocks = 512
raw = rng.integers(0, 256, (blocks, 144), dtype=np.uint8)
raw[:, :4] = rng.uniform(0.001, 0.1, (blocks, 2)).astype(np.float16).view(np.uint8).reshape(blocks, 4)
(y,) = run("dequantize", (blocks,), (256,), blocks, raw, ("out", (blocks, 256), np.float32))
half = raw[:, :4].copy().view(np.float16).astype(np.float64)
s = raw[:, 4:16].astype(np.int64)
want = np.zeros((blocks, 256))
for g in range(8):
    if g < 4:
        sc, mn = s[:, g] & 63, s[:, g + 4] & 63
    else:
        sc = (s[:, g + 4] & 15) | (s[:, g - 4] >> 6) << 4
        mn = (s[:, g + 4] >> 4) | (s[:, g] >> 6) << 4
    byte = raw[:, 16 + (g // 2) * 32:16 + (g // 2) * 32 + 32].astype(np.int64)
    nib = byte >> 4 if g & 1 else byte & 15
    want[:, g * 32:g * 32 + 32] = half[:, :1] * sc[:, None] * nib - half[:, 1:2] * mn[:, None]
err = np.abs(y - want).max()
verdict("H7_q4k", err < 1e-4, f"largest difference {err:.1e} over {blocks * 256} values")
