#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds and runs tensor_maps.c: how CUDA encodes tensor maps, and whether we do it alike. No kernel
# runs; some seconds.
. "$(dirname "$0")/_build_program.sh"
run_program tensor_maps
