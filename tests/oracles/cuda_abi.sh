# SPDX-License-Identifier: MIT
# Compares the sizes, offsets and values of libsov/cuda with those of the CUDA toolkit's headers, and
# the exported names with the toolkit's libraries. Needs nvcc's folder in CUDA_HOME (/usr/local/cuda).
. tests/oracles/_result.sh
home=${CUDA_HOME:-/usr/local/cuda}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ ! -e "$home/include/cuda.h" ]; then
	result 1 "the CUDA toolkit is in $home (set CUDA_HOME)"
	echo "1..$results"
	exit 1
fi

# STRUCTURE MEMBER... per line; names are equal on both sides.
cat >"$work/structures" <<'END'
CUDA_MEMCPY2D srcXInBytes srcMemoryType srcHost srcDevice srcArray srcPitch dstXInBytes dstY dstHost dstPitch Height
CUDA_MEMCPY3D srcLOD srcMemoryType srcHost srcArray reserved0 srcPitch srcHeight dstXInBytes dstLOD dstArray dstPitch dstHeight Depth
CUDA_ARRAY_DESCRIPTOR Width Height Format NumChannels
CUDA_ARRAY3D_DESCRIPTOR Width Height Depth Format NumChannels Flags
CUDA_RESOURCE_DESC resType res.linear.devPtr res.linear.format res.linear.sizeInBytes res.pitch2D.width res.pitch2D.pitchInBytes flags
CUDA_TEXTURE_DESC addressMode filterMode flags maxAnisotropy mipmapFilterMode mipmapLevelBias borderColor reserved
CUtensorMap
CUstreamBatchMemOpParams operation
CUlaunchAttribute id value
CUlaunchConfig gridDimX blockDimZ sharedMemBytes hStream attrs numAttrs
CUmemLocation type id
CUmemAccessDesc location flags
CUmemPoolProps allocType handleTypes location win32SecurityAttributes maxSize usage reserved
CUmemAllocationProp type requestedHandleTypes location win32HandleMetaData allocFlags
CUDA_KERNEL_NODE_PARAMS func gridDimX blockDimX sharedMemBytes kernelParams extra kern ctx
CUDA_MEMSET_NODE_PARAMS dst pitch value elementSize width height
CUDA_HOST_NODE_PARAMS fn userData
CUDA_MEM_ALLOC_NODE_PARAMS poolProps accessDescs accessDescCount bytesize dptr
CUDA_CONDITIONAL_NODE_PARAMS handle type size phGraph_out ctx
CUgraphNodeParams type kernel memcpy.copyCtx memcpy.copyParams memset host graph alloc conditional reserved2
CUgraphEdgeData from_port to_port type reserved
CUgraphExecUpdateResultInfo result errorNode errorFromNode
CUDA_GRAPH_INSTANTIATE_PARAMS flags hUploadStream hErrNode_out result_out
END
# The runtime's own structures: NVIDIA's name, ours.
members=$(sed -n 's/^\t[MNEW]*([a-z_]*, \([a-zA-Z0-9]*\), .*/\1/p' libsov/cuda/runtime/device_properties.h)
{
	printf '#include <stdio.h>\n#include <stddef.h>\n'
	printf '#ifdef OWN\n#include "libsov/cuda/abi.h"\n#include "libsov/cuda/runtime/device_properties.h"\n'
	printf '#define MEMBER(type, name, count, a, b, c) type name[count];\n#define NONE(type, name, count, a, b, c)\n'
	printf 'struct cudaDeviceProp { DEVICE_PROPERTIES(MEMBER, NONE, MEMBER) };\n'
	printf '#define cudaDeviceProp struct cudaDeviceProp\n'
	printf '#else\n#include <cuda.h>\n#include <cuda_runtime_api.h>\n#endif\n'
	printf '#define P(s, m) printf("%%s.%%s %%zu\\n", #s, #m, offsetof(s, m));\n#define S(s) printf("%%s %%zu\\n", #s, sizeof(s));\nint main(void)\n{\n'
	while read -r name list; do
		echo "S($name)"
		for m in $list; do echo "P($name, $m)"; done
	done <"$work/structures"
	echo "S(cudaDeviceProp)"
	for m in $members; do echo "P(cudaDeviceProp, $m)"; done
	printf 'return 0;\n}\n'
} >"$work/layout.c"
g++ -x c++ -I"$home/include" "$work/layout.c" -o "$work/theirs" && "$work/theirs" >"$work/theirs.out"
result $? "a program prints the layouts of the toolkit's headers"
cc -I. -DOWN "$work/layout.c" -o "$work/ours" && "$work/ours" >"$work/ours.out"
result $? "a program prints the layouts of libsov/cuda"
diff "$work/theirs.out" "$work/ours.out" | sed 's/^/# /'
cmp -s "$work/theirs.out" "$work/ours.out"
result $? "$(wc -l <"$work/ours.out") sizes and offsets are the toolkit's"

# Values of errors, and the runtime's names for them.
sed -n 's/^\tE(\(ERROR_[A-Z_0-9]*\), *\(cudaError[A-Za-z]*\), *\([0-9]*\),.*/\1 \2 \3/p' libsov/cuda/abi.h >"$work/errors"
{
	printf '#include <cuda.h>\n#include <cuda_runtime_api.h>\n'
	while read -r driver runtime value; do
		case $driver in ERROR_RT_*) ;; *) echo "static_assert(CUDA_$driver == $value, \"\");" ;; esac
		echo "static_assert((int)$runtime == $value, \"\");"
	done <"$work/errors"
} >"$work/errors.cc"
g++ -std=c++17 -fsyntax-only -I"$home/include" "$work/errors.cc" 2>"$work/log"
result $? "$(wc -l <"$work/errors") errors have the toolkit's values"
sed 's/^/# /' "$work/log" | head -20

exports() {
	nm -D --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort -u
}
exports "$home/lib64/stubs/libcuda.so" >"$work/theirs"
exports "$BUILD/cuda/libcuda.so.1" >"$work/ours"
missing=$(comm -23 "$work/theirs" "$work/ours" | paste -sd' ')
[ -z "$missing" ]
result $? "libcuda.so.1 exports each name of the toolkit's${missing:+; missing: $missing}"
exports "$home/lib64/libcudart.so.13" >"$work/theirs"
exports "$BUILD/cuda/libcudart.so.13" >"$work/ours"
missing=$(comm -23 "$work/theirs" "$work/ours" | paste -sd' ')
[ -z "$missing" ]
result $? "libcudart.so.13 exports each name of the toolkit's${missing:+; missing: $missing}"
echo "1..$results"
