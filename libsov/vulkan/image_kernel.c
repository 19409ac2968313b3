// SPDX-License-Identifier: MIT
/*
 * The kernels that copy and fill texels, for vkCmdCopyBufferToImage and its kin: one for each size
 * of a texel. A thread has one texel. Either side is an image or a buffer, which differ by where
 * texels lie; layout 1 is NVIDIA's blocks of 64 bytes and 8 rows (sov_image).
 */
#include <stdio.h>
#include <stdlib.h>
#include "libsov/vulkan/driver.h"

#define SOURCE_BYTES 65536

/* The address of the thread's texel on a side, which begins at this offset of the parameters. */
#define PLACE(to, at, shift) \
	"ld.param.u64 %base, [p+" #at "];\n" \
	"ld.param.u64 %slice, [p+" #at "+8];\n" \
	"ld.param.u32 %row, [p+" #at "+16];\n" \
	"ld.param.u32 %layout, [p+" #at "+20];\n" \
	"ld.param.u32 %bx, [p+" #at "+24];\n" \
	"ld.param.u32 %by, [p+" #at "+28];\n" \
	"ld.param.u32 %bz, [p+" #at "+32];\n" \
	"shl.b32 %t, %x, " shift ";\n" \
	"add.u32 %bx, %bx, %t;\n" \
	"add.u32 %by, %by, %y;\n" \
	"add.u32 %bz, %bz, %z;\n" \
	"cvt.u64.u32 %wide, %bz;\n" \
	"mad.lo.u64 %base, %wide, %slice, %base;\n" \
	"setp.ne.u32 %blocks, %layout, 0;\n" \
	"and.b32 %t, %by, 0xfffffff8;\n" \
	"selp.b32 %t, %t, %by, %blocks;\n" \
	"mul.wide.u32 %wide, %t, %row;\n" \
	"add.u64 %base, %base, %wide;\n" \
	"shr.u32 %t, %bx, 6;\n" \
	"shl.b32 %in, %t, 9;\n" BITS("%bx", 15, 0, 0) BITS("%by", 3, 0, 4) BITS("%bx", 1, 4, 6) \
		BITS("%by", 1, 2, 7) BITS("%bx", 1, 5, 8) "selp.b32 %in, %in, %bx, %blocks;\n" \
							  "cvt.u64.u32 %wide, %in;\n" \
							  "add.u64 " to ", %base, %wide;\n"
#define BITS(of, mask, from, position) \
	"shr.u32 %t, " of ", " #from ";\n" \
	"and.b32 %t, %t, " #mask ";\n" \
	"shl.b32 %t, %t, " #position ";\n" \
	"add.u32 %in, %in, %t;\n"

#define BEGIN(name) \
	".visible .entry " name "(.param .align 16 .b8 p[112])\n{\n" \
	".reg .pred %end, %blocks;\n" \
	".reg .b16 %h<1>;\n" \
	".reg .b32 %x, %y, %z, %t, %in, %row, %layout, %bx, %by, %bz, %width, %v<4>;\n" \
	".reg .b64 %base, %slice, %wide, %to, %from;\n" \
	"mov.u32 %x, %ctaid.x;\n" \
	"mov.u32 %t, %ntid.x;\n" \
	"mov.u32 %y, %tid.x;\n" \
	"mad.lo.u32 %x, %x, %t, %y;\n" \
	"mov.u32 %y, %ctaid.y;\n" \
	"mov.u32 %z, %ctaid.z;\n" \
	"ld.param.u32 %width, [p+80];\n" \
	"setp.ge.u32 %end, %x, %width;\n" \
	"@%end ret;\n"

#define COPY(name, shift, type, registers) \
	BEGIN("copy" name) \
	PLACE("%from", 40, shift) \
	PLACE("%to", 0, shift) \
	"ld.global" type " " registers ", [%from];\n" \
	"st.global" type " [%to], " registers ";\n" \
	"ret;\n}\n"
#define FILL(name, shift, type, vector, registers) \
	BEGIN("fill" name) \
	PLACE("%to", 0, shift) \
	"ld.param" vector " " registers ", [p+96];\n" \
	"st.global" type " [%to], " registers ";\n" \
	"ret;\n}\n"
#define SIZE(name, shift, type, registers) \
	COPY(name, shift, type, registers) FILL(name, shift, type, type, registers)

static const char header[] = ".version 7.0\n.target sm_70\n.address_size 64\n";
static const char *const sources[TEXEL_SIZES] = {
	SIZE("0", "0", ".u8", "%h0"),
	SIZE("1", "1", ".u16", "%h0"),
	SIZE("2", "2", ".u32", "%v0"),
	SIZE("3", "3", ".v2.u32", "{%v0,%v1}"),
	SIZE("4", "4", ".v4.u32", "{%v0,%v1,%v2,%v3}"),
};

static VkResult kernels_find(struct image_kernels *k)
{
	sov_result r = SOV_OK;
	char name[8];
	uint32_t i;

	for (i = 0; i < TEXEL_SIZES && !r; i++) {
		snprintf(name, sizeof(name), "copy%u", i);
		r = sov_module_get_function(k->module, name, &k->copy[i]);
		snprintf(name, sizeof(name), "fill%u", i);
		if (!r)
			r = sov_module_get_function(k->module, name, &k->fill[i]);
	}
	return result_of(r);
}

VkResult image_kernels_load(VkDevice d)
{
	struct image_kernels *k = &d->image_kernels;
	char *text;
	size_t used;
	uint32_t i;
	VkResult r;

	if (k->module)
		return VK_SUCCESS;
	text = malloc(SOURCE_BYTES);
	if (!text)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	used = (size_t)snprintf(text, SOURCE_BYTES, "%s", header);
	for (i = 0; i < TEXEL_SIZES && used < SOURCE_BYTES; i++)
		used += (size_t)snprintf(text + used, SOURCE_BYTES - used, "%s", sources[i]);
	r = result_of(sov_module_load(d->context, text, used, NULL, &k->module));
	free(text);
	return r ? r : kernels_find(k);
}

void image_kernels_unload(VkDevice d)
{
	if (d->image_kernels.module)
		sov_module_unload(d->image_kernels.module);
}
