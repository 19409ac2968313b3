#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs ptxas's code of the one-instruction tests for sm_90a, and of matrix products for sm_70, on the
# software GPUs, in normal and in hazard mode, and expects the results of the files: they come from
# neither compiler. The files that ptxas refuses, because their PTX is newer than it, are counted.
#   usage: tests/oracles/instructions.sh [NAME-PATTERN]
set -eu
: "${BUILD:=build}"
tests=tests/userspace/compiler/ptx/instructions
work=$BUILD/oracles/instructions-cubins
rm -rf "$work"
mkdir -p "$work"
command -v ptxas >/dev/null || { echo "1..0"; echo "no ptxas in PATH: run make check-oracles"; exit 1; }

# Tests whose results ptxas's code does not give on our software GPU, and why.
known() { # VERSION-NAME
	case $1 in
	*-cluster_of_one) echo "reads %nclusterid from bank 0, which the runtime fills in launches with clusters only" ;;
	*-constant_division) echo "ptxas folds the remainder of the smallest integer by -1 to that integer" ;;
	*-cvt_f32_bf16_nan) echo "cvt.ftz is a float operation in ptxas's code, which makes NaNs canonical" ;;
	*-initial_address_parts) echo "the loader does not know relocations of single bytes (kind 91 and following)" ;;
	*-param_address) echo "ptxas takes every generic address in isspacep.param as one of a parameter" ;;
	*-red_v8 | *-red_vector) echo "atomics of vectors of more than two halves are not modelled" ;;
	*-tex_sampler) echo "ptxas's code takes a sampler's handle for its number; ours have the number above bit 20" ;;
	*-wide_variables) echo "ptxas drops the 128-bit result of the call" ;;
	13.0-alloca | 13.0-stackrestore) echo "ptxas 13.0 states no stack for alloca in a kernel without calls" ;;
	13.0-mma_sparse_s4_u4_k64) echo "reuse flag 3, which the table does not describe" ;;
	*) return 1 ;;
	esac
}

for ptxas in ptxas /usr/local/cuda/bin/ptxas; do
	command -v "$ptxas" >/dev/null || continue
	version=$("$ptxas" --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p')
	refused=0 ptx=8.4 # the newest that 12.4 knows
	[ "${version%%.*}" -lt 13 ] || ptx=8.8
	for file in "$tests"/${1:-*}.ptx; do
		name=$(basename "$file" .ptx)
		if reason=$(known "$version-$name"); then
			echo "# not run: $name by ptxas $version: $reason"
			continue
		fi
		sed -e 's/^\.target sm_[0-9a-z]*/.target sm_90a/' -e "s/^\.version .*/.version $ptx/" \
			"$file" >"$work/$name.ptx"
		"$ptxas" -arch=sm_90a "$work/$name.ptx" -o "$work/$version-sm_90-$name.cubin" \
			>"$work/messages" 2>&1 || refused=$((refused + 1))
	done
	echo "# count $refused files refused by ptxas $version"
done
# Volta's product of matrices, HMMA.884; PTX up to 6.4 needs no form of load that Volta lacks.
for file in "$tests"/mma_quads_*.ptx "$tests"/wmma_f16_*.ptx "$tests"/wmma_shared_f16.ptx; do
	name=$(basename "$file" .ptx)
	case $name in ${1:-*}) ;; *) continue ;; esac
	sed -e 's/^\.target sm_[0-9a-z]*/.target sm_70/' -e 's/^\.version .*/.version 6.4/' "$file" >"$work/$name.ptx"
	ptxas -arch=sm_70 "$work/$name.ptx" -o "$work/12.4-sm_70-$name.cubin" 2>"$work/messages"
done
echo "# count $(find "$work" -name '*.cubin' | wc -l) cubins compiled by ptxas"
"$BUILD/oracles/instructions" "$tests" "$work"/*.cubin
