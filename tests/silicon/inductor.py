#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Twenty functions that PyTorch compiles to Triton kernels, compared with eager PyTorch on random inputs. Prints a
row for each: whether it passed, its greatest error beside the bound, and its time. tensor_programs.sh runs it with NVIDIA's ptxas
and with sov in its place (TRITON_PTXAS_PATH); the status is 1 if a function is wrong."""
import sys
import torch
import torch.nn.functional as F

N = 1 << 20


def x(*shape, dtype=torch.float32):
    return torch.randn(*shape, device="cuda", dtype=dtype)


FUNCTIONS = [
    ("add_relu", lambda a, b: F.relu(a + b), lambda: (x(N), x(N))),
    ("gelu", lambda a: F.gelu(a), lambda: (x(N),)),
    ("silu_mul", lambda a, b: F.silu(a) * b, lambda: (x(N), x(N))),
    ("sigmoid_bf16", lambda a: torch.sigmoid(a) * 2, lambda: (x(N, dtype=torch.bfloat16),)),
    ("tanh_half", lambda a, b: torch.tanh(a) + b, lambda: (x(N, dtype=torch.float16), x(N, dtype=torch.float16))),
    ("sum_rows", lambda a: a.sum(-1), lambda: (x(1024, 1000),)),
    ("mean_columns", lambda a: a.mean(0), lambda: (x(1000, 1024),)),
    ("max_rows", lambda a: a.max(-1).values, lambda: (x(1024, 777),)),
    ("argmin_rows", lambda a: a.argmin(-1), lambda: (x(512, 333),)),
    ("softmax", lambda a: torch.softmax(a, -1), lambda: (x(1024, 1000),)),
    ("log_softmax", lambda a: torch.log_softmax(a, -1), lambda: (x(512, 4096),)),
    ("layer_norm", lambda a, w, b: F.layer_norm(a, (1024,), w, b), lambda: (x(512, 1024), x(1024), x(1024))),
    ("rms_norm", lambda a, w: a * torch.rsqrt((a * a).mean(-1, keepdim=True) + 1e-6) * w, lambda: (x(512, 1024), x(1024))),
    ("variance", lambda a: a.var(-1), lambda: (x(512, 2048),)),
    ("cross_entropy", lambda a, t: F.cross_entropy(a, t), lambda: (x(512, 1000), torch.randint(0, 1000, (512,), device="cuda"))),
    ("transpose_add", lambda a, b: a.t().contiguous() + b, lambda: (x(1000, 700), x(700, 1000))),
    ("cumsum", lambda a: a.cumsum(-1), lambda: (x(256, 1024),)),
    ("gather_add", lambda a, i, b: a[i] + b, lambda: (x(5000, 64), torch.randint(0, 5000, (4096,), device="cuda"), x(4096, 64))),
    ("where_clamp", lambda a, b: torch.where(a > 0, a.clamp(max=1), b.exp()), lambda: (x(N), x(N))),
    ("rotary", lambda a, c, s: torch.cat((a[..., :32] * c - a[..., 32:] * s, a[..., 32:] * c + a[..., :32] * s), -1),
     lambda: (x(512, 16, 64), x(512, 1, 32), x(512, 1, 32))),
]


def time_us(f, args):
    for _ in range(5):
        f(*args)
    events = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
    events[0].record()
    for _ in range(50):
        f(*args)
    events[1].record()
    events[1].synchronize()
    return events[0].elapsed_time(events[1]) * 1000 / 50


def main():
    wrong = 0
    for name, function, make in FUNCTIONS:
        args = make()
        compiled = torch.compile(function, dynamic=False)
        got = compiled(*args).double()
        want = function(*[a.double() if a.is_floating_point() else a for a in args]).double()
        low = args[0].dtype in (torch.float16, torch.bfloat16)
        bound = (2e-2 if low else 2e-4) * max(1.0, want.abs().max().item())
        error = (got - want).abs().max().item()
        good = error <= bound
        wrong += not good
        print("%-14s %s, error %.2e of %.2e, %.1f us" % (name, "passed" if good else "FAILED", error, bound, time_us(compiled, args)))
        sys.stdout.flush()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
