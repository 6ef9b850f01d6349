"""PyTorch's times for the cases of dnn_speed.cpp: name and microseconds."""
import re, sys
import torch
import torch.nn.functional as F

torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False
torch.backends.cudnn.benchmark = True


def timed(name, run):
    for _ in range(3):
        run()
    torch.cuda.synchronize()
    n = 1
    while True:
        a, b = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        a.record()
        for _ in range(n):
            run()
        b.record()
        b.synchronize()
        ms = a.elapsed_time(b)
        if ms > 20 or n >= 1000:
            break
        n = n * 10 if ms < 1 else int(n * 30 / ms) + 1
    return ms * 1000 / n


def say(name, us, how=""):
    print(name, f"{us:.1f}", how, flush=True)


def attention(b, h, kv, q, k, d, causal, back):
    from torch.nn.attention import SDPBackend, sdpa_kernel
    name = f"attention_{b}x{h}/{kv}x{q}x{k}x{d}{'c' if causal else ''}"
    t = [torch.randn(b, n, l, d, device="cuda", dtype=torch.bfloat16, requires_grad=back) for n, l in ((h, q), (kv, k), (kv, k))]
    best = {}
    for way in (SDPBackend.FLASH_ATTENTION, SDPBackend.CUDNN_ATTENTION, SDPBackend.EFFICIENT_ATTENTION):
        try:
            with sdpa_kernel(way):
                run = lambda: F.scaled_dot_product_attention(*t, is_causal=bool(causal), enable_gqa=h != kv)
                with torch.no_grad():
                    us = timed(name, run)
                best.setdefault("forward", []).append((us, str(way)))
                if back:
                    o = run()
                    dy = torch.randn_like(o)
                    us = timed(name, lambda: torch.autograd.grad(o, t, dy, retain_graph=True))
                    best.setdefault("backward", []).append((us, str(way)))
        except RuntimeError as e:
            print("#", name, way, str(e).split("\n")[0][:80])
    for what, list_ in best.items():
        us, way = min(list_)
        say(f"{name}_{what}", us, way + " of " + ",".join(f"{u:.0f}" for u, _ in list_))


def rows(t, name, n, c):
    s = f"_{name}_{n}x{c}"
    x, dy = torch.randn(n, c, device="cuda", dtype=t), torch.randn(n, c, device="cuda", dtype=t)
    g, b = torch.randn(c, device="cuda", dtype=t), torch.randn(c, device="cuda", dtype=t)
    say("softmax" + s, timed(s, lambda: torch.softmax(x, 1)))
    y = torch.softmax(x, 1)
    say("softmax_back" + s, timed(s, lambda: torch._softmax_backward_data(dy, y, 1, t)))
    say("rms_norm" + s, timed(s, lambda: F.rms_norm(x, (c,), g, 1e-5)))
    say("layer_norm" + s, timed(s, lambda: F.layer_norm(x, (c,), g, b, 1e-5)))
    y, mean, rstd = torch.native_layer_norm(x, (c,), g, b, 1e-5)
    say("layer_norm_back" + s, timed(s, lambda: torch.ops.aten.native_layer_norm_backward(dy, x, (c,), mean, rstd, g, b, [True, True, True])))
    say("copy" + s, timed(s, lambda: y.copy_(x)))


def elements(t, name, n):
    s = f"_{name}_{n}"
    x, dy = torch.randn(n, device="cuda", dtype=t), torch.randn(n, device="cuda", dtype=t)
    y = torch.empty_like(x)
    say("gelu" + s, timed(s, lambda: torch.ops.aten.gelu.out(x, out=y)))
    say("gelu_back" + s, timed(s, lambda: torch.ops.aten.gelu_backward(dy, x)))
    say("silu" + s, timed(s, lambda: torch.ops.aten.silu.out(x, out=y)))
    say("relu" + s, timed(s, lambda: torch.relu(x)))
    say("add" + s, timed(s, lambda: torch.add(x, dy, out=y)))


def convolution(t, name, c, size, k, taps, stride):
    s = f"conv_{name}_{c}x{size}_{k}_{taps}x{taps}_{stride}"
    best = {}
    for form in (torch.contiguous_format, torch.channels_last):
        x = torch.randn(64, c, size, size, device="cuda", dtype=t).to(memory_format=form)
        f = torch.randn(k, c, taps, taps, device="cuda", dtype=t).to(memory_format=form)
        y = F.conv2d(x, f, None, stride, taps // 2)
        dy = torch.randn_like(y)
        back = lambda mask: torch.ops.aten.convolution_backward(dy, x, f, None, [stride] * 2, [taps // 2] * 2, [1, 1], False, [0, 0], 1, mask)
        for what, run in (("forward", lambda: F.conv2d(x, f, None, stride, taps // 2)), ("data", lambda: back([True, False, False])), ("filter", lambda: back([False, True, False]))):
            best.setdefault(what, []).append(timed(s, run))
    for what, (plain, last) in best.items():
        say(f"{s}_{what}", min(plain, last), f"channels first {plain:.0f}, last {last:.0f}")


CONVOLUTIONS = {"conv16": (torch.float16, "f16"), "conv_tf32": (torch.float32, "tf32"), "conv32": (torch.float32, "f32")}
layers = [tuple(int(v) for v in m) for m in re.findall(r"\{(\d+), (\d+), (\d+), (\d+), (\d+)\}", open(sys.argv[1]).read())]
for part in sys.argv[2:]:
    if part == "attention":
        for case in ((4, 16, 16, 4096, 4096, 128, 0, True), (4, 16, 16, 4096, 4096, 128, 1, True), (2, 16, 16, 8192, 8192, 128, 1, True), (4, 32, 8, 4096, 4096, 128, 1, True),
                     (8, 16, 16, 2048, 2048, 64, 0, True), (8, 16, 16, 2048, 2048, 64, 1, True), (16, 12, 12, 1024, 1024, 64, 1, True), (16, 32, 8, 1, 8192, 128, 0, False)):
            attention(*case)
    elif part == "memory":
        for t, name, n, c in ((torch.float16, "f16", 131072, 1024), (torch.float16, "f16", 32768, 4096), (torch.float32, "f32", 65536, 768), (torch.float32, "f32", 16384, 8192),
                              (torch.float16, "f16", 1048576, 128)):
            rows(t, name, n, c)
        elements(torch.float16, "f16", 1 << 28)
        elements(torch.float32, "f32", 1 << 27)
    elif part in CONVOLUTIONS:
        torch.backends.cudnn.allow_tf32 = part == "conv_tf32"
        for layer in layers:
            convolution(*CONVOLUTIONS[part], *layer)
