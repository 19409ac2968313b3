// SPDX-License-Identifier: MIT
/*
 * The trap handler, which amdkfd's own calls for s_trap and for exceptions of waves
 * (hw/amd/trap.h). Without one, a wave passes over s_trap 2, with which clang's code traps and
 * fails assertions, and the kernel ends as if nothing had happened.
 *
 * The handler writes a report of 16 bytes, in one store, since many waves may trap at once: the
 * first two words are ttmp0 and ttmp1, the third TRAPSTS, the fourth 1. There is a place for each
 * kind of report. A memory violation is a fault already, and the wave ends; for the others the
 * handler stores to AMD_TRAP_PAGE, so that amdgpu reports a memory exception. Other traps are
 * passed over. The handler changes registers of a wave only if it ends it.
 *
 * Block and thread are not reported: gfx10.3 has no register with them, and fills the trap
 * temporaries that have only under a debugger (amdgpu_amdkfd_gfx_v10.c, SPI_GDBG_TRAP_CONFIG).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "hw/amd/trap.h"
#include "libsov/winsys/kfd/kfd.h"

enum report_kind { REPORT_TRAP, REPORT_ILLEGAL, REPORT_MEMORY, REPORT_KINDS };

struct report {
	uint32_t pc[2], trapsts, valid;
};

#define TRAP_BYTES 4096u
#define REPORTS    2048u /* offset; the code is before */
#define WAIT_NS    1000000
#define MAX_WAITS  10 /* for a report that follows its exception */

/* Encoded by libsov/isa/amd: tests/userspace/winsys/kfd_traps.c disassembles it. */
const uint32_t kfd_trap_code[] = {
	0xb96ef803,             /*  0: s_getreg_b32 ttmp2, hwreg(HW_REG_TRAPSTS) */
	0x876eff6e, 0x00000900, /*  1: s_and_b32 ttmp2, ttmp2, 0x900 */
	0xbf85000e,             /*  3: s_cbranch_scc1 18 */
	0x93efff6d, 0x00080010, /*  4: s_bfe_u32 ttmp3, ttmp1, 0x80010 */
	0xbf06826f,             /*  6: s_cmp_eq_u32 ttmp3, 2 */
	0xbf85000e,             /*  7: s_cbranch_scc1 22 */
	0xbf06806f,             /*  8: s_cmp_eq_u32 ttmp3, 0 */
	0xbf850002,             /*  9: s_cbranch_scc1 12 */
	0x806c846c,             /* 10: s_add_u32 ttmp0, ttmp0, 4 */
	0x826d806d,             /* 11: s_addc_u32 ttmp1, ttmp1, 0 */
	/* Back to the program. STATUS's EXECZ and VCCZ are set by writing the registers. */
	0x876dff6d, 0x0000ffff, /* 12: s_and_b32 ttmp1, ttmp1, 0xffff */
	0x87fe7e7e,             /* 14: s_and_b64 exec, exec, exec */
	0x87ea6a6a,             /* 15: s_and_b64 vcc, vcc, vcc */
	0xb9f8f802,             /* 16: s_setreg_b32 hwreg(HW_REG_STATUS), ttmp12 */
	0xbe80226c,             /* 17: s_rfe_b64 ttmp[0:1] */
	/* An exception: the place of the report. */
	0x807a907a, /* 18: s_add_u32 ttmp14, ttmp14, 16 */
	0xbf0d886e, /* 19: s_bitcmp1_b32 ttmp2, 8 */
	0xbf840001, /* 20: s_cbranch_scc0 22 */
	0x807a907a, /* 21: s_add_u32 ttmp14, ttmp14, 16 */
	/* The report. Loads in flight would overwrite its registers. */
	0xbf8c0000,             /* 22: s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0) */
	0xbbfd0000,             /* 23: s_waitcnt_vscnt null, 0x0 */
	0xbefe0381,             /* 24: s_mov_b32 exec_lo, 1 */
	0x7e00026c,             /* 25: v_mov_b32_e32 v0, ttmp0 */
	0x7e02026d,             /* 26: v_mov_b32_e32 v1, ttmp1 */
	0x7e04026e,             /* 27: v_mov_b32_e32 v2, ttmp2 */
	0x7e060281,             /* 28: v_mov_b32_e32 v3, 1 */
	0x7e08027a,             /* 29: v_mov_b32_e32 v4, ttmp14 */
	0x7e0a027b,             /* 30: v_mov_b32_e32 v5, ttmp15 */
	0xdc7b8000, 0x007d0004, /* 31: global_store_dwordx4 v[4:5], v[0:3], off glc slc */
	0xbbfd0000,             /* 33: s_waitcnt_vscnt null, 0x0 */
	0xbf0d886e,             /* 34: s_bitcmp1_b32 ttmp2, 8 */
	0xbf850007,             /* 35: s_cbranch_scc1 43 */
	0x7e0802ff, (uint32_t)AMD_TRAP_PAGE,         /* 36: v_mov_b32_e32 v4, literal */
	0x7e0a02ff, (uint32_t)(AMD_TRAP_PAGE >> 32), /* 38: v_mov_b32_e32 v5, literal */
	0xdc708000, 0x007d0004,                      /* 40: global_store_dword v[4:5], v0, off */
	0xbbfd0000,                                  /* 42: s_waitcnt_vscnt null, 0x0 */
	0xbf810000,                                  /* 43: s_endpgm */
};
const uint32_t kfd_trap_code_words = sizeof(kfd_trap_code) / sizeof(*kfd_trap_code);

