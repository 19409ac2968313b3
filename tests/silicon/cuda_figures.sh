#!/bin/sh
# SPDX-License-Identifier: MIT
# Compares the CUDA libraries of this project with NVIDIA's on the first GPU, with the same binaries:
# the figures of cuda_figures.cu, then the time of whole programs. Ours go through NVIDIA's kernel
# module with no library of NVIDIA's, which /proc/self/maps shows. Takes four minutes after the build.
#   usage: tests/silicon/cuda_figures.sh [--small] [--built DIR] [--budget SECONDS] [--all SECONDS]
# DIR has public programs that were built with the shared runtime, such as OUT/build-ptxas of
# programs/run.py --build-only with "-cudart shared" in NVCC_APPEND_FLAGS; they run until SECONDS (110)
# are over. With --all they run for these seconds once more, with our libraries alone and one on each
# core, which counts how many are right. --small is for a software GPU: few samples, small copies.
# environment: FIGURES: cuda_figures as nvcc made it elsewhere, else NVCC (nvcc) and ARCH (sm_90) make it;
#   BUILD (build: its libraries are built if they are missing);
#   NVIDIA_LIBRARIES: folders of NVIDIA's libcudart.so.13 and libcuda.so.1, if the loader does not find them
# Ends with a table and "cuda_figures: PASS" or "FAIL"; exit status 0: every result is right, each
# program that is right with NVIDIA's libraries is right with ours, and ours loaded no library of NVIDIA's.
set -eu
cd "$(dirname "$0")/../.."
small= built= budget=110 all= rounds=3 limit=30
while [ $# -gt 0 ]; do
	case $1 in
	--small) small=--small ;;
	--built) built=${2:?--built needs a folder} && shift ;;
	--budget) budget=${2:?--budget needs seconds} && shift ;;
	--all) all=${2:?--all needs seconds} && shift ;;
	*) sed -n '/usage:/s/^# *//p' "$0" >&2; exit 2 ;;
	esac
	shift
done
[ -z "$built" ] || [ -d "$built" ] || { echo "cuda_figures: there is no folder $built" >&2; exit 2; }
[ -n "$small" ] || export SOV_KERNEL_TIME_LIMIT="${SOV_KERNEL_TIME_LIMIT:-60s}" # a kernel has no limit on a GPU otherwise
[ -z "$small" ] || { rounds=1 limit=4; }
BUILD=${BUILD:-build}
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
verdict=PASS

libraries="$BUILD/cuda/libcuda.so.1 $BUILD/cuda/libcudart.so.12 $BUILD/cuda/libcudart.so.13"
# shellcheck disable=SC2086 # a list of files
timeout 500 make -s -j"$(nproc)" BUILD="$BUILD" $libraries >"$work/log" 2>&1 || { tail -n 20 "$work/log"; exit 1; }
if [ -n "${FIGURES:-}" ]; then
	cp "$FIGURES" "$work/cuda_figures"
else
	timeout 120 "$nvcc" -O2 -std=c++17 -cudart shared -arch="${ARCH:-sm_90}" -o "$work/cuda_figures" \
		tests/silicon/cuda_figures.cu
fi
cc -O2 -shared -fPIC -o "$work/mappings.so" tests/silicon/mappings.c

ours=$(realpath "$BUILD/cuda"):$(realpath "$BUILD")
toolkit=$(dirname "$(dirname "$(realpath -m "$nvcc")")")/lib64
theirs=${NVIDIA_LIBRARIES:-}${NVIDIA_LIBRARIES:+:}${LD_LIBRARY_PATH:-}${LD_LIBRARY_PATH:+:}$toolkit

# Runs cuda_figures with libraries: side, their folders.
measure()
{
	LD_LIBRARY_PATH=$2 timeout -k 5 60 "$work/cuda_figures" $small >"$work/out" 2>"$work/error" || {
		cat "$work/error" >&2
		return 1
	}
	sed -n 's/^figure //p' "$work/out" >>"$work/$1.figures"
	grep -v '^figure ' "$work/out" >"$work/$1.facts"
}

