// SPDX-License-Identifier: MIT
/* The software AMD GPU executes programs from our encoder: arithmetic under a mask, SCC, lanes, LDS
 * and barriers, private memory, atomics. It reports what is wrong with a bad program, and in hazard
 * mode names a register that is used before its counter was waited for. */
#include "tests/tap.h"
#include "hw/amd/kernel_descriptor.h"
#include "libsov/isa/amd/amd_row.h"
#include "model/amd/wave.h"

#define CODE    0x10000u
#define DATA    0x2000000u
#define SCRATCH 0x4000000u
#define SIZE    65536u

static uint32_t code[4096], data[SIZE / 4], scratch[SIZE / 4];
static uint32_t length;
static char message[400];

static void *at(void *context, uint64_t va, uint32_t bytes, bool write)
{
	static const struct {
		uint64_t va;
		void *bytes;
		uint64_t size;
	} ranges[] = {{CODE, code, sizeof(code)},
		      {DATA, data, sizeof(data)},
		      {SCRATCH, scratch, sizeof(scratch)}};

	(void)context;
	(void)write;
	for (uint32_t i = 0; i < 3; i++)
		if (va >= ranges[i].va && va + bytes <= ranges[i].va + ranges[i].size)
			return (uint8_t *)ranges[i].bytes + (va - ranges[i].va);
	return NULL;
}

static const struct amd_memory memory = {at, NULL};

static void begin(void)
{
	length = 0;
	memset(code, 0, sizeof(code));
	memset(data, 0, sizeof(data));
}

static void emit(const struct amd_inst *in)
{
	const char *why = NULL;
	uint32_t words[AMD_MAX_WORDS], bytes = amd_encode(AMD_GFX1030, in, words, &why);

	if (!bytes)
		diag("%s: %s", in->row->name, why);
	memcpy(code + length, words, bytes);
	length += bytes / 4;
}

/* An instruction without modifiers: destination and sources, in the order of slots. */
static struct amd_inst make(enum amd_op op, int d, int s0, int s1, int s2)
{
	struct amd_inst in;

	amd_init(&in, op, AMD_PLAIN);
	if (in.row->type[AMD_D] && in.row->format != AMD_VOPC)
		in.reg[AMD_D] = (uint16_t)d;
	if (in.row->type[AMD_S0])
		in.reg[AMD_S0] = (uint16_t)s0;
	if (in.row->type[AMD_S1])
		in.reg[AMD_S1] = (uint16_t)s1;
	if (in.row->type[AMD_S2] && in.row->type[AMD_S2] != TYPE_M)
		in.reg[AMD_S2] = (uint16_t)s2;
	return in;
}

static void put(enum amd_op op, int d, int s0, int s1, int s2)
{
	struct amd_inst in = make(op, d, s0, s1, s2);

	emit(&in);
}

static void put_imm(enum amd_op op, int d, int32_t imm)
{
	struct amd_inst in = make(op, d, 0, 0, 0);

	in.field[AMD_F_IMM] = imm;
	emit(&in);
}

static void put_literal(enum amd_op op, int d, uint32_t value)
{
	struct amd_inst in = make(op, d, AMD_LITERAL, 0, 0);

	in.literal = value;
	emit(&in);
}

#define V(n) (AMD_VGPR + (n))
#define I(n) (AMD_INT_0 + (n))

/* Computes the address of this lane's word of data in v[20:21]. */
static void lane_address(void)
{
	put(AMD_v_lshlrev_b32, V(20), I(2), V(0), 0);
	put_literal(AMD_v_mov_b32, V(21), DATA);
	put(AMD_v_add_nc_u32, V(20), V(20), V(21), 0);
	put(AMD_v_mov_b32, V(21), I(0), 0, 0);
}

static void store(int reg, int32_t offset)
{
	struct amd_inst in = make(AMD_global_store_dword, 0, V(20), reg, AMD_NULL);

	in.field[AMD_F_OFFSET] = offset;
	emit(&in);
}

static uint32_t groups = 1;

