// SPDX-License-Identifier: MIT
/*
 * What the front end refuses of OpenCL, cooperative matrices and samples, with the exact message:
 * the binaries of the shaders, with a word of one instruction changed.
 */
#include "tests/userspace/compiler/spirv/_shaders.h"
#include "libsov/compiler/spirv/front_end.h"
#include "libsov/compiler/spirv/opencl.h"
#include "libsov/compiler/spirv/spirv.h"

#define FIRST 5 /* word of the first instruction */

struct change {
	const char *shader;
	uint32_t opcode, operand, value; /* the first instruction in which operand word has value */
	uint32_t to;
	const char *message; /* part of it */
};

static const struct change changes[] = {
	{"opencl_functions32.cl", SPIRV_OP_EXT_INST, 4, OPENCL_SIN, OPENCL_PRINTF,
	 "OpExtInst: printf is not supported"},
	{"opencl_functions32.cl", SPIRV_OP_EXT_INST, 4, OPENCL_SIN, 500,
	 "OpExtInst: unknown function 500 of OpenCL.std"},
	{"opencl_functions32.cl", SPIRV_OP_EXT_INST, 4, OPENCL_SIN, OPENCL_FMOD,
	 "OpExtInst: fmod of OpenCL.std has 1 operands, not 2"},
	{"opencl_functions32.cl", SPIRV_OP_EXT_INST, 4, OPENCL_SIN, OPENCL_CLZ,
	 "OpExtInst: operand 0 has another type than the result"},
	{"opencl_integers.cl", SPIRV_OP_EXT_INST, 4, OPENCL_CLZ, OPENCL_SIN,
	 "OpExtInst: sin of OpenCL.std has not this type"},
	{"opencl_pairs32.cl", SPIRV_OP_EXT_INST, 4, OPENCL_POW, OPENCL_SINCOS, "is no pointer"},
	{"opencl_memory.cl", SPIRV_OP_EXT_INST, 4, OPENCL_VSTORE_HALFN, OPENCL_VLOADN,
	 "OpExtInst: a value cannot have the type %"},
	{"opencl_memory.cl", SPIRV_OP_CAPABILITY, 1, 4, 13,
	 "OpCapability: capability ImageBasic is not supported"},
	{"opencl_memory.cl", SPIRV_OP_MEMORY_MODEL, 1, 2, 1,
	 "OpMemoryModel: kernels need the addressing model Physical64, not number 1"},
	/* %8 is 3, Subgroup; %9 and %10 are 16, %11 is 0, %43 2 */
	{"cooperative_f16.comp", SPIRV_OP_TYPE_COOPERATIVE_MATRIX_KHR, 3, 8, 9,
	 "a cooperative matrix of scope 16; known: Subgroup"},
	{"cooperative_f16.comp", SPIRV_OP_TYPE_COOPERATIVE_MATRIX_KHR, 4, 9, 11,
	 "the number of rows of a cooperative matrix is 0"},
	{"cooperative_f16.comp", SPIRV_OP_TYPE_COOPERATIVE_MATRIX_KHR, 4, 9, 8,
	 "a cooperative matrix of 3 x 16 elements of 16 bits for use 0; known: A of 16 rows"},
	{"cooperative_f16.comp", SPIRV_OP_TYPE_COOPERATIVE_MATRIX_KHR, 6, 11, 9,
	 "a cooperative matrix has use 16"},
	{"cooperative_f16.comp", SPIRV_OP_COOPERATIVE_MATRIX_LOAD_KHR, 4, 20, 43,
	 "a matrix in memory has layout 2; known: RowMajor, ColumnMajor"},
	{"cooperative_f16.comp", SPIRV_OP_COOPERATIVE_MATRIX_MUL_ADD_KHR, 3, 56, 57,
	 "an operand or the result has another use"},
	{"sampled_samples.comp", SPIRV_OP_IMAGE_QUERY_SAMPLES, 0, 0,
	 4 << 16 | SPIRV_OP_IMAGE_QUERY_LEVELS,
	 "an image with several samples is read by OpImageFetch alone"},
	/* R64ui becomes R32ui, of which a pointer to 64 bits was made. */
	{"storage_64.comp", SPIRV_OP_TYPE_IMAGE, 8, 40, 33,
	 "OpImageTexelPointer: the format 33 of the image has no texels of 64 bits"},
};

/* Changes the first instruction that fits; a value of 0 fits every one. */
static bool apply(const struct change *c, uint32_t *words, size_t count)
{
	for (size_t at = FIRST; at < count && words[at] >> 16; at += words[at] >> 16) {
		if ((words[at] & 0xffff) != c->opcode || c->operand >= words[at] >> 16 ||
		    (c->value && words[at + c->operand] != c->value))
			continue;
		words[at + c->operand] = c->to;
		return true;
	}
	return false;
}

static void check_change(const struct change *c)
{
	struct compile_job job = {.target = target_find("sm_90"), .options.verify = true};
	size_t length;
	char *binary = shader_binary(c->shader, &length);
	struct ir_module *m;
	bool found = apply(c, (uint32_t *)binary, length / 4), parsed;

	arena_init(&job.arena, 0, NULL);
	diag_init(&job.diag, &job.arena, "test");
	parsed = spirv_parse(&job, binary, length, &m);
	if (!ok(found && !parsed && strstr(job.diag.text, c->message),
		"%s with word %u of opcode %u changed to %u is refused: %s", c->shader, c->operand,
		c->opcode, c->to, c->message))
		diag("%s: %s", found ? "changed" : "no such instruction",
		     job.diag.text ? job.diag.text : "no message");
	arena_free(&job.arena);
	free(binary);
}

int main(void)
{
	for (size_t k = 0; k < sizeof(changes) / sizeof(changes[0]); k++)
		check_change(&changes[k]);
	return tap_done();
}
