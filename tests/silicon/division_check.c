// SPDX-License-Identifier: MIT
/*
 * For which exponents does FCHK report that a division needs its slow path? Runs FCHK on pairs of
 * every two exponents, with several significands and signs, and compares with what the software GPU
 * assumes (model/nv/exec_float.c). Prints for each exponent of the divisor the exponents of the
 * dividend for which the check is false.
 *   usage: division_check        needs a Hopper GPU with NVIDIA's driver
 */
#include "tests/silicon/driver.h"
#include "tests/silicon/latency_pairs.h"

#define THREADS     256
#define EXPONENTS   256
#define PAIRS       (EXPONENTS * EXPONENTS)
#define FRACTIONS   8
#define DESCRIPTOR  0x208 /* of global memory */
#define PARAM_START 0x210

static const uint32_t fractions[FRACTIONS][2] = {
	{0, 0},
	{0, 0x7fffff},
	{0x7fffff, 0},
	{0x7fffff, 0x7fffff},
	{0x80000001, 0x000001},
	{0x400000, 0x80123456},
	{0x80555555, 0x802aaaaa},
	{1, 0x7ffffe},
};

static uint32_t pairs[PAIRS][2];
static uint8_t hard[EXPONENTS][EXPONENTS]; /* by divisor and dividend: how often it was true */

static void append_waiting(struct patched_code *c, struct sass_inst *in)
{
	in->write_barrier = 0;
	append_inst(c, in, 2, 0);
	append_nop(c, 1);
}

/* R4 and R5 are loaded from [p + 8 i], and the check's result is stored there. */
static bool build_kernel(struct patched_image *im)
{
	struct patched_code c = {0};
	struct sass_inst in;

	BUILD_INST(&in, S2R, REG(0), {.kind = SASS_SREG, .value = SASS_SR_TID_X});
	append_waiting(&c, &in);
	BUILD_INST(&in, S2R, REG(1), {.kind = SASS_SREG, .value = SASS_SR_CTAID_X});
	append_waiting(&c, &in);
	BUILD_INST(&in, MOV, REG(6), NUMBER(THREADS));
	append_inst(&c, &in, 15, 0);
	BUILD_INST(&in, IMAD, REG(0), REG(1), REG(6), REG(0));
	append_inst(&c, &in, 15, 0);
	BUILD_INST(&in, ULDC, UREG(4), PARAM(DESCRIPTOR));
	in.mod[SASS_M_WIDTH] = SASS_WIDTH_64;
	append_inst(&c, &in, 15, 0);
	BUILD_INST(&in, MOV, REG(2), PARAM(PARAM_START));
	append_inst(&c, &in, 15, 0);
	BUILD_INST(&in, MOV, REG(3), PARAM(PARAM_START + 4));
	append_inst(&c, &in, 15, 0);
	BUILD_INST(&in, IMAD_WIDE, REG(2), ABSENT, REG(0), NUMBER(8), REG(2));
	append_inst(&c, &in, 15, 0);
	build_load(&in, 4, 0);
	in.mod[SASS_M_WIDTH] = SASS_WIDTH_64;
	append_waiting(&c, &in);
	BUILD_INST(&in, FCHK, PREDICATE(0), REG(4), REG(5));
	append_waiting(&c, &in);
	BUILD_INST(&in, MOV, REG(7), NUMBER(1));
	append_inst(&c, &in, 15, 0);
	BUILD_INST(&in, SEL, REG(4), REG(7), REG(SASS_RZ), PREDICATE(0));
	append_inst(&c, &in, 15, 0);
	build_store(&in, 4);
	in.ops[0].value = 0;
	in.read_barrier = 0;
	append_inst(&c, &in, 2, 0);
	append_nop(&c, 1);
	return patch_image(im, &c);
}

static void run_fraction(cuda_handle f, cuda_ptr buffer, const uint32_t *fraction)
{
	void *arguments[] = {&buffer};

	for (uint32_t i = 0; i < PAIRS; i++) {
		pairs[i][0] = i % EXPONENTS << 23 ^ fraction[0];
		pairs[i][1] = i / EXPONENTS << 23 ^ fraction[1];
	}
	must(cuMemcpyHtoD_v2(buffer, pairs, sizeof(pairs)), "copying in");
	must(cuLaunchKernel(f, PAIRS / THREADS, 1, 1, THREADS, 1, 1, 0, NULL, arguments, NULL),
	     "launching");
	must(cuCtxSynchronize(), "running");
	must(cuMemcpyDtoH_v2(pairs, buffer, sizeof(pairs)), "copying out");
	for (uint32_t i = 0; i < PAIRS; i++)
		hard[i / EXPONENTS][i % EXPONENTS] += pairs[i][0] == 1;
}

/* What the software GPU assumes. */
static bool is_assumed_hard(int ea, int eb)
{
	return ea < 25 || ea == 0xff || ea < eb - 124 || ea > eb + 126 || eb < 2 || eb > 0xfb;
}

/* Prints the runs of dividends for which the check is false for all significands. */
static void print_runs(uint32_t eb)
{
	printf("%3u:", eb);
	for (uint32_t ea = 0; ea < EXPONENTS; ea++) {
		uint32_t from = ea;

		while (ea < EXPONENTS && !hard[eb][ea])
			ea++;
		if (ea > from)
			printf(" %u-%u", from, ea - 1);
	}
	printf("\n");
}

int main(void)
{
	struct cuda_device device = cuda_open();
	uint32_t different = 0, mixed = 0;
	struct patched_image image;
	cuda_handle module, f;
	cuda_ptr buffer;

	if (!open_patched_image(&image) || !build_kernel(&image))
		return EXIT_BROKEN;
	must(cuMemAlloc_v2(&buffer, sizeof(pairs)), "allocating");
	must(cuModuleLoadData(&module, image.bytes), "loading");
	must(cuModuleGetFunction(&f, module, PATCHED_KERNEL), "finding the kernel");
	for (uint32_t k = 0; k < FRACTIONS; k++)
		run_fraction(f, buffer, fractions[k]);
	for (uint32_t eb = 0; eb < EXPONENTS; eb++) {
		for (uint32_t ea = 0; ea < EXPONENTS; ea++) {
			mixed += hard[eb][ea] && hard[eb][ea] != FRACTIONS;
			different += (hard[eb][ea] != 0) != is_assumed_hard((int)ea, (int)eb);
		}
		if (!eb || memcmp(hard[eb], hard[eb - 1], EXPONENTS))
			print_runs(eb);
	}
	printf("division_check: %s: of %u pairs of exponents %u depend on the significands, %u "
	       "differ from the software GPU\n",
	       device.name, PAIRS, mixed, different);
	return different ? EXIT_WRONG : 0;
}
