#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds and runs convergence.c on this machine's Hopper GPU; less than a minute.
. "$(dirname "$0")/_build_program.sh"
run_program convergence
