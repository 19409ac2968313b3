// SPDX-License-Identifier: MIT
/* Loads, stores and atomics: every width in every memory space, generic addresses, atomics under
 * contention, and a table of accesses that must fault with a given message. */
#include "tests/userspace/model/nv/_rig.h"

static struct rig r;
static struct model_error e;

static void begin(void)
{
	rig_code(&r);
	INS(&r, SASS_S2R, (R(0), SR(SASS_SR_TID_X)));
	INS(&r, SASS_MOV, (R(2), C0(r.params)));
	INS(&r, SASS_MOV, (R(3), C0(r.params + 4)));
	INS(&r, SASS_IMAD_WIDE, (R(4), PT, R(0), IMM(16), R(2))); /* 16 bytes per thread */
	INS(&r, SASS_IMAD, (R(6), R(0), IMM(16), RZ));
}

static bool launch(uint32_t blocks, uint32_t threads)
{
	uint64_t data[2] = {RIG_DATA, RIG_HOLE};

	if (rig_run(&r, blocks, threads, data, 2))
		return true;
	rig_error(&r, &e);
	rig_renew(&r);
	return false;
}

enum { GLOBAL, SHARED, LOCAL, GENERIC_GLOBAL, GENERIC_SHARED, GENERIC_LOCAL };
static const char *const names[] = {"global",          "shared",          "local",
				    "generic, global", "generic, shared", "generic, local"};

static const struct {
	uint32_t width, bytes;
} widths[] = {
	{SASS_WIDTH_U8, 1}, {SASS_WIDTH_S8, 1}, {SASS_WIDTH_U16, 2},  {SASS_WIDTH_S16, 2},
	{SASS_WIDTH_32, 4}, {SASS_WIDTH_64, 8}, {SASS_WIDTH_128, 16},
};

/* Stores R8..R11 with the width, loads 16 bytes back with the width into R12..., stores them. */
static void round_trip(uint32_t space, uint32_t width)
{
	static const enum sass_op stores[] = {SASS_STG, SASS_STS, SASS_STL,
					      SASS_ST,  SASS_ST,  SASS_ST};
	static const enum sass_op loads[] = {SASS_LDG, SASS_LDS, SASS_LDL,
					     SASS_LD,  SASS_LD,  SASS_LD};
	struct sass_operand at = space == GLOBAL   ? AT(4, 0x4000)
				 : space == SHARED ? AT32(6, 0)
				 : space == LOCAL  ? AT32(16, 0)
						   : AT(14, 0);

	begin();
	for (uint32_t i = 0; i < 4; i++) {
		INS(&r, SASS_LDG, (PT, R(8 + i), AT(4, 4 * (int32_t)i)));
		INS(&r, SASS_MOV, (R(20 + i), IMM(0)));
	}
	INS(&r, SASS_MOV, (R(16), IMM(0xffffc0)));
	/* The generic address: in R14:R15. */
	INS(&r, SASS_MOV, (R(14), space == GENERIC_LOCAL ? IMM(0x40) : R(6)));
	if (space == GENERIC_GLOBAL)
		INS(&r, SASS_IADD3, (R(14), PT, PT, R(4), IMM(0x4000), RZ));
	INS(&r, SASS_MOV,
	    (R(15), space == GENERIC_GLOBAL ? R(5)
					    : IMM((space == GENERIC_SHARED ? RIG_SHARED_WINDOW
									   : RIG_LOCAL_WINDOW) >>
						  32)));
	if (space >= GENERIC_GLOBAL) {
		/* ST always has a uniform register: use URZ. */
		at.aux = SASS_URZ;
		INS(&r, stores[space], (at, R(8)), in.mod[SASS_M_WIDTH] = (uint8_t)width,
		    in.mod[SASS_M_E] = 1);
		INS(&r, loads[space], (R(20), at, PT), in.mod[SASS_M_WIDTH] = (uint8_t)width,
		    in.mod[SASS_M_E] = 1);
	} else {
		INS(&r, stores[space], (at, R(8)), in.mod[SASS_M_WIDTH] = (uint8_t)width);
		if (space == GLOBAL)
			INS(&r, SASS_LDG, (PT, R(20), at), in.mod[SASS_M_WIDTH] = (uint8_t)width);
		else
			INS(&r, loads[space], (R(20), at), in.mod[SASS_M_WIDTH] = (uint8_t)width);
	}
	INS(&r, SASS_STG, (AT(4, 0x8000), R(20)), in.mod[SASS_M_WIDTH] = SASS_WIDTH_128);
	INS(&r, SASS_EXIT, (PT));
}

