#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds and runs latency_distance.c on this machine's Hopper GPU; a few seconds.
. "$(dirname "$0")/_build_program.sh"
run_program latency_distance
