// SPDX-License-Identifier: MIT
/*
 * Instruction counts of small kernels for gfx1030: each row states one optimisation, and the counts
 * show whether it applied. Other tests check the results.
 *
 * usage: selection [WORD OF A PROMISE]
 */
#include "libsov/isa/amd/amd_row.h"
#include "tests/tap.h"
#include "tests/userspace/compiler/amd/_launch.h"

#define MAX_COUNTS 6

/*
 * The kernel has parameters a and b, addresses in %p0 and %p1, and the thread index in %t; %q is
 * the thread's 16 bytes of a, and %o those of b.
 */
static const char head[] =
	".version 8.0\n.target sm_80\n.address_size 64\n"
	".visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n) {\n"
	".reg .b64 %p<2>, %i, %q, %o, %l<8>; .reg .b32 %t, %n, %r<20>; .reg .f32 %f<20>; .reg .f64 "
	"%d<12>;\n"
	".reg .pred %c<4>;\n"
	"mov.u32 %t, %tid.x; ld.param.u32 %n, [n];\n"
	"ld.param.u64 %p0, [a]; ld.param.u64 %p1, [b]; mul.wide.u32 %i, %t, 16;\n"
	"add.s64 %q, %p0, %i; add.s64 %o, %p1, %i;\n";

