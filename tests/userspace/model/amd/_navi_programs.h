/* SPDX-License-Identifier: MIT */
/* Programs and helpers of the tests navi_*.c, which run on one software Navi 21. */
#ifndef TESTS_MODEL_NAVI_PROGRAMS_H
#define TESTS_MODEL_NAVI_PROGRAMS_H

#include "_navi.h"

static struct navi n;

__attribute__((unused)) static void nap(void)
{
	struct timespec t = {.tv_nsec = 2000000};

	nanosleep(&t, NULL);
}

/* Stores s2 at the address in s[0:1], one word. */
__attribute__((unused)) static uint32_t program_store(void)
{
	uint32_t at = navi_program(&n);

	put(&n, AMD_v_mov_b32, V(1), I(0), 0, 0);
	put(&n, AMD_v_mov_b32, V(2), 2, 0, 0);
	put(&n, AMD_global_store_dword, 0, V(1), V(2), 0);
	put(&n, AMD_s_endpgm, 0, 0, 0, 0);
	return at;
}

__attribute__((unused)) static uint32_t program_endless(void)
{
	uint32_t at = navi_program(&n);

	put_imm(&n, AMD_s_branch, 0, 0xffff);
	return at;
}

/* A small launch on another queue completes, whatever the first does. */
__attribute__((unused)) static bool other_queue_works(uint32_t number)
{
	struct navi_queue *b = navi_queue(&n, number, false);
	uint32_t *data = navi_at(&n, NAVI_DATA);

	data[0] = 0;
	navi_dispatch(&n, b,
		      &(struct navi_grid){.groups = 4,
					  .threads = 32,
					  .entry = program_store(),
					  .user = {NAVI_DATA, 6}});
	return navi_finish(&n, b) && data[0] == 6;
}

#endif