static bool run(uint32_t threads, uint32_t lds, bool hazard)
{
	struct amd_launch l = {
		.memory = &memory,
		.entry = CODE,
		.kernarg = DATA,
		.scratch = SCRATCH,
		.rsrc1 = 3 | AMD_FLOAT_MODE_DEFAULT << 12, /* 32 registers */
		.rsrc2 = 1 | 8 << 1,
		.lds_bytes = lds,
		.private_bytes = 64,
		.properties = AMD_WAVE32 | AMD_PRIVATE_SEGMENT_BUFFER | AMD_KERNARG_SEGMENT_PTR |
			      AMD_FLAT_SCRATCH_INIT,
		.groups = {groups, 1, 1},
		.threads = {threads, 1, 1},
		.hazard = hazard,
		.limit = 100000,
	};

	put(AMD_s_endpgm, 0, 0, 0, 0);
	return amd_run(&l, message, sizeof(message));
}

static bool contains(const char *part)
{
	if (strstr(message, part))
		return true;
	diag("\"%s\" does not contain \"%s\"", message, part);
	return false;
}

/* Scalar operations: result and SCC, with SCC set before. */
static const struct {
	enum amd_op op;
	uint32_t a, b, d;
	bool scc;
} scalars[] = {
	{AMD_s_add_u32, 0xffffffff, 1, 0, true},
	{AMD_s_add_u32, 1, 2, 3, false},
	{AMD_s_addc_u32, 0xffffffff, 0, 0, true},
	{AMD_s_subb_u32, 5, 5, 0xffffffff, true},
	{AMD_s_add_i32, 0x7fffffff, 1, 0x80000000, true},
	{AMD_s_sub_u32, 1, 2, 0xffffffff, true},
	{AMD_s_sub_i32, 0x80000000, 1, 0x7fffffff, true},
	{AMD_s_min_i32, 0xffffffff, 3, 0xffffffff, true},
	{AMD_s_max_u32, 0xffffffff, 3, 0xffffffff, true},
	{AMD_s_cselect_b32, 7, 9, 7, true},
	{AMD_s_and_b32, 12, 3, 0, false},
	{AMD_s_andn2_b32, 15, 3, 12, true},
	{AMD_s_lshl_b32, 3, 33, 6, true},
	{AMD_s_ashr_i32, 0x80000000, 31, 0xffffffff, true},
	{AMD_s_bfe_u32, 0x12345678, 0x80008, 0x56, true},
	{AMD_s_bfe_i32, 0x80, 0x80000, 0xffffff80, true},
	{AMD_s_bfm_b32, 4, 8, 0xf00, true},
	{AMD_s_mul_hi_u32, 0x80000000, 6, 3, true},
	{AMD_s_absdiff_i32, 3, 10, 7, true},
	{AMD_s_lshl2_add_u32, 5, 1, 21, false},
	{AMD_s_pack_lh_b32_b16, 0x11112222, 0x33334444, 0x33332222, true},
};

static bool scalar_operations(void)
{
	for (uint32_t i = 0; i < sizeof(scalars) / sizeof(scalars[0]); i++) {
		begin();
		lane_address();
		put_literal(AMD_s_mov_b32, 20, scalars[i].a);
		put_literal(AMD_s_mov_b32, 21, scalars[i].b);
		put(AMD_s_cmp_eq_u32, 0, I(0), I(0), 0);
		put(scalars[i].op, 22, 20, 21, 0);
		put(AMD_s_cselect_b32, 23, I(1), I(0), 0);
		put(AMD_v_mov_b32, V(1), 22, 0, 0);
		put(AMD_v_mov_b32, V(2), 23, 0, 0);
		store(V(1), 0);
		store(V(2), 4 * 32);
		if (!run(32, 0, true) || data[0] != scalars[i].d || data[32] != scalars[i].scc) {
			diag("%s: 0x%x, %u: %s", amd_op_name(scalars[i].op), data[0], data[32],
			     message);
			return false;
		}
	}
	return true;
}

static bool masked_lanes(void)
{
	begin();
	lane_address();
	put(AMD_v_mov_b32, V(1), I(1), 0, 0);
	put(AMD_v_cmp_gt_u32, 0, I(10), V(0), 0); /* 10 > lane */
	put(AMD_s_and_saveexec_b32, 10, AMD_VCC, 0, 0);
	put(AMD_v_add_nc_u32, V(1), V(0), V(1), 0);
	put(AMD_s_mov_b32, AMD_EXEC, 10, 0, 0);
	store(V(1), 0);
	if (!run(32, 0, true))
		return diag("%s", message), false;
	for (uint32_t i = 0; i < 32; i++)
		if (data[i] != (i < 10 ? i + 1 : 1))
			return diag("lane %u: %u", i, data[i]), false;
	return true;
}

