// SPDX-License-Identifier: MIT
/*
 * Speed of the software GPU: warp instructions per second and core, for loops of one kind of
 * instruction, hand-encoded and submitted through the ring. CPU time of one thread; the best of
 * five runs.
 */
#include "tests/userspace/model/nv/_rig.h"

#define ITERATIONS 2000u
#define BODY       32u /* instructions of the kind per iteration */
#define BLOCKS     4u
#define WARPS      8u

static struct rig r;

static void write_ffma(uint32_t i)
{
	INS(&r, SASS_FFMA, (R(16 + i % 8), R(16 + i % 8), R(4), R(5)), in.stall = 4,
	    in.yield = false);
}

static void write_dfma(uint32_t i)
{
	uint8_t d = (uint8_t)(16 + 2 * (i % 8));

	INS(&r, SASS_DFMA, (R(d), R(d), R(4), R(6)));
}

static void write_imad(uint32_t i)
{
	INS(&r, SASS_IMAD, (R(16 + i % 8), R(16 + i % 8), R(4), R(5)), in.stall = 4,
	    in.yield = false);
}

static void write_lds(uint32_t i)
{
	INS(&r, SASS_LDS, (R(16 + i), AT32(8, 0)), in.write_barrier = 1);
}

static void write_ldg(uint32_t i)
{
	INS(&r, SASS_LDG, (PT, R(16 + i), AT(2, 0)), in.write_barrier = 1);
}

static const struct {
	const char *name;
	void (*write)(uint32_t i);
	bool halves; /* only every second lane is active */
} loops[] = {
	{"FFMA", write_ffma, false}, {"FFMA, half the lanes", write_ffma, true},
	{"DFMA", write_dfma, false}, {"IMAD", write_imad, false},
	{"LDS", write_lds, false},   {"LDG", write_ldg, false},
};

static void write_loop(uint32_t n)
{
	uint32_t top, i;

	rig_code(&r);
	INS(&r, SASS_S2R, (R(0), SR(SASS_SR_LANEID)), in.write_barrier = 0);
	INS(&r, SASS_MOV, (R(2), C0(r.params)));
	INS(&r, SASS_MOV, (R(3), C0(r.params + 4)), in.wait = 1);
	INS(&r, SASS_IMAD_WIDE, (R(2), PT, R(0), IMM(4), R(2)));
	INS(&r, SASS_IMAD, (R(8), R(0), IMM(4), RZ));
	for (i = 4; i < 8; i++)
		INS(&r, SASS_MOV, (R(i), IMM(0x3f800000 + i)));
	for (i = 16; i < 32; i++)
		INS(&r, SASS_MOV, (R(i), IMM(0x3f800000)));
	INS(&r, SASS_MOV, (R(9), IMM(0)));
	INS(&r, SASS_LOP3, (P(1), op_reg(SASS_GPR, SASS_RZ), R(0), IMM(1), RZ, IMM(0xc0)));
	INS(&r, SASS_EXIT, (PT), in.guard = loops[n].halves ? 1 : SASS_PT,
	    in.guard_not = !loops[n].halves);
	top = r.code;
	for (i = 0; i < BODY; i++)
		loops[n].write(i);
	INS(&r, SASS_IADD3, (R(9), PT, PT, R(9), IMM(1), RZ));
	INS(&r, SASS_ISETP, (P(0), PT, R(9), IMM(ITERATIONS), PT),
	    in.mod[SASS_M_CMP] = SASS_CMP_LT);
	INS(&r, SASS_BRA, (PT, TO(top)), in.guard = 0, in.wait = 2);
	INS(&r, SASS_EXIT, (PT));
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(void)
{
	static const char *const modes[] = {"normal mode", "hazard mode"};
	uint64_t data = RIG_DATA;

	for (uint32_t hazard = 0; hazard < 2; hazard++) {
		rig_open(&r, "gh100", hazard, 1);
		for (uint32_t n = 0; n < sizeof(loops) / sizeof(loops[0]); n++) {
			double best = 1e9;

			write_loop(n);
			for (uint32_t k = 0; k < 5; k++) {
				double start = cpu_seconds();

				if (!rig_run(&r, BLOCKS, 32 * WARPS, &data, 1)) {
					struct model_error e;

					fprintf(stderr, "model_speed: %s: %s\n", loops[n].name,
						rig_error(&r, &e));
					return 1;
				}
				best = cpu_seconds() - start < best ? cpu_seconds() - start : best;
			}
			printf("software GPU, %s, %s: %.1f M warp instructions/s on one core\n",
			       loops[n].name, modes[hazard],
			       BLOCKS * WARPS * ITERATIONS * (BODY + 3.0) / best * 1e-6);
		}
		rig_close(&r);
	}
	return 0;
}