int kfd_trap_install(struct winsys_device *d)
{
	struct kfd_set_trap_handler t = {.gpu_id = d->gpu_id};
	struct winsys_buffer *b;
	int error;

	static_assert(sizeof(kfd_trap_code) <= REPORTS, "the code is before the reports");
	if (d->trap)
		return 0;
	error = kfd_buffer_new(d, WINSYS_SYSTEM, TRAP_BYTES, &b);
	if (error)
		return error;
	memset(b->cpu, 0, TRAP_BYTES);
	memcpy(b->cpu, kfd_trap_code, sizeof(kfd_trap_code));
	t.tba = b->va;
	t.tma = b->va + REPORTS;
	error = kfd_ioctl(KFD_SET_TRAP_HANDLER, &t, "a trap handler");
	if (error)
		kfd_buffer_destroy(b);
	else
		d->trap = b;
	return error;
}

/* The process has no queues any more; amdkfd forgets the handler with the process. */
void kfd_trap_remove(struct winsys_device *d)
{
	kfd_buffer_destroy(d->trap);
	d->trap = NULL;
}

/* ---- reports ---- */

static bool report_read(const struct winsys_device *d, enum report_kind kind, uint64_t *pc)
{
	const struct report *r =
		(const struct report *)(const void *)((const uint8_t *)d->trap->cpu + REPORTS) +
		kind;

	if (!__atomic_load_n(&r->valid, __ATOMIC_ACQUIRE))
		return false;
	*pc = r->pc[0] | (uint64_t)(r->pc[1] & AMD_TRAP_PC_HIGH) << 32;
	return true;
}

/* The fault and the wave's report of it reach memory in any order. A fault of a copy queue has no
 * report. */
static bool report_wait(const struct winsys_device *d, enum report_kind kind, uint64_t *pc)
{
	const struct timespec pause = {.tv_nsec = WAIT_NS};
	uint32_t i;

	for (i = 0; i < MAX_WAITS && !report_read(d, kind, pc); i++)
		nanosleep(&pause, NULL);
	return report_read(d, kind, pc);
}

void kfd_trap_describe(const struct winsys_device *d, struct winsys_error *e)
{
	uint64_t pc;

	if (!d->trap)
		return;
	if (e->address - AMD_TRAP_PAGE >= KFD_PAGE_BYTES) {
		/* The wave may have gone on behind the access, but not to another kernel. */
		if (report_wait(d, REPORT_MEMORY, &pc))
			e->program = pc;
	} else if (report_read(d, REPORT_ILLEGAL, &pc)) {
		e->pc = pc;
		e->memory = false;
		e->illegal_instruction = true;
		e->access = WINSYS_UNKNOWN_ACCESS;
		snprintf(e->text, sizeof(e->text), "illegal instruction");
	} else if (report_read(d, REPORT_TRAP, &pc)) {
		e->pc = pc;
	}
}