/* row_shr:1 with and without bound_ctrl, and SDWA byte to byte. */
static bool moved_lanes(void)
{
	struct amd_inst in;

	begin();
	lane_address();
	put(AMD_v_mov_b32, V(1), I(50), 0, 0);
	amd_init(&in, AMD_v_mov_b32, AMD_DPP);
	in.reg[AMD_D] = V(1);
	in.reg[AMD_S0] = V(0);
	in.field[AMD_F_DPP_CTRL] = AMD_DPP_ROW_SHR + 1;
	emit(&in);
	store(V(1), 0);
	in.field[AMD_F_BOUND_CTRL] = 1;
	emit(&in);
	store(V(1), 128);
	put_literal(AMD_v_mov_b32, V(2), 0x11223344);
	amd_init(&in, AMD_v_mov_b32, AMD_SDWA);
	in.reg[AMD_D] = V(2);
	in.reg[AMD_S0] = V(2);
	in.field[AMD_F_DST_SEL] = AMD_BYTE_3;
	in.field[AMD_F_DST_UNUSED] = AMD_UNUSED_PRESERVE;
	in.field[AMD_F_SRC0_SEL] = AMD_BYTE_0;
	emit(&in);
	store(V(2), 256);
	if (!run(32, 0, true))
		return diag("%s", message), false;
	for (uint32_t i = 0; i < 32; i++)
		if (data[i] != (i % 16 ? i - 1 : 50) || data[32 + i] != (i % 16 ? i - 1 : 0) ||
		    data[64 + i] != 0x44223344)
			return diag("lane %u: %u %u 0x%x", i, data[i], data[32 + i], data[64 + i]),
			       false;
	return true;
}

/* Two waves exchange words through LDS: each reads what the other wrote, although the second
 * arrives several quanta later. */
static bool exchanged_words(void)
{
	struct amd_inst in;

	begin();
	lane_address();
	put(AMD_v_readfirstlane_b32, 10, V(0), 0, 0);
	put(AMD_s_lshl_b32, 10, 10, I(9), 0); /* 0 or 16,384 */
	put(AMD_s_add_u32, 10, 10, I(1), 0);
	put(AMD_s_sub_u32, 10, 10, I(1), 0);
	put(AMD_s_cmp_lg_u32, 0, 10, I(0), 0);
	put_imm(AMD_s_cbranch_scc1, 0, 0xfffd); /* back to the subtraction */
	put(AMD_v_lshlrev_b32, V(1), I(2), V(0), 0);
	put(AMD_ds_write_b32, 0, V(1), V(0), 0);
	put_imm(AMD_s_waitcnt, 0, 0xc07f);
	put(AMD_s_barrier, 0, 0, 0, 0);
	put_literal(AMD_v_mov_b32, V(2), 252);
	put(AMD_v_sub_nc_u32, V(2), V(2), V(1), 0);
	in = make(AMD_ds_read_b32, V(3), V(2), 0, 0);
	emit(&in);
	put_imm(AMD_s_waitcnt, 0, 0xc07f);
	store(V(3), 0);
	if (!run(64, 256, true))
		return diag("%s", message), false;
	for (uint32_t i = 0; i < 64; i++)
		if (data[i] != 63 - i)
			return diag("thread %u: %u", i, data[i]), false;
	return true;
}

/* A word stored through the scratch buffer resource is loaded through a flat address. */
static bool private_words(void)
{
	struct amd_inst in;

	begin();
	lane_address();
	put(AMD_s_mov_b32, 12, 8, 0, 0); /* flat scratch of this wave: s8 is its offset */
	put(AMD_s_add_u32, 12, 6, 8, 0);
	put_imm(AMD_s_setreg_b32, 12, HWREG_FLAT_SCR_LO | 31 << 11);
	in = make(AMD_buffer_store_dword, 0, V(0), V(0), 0);
	in.reg[AMD_S2] = 0;
	in.reg[AMD_SX] = 8;
	in.field[AMD_F_OFFSET] = 20;
	emit(&in);
	put(AMD_v_mov_b32, V(2), I(20), 0, 0);
	put(AMD_v_mov_b32, V(3), AMD_PRIVATE_BASE, 0, 0);
	in = make(AMD_flat_load_dword, V(4), V(2), 0, 0);
	emit(&in);
	put_imm(AMD_s_waitcnt, 0, 0);
	store(V(4), 0);
	if (!run(64, 0, true))
		return diag("%s", message), false;
	for (uint32_t i = 0; i < 64; i++)
		if (data[i] != i)
			return diag("thread %u: %u", i, data[i]), false;
	return scratch[5 * 32 + 3] == 3;
}

