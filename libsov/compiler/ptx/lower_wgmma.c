// SPDX-License-Identifier: MIT
/*
 * Lowering of matrix products of a warp group. The IR's product has its result when it ends;
 * commit_group and wait_group order its reads of shared memory before later accesses.
 */
#include <string.h>
#include "libsov/compiler/base/compile_job.h"
#include "libsov/compiler/base/target.h"
#include "libsov/compiler/ptx/front_end.h"
#include "libsov/isa/mma_group.h"

#define NEEDS    90 /* SM version */
#define TYPES    3  /* of D, A and B */
#define MAX_ARGS (MMA_GROUP_MAX_WORDS + MMA_GROUP_A_WORDS + 4)

static bool check_target(struct ptx *x, const struct ptx_inst *in)
{
	const struct target *t = x->job->target;

	if (t && (strcmp(t->family, "nv") || t->version != NEEDS))
		ptx_error(x, &in->name, "'%s' needs sm_90a and is not supported on %s",
			  ptx_spelling(x, in), t->name);
	else if (!x->is_specific || x->architecture != NEEDS)
		ptx_error(x, &in->name, "'%s' needs the target sm_90a", ptx_spelling(x, in));
	else
		return true;
	return false;
}

/* fence says that registers are written, which the back end finds itself. */
void ptx_lower_wgmma_order(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_operand *a = in->role[ROLE_A];
	ir_id i;

	if (!check_target(x, in))
		return;
	if (a && a->kind != OPERAND_INTEGER) {
		ptx_error(x, &a->at, "the number of groups is a constant, found '%.*s'",
			  TEXT(&a->at));
		return;
	}
	if (in->row->op == IR_WARPSYNC)
		return;
	i = ptx_emit(x, in->row->op, IR_VOID, 0, 0, NULL);
	ir_at(x->func, i)->imm = a ? (uint32_t)a->value : 0;
}

static const struct element {
	const char *type;
	uint8_t element, flag_a, flag_b;
} elements[] = {
	{".f16", MMA_F16, 0, 0},
	{".bf16", MMA_BF16, 0, 0},
	{".tf32", MMA_TF32, 0, 0},
	{".f32", MMA_F32, 0, 0},
	{".s32", MMA_S32, 0, 0},
	{".e4m3", MMA_F8, 0, 0},
	{".e5m2", MMA_F8, MMA_E5M2_A, MMA_E5M2_B},
	{".u8", MMA_I8, 0, 0},
	{".s8", MMA_I8, MMA_SIGNED_A, MMA_SIGNED_B},
	{".b1", MMA_B1, 0, 0},
};

static const struct element *find_element(const struct ptx_token *t)
{
	for (size_t k = 0; k < sizeof(elements) / sizeof(elements[0]); k++)
		if (strlen(elements[k].type) == t->length &&
		    !memcmp(elements[k].type, t->text, t->length))
			return &elements[k];
	return NULL;
}

/* The number after a letter of ".m64n8k16"; 0: none. */
static uint32_t read_size(const struct ptx_token *shape, char letter)
{
	uint32_t at = 1, size = 0;

	while (at < shape->length && shape->text[at] != letter)
		at++;
	for (at++; at < shape->length && shape->text[at] >= '0' && shape->text[at] <= '9'; at++)
		size = 10 * size + (uint32_t)(shape->text[at] - '0');
	return size;
}

/* The tile and the number of tiles, from the spelling's shape and types. */
static struct mma_group read_spelling(const struct ptx_inst *in)
{
	const struct element *types[TYPES] = {NULL};
	struct mma_kind like = {.m = 16};
	uint32_t n = 0, columns = 0, depth = 0;

	for (uint32_t k = 0; k < in->nmodifiers; k++) {
		const struct ptx_token *t = &in->modifiers[k];
		const struct element *e = find_element(t);

		if (e && n < TYPES)
			types[n++] = e;
		if (t->length > 4 && !memcmp(t->text, ".m64", 4)) {
			columns = read_size(t, 'n');
			depth = read_size(t, 'k');
		}
	}
	like.k = (uint16_t)depth;
	like.sums = types[0]->element;
	like.factors = types[1]->element;
	like.flags = types[1]->flag_a | types[2]->flag_b |
		     (ptx_has_modifier(in, SLOT_FINITE) ? MMA_SATURATE : 0) |
		     (in->role[ROLE_METADATA] ? MMA_SPARSE : 0);
	return (struct mma_group){.kind = &mma_kinds[mma_find(&like)], .tiles = columns / 8};
}

