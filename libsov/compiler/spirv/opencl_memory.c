// SPDX-License-Identifier: MIT
/* OpenCL.std: loads and stores of vectors, also of f16 in memory, and shuffles of components. */
#include <string.h>
#include "libsov/compiler/spirv/front_end.h"
#include "libsov/compiler/spirv/opencl.h"

/* The pointer in operand k, advanced by offset * count elements, which are aligned as scalars or,
 * if aligned, as vectors of count. */
static struct spirv_pointer advanced(struct spirv *s, uint32_t k, uint32_t offset, uint32_t count,
				     bool aligned)
{
	const struct spirv_pointer *given = spirv_pointer_of(s, spirv_word(s, k));
	struct spirv_pointer p = spirv_resolve(s, given);
	const struct spirv_type *e = p.pointee;
	const struct spirv_type *t = spirv_value_type(s, spirv_word(s, offset));

	if (!e || (e->kind != SPIRV_INT && e->kind != SPIRV_FLOAT))
		spirv_fail(s, "%s does not point to a number", spirv_id_name(s, spirv_word(s, k)));
	if (t->kind != SPIRV_INT)
		spirv_fail(s, "the offset is no integer");
	p.align = (uint32_t)e->bytes * (aligned ? count : 1);
	spirv_add_index(s, &p, spirv_leaves(s, spirv_word(s, offset))[0], false, count * e->bytes,
			false);
	return p;
}

static void check_element(struct spirv *s, const struct spirv_pointer *p,
			  const struct spirv_type *t)
{
	if (p->pointee->ir != spirv_scalar(t)->ir || spirv_scalar(t)->kind > SPIRV_FLOAT)
		spirv_fail(s, "the memory has another type than the value");
}

static void check_writable(struct spirv *s, const struct spirv_pointer *p)
{
	if (p->storage == SPIRV_CLASS_UNIFORM_CONSTANT)
		spirv_fail(s, "the memory cannot be written");
}

static void lower_vload(struct spirv *s)
{
	const struct spirv_type *t = spirv_result_type(s);
	struct spirv_pointer p = advanced(s, 6, 5, t->leaves, false);
	ir_val *out = spirv_result(s, t);

	if (t->kind != SPIRV_VECTOR || t->count != spirv_word(s, 7))
		spirv_fail(s, "the result is no vector of %u", spirv_word(s, 7));
	check_element(s, &p, t);
	spirv_load(s, &p, t, out);
}

static void lower_vstore(struct spirv *s)
{
	const struct spirv_type *t = spirv_value_type(s, spirv_word(s, 5));
	struct spirv_pointer p = advanced(s, 7, 6, t->leaves, false);

	if (t->kind != SPIRV_VECTOR)
		spirv_fail(s, "the value is no vector");
	check_element(s, &p, t);
	check_writable(s, &p);
	spirv_store(s, &p, t, spirv_leaves(s, spirv_word(s, 5)));
}

/* Vectors of three that are aligned take the space of four. */
static uint32_t spacing(uint32_t count, bool aligned)
{
	return aligned && count == 3 ? 4 : count;
}

static void check_half(struct spirv *s, const struct spirv_pointer *p, const struct spirv_type *t)
{
	if (p->pointee->ir != IR_B16 || !spirv_is_float(p->pointee))
		spirv_fail(s, "the pointer does not point to f16");
	if (!spirv_is_float(t) || spirv_scalar(t)->ir < IR_B32 || t->leaves > 16)
		spirv_fail(s, "the value is no f32 or f64, or vector of them");
}

static void lower_vload_half(struct spirv *s, bool aligned)
{
	const struct spirv_type *t = spirv_result_type(s);
	uint32_t space = spacing(t->leaves, aligned);
	struct spirv_pointer p = advanced(s, 6, 5, space, aligned);
	ir_val out[16], half;

	check_half(s, &p, t);
	for (uint32_t k = 0; k < t->leaves; k++, p.imm += 2) {
		spirv_load(s, &p, p.pointee, &half);
		out[k] = spirv_convert(s, IR_FTOF, IR_B16, spirv_leaf_type(t, k), half);
		p.align = 2;
	}
	memcpy(spirv_result(s, t), out, t->leaves * sizeof(*out));
}

