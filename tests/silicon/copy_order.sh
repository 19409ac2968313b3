#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds and runs copy_order.c on this machine's Hopper GPU; less than a minute.
. "$(dirname "$0")/_build_program.sh"
run_program copy_order
