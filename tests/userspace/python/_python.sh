# SPDX-License-Identifier: MIT
# Runs a test of the Python package sov: sourced with $0 NAME.sh, it runs _NAME.py, which prints TAP, on software GPUs.
export SOV_NVRM=0 SOV_KMOD=0 SOV_LIBRARY="$BUILD/libsov.so.0" PYTHONPATH=python PYTHONDONTWRITEBYTECODE=1
python=
for candidate in python3 /usr/bin/python3; do
	[ -n "$python" ] || ! "$candidate" -c 'import numpy' 2>/dev/null || python=$candidate
done
if [ -z "$python" ]; then
	echo "1..0 # SKIP no python3 here imports numpy (python3-numpy)"
	exit 0
fi
# An interpreter that was not built with sanitizers loads their run-time library first. It does not free all its memory.
preload=
if nm "$BUILD/libsov.so" | grep -q __asan_init; then
	preload=$(cc -print-file-name=libasan.so):$(cc -print-file-name=libubsan.so):$(cc -print-file-name=libstdc++.so.6)
	export ASAN_OPTIONS=detect_leaks=0
fi
script=$(dirname "$0")/_$(basename "$0" .sh).py
LD_PRELOAD=$preload "$python" -B -X faulthandler "$script"