static const struct row {
	const char *promise, *body;
	struct {
		const char *prefix; /* of mnemonics; after @: those in the last loop */
		uint32_t max;
	} counts[MAX_COUNTS];
} rows[] = {
	{"a loop that lanes leave only to end, and the ifs inside of it, are structured branches",
	 "again: ld.global.u32 %r0, [%q]; setp.eq.u32 %c0, %r0, 0; @%c0 bra next; st.global.u32 "
	 "[%o], %r0;\n"
	 "next: add.s64 %q, %q, 64; add.s64 %o, %o, 64; add.u32 %t, %t, 4; setp.lt.u32 %c1, %t, "
	 "%n;\n"
	 "@%c1 bra again; ret;",
	 {{"s_or_b32", 0}, {"s_cmp", 0}, {"s_cbranch_execz", 2}}},
	{"negation and absolute value fold into source modifiers",
	 "ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%q]; neg.f32 %f4, %f0; abs.f32 %f5, %f1; neg.f32 "
	 "%f5, %f5;\n"
	 "fma.rn.f32 %f6, %f4, %f5, %f2; abs.f32 %f7, %f3; setp.lt.f32 %c0, %f7, %f4; selp.f32 "
	 "%f6, %f6, %f2, %c0;\n"
	 "sub.f32 %f6, %f6, %f2; st.global.f32 [%o], %f6; ld.global.v2.f64 {%d0, %d1}, [%q+16]; "
	 "sub.f64 %d0, %d0, %d1;\n"
	 "st.global.f64 [%o+8], %d0; ret;",
	 {{"v_xor", 0}, {"v_and", 0}, {"v_mov", 0}}},
	{"CSE shares the lane index of shuffles across blocks, and lane masks within a block",
	 "ld.global.u32 %r0, [%q]; shfl.sync.down.b32 %r1, %r0, 8, 31, -1; add.u32 %r0, %r0, %r1;\n"
	 "setp.eq.u32 %c0, %n, 0; @%c0 bra done; shfl.sync.down.b32 %r2, %r0, 8, 31, -1; add.u32 "
	 "%r0, %r0, %r2;\n"
	 "shfl.sync.down.b32 %r3, %r0, 8, 31, -1; add.u32 %r0, %r0, %r3; done: st.global.u32 [%o], "
	 "%r0; ret;",
	 {{"v_mbcnt", 1}, {"v_lshlrev_b32", 2}, {"v_cmp_gt_u32", 2}, {"ds_bpermute", 3}}},
	{"words of a 64-bit phi are read in place, without moves",
	 "ld.global.v2.f64 {%d0, %d1}, [%q]; setp.eq.u32 %c0, %t, 0; @%c0 bra go; add.f64 %d0, "
	 "%d0, %d1;\n"
	 "go: mov.b64 {%r0, %r1}, %d0; shfl.sync.bfly.b32 %r2, %r0, 8, 31, -1; shfl.sync.bfly.b32 "
	 "%r3, %r1, 8, 31, -1;\n"
	 "mov.b64 %d2, {%r2, %r3}; add.f64 %d0, %d0, %d2; st.global.f64 [%o], %d0; ret;",
	 {{"v_mov", 4}}},
	{"a global address from an index and a base is one multiply-add",
	 "ld.global.u32 %r0, [%q]; mul.wide.u32 %l0, %r0, 8; add.s64 %l1, %p0, %l0; ld.global.u32 "
	 "%r1, [%l1];\n"
	 "mul.wide.s32 %l2, %r1, 4; add.s64 %l3, %l2, %p1; cvt.u64.u32 %l4, %r1; shl.b64 %l4, %l4, "
	 "3;\n"
	 "add.s64 %l5, %p1, %l4; st.global.u32 [%l3], %r0; st.global.u32 [%l5], %r0; ret;",
	 {{"v_add_co", 0}, {"v_lshlrev_b64", 0}, {"v_mad_u64_u32", 2}, {"v_mad_i64_i32", 1}}},
	{"an early end of the thread needs one jump, which goes to the end",
	 "setp.ge.u32 %c0, %t, %n; @%c0 ret; st.global.u32 [%o], %t; ret;",
	 {{"s_branch", 0}, {"s_cbranch", 1}, {"s_endpgm", 1}}},
	{"a load ends with the last component in use",
	 "ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%q]; add.u32 %r0, %r0, %r2; st.global.u32 [%o], "
	 "%r0; ret;",
	 {{"global_load_dwordx3", 1}, {"global_load_dwordx4", 0}}},
	{"an else part without code costs nothing",
	 "ld.global.u32 %r0, [%q]; setp.ne.u32 %c0, %r0, 0; @!%c0 bra join; ld.global.u32 %r0, "
	 "[%q+4];\n"
	 "st.global.u32 [%o], %r0; join: st.global.u32 [%o+4], %r0; ret;",
	 {{"s_andn2", 0}, {"s_mov_b32", 1}, {"s_cbranch", 1}}},
	{"a product with a power of two plus a word is one shift and addition",
	 "ld.global.u32 %r0, [%q]; mad.lo.u32 %r1, %r0, 64, %t; st.global.u32 [%o], %r1; ret;",
	 {{"v_mul", 0}, {"v_mad", 0}, {"v_add", 0}, {"v_lshl_add_u32", 1}}},
	{"a bounded thread index becomes a 32-bit offset to a scalar base",
	 "shr.u32 %r0, %t, 2; mad.lo.u32 %r0, %r0, 12, %t; mul.wide.u32 %l0, %r0, 4; add.s64 %l1, "
	 "%p0, %l0;\n"
	 "ld.global.u32 %r1, [%l1]; st.global.u32 [%o], %r1; ret;",
	 {{"v_add", 0},
	  {"v_mad_u64", 0},
	  {"v_mul_lo", 0},
	  {"v_mad_u32_u24", 1},
	  {"v_lshlrev_b32", 2}}},
	{"the LDS address of a variable folds into the instruction offset",
	 ".shared .b32 x[256]; .shared .b32 y[256]; ld.global.u32 %r0, [%q]; mul.wide.u32 %l0, %t, "
	 "4;\n"
	 "mov.u64 %l1, x; add.s64 %l1, %l1, %l0; mov.u64 %l2, y; add.s64 %l2, %l2, %l0; "
	 "st.shared.u32 [%l1], %r0;\n"
	 "st.shared.u32 [%l2+8], %r0; bar.sync 0; ld.shared.u32 %r1, [%l2]; st.global.u32 [%o], "
	 "%r1; ret;",
	 {{"v_add", 0}, {"v_lshl_add", 0}, {"s_mov", 0}, {"v_lshlrev_b32", 2}}},
	{"an LDS offset up to 65535 folds into the instruction; a larger one is added to the "
	 "address",
	 "mad.lo.u32 %r0, %t, 4, %n; st.shared.u8 [%r0+65535], %t; st.shared.u8 [%r0+65536], %t; "
	 "ret;",
	 {{"ds_write_b8", 2}, {"v_add", 1}}},
	{"adjacent words of global memory are accessed by one instruction at any word alignment",
	 "mad.wide.u32 %l0, %t, 20, %p0; ld.global.u32 %r0, [%l0+4]; ld.global.u32 %r1, [%l0+8];\n"
	 "ld.global.u32 %r2, [%l0+12]; ld.global.u32 %r3, [%l0+16]; mad.wide.u32 %l1, %t, 20, "
	 "%p1;\n"
	 "st.global.u32 [%l1+4], %r3; st.global.u32 [%l1+8], %r2; ret;",
	 {{"global_load", 1}, {"global_store", 1}}},
	{"approximate functions of arguments scaled to be normal need no mode change",
	 "ld.global.v2.f32 {%f0, %f1}, [%q]; rsqrt.approx.f32 %f2, %f0; ex2.approx.f32 %f3, %f1; "
	 "add.f32 %f2, %f2, %f3;\n"
	 "st.global.f32 [%o], %f2; ret;",
	 {{"s_denorm_mode", 0}, {"v_rsq_f32", 1}, {"v_exp_f32", 1}}},
	{"butterfly shuffles by a constant use ds_swizzle_b32, which needs no address",
	 "ld.global.u32 %r0, [%q]; shfl.sync.bfly.b32 %r1, %r0, 16, 31, -1; add.u32 %r0, %r0, "
	 "%r1;\n"
	 "shfl.sync.bfly.b32 %r2, %r0, 1, 31, -1; add.u32 %r0, %r0, %r2; st.global.u32 [%o], %r0; "
	 "ret;",
	 {{"v_mbcnt", 0}, {"v_xor", 0}, {"ds_bpermute", 0}, {"ds_swizzle", 2}}},
	{"rotations and funnel shifts are one v_alignbit_b32, to the left by a variable two",
	 "ld.global.v2.u32 {%r0, %r1}, [%q]; and.b32 %r5, %r1, 31;\n"
	 "shf.l.wrap.b32 %r2, %r0, %r0, 7; shf.r.wrap.b32 %r3, %r0, %r1, 9;\n"
	 "shf.l.wrap.b32 %r4, %r1, %r1, %r5; add.u32 %r2, %r2, %r3; add.u32 %r2, %r2, %r4;\n"
	 "st.global.u32 [%o], %r2; ret;",
	 {{"v_lshlrev_b64", 0}, {"v_lshrrev_b64", 0}, {"v_alignbit_b32", 3}, {"v_cndmask", 0}}},
	{"packed halves are computed without a comparison for NaNs",
	 "ld.global.v2.u32 {%r0, %r1}, [%q]; fma.rn.f16x2 %r2, %r0, %r1, %r0;\n"
	 "mul.rn.f16x2 %r2, %r2, %r1; add.rn.f16x2 %r2, %r2, %r0; st.global.u32 [%o], %r2; ret;",
	 {{"v_cmp", 0}, {"v_bfi", 0}, {"v_cndmask", 0}, {"v_pk_", 3}}},
	{"adjacent kernel arguments are loaded by one instruction",
	 "st.global.u64 [%q], %p1; st.global.u32 [%o], %n; ret;",
	 {{"s_load_dwordx4", 1}, {"s_load_dwordx2", 0}, {"s_load", 2}}},
	{"a sum over 16 lanes by butterfly shuffles is one addition by DPP for each",
	 "ld.global.u32 %r0, [%q]; shfl.sync.bfly.b32 %r1, %r0, 8, 31, -1; add.u32 %r0, %r0, %r1;\n"
	 "shfl.sync.bfly.b32 %r2, %r0, 2, 31, -1; add.u32 %r0, %r2, %r0; st.global.u32 [%o], %r0; "
	 "ret;",
	 {{"ds_", 0}, {"v_mov", 0}, {"v_add_nc_u32", 2}}},
	{"the comparison of an exit, and of a loop that lanes leave, narrows EXEC itself",
	 "setp.ge.u32 %c0, %t, %n; @%c0 ret; again: ld.global.u32 %r0, [%q]; st.global.u32 [%o], "
	 "%r0;\n"
	 "add.s64 %q, %q, 64; add.u32 %t, %t, %r0; setp.lt.u32 %c1, %t, %n; @%c1 bra again; ret;",
	 {{"v_cmp_", 0}, {"v_cmpx_", 2}, {"s_and", 0}}},
	{"a shuffle that reads a constant lane reads it through an SGPR",
	 "ld.global.u32 %r0, [%q]; shfl.sync.idx.b32 %r1, %r0, 3, 31, -1; st.global.u32 [%o], %r1; "
	 "ret;",
	 {{"ds_", 0}, {"v_mbcnt", 0}, {"v_cmp", 0}, {"v_readlane", 1}}},
	{"a shuffle that reads a variable lane of the wave needs no comparison",
	 "ld.global.v2.u32 {%r0, %r2}, [%q]; shfl.sync.idx.b32 %r1, %r0, %r2, 31, -1; "
	 "st.global.u32 [%o], %r1; ret;",
	 {{"ds_", 1}, {"v_mbcnt", 0}, {"v_cmp", 0}, {"v_cndmask", 0}}},
	{"a product with one more than a power of two is one shift and addition",
	 "ld.global.u32 %r0, [%q]; mul.lo.u32 %r1, %r0, 9; st.global.u32 [%o], %r1; ret;",
	 {{"v_mul", 0}, {"v_lshl_add_u32", 1}}},
	{"a float is truncated to an integer by the conversion",
	 "ld.global.f32 %f0, [%q]; cvt.rzi.s32.f32 %r0, %f0; st.global.u32 [%o], %r0; ret;",
	 {{"v_trunc", 0}, {"v_cvt", 1}}},
	{"a product of scalars that is added to a vector is a scalar",
	 "mov.u32 %r0, %ctaid.x; mad.lo.u32 %r0, %r0, %n, %t; st.global.u32 [%o], %r0; ret;",
	 {{"v_mul", 0}, {"s_mul_i32", 1}}},
	{"the corrections of a quotient are additions with carry",
	 "ld.global.v2.u32 {%r0, %r1}, [%q]; div.u32 %r2, %r0, %r1; st.global.u32 [%o], %r2; ret;",
	 {{"v_cndmask", 1}, {"v_add_co_ci_u32", 2}, {"s_denorm_mode", 0}, {"s_round_mode", 0}}},
	{"the reciprocal of an invariant divisor leaves the loop",
	 "again: ld.global.u32 %r0, [%q]; rem.u32 %r1, %r0, %n; st.global.u32 [%q], %r1; add.u32 "
	 "%t, %t, %r1;\n"
	 "setp.lt.u32 %c0, %t, 1000; @%c0 bra again; ret;",
	 {{"@v_rcp", 0}, {"@v_cvt", 0}, {"@v_mul_hi", 1}}},
	{"an incremented address stays in its registers, so that the loop ends with one jump",
	 "mov.u32 %r3, 0; again: ld.global.u32 %r0, [%p0]; ld.global.u32 %r1, [%p0+64];\n"
	 "st.global.u32 [%o], %r0; add.u32 %r2, %r2, %r1; add.s64 %p0, %p0, 256; add.u32 %r3, %r3, "
	 "1;\n"
	 "setp.lt.u32 %c0, %r3, %n; @%c0 bra again; st.global.u32 [%o], %r2; ret;",
	 {{"@s_mov", 0}, {"@v_mov", 1}, {"@s_branch", 0}}},
};

