// SPDX-License-Identifier: MIT
/*
 * Speed of the software Navi 21: wave instructions per second and core, for loops of one kind of
 * instruction, hand-encoded and submitted through the ring. CPU time of one thread; the best of
 * five runs. model_speed.c measures the NVIDIA model.
 */
#include "tests/userspace/model/amd/_navi.h"

#define ITERATIONS 2000u
#define BODY       32u /* instructions of the kind per iteration */
#define GROUPS     4u
#define WAVES      8u

static struct navi n;

static void write_fma_f32(uint32_t i)
{
	put(&n, AMD_v_fma_f32, V(16 + i % 8), V(16 + i % 8), V(4), V(5));
}

static void write_fma_f64(uint32_t i)
{
	int d = V(16 + 2 * (i % 8));

	put(&n, AMD_v_fma_f64, d, d, V(4), V(6));
}

static void write_mul(uint32_t i)
{
	put(&n, AMD_v_mul_lo_u32, V(16 + i % 8), V(16 + i % 8), V(4), 0);
}

static void write_add(uint32_t i)
{
	put(&n, AMD_v_add_nc_u32, V(16 + i % 8), V(16 + i % 8), V(4), 0);
}

static void write_scalar(uint32_t i)
{
	(void)i;
	put(&n, AMD_s_xor_b32, 20, 20, 21, 0);
}

static void write_lds(uint32_t i)
{
	put(&n, AMD_ds_read_b32, V(16 + i), V(8), 0, 0);
}

static void write_load(uint32_t i)
{
	put(&n, AMD_global_load_dword, V(16 + i), V(8), 0, 0);
}

static const struct {
	const char *name;
	void (*write)(uint32_t i);
	bool halves; /* only every second lane is active */
} loops[] = {
	{"v_fma_f32", write_fma_f32, false}, {"v_fma_f32, half the lanes", write_fma_f32, true},
	{"v_fma_f64", write_fma_f64, false}, {"v_mul_lo_u32", write_mul, false},
	{"v_add_nc_u32", write_add, false},  {"s_xor_b32", write_scalar, false},
	{"ds_read_b32", write_lds, false},   {"global_load_dword", write_load, false},
};

static uint32_t write_loop(uint32_t k)
{
	uint32_t at = navi_program(&n), top;

	put(&n, AMD_v_lshlrev_b32, V(8), I(2), V(0), 0);
	for (int i = 4; i < 8; i++)
		put_literal(&n, AMD_v_mov_b32, V(i), 0x3f800000u + (uint32_t)i, 0);
	for (int i = 16; i < 16 + (int)BODY; i++)
		put_literal(&n, AMD_v_mov_b32, V(i), 0x3f800000u, 0);
	put(&n, AMD_s_mov_b32, 20, I(1), 0, 0);
	put(&n, AMD_s_mov_b32, 21, I(2), 0, 0);
	put_literal(&n, AMD_s_mov_b32, 22, ITERATIONS, 0);
	if (loops[k].halves)
		put_literal(&n, AMD_s_mov_b32, AMD_EXEC, 0x55555555, 0);
	top = n.code;
	for (uint32_t i = 0; i < BODY; i++)
		loops[k].write(i);
	put_imm(&n, AMD_s_waitcnt, 0, 0);
	put(&n, AMD_s_sub_u32, 22, 22, I(1), 0);
	put(&n, AMD_s_cmp_lg_u32, 0, 22, I(0), 0);
	put_imm(&n, AMD_s_cbranch_scc1, 0, (int32_t)(0xffff & (top - n.code - 1)));
	put(&n, AMD_s_endpgm, 0, 0, 0, 0);
	return at;
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Sleeps while the model works, so that only the model's CPU time counts. */
static bool run_loop(struct navi_queue *q, uint32_t entry)
{
	struct timespec t = {.tv_nsec = 500000};
	struct model_error e;

	navi_dispatch(&n, q,
		      &(struct navi_grid){.groups = GROUPS,
					  .threads = 32 * WAVES,
					  .lds = 4096,
					  .user = {NAVI_DATA},
					  .entry = entry});
	navi_release(&n, q);
	navi_submit(&n, q);
	while (__atomic_load_n(navi_at(&n, NAVI_FENCE(q->number)), __ATOMIC_ACQUIRE) !=
	       q->release) {
		if (model_channel_error(q->channel, &e)) {
			fprintf(stderr, "navi_speed: %s\n", e.text);
			return false;
		}
		nanosleep(&t, NULL);
	}
	return true;
}

int main(void)
{
	static const char *const modes[] = {"normal mode", "hazard mode"};

	for (uint32_t hazard = 0; hazard < 2; hazard++) {
		struct navi_queue *q;

		navi_open(&n, hazard, 1);
		q = navi_queue(&n, 0, false);
		for (uint32_t k = 0; k < sizeof(loops) / sizeof(loops[0]); k++) {
			uint32_t entry = write_loop(k);
			double best = 1e9;

			for (uint32_t i = 0; i < 5; i++) {
				double start = cpu_seconds();

				if (!run_loop(q, entry))
					return 1;
				best = cpu_seconds() - start < best ? cpu_seconds() - start : best;
			}
			printf("software Navi 21, %s, %s: %.1f M wave instructions/s on one core\n",
			       loops[k].name, modes[hazard],
			       GROUPS * WAVES * ITERATIONS * (BODY + 4.0) / best * 1e-6);
		}
		navi_close(&n);
	}
	return 0;
}