static void expected(uint32_t k, const uint8_t *in, uint8_t out[16])
{
	uint32_t word;

	memset(out, 0, 16);
	memcpy(out, in, widths[k].bytes);
	if (widths[k].width == SASS_WIDTH_S8) {
		word = (uint32_t)(int8_t)in[0];
		memcpy(out, &word, 4);
	}
	if (widths[k].width == SASS_WIDTH_S16) {
		int16_t half;

		memcpy(&half, in, 2);
		word = (uint32_t)half;
		memcpy(out, &word, 4);
	}
}

static void test_widths(void)
{
	for (uint32_t space = 0; space <= GENERIC_LOCAL; space++) {
		bool good = true;

		for (uint32_t k = 0; k < 7 && good; k++) {
			uint8_t *in = rig_at(&r, RIG_DATA), *out = rig_at(&r, RIG_DATA + 0x8000),
				want[16];

			for (uint32_t i = 0; i < 16 * 128; i++)
				in[i] = (uint8_t)(i * 37 + k * 11 + 129);
			round_trip(space, widths[k].width);
			good = launch(1, 128);
			for (uint32_t i = 0; i < 128 && good; i++) {
				expected(k, in + 16 * i, want);
				good = !memcmp(out + 16 * i, want, 16);
			}
			if (!good)
				diag("width %u: %s", k, e.text);
		}
		ok(good, "loads and stores of 8 to 128 bits, signed and unsigned: %s",
		   names[space]);
	}
}

/* Indexed constants: lane i reads word i of the bank, with an offset of -0x100. */
static void test_constants(void)
{
	uint32_t *out = rig_words(&r, RIG_DATA), *bank = rig_words(&r, RIG_BANK0), wrong = 0;
	struct sass_operand c = C0(0xff00); /* -0x100 */
	uint64_t data = RIG_DATA;

	begin();
	INS(&r, SASS_IMAD, (R(9), R(0), IMM(4), RZ));
	INS(&r, SASS_IADD3, (R(9), PT, PT, R(9), IMM(0x100), RZ));
	c.reg = 9;
	INS(&r, SASS_LDC, (R(8), c));
	INS(&r, SASS_STG, (AT(4, 0), R(8)));
	INS(&r, SASS_EXIT, (PT));
	rig_qmd(&r, 1, 64);
	rig_bank(&r, &data, 1);
	for (uint32_t i = 16; i < 64; i++)
		bank[i] = i * 77;
	rig_launch(&r);
	ok(rig_go(&r), "a kernel reads indexed constants with a negative offset");
	for (uint32_t i = 0; i < 64; i++)
		wrong += out[4 * i] != bank[i];
	ok(!wrong, "each lane reads the constant of its own index");
}

/* Atomics: 8 blocks of 96 threads on one word; the result does not depend on the order. */

static const struct {
	uint8_t how, type;
	uint64_t start, want;
	const char *name;
} atomics[] = {
	{SASS_ATOM_ADD, SASS_ATYPE_U32, 5, 5 + 8 * (95 * 96 / 2), "add"},
	{SASS_ATOM_ADD, SASS_ATYPE_U64, 0xffffffff, 0xffffffffull + 8 * (95 * 96 / 2),
	 "add, 64 bits"},
	{SASS_ATOM_MIN, SASS_ATYPE_S32, 50, 0, "minimum"},
	{SASS_ATOM_MAX, SASS_ATYPE_S32, 0xffffff00, 95, "signed maximum"},
	{SASS_ATOM_MAX, SASS_ATYPE_U32, 0xffffff00, 0xffffff00, "unsigned maximum"},
	{SASS_ATOM_OR, SASS_ATYPE_U32, 0x100, 0x17f, "or"},
	{SASS_ATOM_AND, SASS_ATYPE_U32, 0xffff, 0, "and"},
	{SASS_ATOM_XOR, SASS_ATYPE_U32, 0x55, 0x55, "exclusive or"},
};