/* Sets begin and end to the words of the code that the last backward jump repeats; equal: none. */
static void find_loop(const struct image_kernel *k, uint32_t *begin, uint32_t *end)
{
	const uint32_t *text = (const uint32_t *)(const void *)k->code;
	struct amd_inst in;

	*begin = *end = 0;
	for (uint32_t p = 0, bytes; p < k->code_bytes / 4; p += bytes / 4) {
		int32_t distance;

		bytes = amd_decode(AMD_GFX1030, text + p, k->code_bytes / 4 - p, &in);
		if (!bytes)
			return;
		distance = (int16_t)in.field[AMD_F_IMM];
		if (in.row->flags & TARGET && distance < 0) {
			*begin = p + 1 + (uint32_t)distance;
			*end = p + 1;
		}
	}
}

/* UINT32_MAX: there is no such code. */
static uint32_t count_instructions(const struct image_kernel *k, const char *prefix)
{
	const uint32_t *text = (const uint32_t *)(const void *)k->code;
	uint32_t begin = 0, end = k->code_bytes / 4, n = 0, bytes;
	struct amd_inst in;

	if (*prefix == '@') {
		find_loop(k, &begin, &end);
		prefix++;
	}
	if (begin == end)
		return UINT32_MAX;
	for (uint32_t p = begin; p < end; p += bytes / 4) {
		bytes = amd_decode(AMD_GFX1030, text + p, end - p, &in);
		if (!bytes)
			return UINT32_MAX;
		n += !strncmp(in.row->name, prefix, strlen(prefix));
	}
	return n;
}

static void check_row(const struct row *r)
{
	char text[4096];
	struct amd_test t;
	bool good;

	snprintf(text, sizeof(text), "%s%s\n}\n", head, r->body);
	good = amd_test_load(&t, text, strlen(text), &(struct compile_options){.verify = true});
	if (!good)
		diag("%s", t.message);
	for (uint32_t c = 0; good && c < MAX_COUNTS && r->counts[c].prefix; c++) {
		uint32_t n = count_instructions(amd_test_kernel(&t, "k"), r->counts[c].prefix);

		if (n > r->counts[c].max) {
			diag("%s: %u, more than %u", r->counts[c].prefix, n, r->counts[c].max);
			good = false;
		}
	}
	ok(good, "%s", r->promise);
	amd_test_free(&t);
}

int main(int argc, char **argv)
{
	for (uint32_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++)
		if (argc < 2 || strstr(rows[k].promise, argv[1]))
			check_row(&rows[k]);
	return tap_done();
}
