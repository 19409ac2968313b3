#!/bin/sh
# SPDX-License-Identifier: MIT
# sov ptxas in the place of NVIDIA's: the statistics have the same lines, nvcc builds with it, and
# nvlink and sov link link its objects with those of ptxas 12.4 and 13.0. The linked programs run on the software
# GPUs; every combination must give the same results.
set -u
: "${BUILD:=build}"
. tests/oracles/_result.sh
ours=$(cd "$BUILD" && pwd)/ptxas
work=$BUILD/oracles/ptxas
cuda=/usr/local/cuda/bin
rm -rf "$work"
mkdir -p "$work"
for tool in ptxas "$cuda/ptxas" "$cuda/nvcc" "$cuda/nvlink"; do
	command -v "$tool" >/dev/null || { result 1 "$tool is installed"; echo "1..$results"; exit 1; }
done

# Numbers depend on the compiler; their places do not.
lines() {
	sed -e '/Compile time/d' -e 's/[0-9][0-9]* \(bytes\|registers\)/N \1/g' -e 's/, N bytes cumulative stack size//'
}
for kernel in saxpy reduce; do
	for sm in sm_80 sm_90; do
		"$cuda/ptxas" -v -arch=$sm tests/kernels/$kernel.ptx -o "$work/nv" 2>&1 | lines >"$work/nv.txt"
		"$ours" -v -arch=$sm tests/kernels/$kernel.ptx -o "$work/our" 2>&1 | lines >"$work/our.txt"
		[ -s "$work/nv.txt" ] && diff "$work/nv.txt" "$work/our.txt"
		result $? "ptxas -v prints the lines of ptxas 13.0 for $kernel and $sm"
	done
done

# nvcc: by prefix, and by a folder of links.
mkdir -p "$work/toolkit/bin"
for d in "$cuda"/../*; do
	[ "$(basename "$d")" = bin ] || ln -s "$(realpath "$d")" "$work/toolkit/$(basename "$d")"
done
ln -s "$cuda"/* "$work/toolkit/bin/"
ln -sf "$ours" "$work/toolkit/bin/ptxas"
echo '__global__ void whole(float *p, int n) { p[n] = sqrtf(p[n + threadIdx.x]); }' >"$work/whole.cu"
for options in "" "-G" "-lineinfo" "-maxrregcount 32" "-Xptxas -v,-O2,-dlcm=cg" "-rdc=true"; do
	flags="-arch=sm_90 $options -cubin $work/whole.cu -o"
	"$cuda/nvcc" --ptxas-prefix="${ours%/ptxas}/sov" $flags "$work/prefix" >"$work/messages" 2>&1 &&
		"$work/toolkit/bin/nvcc" $flags "$work/links" >"$work/messages" 2>&1 && cmp "$work/prefix" "$work/links"
	result $? "nvcc $options runs sov in the place of ptxas, by prefix and by links"
done

# Objects: functions and kernel, each by each compiler.
run() { # TARGET CUBIN OUTPUT
	soft=gh100
	[ "$1" = sm_90 ] || soft=ga100
	SOV_SOFT=$soft "$BUILD/sov" run --block 32 --shared 128 "$2" "buf:s32:1024:out=$3" >"$work/messages" 2>&1
}
for sm in sm_80 sm_90; do
	for part in functions kernel; do
		"$cuda/nvcc" -arch=compute_80 -rdc=true -ptx tests/oracles/objects_$part.cu -o "$work/$part.ptx" 2>"$work/messages"
		sed 's/^\.version 9.*/.version 8.4/' "$work/$part.ptx" >"$work/$part-8.4.ptx"
		"$cuda/ptxas" -c -arch=$sm "$work/$part.ptx" -o "$work/$part-13.0.o"
		ptxas -c -arch=$sm "$work/$part-8.4.ptx" -o "$work/$part-12.4.o"
		"$ours" -c -arch=$sm "$work/$part.ptx" -o "$work/$part-sov.o"
		"$ours" -c -O0 -arch=$sm "$work/$part.ptx" -o "$work/$part-sov-O0.o"
	done
	for functions in 13.0 12.4 sov sov-O0; do
		for kernel in 13.0 12.4 sov sov-O0; do
			"$cuda/nvlink" -arch=$sm "$work/functions-$functions.o" "$work/kernel-$kernel.o" -o "$work/linked" \
				2>"$work/messages" && run $sm "$work/linked" "$work/out" &&
				{ [ -e "$work/want" ] || cp "$work/out" "$work/want"; } && cmp "$work/out" "$work/want"
			result $? "$sm: nvlink links functions by $functions and a kernel by $kernel, and they run"
			"$BUILD/sov" link -o "$work/linked" "$work/functions-$functions.o" "$work/kernel-$kernel.o" \
				2>"$work/messages" && run $sm "$work/linked" "$work/out" && cmp "$work/out" "$work/want"
			result $? "$sm: sov link links functions by $functions and a kernel by $kernel, and they run"
		done
	done
done

# Source lines of objects in the linked program.
for part in functions kernel; do
	"$cuda/nvcc" -arch=sm_90 -rdc=true -lineinfo -ptx tests/oracles/objects_$part.cu -o "$work/$part.ptx" 2>"$work/messages"
	"$ours" -c -lineinfo -arch=sm_90 "$work/$part.ptx" -o "$work/$part.o"
done
"$cuda/nvlink" -arch=sm_90 "$work/functions.o" "$work/kernel.o" -o "$work/lines-nvlink" 2>"$work/messages"
"$BUILD/sov" link -o "$work/lines-sov" "$work/functions.o" "$work/kernel.o" 2>"$work/messages"
for by in nvlink sov; do
	nvdisasm -g -c "$work/lines-$by" >"$work/lines.txt" 2>"$work/messages" &&
		grep -q '## File ".*/objects_functions.cu", line' "$work/lines.txt" &&
		grep -q '## File ".*/objects_kernel.cu", line' "$work/lines.txt"
	result $? "nvdisasm prints the source lines of two objects that $by links"
done

# Kernels that launch kernels: nvlink makes the same of our object as of ptxas's.
launches() { # CUBIN: handles of kernels by symbol, and the kernels that the host may launch
	readelf -rW "$1" 2>/dev/null | sed -n 's/.*unrecognized: \(3[ef]\)  *0* \([A-Za-z0-9_]*\) .*/\1 \2/p' | sort -u
	readelf -sW "$1" 2>/dev/null | sed -n 's/.*<other>: 10\] *[0-9U]* *//p' | sort
}
"$cuda/nvcc" -arch=sm_90 -rdc=true -ptx tests/oracles/launches.cu -o "$work/launches.ptx" 2>"$work/messages"
"$cuda/ptxas" -c -arch=sm_90 "$work/launches.ptx" -o "$work/launches-nv.o"
"$ours" -c -arch=sm_90 "$work/launches.ptx" -o "$work/launches-sov.o"
for by in nv sov; do
	"$cuda/nvlink" -arch=sm_90 "$work/launches-$by.o" -L"$cuda/../lib64" -lcudadevrt -o "$work/launches-$by" 2>"$work/messages"
	result $? "nvlink links an object by $by that launches kernels with cudadevrt"
	launches "$work/launches-$by" >"$work/launches-$by.txt"
done
grep -q '^3e ' "$work/launches-nv.txt" && cmp "$work/launches-nv.txt" "$work/launches-sov.txt"
result $? "both have the same handles of kernels"
echo "# count $results checks of sov ptxas"
echo "1..$results"
exit $failed