static void test_atomics(void)
{
	uint64_t *word = rig_at(&r, RIG_DATA + 0x100);

	for (size_t i = 0; i < sizeof(atomics) / sizeof(atomics[0]); i++) {
		bool wide = atomics[i].type == SASS_ATYPE_U64;

		begin();
		INS(&r, SASS_MOV, (R(8), R(0)));
		INS(&r, SASS_MOV, (R(9), IMM(0)));
		INS(&r, SASS_RED, (AT(2, 0x100), R(8)), in.mod[SASS_M_ATOM] = atomics[i].how,
		    in.mod[SASS_M_ATYPE] = atomics[i].type);
		INS(&r, SASS_EXIT, (PT));
		*word = atomics[i].start;
		ok(launch(8, 96) && (wide ? *word : (uint32_t)*word) == atomics[i].want,
		   "RED, %s, by 768 threads", atomics[i].name);
	}
}

/* inc and dec wrap; every value is returned equally often. */
static void test_tickets(uint8_t how, const char *name)
{
	uint32_t *out = rig_words(&r, RIG_DATA), seen[12] = {0}, wrong = 0;

	begin();
	INS(&r, SASS_MOV, (R(8), IMM(11)));
	INS(&r, SASS_ATOMG, (PT, R(9), AT(2, 0x8000), R(8)), in.mod[SASS_M_ATOM] = how);
	INS(&r, SASS_STG, (AT(4, 0), R(9)));
	INS(&r, SASS_EXIT, (PT));
	*rig_words(&r, RIG_DATA + 0x8000) = 0;
	if (!launch(1, 96))
		diag("%s", e.text);
	for (uint32_t i = 0; i < 96; i++)
		if (out[4 * i] < 12)
			seen[out[4 * i]]++;
	for (uint32_t i = 0; i < 12; i++)
		wrong += seen[i] != 8;
	ok(!wrong && !*rig_words(&r, RIG_DATA + 0x8000),
	   "ATOMG.%s wraps and returns every number equally often", name);
}

static void test_floats(void)
{
	float *f = rig_at(&r, RIG_DATA + 0x100);
	double *d = rig_at(&r, RIG_DATA + 0x100);

	begin();
	INS(&r, SASS_I2F, (R(8), R(0)), in.mod[SASS_M_DTYPE] = SASS_TYPE_F32,
	    in.mod[SASS_M_STYPE] = SASS_TYPE_U32);
	INS(&r, SASS_RED, (AT(2, 0x100), R(8)), in.mod[SASS_M_ATYPE] = SASS_ATYPE_F32_FTZ);
	INS(&r, SASS_EXIT, (PT));
	*f = 0.5f;
	ok(launch(8, 96) && *f == 36480.5f, "RED.ADD.F32 by 768 threads");
	begin();
	INS(&r, SASS_I2F, (R(8), R(0)), in.mod[SASS_M_DTYPE] = SASS_TYPE_F64,
	    in.mod[SASS_M_STYPE] = SASS_TYPE_U32);
	INS(&r, SASS_RED, (AT(2, 0x100), R(8)), in.mod[SASS_M_ATYPE] = SASS_ATYPE_F64);
	INS(&r, SASS_EXIT, (PT));
	*d = 0.25;
	ok(launch(8, 96) && *d == 36480.25, "RED.ADD.F64 by 768 threads");
	begin();
	INS(&r, SASS_MOV, (R(8), IMM(0x00000001))); /* subnormal */
	INS(&r, SASS_RED, (AT(2, 0x100), R(8)), in.mod[SASS_M_ATYPE] = SASS_ATYPE_F32_FTZ);
	INS(&r, SASS_EXIT, (PT));
	memset(f, 0, 4);
	ok(launch(1, 32) && *rig_words(&r, RIG_DATA + 0x100) == 0,
	   "RED.ADD.F32.FTZ flushes subnormals");
}

static void test_swap(void)
{
	uint32_t *out = rig_words(&r, RIG_DATA), winners = 0;

	begin();
	INS(&r, SASS_MOV, (R(8), IMM(123)));
	INS(&r, SASS_IADD3, (R(9), PT, PT, R(0), IMM(1000), RZ));
	INS(&r, SASS_ATOMG_CAS, (PT, R(10), AT(2, 0x8000), R(8), R(9)), in.mod[SASS_M_E] = 1);
	INS(&r, SASS_STG, (AT(4, 0), R(10)));
	INS(&r, SASS_EXIT, (PT));
	out[0x2000] = 123;
	ok(launch(1, 96), "a kernel with compare-and-swap runs");
	for (uint32_t i = 0; i < 96; i++)
		winners += out[4 * i] == 123;
	ok(winners == 1 && out[0x2000] >= 1000 && out[0x2000] < 1096,
	   "exactly one thread wins the compare-and-swap");
}

