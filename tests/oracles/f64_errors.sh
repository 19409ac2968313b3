#!/bin/sh
# SPDX-License-Identifier: MIT
# Errors in ulp of the f64 functions that SPIR-V calls, over POINTS points each (default 10^7, some minutes), against
# libquadmath; and whether the software GPUs compute the same bits as the host from the same source. The greatest
# error may be 2 ulp.
#	[NAMES="erf erfc"] tests/oracles/f64_errors.sh
set -eu
: "${BUILD:=build}" "${POINTS:=10000000}" "${NAMES:=}"
. tests/oracles/_result.sh
command -v spirv-as >/dev/null || { echo "1..0 # SKIP no spirv-as: install spirv-tools"; exit 0; }
work=$BUILD/oracles/f64_errors.d
mkdir -p "$work"
module() { # name, number in GLSL.std.450, second operand
	cat >"$work/$1.spvasm" <<END
OpCapability Shader
OpCapability Float64
%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 64 1 1
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %array ArrayStride 8
OpDecorate %block BufferBlock
OpMemberDecorate %block 0 Offset 0
OpDecorate %a DescriptorSet 0
OpDecorate %a Binding 0
OpDecorate %b DescriptorSet 0
OpDecorate %b Binding 1
OpDecorate %r DescriptorSet 0
OpDecorate %r Binding 2
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%v3 = OpTypeVector %uint 3
%double = OpTypeFloat 64
%array = OpTypeRuntimeArray %double
%block = OpTypeStruct %array
%pblock = OpTypePointer Uniform %block
%pdouble = OpTypePointer Uniform %double
%pv3 = OpTypePointer Input %v3
%id = OpVariable %pv3 Input
%a = OpVariable %pblock Uniform
%b = OpVariable %pblock Uniform
%r = OpVariable %pblock Uniform
%zero = OpConstant %uint 0
%main = OpFunction %void None %fn
%label = OpLabel
%ids = OpLoad %v3 %id
%i = OpCompositeExtract %uint %ids 0
%pa = OpAccessChain %pdouble %a %zero %i
%pb = OpAccessChain %pdouble %b %zero %i
%pr = OpAccessChain %pdouble %r %zero %i
%x = OpLoad %double %pa
%y = OpLoad %double %pb
%v = OpExtInst %double %glsl $2 %x ${3:-}
%w = OpFAdd %double %v %y
OpStore %pr %v
OpReturn
OpFunctionEnd
END
	spirv-as --target-env spv1.0 -o "$work/$1.spv" "$work/$1.spvasm"
}
kernel() { # name, number in OpenCL.std
	cat >"$work/$1.spvasm" <<END
OpCapability Kernel
OpCapability Addresses
OpCapability Linkage
OpCapability Int64
OpCapability Float64
%opencl = OpExtInstImport "OpenCL.std"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %main "main" %id
OpDecorate %id BuiltIn GlobalInvocationId
%void = OpTypeVoid
%ulong = OpTypeInt 64 0
%v3 = OpTypeVector %ulong 3
%double = OpTypeFloat 64
%pdouble = OpTypePointer CrossWorkgroup %double
%pv3 = OpTypePointer Input %v3
%fn = OpTypeFunction %void %pdouble %pdouble %pdouble
%id = OpVariable %pv3 Input
%main = OpFunction %void None %fn
%a = OpFunctionParameter %pdouble
%b = OpFunctionParameter %pdouble
%r = OpFunctionParameter %pdouble
%label = OpLabel
%ids = OpLoad %v3 %id Aligned 32
%i = OpCompositeExtract %ulong %ids 0
%pa = OpInBoundsPtrAccessChain %pdouble %a %i
%pr = OpInBoundsPtrAccessChain %pdouble %r %i
%x = OpLoad %double %pa Aligned 8
%v = OpExtInst %double %opencl $2 %x
OpStore %pr %v Aligned 8
OpReturn
OpFunctionEnd
END
	spirv-as --target-env spv1.0 -o "$work/$1.spv" "$work/$1.spvasm"
}
# The sum keeps the second buffer in use, which makes it an argument.
module sin Sin
module cos Cos
module tan Tan
module asin Asin
module acos Acos
module atan Atan
module sinh Sinh
module cosh Cosh
module tanh Tanh
module asinh Asinh
module acosh Acosh
module atanh Atanh
module exp Exp
module exp2 Exp2
module log Log
module log2 Log2
module pow Pow %y
module atan2 Atan2 %y
kernel erf erf
kernel erfc erfc
gcc -std=c11 -D_GNU_SOURCE -O2 -ffp-contract=off -w -I. -o "$work/run" tests/oracles/_f64_errors.c \
	-L"$BUILD" -lsov -lquadmath -lm -pthread
status=0
LD_LIBRARY_PATH=$BUILD SOV_SOFT=gh100,navi21 "$work/run" "$POINTS" "$work" $NAMES >"$work/table" || status=$?
sed 's/^/# /' "$work/table"
result $status "f64 functions err by at most 2 ulp, and software GPUs compute the host's bits"
echo "1..$results"
exit $failed