/* rounding: whether the last operand is a rounding mode */
static void lower_vstore_half(struct spirv *s, bool aligned, bool rounding)
{
	static const uint8_t modes[] = {IR_RN, IR_RZ, IR_RP, IR_RM};
	const struct spirv_type *t = spirv_value_type(s, spirv_word(s, 5));
	struct spirv_pointer p = advanced(s, 7, 6, spacing(t->leaves, aligned), aligned);
	const ir_val *v = spirv_leaves(s, spirv_word(s, 5));
	uint32_t mode = rounding ? spirv_word(s, 8) : 0;

	if (mode >= sizeof(modes))
		spirv_fail(s, "unknown rounding mode %u", mode);
	check_half(s, &p, t);
	check_writable(s, &p);
	for (uint32_t k = 0; k < t->leaves; k++, p.imm += 2) {
		ir_id i = spirv_emit(s, IR_FTOF, IR_B16, 1, 1, &v[k]);

		ir_at(s->f, i)->from = spirv_leaf_type(t, k);
		ir_at(s->f, i)->round = modes[mode];
		spirv_store(s, &p, p.pointee, (ir_val[]){ir_at(s->f, i)->res});
		p.align = 2;
	}
}

/* Components of one vector or two by the low bits of a mask's components. */
static void lower_shuffle(struct spirv *s, bool two)
{
	const struct spirv_type *t = spirv_result_type(s),
				*from = spirv_value_type(s, spirv_word(s, 5)),
				*mask = spirv_value_type(s, spirv_word(s, two ? 7 : 6));
	const ir_val *a = spirv_leaves(s, spirv_word(s, 5)),
		     *b = two ? spirv_operand(s, 6, from->leaves) : NULL,
		     *m = spirv_operand(s, two ? 7 : 6, t->leaves);
	uint32_t n = from->leaves * (two ? 2 : 1);
	ir_val out[16];

	if (t->leaves > 16 || from->leaves > 16 || n & (n - 1) || !spirv_is_int(mask) ||
	    spirv_scalar(from)->ir != spirv_scalar(t)->ir || spirv_scalar(t)->kind > SPIRV_FLOAT)
		spirv_fail(s, "an operand or the result has the wrong type");
	for (uint32_t k = 0; k < t->leaves; k++) {
		enum ir_type type = spirv_type_of_val(s, m[k]);
		ir_val at = spirv_op(s, IR_AND, type, m[k], spirv_const(s, type, n - 1), 0);
		uint64_t known;

		if (spirv_is_constant(s, at, &known)) {
			out[k] = known < from->leaves ? a[known] : b[known - from->leaves];
			continue;
		}
		at = spirv_resize(s, at, IR_B32, false);
		out[k] = a[0];
		for (uint32_t j = 1; j < n; j++)
			out[k] =
				spirv_select(s,
					     spirv_compare(s, IR_ICMP, IR_B32, IR_EQ, at,
							   spirv_const(s, IR_B32, j)),
					     j < from->leaves ? a[j] : b[j - from->leaves], out[k]);
	}
	memcpy(spirv_result(s, t), out, t->leaves * sizeof(*out));
}

bool spirv_lower_opencl_memory(struct spirv *s, uint32_t n)
{
	switch (n) {
	case OPENCL_VLOADN:
		lower_vload(s);
		return true;
	case OPENCL_VSTOREN:
		lower_vstore(s);
		return true;
	case OPENCL_VLOAD_HALF:
	case OPENCL_VLOAD_HALFN:
	case OPENCL_VLOADA_HALFN:
		lower_vload_half(s, n == OPENCL_VLOADA_HALFN);
		return true;
	case OPENCL_VSTORE_HALF:
	case OPENCL_VSTORE_HALFN:
	case OPENCL_VSTOREA_HALFN:
		lower_vstore_half(s, n == OPENCL_VSTOREA_HALFN, false);
		return true;
	case OPENCL_VSTORE_HALF_R:
	case OPENCL_VSTORE_HALFN_R:
	case OPENCL_VSTOREA_HALFN_R:
		lower_vstore_half(s, n == OPENCL_VSTOREA_HALFN_R, true);
		return true;
	case OPENCL_SHUFFLE:
	case OPENCL_SHUFFLE2:
		lower_shuffle(s, n == OPENCL_SHUFFLE2);
		return true;
	case OPENCL_PREFETCH: /* a hint */
		return true;
	case OPENCL_PRINTF:
		spirv_fail(s, "printf is not supported");
	default:
		return false;
	}
}
