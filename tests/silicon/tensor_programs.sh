#!/bin/sh
# SPDX-License-Identifier: MIT
# Tensor core programs of others on the first GPU under NVIDIA's driver, with NVIDIA's ptxas and with sov in its place.
# Nothing is fetched: FOLDER is a checkout that the person who runs this has made.
#	tests/silicon/tensor_programs.sh cutlass FOLDER [EXAMPLE.cu]...     needs nvcc; FOLDER: NVIDIA/cutlass
#	tests/silicon/tensor_programs.sh triton FOLDER [TUTORIAL.py]...     needs Triton and PyTorch; FOLDER: Triton's
#	                                                                    python/tutorials
#	tests/silicon/tensor_programs.sh inductor                           twenty kernels of torch.compile (inductor.py)
# Prints a row for each program: exit status and own checks with both, the best rate that it prints, and
# their ratio (of a tutorial, which prints many: the geometric mean of all); a verdict. The last line counts verdicts. Logs and programs stay in
# $OUT (a new folder in /tmp); a second run into it builds no program again.
# Environment: SOV (build/sov), NVCC (nvcc), PYTHON (python3), JOBS (as processors), LIMIT (150, seconds for a run),
# BUILD_ONLY=1 (compiles with both and runs nothing: needs no GPU).
set -eu
usage() { sed -n 's/^#	/usage: /p' "$0" >&2; exit 2; }
[ $# -ge 1 ] || usage
kind=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
: "${BUILD:=build}" "${NVCC:=nvcc}" "${PYTHON:=python3}" "${LIMIT:=150}" "${JOBS:=$(nproc)}"
: "${SOV:=$here/../../$BUILD/sov}" "${OUT:=$(mktemp -d /tmp/tensor_programs.XXXXXX)}"
SOV=$(realpath "$SOV")
PATH=$PATH:/usr/local/cuda/bin
[ -x "$SOV" ] || { echo "tensor_programs: '$SOV' is no program: run make, or set SOV" >&2; exit 2; }
mkdir -p "$OUT"
ln -sf "$SOV" "$OUT/ptxas" # called by this name, sov has ptxas's command line

# The greatest number before GFLOPS, TFLOPS or the like, or after it and a colon.
best_rate() { # log
	grep -oiE '([0-9.]+ *\(?[GT]FLOP[/A-Z]*)|([GT]FLOP[/A-Za-z]*\)?: *[0-9.]+)' "$1" 2>/dev/null |
		grep -oE '[0-9]+(\.[0-9]+)?' | sort -g | tail -n 1
}
checks() { # log: passed/failed by the program's own words
	good=$(grep -ciE 'passed|success|✅|correct result|match' "$1" 2>/dev/null || true)
	bad=$(grep -ciE 'failed|❌|mismatch|incorrect|error' "$1" 2>/dev/null || true)
	echo "${good:-0}/${bad:-0}"
}
# The geometric mean of sov's rates divided by ptxas's, of rows "rate WHAT VALUE" (tutorial.py).
mean_ratio() { # name
	grep -h '^rate ' "$OUT/$1.ptxas.log" 2>/dev/null | awk -v ours="$OUT/$1.sov.log" '
		BEGIN { while ((getline line <ours) > 0) if (split(line, w, " ") == 3 && w[1] == "rate") sov[w[2]] = w[3] }
		sov[$2] > 0 && $3 > 0 { sum += log(sov[$2] / $3); n++ }
		END { if (n) printf "%.3f", exp(sum / n) }'
}
row() { # name: from $OUT/NAME.{ptxas,sov}.{status,log}
	for with in ptxas sov; do
		eval "status_$with=\$(cat \"$OUT/$1.$with.status\" 2>/dev/null || echo none)"
		eval "checks_$with=\$(checks \"$OUT/$1.$with.log\")"
		eval "rate_$with=\$(best_rate \"$OUT/$1.$with.log\")"
	done
	verdict=same
	if [ "$status_sov" != "$status_ptxas" ] || [ "$checks_sov" != "$checks_ptxas" ]; then verdict=DIFFERENT; fi
	[ "$status_ptxas" = 0 ] || [ $verdict = DIFFERENT ] || verdict=fails-with-both
	case $status_sov in built) verdict=built ;; refused*) verdict=REFUSED ;; esac
	case $status_ptxas in refused*) verdict=not-built ;; esac
	ratio=$(awk -v a="${rate_sov:-}" -v b="${rate_ptxas:-}" 'BEGIN { if (a + 0 && b + 0) printf "%.3f", a / b; else print "-" }')
	mean=$(mean_ratio "$1")
	printf '%-44s %9s %9s %9s %9s %10s %10s %6s %s\n' "$1" "$status_ptxas" "$status_sov" "$checks_ptxas" "$checks_sov" \
		"${rate_ptxas:--}" "${rate_sov:--}" "${mean:-$ratio}" "$verdict"
}
table() { # names
	printf '%-44s %9s %9s %9s %9s %10s %10s %6s %s\n' program ptxas sov checks checks rate rate ratio verdict
	for name; do row "$name"; done | tee "$OUT/rows"
	awk -v out="$OUT" '{ n[$NF]++; if ($(NF - 1) != "-") { sum += log($(NF - 1)); rates++ } }
		END { printf "tensor_programs:"; for (v in n) printf " %d %s", n[v], v
		      if (rates) printf "; rate by sov / by ptxas: geometric mean %.3f of %d", exp(sum / rates), rates
		      print "; logs in " out }' "$OUT/rows"
	! grep -qE 'DIFFERENT|REFUSED' "$OUT/rows"
}
run_one() { # name, with, command...
	name=$1 with=$2
	shift 2
	status=0
	timeout "$LIMIT" "$@" >"$OUT/$name.$with.log" 2>&1 </dev/null || status=$?
	echo $status >"$OUT/$name.$with.status"
}