nvidia=1
LD_LIBRARY_PATH=$theirs timeout -k 5 60 "$work/cuda_figures" --first >/dev/null 2>"$work/error" || {
	nvidia=
	echo "NVIDIA's libraries do not run here: $(head -n 1 "$work/error")"
}
for _ in $(seq $rounds); do
	[ -z "$nvidia" ] || measure nvidia "$theirs" || verdict=FAIL
	measure sovgpu "$ours" || verdict=FAIL
done

# The libraries of each side lie where they belong.
for side in nvidia sovgpu; do
	[ -e "$work/$side.facts" ] || continue
	sed "s/^/$side: /" "$work/$side.facts"
	grep '^map ' "$work/$side.facts" | grep -c "^map $(realpath "$BUILD")/" >"$work/count" || true
	case $side:$(cat "$work/count"):$(grep -c '^map ' "$work/$side.facts") in
	nvidia:0:* | sovgpu:3:3) ;;
	*) echo "WRONG $side: libraries of the other side" && verdict=FAIL ;;
	esac
done
if [ -z "$small" ] && ! grep -qs '^open /dev/nvidia' "$work/sovgpu.facts"; then
	echo "WRONG sovgpu: it did not use NVIDIA's kernel module" && verdict=FAIL
fi

if [ -n "$built" ]; then
	command -v python3 >/dev/null || { echo "cuda_figures: --built needs python3" >&2; exit 2; }
	# shellcheck disable=SC2086 # options
	timeout -k 5 $((budget + 120)) python3 tests/silicon/programs/cuda_libraries.py --built --sources "$built" \
		--out "$built" --libraries "$BUILD/cuda" --limit 8 --budget "$budget" --mappings "$work/mappings.so" \
		${nvidia:+--beside "$theirs"} $small >"$work/programs" || verdict=FAIL
	cat "$work/programs"
fi
if [ -n "$built" ] && [ -n "$all" ]; then
	# shellcheck disable=SC2086 # an option
	timeout -k 5 $((all + 60)) python3 tests/silicon/programs/cuda_libraries.py --built --sources "$built" \
		--out "$built" --libraries "$BUILD/cuda" --limit "$limit" --budget "$all" --jobs "$(nproc)" \
		--mappings "$work/mappings.so" $small >"$work/all" || verdict=FAIL
	cat "$work/all"
fi

echo
echo "| medians, best of $rounds rounds, µs | NVIDIA | sovgpu | sovgpu / NVIDIA | wanted |"
echo "| --- | --- | --- | --- | --- |"
touch "$work/nvidia.figures" "$work/sovgpu.figures"
awk '
	FILENAME ~ /nvidia/ { if (!($1 in n) || $2 < n[$1]) n[$1] = $2; next }
	{ if (!($1 in s)) order[++count] = $1; if (!($1 in s) || $2 < s[$1]) s[$1] = $2 }
	function wanted(name) {
		return name ~ /^process/ ? 0.2 : name ~ /^launch/ ? 0.6 : name ~ /^issue/ ? 0.25 : name ~ /^cudaMalloc/ ? 0.1 : 1.0
	}
	END {
		for (i = 1; i <= count; i++) {
			name = order[i]
			words = name
			gsub(/-/, " ", words)
			printf "| %s | %s | %.2f | %s | %.2f |\n", words, name in n ? sprintf("%.2f", n[name]) : "-", s[name],
				name in n ? sprintf("%.2f", s[name] / n[name]) : "-", wanted(name)
		}
	}' "$work/nvidia.figures" "$work/sovgpu.figures"
[ ! -e "$work/programs" ] || sed -n 's/^whole programs: \(.*\)/| whole programs: \1 | 0.90 |/p' "$work/programs"
echo "cuda_figures: $verdict"
[ $verdict = PASS ]
