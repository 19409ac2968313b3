#!/bin/sh
# SPDX-License-Identifier: MIT
# The matrix products of libsov/kernels/gemm beside cuBLAS, on the first GPU under NVIDIA's driver, in about three
# minutes: f16 and tf32 by wgmma, f64 by mma; compiled by sov, run through libsov (nvrm) and through libcuda,
# and by ptxas, through libcuda. Every result is checked (roof.c). The last lines are a table with ratios.
#	tests/silicon/roof.sh [SIZE]        SIZE: m, n and k (4096)
# Environment: CUBLAS (a path of libcublas.so), PTXAS (ptxas), SAMPLES (15), PTX_FOLDER (libsov/kernels/gemm), and
# ROOF=soft for a try without a GPU: a small size on the software GPU, without CUDA.
set -eu
cd "$(dirname "$0")/../.."
: "${BUILD:=build}" "${CC:=cc}" "${MAKE:=make}" "${PTXAS:=ptxas}" "${SAMPLES:=15}" "${PTX_FOLDER:=libsov/kernels/gemm}"
size=${1:-4096}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$MAKE" -j"$(nproc)" CC="$CC" BUILD="$BUILD" "$BUILD/sov" "$BUILD/libsov-all.a" >"$work/log" 2>&1 || { tail -n 20 "$work/log"; exit 1; }
drm=$(pkg-config --libs libdrm 2>/dev/null || true) # libsov-all.a uses it if the build found it
# shellcheck disable=SC2086 # CC and drm may be several words
$CC -std=c11 -D_GNU_SOURCE -I. -O2 tests/silicon/roof.c "$BUILD/libsov-all.a" -lm -ldl -pthread $drm -o "$work/roof"
PATH=$PATH:/usr/local/cuda/bin
LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}/usr/local/cuda/lib64
export LD_LIBRARY_PATH
for file in wgmma:sm_90a doubles:sm_90; do
	name=${file%:*}
	"$BUILD/sov" compile -t sm_90 --stats -o "$work/sov-$name.cubin" "$PTX_FOLDER/$name.ptx" | sed 's/^/# /'
	if [ "${ROOF:-}" != soft ]; then
		"$PTXAS" -O3 -arch="${file#*:}" -o "$work/ptxas-$name.cubin" "$PTX_FOLDER/$name.ptx" || echo "# no ptxas"
	fi
done
run() { # type, m, n, k, samples, file: appends rows "type libcuda: NAME …" to $work/rows
	if [ "${ROOF:-}" = soft ]; then
		SOV_SOFT=gh100:vram=64M SILICON_NO_LIMITS=1 timeout 300 "$work/roof" sov "$1" "$2" "$3" "$4" "$5" \
			"$work/sov-$6.cubin" >"$work/out" 2>&1 || echo "$1 $2 $3 $4: status $?" | tee -a "$work/failed"
	else
		for round in 1 2; do # before and after CUDA: the clock depends on the temperature
			timeout 120 "$work/roof" sov "$1" "$2" "$3" "$4" "$5" "$work/sov-$6.cubin" 2>&1 ||
				echo "$1 $2 $3 $4: status $?" >>"$work/failed"
			[ $round = 2 ] || timeout 250 "$work/roof" cuda "$1" "$2" "$3" "$4" "$5" "$work/sov-$6.cubin" \
				$(ls "$work/ptxas-$6.cubin" 2>/dev/null) 2>&1 || echo "$1 $2 $3 $4: status $?" >>"$work/failed"
		done >"$work/out"
	fi
	sed "s/^/# $1 $2 $3 $4: /" "$work/out"
	sed "s/^/$1 /" "$work/out" >>"$work/rows"
}
if [ "${ROOF:-}" = soft ]; then
	[ $# -gt 0 ] || size=136
	SAMPLES=1
else # shapes beside tiles first: a wrong kernel shows here in no time
	run f16 1000 1032 520 3 wgmma
	run tf32 1000 1034 516 3 wgmma
	run f64 1000 1030 260 3 doubles
fi
: >"$work/rows"
run f16 "$size" "$size" "$size" "$SAMPLES" wgmma
run tf32 "$size" "$size" "$size" "$SAMPLES" wgmma
run f64 "$size" "$size" "$size" "$SAMPLES" doubles
# A row: type, name, time, "us", rate, "TFLOP/s", verdict. Names through libsov start with the winsys.
awk -v size="$size" '
	/TFLOP/ {
		for (i = 2; $i != "us"; i++) ;
		name = $2
		if (name ~ /:$/) { name = "sov by " substr(name, 1, length(name) - 1) }
		else if (name ~ /^sov-/) { name = "sov by libcuda" }
		else if (name ~ /^ptxas-/) { name = "ptxas by libcuda" }
		t = $(i - 1)
		if (!(($1, name) in us)) { order[++n] = $1 SUBSEP name; us[$1, name] = t }
		else if (t < us[$1, name]) us[$1, name] = t
		if ($NF != "right") wrong[$1, name] = 1
	}
	END {
		split("f16 0.90 tf32 0.90 f64 0.95", w, " ")
		for (i = 1; i < 6; i += 2) target[w[i]] = w[i + 1]
		printf "%-5s %-18s %12s %9s %8s %s\n", "type", "kernel", "us", "TFLOP/s", "/cuBLAS", "verdict (" size ")"
		for (i = 1; i <= n; i++) {
			split(order[i], k, SUBSEP)
			t = us[k[1], k[2]]
			base = us[k[1], "cuBLAS"]
			ratio = base ? sprintf("%.3f", base / t) : "-"
			v = ((k[1], k[2]) in wrong) ? "WRONG" : "right"
			if (k[2] ~ /^sov/ && base) v = v (base / t >= target[k[1]] ? ", at least " : ", BELOW ") target[k[1]]
			printf "%-5s %-18s %12.2f %9.1f %8s %s\n", k[1], k[2], t, 2 * size ^ 3 / t / 1e6, ratio, v
		}
	}' "$work/rows"
[ ! -s "$work/failed" ] || { sed 's/^/FAILED /' "$work/failed"; exit 1; }