# Compiles one source; a script of its own for xargs.
write_builder() {
	cat >"$OUT/build.sh" <<'BUILDER'
name=$(basename "$2" .cu)
[ ! -x "$OUT/$name.$1" ] || exit 0 # of an earlier run
prefix=
[ "$1" = ptxas ] || prefix=--ptxas-prefix=$SOV
if timeout 900 "$NVCC" $prefix -arch=sm_90a -std=c++17 -O3 -w --expt-relaxed-constexpr --expt-extended-lambda -DNDEBUG \
	-DCUTLASS_ARCH_MMA_SM90_SUPPORTED=1 -I"$FOLDER/include" -I"$FOLDER/tools/util/include" \
	-I"$FOLDER/examples/common" -o "$OUT/$name.$1" "$2" -lcuda >"$OUT/$name.$1.build" 2>&1; then
	echo built >"$OUT/$name.$1.status"
else
	echo refused >"$OUT/$name.$1.status"
	cp "$OUT/$name.$1.build" "$OUT/$name.$1.log"
fi
BUILDER
}

case $kind in
cutlass)
	[ $# -ge 1 ] && [ -d "$1/include/cutlass" ] || usage
	FOLDER=$(realpath "$1")
	shift
	export FOLDER SOV NVCC OUT
	if [ $# = 0 ]; then
		set -- 00_basic_gemm/basic_gemm 14_ampere_tf32_tensorop_gemm/ampere_tf32_tensorop_gemm \
			15_ampere_sparse_tensorop_gemm/ampere_sparse_tensorop_gemm 24_gemm_grouped/gemm_grouped \
			27_ampere_3xtf32_fast_accurate_tensorop_gemm/27_ampere_3xtf32_fast_accurate_tensorop_gemm \
			36_gather_scatter_fusion/gather_scatter_fusion 47_ampere_gemm_universal_streamk/ampere_gemm_universal_streamk \
			48_hopper_warp_specialized_gemm/48_hopper_warp_specialized_gemm \
			49_hopper_gemm_with_collective_builder/49_collective_builder \
			50_hopper_gemm_with_epilogue_swizzle/50_hopper_gemm_with_epilogue_swizzle \
			54_hopper_fp8_warp_specialized_gemm/54_hopper_fp8_warp_specialized_gemm \
			55_hopper_mixed_dtype_gemm/55_hopper_int4_bf16_gemm 57_hopper_grouped_gemm/57_hopper_grouped_gemm \
			62_hopper_sparse_gemm/62_hopper_sparse_gemm cute/tutorial/sgemm_sm80 \
			cute/tutorial/hopper/wgmma_sm90 cute/tutorial/hopper/wgmma_tma_sm90
		for example; do shift; set -- "$@" "$FOLDER/examples/$example.cu"; done
	fi
	names=
	for file; do
		if [ -e "$file" ]; then names="$names $(basename "$file" .cu)"; else echo "# no $file" >&2; fi
	done
	write_builder
	for file; do
		[ ! -e "$file" ] || printf 'ptxas %s\nsov %s\n' "$file" "$file"
	done | xargs -P "$JOBS" -L 1 sh "$OUT/build.sh"
	if [ -z "${BUILD_ONLY:-}" ]; then
		for name in $names; do
			for with in ptxas sov; do
				[ ! -x "$OUT/$name.$with" ] || run_one "$name" $with "$OUT/$name.$with"
			done
		done
	fi
	# shellcheck disable=SC2086 # a list of names
	table $names
	;;
triton)
	[ $# -ge 1 ] && [ -d "$1" ] || usage
	folder=$1
	shift
	if [ $# = 0 ]; then
		for tutorial in "$folder"/0[1-689]-*.py; do set -- "$@" "$tutorial"; done
	fi
	names=
	for file; do
		name=$(basename "$file" .py)
		names="$names $name"
		mkdir -p "$OUT/cache.ptxas" "$OUT/cache.sov"
		MPLBACKEND=Agg TRITON_CACHE_DIR=$OUT/cache.ptxas run_one "$name" ptxas "$PYTHON" "$here/tutorial.py" "$file"
		MPLBACKEND=Agg TRITON_CACHE_DIR=$OUT/cache.sov TRITON_PTXAS_PATH=$OUT/ptxas run_one "$name" sov "$PYTHON" \
			"$here/tutorial.py" "$file"
	done
	# shellcheck disable=SC2086
	table $names
	;;
inductor)
	TRITON_CACHE_DIR=$OUT/cache.ptxas TORCHINDUCTOR_CACHE_DIR=$OUT/inductor.ptxas \
		run_one inductor ptxas "$PYTHON" "$here/inductor.py"
	TRITON_CACHE_DIR=$OUT/cache.sov TORCHINDUCTOR_CACHE_DIR=$OUT/inductor.sov TRITON_PTXAS_PATH=$OUT/ptxas \
		run_one inductor sov "$PYTHON" "$here/inductor.py"
	# Rows "NAME: passed, MAXIMUM error, TIME us" of both, side by side.
	paste "$OUT/inductor.ptxas.log" "$OUT/inductor.sov.log" | head -n 60
	table inductor
	;;
*) usage ;;
esac