/* An immediate operand, which is one of two values: whether it is the second. */
static bool read_choice(struct ptx *x, const struct ptx_operand *o, int32_t first, int32_t second,
			bool *chosen)
{
	int32_t value = o ? (int32_t)(uint32_t)o->value : first;

	*chosen = value == second;
	if (!o || (o->kind == OPERAND_INTEGER && (value == first || value == second)))
		return true;
	ptx_error(x, &o->at, "expected %d or %d, found '%.*s'", first, second, TEXT(&o->at));
	return false;
}

/* Products of 16-bit elements have one more operand if A is in shared memory. */
static bool read_choices(struct ptx *x, const struct ptx_inst *in, struct mma_group *g)
{
	const struct ptx_operand *g_role = in->role[ROLE_G], *h_role = in->role[ROLE_H];

	if (g_role && g->shared_a != !!h_role) {
		ptx_error(x, &in->name, "'%s' takes %s here", ptx_spelling(x, in),
			  g->shared_a ? "imm-trans-a and imm-trans-b" : "no imm-trans-a");
		return false;
	}
	return read_choice(x, in->role[ROLE_E], 1, -1, &g->negated[MMA_GROUP_A]) &&
	       read_choice(x, in->role[ROLE_F], 1, -1, &g->negated[MMA_GROUP_B]) &&
	       read_choice(x, h_role ? g_role : NULL, 0, 1, &g->transposed[MMA_GROUP_A]) &&
	       read_choice(x, h_role ? h_role : g_role, 0, 1, &g->transposed[MMA_GROUP_B]);
}

static bool check_sums(struct ptx *x, const struct ptx_inst *in, uint32_t words)
{
	const struct ptx_operand *d = in->role[ROLE_D];

	if (!ptx_check_fragment(x, in, ROLE_D, words))
		return false;
	for (uint32_t k = 0; k < words; k++) {
		const struct ptx_operand *o = ptx_fragment_register(d, k);

		if (o->kind == OPERAND_REGISTER)
			continue;
		ptx_error(x, &o->at, "'%s' also reads its sums, and cannot read '%.*s'",
			  ptx_spelling(x, in), TEXT(&o->at));
		return false;
	}
	return true;
}

/* The selector of the metadata of a sparse A is a constant. */
static bool read_selector(struct ptx *x, const struct ptx_inst *in, struct mma_group *g)
{
	const struct ptx_operand *o = in->role[ROLE_SELECTOR];

	if (!o)
		return true;
	g->selector = (uint32_t)o->value;
	if (o->kind == OPERAND_INTEGER && o->value < mma_selectors(g->kind))
		return true;
	ptx_error(x, &o->at, "the selector of '%s' is a constant less than %u, found '%.*s'",
		  ptx_spelling(x, in), mma_selectors(g->kind), TEXT(&o->at));
	return false;
}

void ptx_lower_wgmma(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_operand *a = in->role[ROLE_A];
	struct mma_group g = read_spelling(in);
	uint32_t words = mma_group_words(&g), n = 0;
	ir_val args[MAX_ARGS];
	ir_id i;

	g.shared_a = a->kind != OPERAND_VECTOR;
	if (!check_target(x, in) || !check_sums(x, in, words) ||
	    (!g.shared_a && !ptx_check_fragment(x, in, ROLE_A, MMA_GROUP_A_WORDS)) ||
	    !read_choices(x, in, &g) || !read_selector(x, in, &g))
		return;
	for (; n < (g.shared_a ? 1 : MMA_GROUP_A_WORDS); n++)
		args[n] = ptx_read_operand(x, ptx_fragment_register(a, n));
	args[n++] = ptx_read_role(x, in, ROLE_B);
	for (uint32_t k = 0; k < words; k++)
		args[n++] = ptx_read_operand(x, ptx_fragment_register(in->role[ROLE_D], k));
	if (in->role[ROLE_METADATA])
		args[n++] = ptx_read_role(x, in, ROLE_METADATA);
	args[n++] = ptx_read_role(x, in, ROLE_C);
	args[n++] = ptx_emit_constant(x, IR_B32, UINT32_MAX);
	i = ptx_emit(x, IR_MMA_GROUP, IR_B32, words, n, args);
	ir_at(x->func, i)->sub = (uint8_t)(g.kind - mma_kinds);
	ir_at(x->func, i)->imm = mma_group_pack(&g);
	for (uint32_t k = 0; k < words; k++)
		ptx_write_operand(x, ptx_fragment_register(in->role[ROLE_D], k),
				  ir_at(x->func, i)->res + k);
}
