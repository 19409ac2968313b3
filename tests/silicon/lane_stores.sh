#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds and runs lane_stores.c on this machine's Hopper GPU: what a bulk store of all lanes costs; some seconds.
. "$(dirname "$0")/_build_program.sh"
run_program lane_stores