/* 128-bit atomics: words of different threads are never mixed. */
static void test_swap_wide(void)
{
	uint32_t *out = rig_words(&r, RIG_DATA), winners = 0, torn = 0;

	begin();
	for (uint8_t k = 0; k < 4; k++) {
		INS(&r, SASS_MOV, (R(8 + k), IMM(0x101 + k)));
		INS(&r, SASS_IADD3, (R(12 + k), PT, PT, R(0), IMM(1000), RZ));
	}
	INS(&r, SASS_ATOMG_CAS, (PT, R(16), AT(2, 0x8000), R(8), R(12)), in.mod[SASS_M_E] = 1,
	    in.mod[SASS_M_ATYPE] = SASS_ATYPE_B128);
	INS(&r, SASS_STG, (AT(4, 0), R(16)), in.mod[SASS_M_WIDTH] = SASS_WIDTH_128);
	INS(&r, SASS_EXIT, (PT));
	for (uint32_t k = 0; k < 4; k++)
		out[0x2000 + k] = 0x101 + k;
	ok(launch(1, 96), "a kernel with 128-bit compare-and-swap runs");
	for (uint32_t i = 0; i < 96; i++) {
		uint32_t *got = &out[4 * i];

		winners += got[0] == 0x101 && got[1] == 0x102 && got[2] == 0x103 && got[3] == 0x104;
		torn += got[0] != 0x101 &&
			(got[0] != got[1] || got[0] != got[2] || got[0] != got[3]);
	}
	ok(winners == 1 && !torn && out[0x2000] >= 1000 && out[0x2000] == out[0x2003],
	   "exactly one thread wins the 128-bit compare-and-swap");
	begin();
	for (uint8_t k = 0; k < 4; k++)
		INS(&r, SASS_IADD3, (R(8 + k), PT, PT, R(0), IMM(1000), RZ));
	INS(&r, SASS_ATOMG, (PT, R(16), AT(2, 0x8000), R(8)), in.mod[SASS_M_ATOM] = SASS_ATOM_EXCH,
	    in.mod[SASS_M_ATYPE] = SASS_ATYPE_B128);
	INS(&r, SASS_STG, (AT(4, 0), R(16)), in.mod[SASS_M_WIDTH] = SASS_WIDTH_128);
	INS(&r, SASS_EXIT, (PT));
	memset(&out[0x2000], 0, 16);
	ok(launch(1, 96), "a kernel with 128-bit exchange runs");
	winners = torn = 0;
	for (uint32_t i = 0; i < 96; i++) {
		winners += out[4 * i];
		torn += out[4 * i] != out[4 * i + 1] || out[4 * i] != out[4 * i + 3];
	}
	ok(!torn && winners + out[0x2000] == 96 * 1000 + 95 * 48,
	   "128-bit exchange returns every value but the last");
}

/* Faults. The faulting instruction executes in thread 37 of block 1 only. */

static void fault_unmapped_load(void)
{
	INS(&r, SASS_MOV, (R(4), C0(r.params + 8)));
	INS(&r, SASS_MOV, (R(5), C0(r.params + 12)));
	INS(&r, SASS_LDG, (PT, R(8), AT(4, 0x40)), in.guard = 0);
}

static void fault_unmapped_store(void)
{
	INS(&r, SASS_MOV, (R(4), IMM(0x1000)));
	INS(&r, SASS_MOV, (R(5), IMM(0x7f)));
	INS(&r, SASS_STG, (AT(4, 0), R(8)), in.guard = 0);
}

static void fault_beyond_49(void)
{
	INS(&r, SASS_MOV, (R(5), IMM(0x40000000)));
	INS(&r, SASS_LDG, (PT, R(8), AT(4, 0)), in.guard = 0);
}

static void fault_read_only(void)
{
	INS(&r, SASS_MOV, (R(4), IMM(0x2000)));
	INS(&r, SASS_MOV, (R(5), IMM(0)));
	INS(&r, SASS_STG, (AT(4, 8), R(8)), in.guard = 0);
}

static void fault_no_atomics(void)
{
	INS(&r, SASS_MOV, (R(4), IMM(0x3000)));
	INS(&r, SASS_MOV, (R(5), IMM(0)));
	INS(&r, SASS_RED, (AT(4, 8), R(8)), in.guard = 0);
}