/* A buffer of eight records of two words: the records after it read as 0. */
static bool buffer_records(void)
{
	struct amd_inst in;

	begin();
	lane_address();
	put_literal(AMD_s_mov_b32, 12, DATA + 1024);
	put_literal(AMD_s_mov_b32, 13, 8 << 16); /* the stride */
	put_literal(AMD_s_mov_b32, 14, 8);
	put(AMD_s_mov_b32, 15, I(0), 0, 0);
	in = make(AMD_buffer_load_dword, V(4), V(0), 0, 0);
	in.reg[AMD_S2] = 12;
	in.reg[AMD_SX] = I(0);
	in.field[AMD_F_IDXEN] = 1;
	emit(&in);
	put_imm(AMD_s_waitcnt, 0, 0);
	store(V(4), 0);
	for (uint32_t i = 0; i < 64; i++)
		data[256 + i] = 1000 + i;
	if (!run(32, 0, true))
		return diag("%s", message), false;
	for (uint32_t i = 0; i < 32; i++)
		if (data[i] != (i < 8 ? 1000 + 2 * i : 0))
			return diag("record %u: %u", i, data[i]), false;
	return true;
}

static bool counted_atomics(void)
{
	struct amd_inst in;

	begin();
	put_literal(AMD_v_mov_b32, V(20), DATA);
	put(AMD_v_mov_b32, V(21), I(0), 0, 0);
	put(AMD_v_mov_b32, V(1), I(3), 0, 0);
	in = make(AMD_global_atomic_add, V(2), V(20), V(1), AMD_NULL);
	in.field[AMD_F_GLC] = 1;
	emit(&in);
	put_imm(AMD_s_waitcnt, 0, 0x3f70);
	in = make(AMD_global_atomic_umax, V(0), V(20), V(2), AMD_NULL);
	in.field[AMD_F_OFFSET] = 4;
	emit(&in);
	return run(64, 0, true) && data[0] == 192 && data[1] == 189;
}

static bool named_faults(void)
{
	bool good = true;

	begin();
	put(AMD_v_mov_b32, V(20), I(0), 0, 0);
	put(AMD_v_mov_b32, V(21), I(1), 0, 0);
	put(AMD_global_load_dword, V(1), V(20), 0, AMD_NULL);
	good = !run(32, 0, false) && contains("load of 4 bytes") && contains("0x100000000") &&
	       contains("lane 0") && good;
	begin();
	put_literal(AMD_v_mov_b32, V(1), 254);
	put(AMD_ds_read_b32, V(2), V(1), 0, 0);
	good = !run(32, 256, false) && contains("LDS access at 0xfe") && good;
	begin();
	put(AMD_v_mov_b32, V(40), I(1), 0, 0);
	good = !run(32, 0, false) && contains("v40") && contains("32 vector registers") && good;
	begin();
	put_imm(AMD_s_branch, 0, 0xffff);
	good = !run(32, 0, false) && contains("not finished after 100000 instructions") && good;
	begin(); /* there is no trap handler: the wave continues */
	put_imm(AMD_s_trap, 0, 2);
	good = run(32, 0, false) && good;
	begin();
	code[length++] = 0xffffffff;
	good = !run(32, 0, false) && contains("not an instruction") && good;
	begin();
	put(AMD_v_cubeid_f32, V(1), V(1), V(1), V(1));
	good = !run(32, 0, false) && contains("not modelled") && good;
	begin();
	put_imm(AMD_s_denorm_mode, 0, 1);
	good = !run(32, 0, false) && contains("denormal mode") && good;
	return good && !run(2000, 0, false) && contains("1 to 1024 threads");
}

