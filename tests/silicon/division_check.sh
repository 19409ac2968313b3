#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds and runs division_check.c on this machine's Hopper GPU; a few seconds.
. "$(dirname "$0")/_build_program.sh"
run_program division_check
