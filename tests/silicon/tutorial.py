#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a tutorial of Triton as its users do, but with at most three sizes of each of its benchmarks, since the
whole takes minutes, and prints a row for each figure of a Triton kernel: "rate", what was measured, value (of a
time its inverse).

  usage: tutorial.py TUTORIAL.py
"""
import os
import runpy
import sys

import triton.testing

SIZES = 3


def thin(values):
    values = list(values)
    if len(values) <= SIZES:
        return values
    return [values[i * (len(values) - 1) // (SIZES - 1)] for i in range(SIZES)]


class Benchmark(triton.testing.Benchmark):
    def __init__(self, *args, **named):
        super().__init__(*args, **named)
        self.x_vals = thin(self.x_vals)


class Mark(triton.testing.Mark):
    def run(self, show_plots=False, print_data=False, save_path="", return_df=False, **named):
        benchmarks = self.benchmarks if isinstance(self.benchmarks, list) else [self.benchmarks]
        for benchmark in benchmarks:
            sizes = [x if isinstance(x, (list, tuple)) else [x] * len(benchmark.x_names) for x in benchmark.x_vals]
            for size in sizes:
                for line, label in zip(benchmark.line_vals, benchmark.line_names):
                    if "triton" not in label.lower():
                        continue
                    value = self.fn(**dict(zip(benchmark.x_names, size)), **{benchmark.line_arg: line},
                                    **benchmark.args, **named)
                    value = value[0] if isinstance(value, tuple) else value
                    value = 1 / value if "ms" in benchmark.ylabel else value  # a time
                    name = "%s-%s-%s" % (benchmark.plot_name, label, "x".join(map(str, size)))
                    print("rate", name.replace(" ", "-"), value, flush=True)


triton.testing.Benchmark = Benchmark
triton.testing.Mark = Mark
triton.testing.perf_report = lambda benchmarks: lambda fn: Mark(fn, benchmarks)
sys.argv = sys.argv[1:]
sys.path.insert(0, os.path.dirname(os.path.abspath(sys.argv[0])))
runpy.run_path(sys.argv[0], run_name="__main__")