/* Loads two words of data, waits as given, adds. */
static bool waits(int32_t wait, int reg)
{
	struct amd_inst in;

	begin();
	lane_address();
	in = make(AMD_global_load_dword, V(1), V(20), 0, AMD_NULL);
	emit(&in);
	in = make(AMD_global_load_dword, V(2), V(20), 0, AMD_NULL);
	emit(&in);
	if (wait >= 0)
		put_imm(AMD_s_waitcnt, 0, wait);
	put(AMD_v_add_nc_u32, V(3), I(1), reg, 0);
	return run(32, 0, true);
}

/* A load, more stores after it than the counter can hold, and a wait for all but a given number. */
static bool old_load(int32_t left)
{
	begin();
	put(AMD_v_mov_b32, V(1), I(0), 0, 0);
	put(AMD_ds_read_b32, V(2), V(1), 0, 0);
	for (int k = 0; k < 64; k++)
		put(AMD_ds_write_b32, 0, V(1), V(1), 0);
	put_imm(AMD_s_waitcnt, 0, 0xc07f | left << 8);
	put(AMD_v_mov_b32, V(4), V(2), 0, 0);
	return run(32, 256, true);
}

/* An LDS access and another operation: LDS and flat accesses return in order, scalar loads do
 * not. */
static bool mixed_waits(enum amd_op other, int32_t wait)
{
	begin();
	lane_address();
	put(AMD_v_mov_b32, V(1), I(0), 0, 0);
	put(AMD_ds_read_b32, V(2), V(1), 0, 0);
	put(other, other == AMD_s_load_dword ? 12 : V(3),
	    other == AMD_s_load_dword      ? 4
	    : other == AMD_flat_load_dword ? V(20)
					   : V(1),
	    other == AMD_s_load_dword ? AMD_NULL : 0, 0);
	put_imm(AMD_s_waitcnt, 0, wait);
	put(AMD_v_mov_b32, V(4), V(2), 0, 0);
	return run(32, 256, true);
}

/* Two loads to one register, the second of the given kind, and a wait. */
static bool overwritten_load(enum amd_op first, enum amd_op second, int32_t wait)
{
	struct amd_inst in;

	begin();
	lane_address();
	put(AMD_v_mov_b32, V(1), I(0), 0, 0);
	in = make(first, V(2), V(20), 0, first == AMD_global_load_dword ? AMD_NULL : 0);
	emit(&in);
	in = make(second, V(2), second == AMD_ds_read_b32 ? V(1) : V(20), 0,
		  second == AMD_global_load_dword ? AMD_NULL : 0);
	emit(&in);
	put_imm(AMD_s_waitcnt, 0, wait);
	put(AMD_v_mov_b32, V(4), V(2), 0, 0);
	return run(32, 256, true);
}

/* An LDS store and a barrier, with or without a wait in between. */
static bool barrier_after(bool wait)
{
	begin();
	put(AMD_v_mov_b32, V(1), I(0), 0, 0);
	put(AMD_ds_write_b32, 0, V(1), V(1), 0);
	if (wait)
		put_imm(AMD_s_waitcnt, 0, 0xc07f);
	put(AMD_s_barrier, 0, 0, 0, 0);
	return run(64, 256, true);
}

/* An operation, optionally a wait, and both caches invalidated, L1 first or L0 first; then a
 * load. */
static bool acquire_sequence(enum amd_op op, bool wait, bool outer_first)
{
	struct amd_inst in;

	begin();
	lane_address();
	put(AMD_v_mov_b32, V(1), I(0), 0, 0);
	in = make(op, op == AMD_global_load_dword ? V(2) : V(0), V(20),
		  op == AMD_global_load_dword ? 0 : V(1), AMD_NULL);
	emit(&in);
	if (wait) {
		put_imm(AMD_s_waitcnt, 0, 0x3f70);
		put_imm(AMD_s_waitcnt_vscnt, AMD_NULL, 0);
	}
	put(outer_first ? AMD_buffer_gl1_inv : AMD_buffer_gl0_inv, 0, 0, 0, 0);
	put(outer_first ? AMD_buffer_gl0_inv : AMD_buffer_gl1_inv, 0, 0, 0, 0);
	in = make(AMD_global_load_dword, V(3), V(20), 0, AMD_NULL);
	emit(&in);
	return run(32, 0, true);
}