static void fault_misaligned(void)
{
	INS(&r, SASS_LDG, (PT, R(8), AT(4, 4)), in.mod[SASS_M_WIDTH] = SASS_WIDTH_64, in.guard = 0);
}

static void fault_shared(void)
{
	INS(&r, SASS_STS, (AT32(SASS_RZ, 0x800), R(8)), in.guard = 0);
}

static void fault_shared_wide(void)
{
	INS(&r, SASS_MOV, (R(6), IMM(0x01000000)));
	INS(&r, SASS_LDS, (R(8), AT32(6, 0)), in.guard = 0);
}

static void fault_local(void)
{
	INS(&r, SASS_LDL, (R(8), AT32(SASS_RZ, 0x80)), in.guard = 0);
}

static void fault_local_low(void)
{
	INS(&r, SASS_MOV, (R(6), IMM(0xffff7c)));
	INS(&r, SASS_STL, (AT32(6, 0), R(8)), in.guard = 0);
}

static void fault_constant(void)
{
	INS(&r, SASS_MOV, (R(8), C0(0x400)), in.guard = 0);
}

static void fault_constant_index(void)
{
	struct sass_operand c = C0(0x3f0);

	c.reg = 0;
	INS(&r, SASS_LDC, (R(8), c), in.guard = 0);
}

static void fault_trap(void)
{
	INS(&r, SASS_BPT, (IMM(0)), in.guard = 0);
}

static void fault_illegal(void)
{
	r.code++;
}

static void fault_jump(void)
{
	INS(&r, SASS_MOV, (R(20), IMM(0x48)));
	INS(&r, SASS_MOV, (R(21), IMM(0)));
	INS(&r, SASS_BRX, (PT, R(20), TO(0)), in.guard = 0);
}

static void fault_descriptor(void)
{
	struct sass_operand at = AT(4, 0);

	at.aux = 4;
	at.flags |= SASS_DESC;
	INS(&r, SASS_UMOV, (UR(4), IMM(1)));
	INS(&r, SASS_UMOV, (UR(5), IMM(0x10000)));
	INS(&r, SASS_LDG, (PT, R(8), at), in.guard = 0);
}

static const struct {
	void (*write)(void);
	enum model_fault fault;
	uint32_t xid;
	uint64_t address;
	const char *text;
} faults[] = {
	{fault_unmapped_load, MODEL_FAULT_MMU, 31, RIG_HOLE + 0x40,
	 "global load of 4 bytes at 0x700000040: the address is not mapped"},
	{fault_unmapped_store, MODEL_FAULT_MMU, 31, 0x7f00001000,
	 "global store of 4 bytes at 0x7f00001000: the address is not mapped"},
	{fault_beyond_49, MODEL_FAULT_MMU, 31, 0, "the address is not mapped"},
	{fault_read_only, MODEL_FAULT_MMU, 31, 0x2008,
	 "global store of 4 bytes at 0x2008: the page does not permit this access"},
	{fault_no_atomics, MODEL_FAULT_MMU, 31, 0x3008,
	 "global atomic of 4 bytes at 0x3008: the page does not permit this access"},
	{fault_misaligned, MODEL_FAULT_MISALIGNED, 13, RIG_DATA + 37 * 16 + 4,
	 "global load of 8 bytes at 0x100200254: not aligned to its size"},
	{fault_shared, MODEL_FAULT_SHARED_RANGE, 13, 0x800,
	 "shared store of 4 bytes at 0x800: outside the block's shared memory"},
	{fault_shared_wide, MODEL_FAULT_SHARED_RANGE, 13, 0x1000000,
	 "shared load of 4 bytes at 0x1000000: outside the block's shared memory"},
	{fault_local, MODEL_FAULT_LOCAL_RANGE, 13, 0x80,
	 "local load of 4 bytes at 0x80: outside the thread's local memory"},
	{fault_local_low, MODEL_FAULT_LOCAL_RANGE, 13, 0xffff7c,
	 "local store of 4 bytes at 0xffff7c: stack overflow: the thread's stack has 128 bytes"},
	{fault_constant, MODEL_FAULT_CONSTANT_RANGE, 31, 0x400,
	 "c[0x0][0x400] lies outside the bank's 1024 bytes"},
	{fault_constant_index, MODEL_FAULT_MISALIGNED, 13, 0x3f0 + 37,
	 "misaligned constant of 4 bytes at c[0x0][0x415]"},
	{fault_trap, MODEL_FAULT_TRAP, 13, 0, "trap (BPT 0)"},
	{fault_illegal, MODEL_FAULT_ILLEGAL_INSTRUCTION, 13, 0, "no such encoding"},
	{fault_jump, MODEL_FAULT_MISALIGNED, 13, RIG_CODE + 0x48, "which is not 16-byte aligned"},
	{fault_descriptor, MODEL_FAULT_ILLEGAL_INSTRUCTION, 13, 0,
	 "memory descriptor UR4 is 0x1000000000001; only a cache policy is modelled"},
};