/* Two workgroups in sequence: each loads a word, with or without GLC, and writes it. */
static bool pass_word(enum amd_op write, bool wait, bool marked)
{
	struct amd_inst in;
	bool good;

	begin();
	lane_address();
	in = make(AMD_global_load_dword, V(2), V(20), 0, AMD_NULL);
	in.field[AMD_F_GLC] = in.field[AMD_F_DLC] = marked;
	emit(&in);
	put_imm(AMD_s_waitcnt, 0, 0x3f70);
	in = make(write, V(0), V(20), V(2), AMD_NULL);
	emit(&in);
	if (wait)
		put_imm(AMD_s_waitcnt_vscnt, AMD_NULL, 0);
	groups = 2;
	good = run(32, 0, true);
	groups = 1;
	return good;
}

/* Two workgroups in sequence load a word and exchange it without a wait at the end, as in a
 * compare-and-swap loop. */
static bool swap_loop(enum amd_op exchange)
{
	struct amd_inst in;
	bool good;

	begin();
	lane_address();
	in = make(AMD_global_load_dword, V(2), V(20), 0, AMD_NULL);
	emit(&in);
	put_imm(AMD_s_waitcnt, 0, 0x3f70);
	put(AMD_v_mov_b32, V(3), V(2), 0, 0);
	in = make(exchange, V(4), V(20), V(2), AMD_NULL);
	in.field[AMD_F_GLC] = 1;
	emit(&in);
	groups = 2;
	good = run(32, 0, true);
	groups = 1;
	return good;
}

static bool releases(void)
{
	bool good = pass_word(AMD_global_store_dword, true, false) &&
		    pass_word(AMD_global_atomic_add, true, false) &&
		    pass_word(AMD_global_store_dword, false, true);

	good = !pass_word(AMD_global_store_dword, false, false) &&
	       contains("by wave 0 of workgroup 0,0,0, which had not waited for vscnt") &&
	       contains("workgroup 1,0,0") && good;
	good = !pass_word(AMD_global_atomic_add, false, false) &&
	       contains("had not waited for vscnt") && good;
	return swap_loop(AMD_global_atomic_cmpswap) && !swap_loop(AMD_global_atomic_swap) &&
	       contains("had not waited for vmcnt") && good;
}

static bool caches(void)
{
	bool good = acquire_sequence(AMD_global_load_dword, true, true) &&
		    acquire_sequence(AMD_global_atomic_add, true, true);

	good = !acquire_sequence(AMD_global_load_dword, false, true) &&
	       contains("buffer_gl1_inv while loads") && contains("vmcnt") && good;
	good = !acquire_sequence(AMD_global_atomic_add, false, true) && contains("vscnt") && good;
	good = acquire_sequence(AMD_global_store_dword, false, true) &&
	       good; /* a store acquires nothing */
	return !acquire_sequence(AMD_global_load_dword, true, false) &&
	       contains("not invalidated after L1") && good;
}

static bool hazards(void)
{
	enum { VM0 = 0x3f70, VM1 = 0x3f71, LGKM0 = 0xc07f, LGKM1 = 0xc17f };
	bool good = !waits(-1, V(1)) && contains("uses v1") && contains("vmcnt") &&
		    contains("v_add_nc_u32_e32 v3, 1, v1");

	good = waits(VM0, V(1)) && waits(VM0, V(2)) && waits(VM1, V(1)) && good;
	good = !waits(VM1, V(2)) && contains("uses v2") && good;
	good = !waits(LGKM0, V(1)) && good;
	good = waits(-1, V(0)) && good;
	good = old_load(62) && !old_load(63) && contains("uses v2") && good; /* 63 does not wait */
	good = mixed_waits(AMD_ds_read_b32, LGKM1) && mixed_waits(AMD_flat_load_dword, LGKM1) &&
	       mixed_waits(AMD_s_load_dword, LGKM0) && good;
	good = overwritten_load(AMD_global_load_dword, AMD_global_load_dword, VM0) && good;
	good = !overwritten_load(AMD_global_load_dword, AMD_global_load_dword, VM1) &&
	       contains("vmcnt") && good;
	good = !overwritten_load(AMD_global_load_dword, AMD_ds_read_b32, 0) && good;
	good = !overwritten_load(AMD_flat_load_dword, AMD_global_load_dword, VM0) &&
	       contains("uses v2") && good;
	good = barrier_after(true) && !barrier_after(false) && contains("s_barrier") &&
	       contains("lgkmcnt") && good;
	return !mixed_waits(AMD_s_load_dword, LGKM1) && contains("uses v2") &&
	       contains("lgkmcnt") && good;
}

/* s_denorm_mode a number of wait states after an atomic on memory, or after an instruction that
 * resolves the hazard. */
static bool mode_after(enum amd_op atomic, int32_t nops, enum amd_op between)
{
	begin();
	lane_address();
	put(AMD_v_mov_b32, V(1), I(0), 0, 0);
	put(atomic, V(0), V(20), V(1), AMD_NULL);
	if (nops)
		put_imm(AMD_s_nop, 0, nops - 1);
	if (between == AMD_v_mov_b32)
		put(between, V(2), I(0), 0, 0);
	else if (between == AMD_s_waitcnt)
		put_imm(between, 0, 0x3f70);
	put_imm(AMD_s_denorm_mode, 0, 15);
	return run(32, 0, true);
}

static bool modes(void)
{
	bool good = !mode_after(AMD_global_atomic_fmin, 0, AMD_s_nop) &&
		    contains("s_denorm_mode 3 wait states too soon");

	good = !mode_after(AMD_global_atomic_fmax, 2, AMD_s_nop) && contains("1 wait states") &&
	       good;
	good = mode_after(AMD_global_atomic_fmax, 3, AMD_s_nop) && good;
	good = mode_after(AMD_global_atomic_fmin, 0, AMD_v_mov_b32) && good;
	good = mode_after(AMD_global_atomic_fmin, 0, AMD_s_waitcnt) && good;
	return mode_after(AMD_global_atomic_smin, 0, AMD_s_nop) && good;
}

/* Rows of the ISA table that are not modelled, by name; all others are. */
static bool modelled(uint32_t *count)
{
	static const char *const without[] = {
		"exec_b64",  "s_bitset0_b64", "s_bitset1_b64", "s_setkill",    "s_sethalt",
		"s_sendmsg", "s_ttracedata",  "cdbg",          "s_endpgm_",    "s_movrelsd_2",
		"v_cube",    "v_mullit",      "qsad",          "v_trig_preop", "v_clrexcp",
		"v_swaprel", "mskor",         "wrxchg2",       "cmpst_f",      "cmpst_rtn_f",
		"ds_wrap",   "condxchg",      "ds_consume",    "ds_append",    "fcmpswap",
	};

	for (uint32_t op = 0; op < AMD_OP_COUNT; op++) {
		bool known = false;

		if (amd_handler_of(op)) {
			++*count;
			continue;
		}
		for (uint32_t i = 0; i < sizeof(without) / sizeof(without[0]); i++)
			known = known || strstr(amd_op_name(op), without[i]);
		if (!known)
			return diag("%s is not modelled", amd_op_name(op)), false;
	}
	return true;
}

int main(void)
{
	uint32_t count = 0;

	ok(scalar_operations(), "scalar operations compute their result and SCC");
	ok(masked_lanes(), "inactive lanes keep their registers");
	ok(moved_lanes(), "DPP moves lanes and SDWA moves bytes");
	ok(exchanged_words(), "waves synchronise at barriers and exchange words through LDS");
	ok(private_words(),
	   "private memory is interleaved by lane, through buffer and flat addresses alike");
	ok(buffer_records(), "a load beyond the last record of a buffer with a stride returns 0");
	ok(counted_atomics(), "atomic operations count every thread");
	ok(named_faults(), "each kind of invalid program is reported with an exact message");
	ok(hazards(), "hazard mode names a register that is used before its wait counter");
	ok(modes(), "s_denorm_mode too soon after a float atomic is a hazard");
	ok(releases(), "loading a word that another wave wrote without waiting is a hazard");
	ok(caches(), "cache invalidates must follow loads and atomics, L1 before L0");
	ok(modelled(&count), "every instruction is modelled except for a known list");
	ok(count > 850, "%u instructions are modelled", count);
	return tap_done();
}