static void test_faults(void)
{
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		bool any_thread =
			faults[i].write == fault_illegal || faults[i].write == fault_descriptor;

		begin();
		INS(&r, SASS_S2R, (R(7), SR(SASS_SR_CTAID_X)));
		INS(&r, SASS_ISETP, (P(1), PT, R(7), IMM(1), PT), in.mod[SASS_M_CMP] = SASS_CMP_EQ);
		INS(&r, SASS_ISETP, (P(0), PT, R(0), IMM(37), P(1)),
		    in.mod[SASS_M_CMP] = SASS_CMP_EQ);
		INS(&r, SASS_MOV, (R(8), IMM(0)));
		faults[i].write();
		INS(&r, SASS_EXIT, (PT));
		if (!ok(!launch(2, 64) && strstr(e.text, faults[i].text) &&
				e.fault == faults[i].fault && e.xid == faults[i].xid &&
				(!faults[i].address || e.address == faults[i].address),
			"fault: %s", faults[i].text))
			diag("%s (fault %d, xid %u, 0x%llx)", e.text, e.fault, e.xid,
			     (unsigned long long)e.address);
		ok(any_thread || (e.thread[0] == 37 && e.cta[0] == 1 && e.program == RIG_CODE &&
				  e.pc > RIG_CODE),
		   "the fault names block, thread and instruction");
	}
	begin();
	INS(&r, SASS_STG, (AT(4, 0), R(0)));
	INS(&r, SASS_EXIT, (PT));
	ok(launch(1, 32) && rig_words(&r, RIG_DATA)[4 * 31] == 31,
	   "a new channel works after the faults");
}

/* Unmapping while a kernel uses the pages: the kernel faults or ends, nothing else happens. */
static void test_unmap(void)
{
	static uint8_t page[3 * 4096];
	uint8_t *aligned = (uint8_t *)(((uintptr_t)page + 4095) & ~(uintptr_t)4095);
	struct timespec pause = {.tv_nsec = 5000000};
	uint64_t where = 0x10000;

	begin();
	INS(&r, SASS_LDG, (PT, R(8), AT(2, 0))); /* 5 */
	INS(&r, SASS_BRA, (PT, TO(5)));
	if (model_map(r.space, 0x10000, aligned, 4096, MODEL_READ))
		abort();
	rig_qmd(&r, 4, 64);
	rig_bank(&r, &where, 1);
	rig_launch(&r);
	rig_release(&r);
	rig_submit(&r);
	nanosleep(&pause, NULL);
	ok(!model_unmap(r.space, 0x10000, 4096), "a page is unmapped under a running kernel");
	ok(!rig_wait(&r) && strstr(rig_error(&r, &e),
				   "global load of 4 bytes at 0x10000: the address is not mapped"),
	   "the kernel faults on the unmapped page");
	rig_renew(&r);
}

int main(void)
{
	static const char *const chips[] = {"gh100", "ga100"};
	static uint8_t pages[4 * 4096];
	uint8_t *aligned = (uint8_t *)(((uintptr_t)pages + 4095) & ~(uintptr_t)4095);

	for (uint32_t i = 0; i < 2; i++) {
		rig_open(&r, chips[i], false, 2);
		diag("%s", chips[i]);
		if (model_map(r.space, 0x2000, aligned, 0x1000, MODEL_READ) ||
		    model_map(r.space, 0x3000, aligned + 0x1000, 0x1000, MODEL_READ | MODEL_WRITE))
			abort();
		test_widths();
		test_constants();
		test_atomics();
		test_tickets(SASS_ATOM_INC, "INC");
		test_tickets(SASS_ATOM_DEC, "DEC");
		test_floats();
		test_swap();
		if (rig_sm(&r) >= 90)
			test_swap_wide();
		test_faults();
		test_unmap();
		rig_close(&r);
	}
	return tap_done();
}
