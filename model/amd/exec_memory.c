// SPDX-License-Identifier: MIT
/*
 * Scalar loads, and vector memory: flat, global, scratch and untyped buffers. A lane's address is
 * global, in LDS or private; flat addresses find out by their upper word. Buffers are checked
 * against their size: loads beyond read 0, stores are dropped, as the hardware does.
 */
#include <string.h>

#include "model/amd/wave.h"

enum space { SPACE_GLOBAL, SPACE_LDS, SPACE_PRIVATE, SPACE_NOWHERE };

struct place {
	enum space space;
	uint64_t at; /* address, or offset in LDS or in the lane's private memory */
	uint64_t base; /* private: of the wave's memory */
};

/* Untyped buffer resource (RDNA2 manual, chapter 8): base, stride, size in bytes, and whether lanes
 * lie interleaved. */
struct buffer {
	uint64_t base;
	uint32_t stride, records, index_stride;
	bool swizzle, add_lane;
};

static struct buffer buffer_of(const struct wave *w, const struct op *op, enum amd_slot slot)
{
	const uint32_t *r = &w->s[op->in.reg[slot]];

	return (struct buffer){
		.base = r[0] | (uint64_t)(r[1] & 0xffff) << 32,
		.stride = r[1] >> 16 & 0x3fff,
		.records = r[2],
		.swizzle = r[1] >> 31,
		.index_stride = 8u << (r[3] >> 21 & 3),
		.add_lane = r[3] >> 23 & 1,
	};
}

static struct place buffer_place(const struct wave *w, const struct op *op, uint32_t lane,
				 uint32_t bytes)
{
	const int32_t *f = op->in.field;
	const row *v = &w->v[op->in.reg[AMD_S0] - AMD_VGPR];
	struct buffer b = buffer_of(w, op, AMD_S2);
	uint32_t index = (f[AMD_F_IDXEN] ? v[0][lane] : 0) + (b.add_lane ? lane : 0);
	uint32_t offset =
		(f[AMD_F_OFFEN] ? v[f[AMD_F_IDXEN]][lane] : 0) + (uint32_t)f[AMD_F_OFFSET];
	uint64_t at;

	if (b.swizzle) {
		uint32_t many = b.index_stride;

		at = ((uint64_t)(index / many) * b.stride + (offset & ~3u)) * many +
		     index % many * 4 + offset % 4;
	} else {
		at = (uint64_t)index * b.stride + offset;
		if (b.stride ? index >= b.records : at + bytes > b.records)
			return (struct place){SPACE_NOWHERE, 0, 0};
	}
	return (struct place){SPACE_GLOBAL, b.base + amd_read_scalar(w, op, AMD_SX, 0) + at, 0};
}

static struct place flat_place(const struct wave *w, uint64_t at)
{
	if ((at ^ SHARED_APERTURE) >> 32 == 0)
		return (struct place){SPACE_LDS, (uint32_t)at, 0};
	if ((at ^ PRIVATE_APERTURE) >> 32 == 0)
		return (struct place){SPACE_PRIVATE, (uint32_t)at, w->flat_scratch};
	return (struct place){SPACE_GLOBAL, at, 0};
}

static struct place place_of(const struct wave *w, const struct op *op, uint32_t lane,
			     uint32_t bytes)
{
	const struct amd_inst *in = &op->in;
	uint64_t offset = (uint64_t)(int64_t)in->field[AMD_F_OFFSET], at = 0;
	uint32_t words = amd_words(in, AMD_S0);

	if (in->row->format == AMD_MUBUF)
		return buffer_place(w, op, lane, bytes);
	if (words) {
		const row *v = &w->v[in->reg[AMD_S0] - AMD_VGPR];

		at = v[0][lane] | (words > 1 ? (uint64_t)v[1][lane] << 32 : 0);
	}
	if (in->row->type[AMD_S2] && amd_words(in, AMD_S2))
		at += amd_words(in, AMD_S2) > 1 ? amd_read_scalar64(w, op, AMD_S2) :
						  amd_read_scalar(w, op, AMD_S2, 0);
	if (!in->row->type[AMD_S0]) /* by lane number */
		at += lane * 4;
	at += offset;
	if (in->row->format == AMD_SCRATCH)
		return (struct place){SPACE_PRIVATE, (uint32_t)at, w->flat_scratch};
	return in->row->format == AMD_FLAT ? flat_place(w, at)
					   : (struct place){SPACE_GLOBAL, at, 0};
}

/* Private memory is interleaved word by word, so a run of bytes is not one of addresses. */
static bool private_access(struct wave *w, const struct place *p, uint32_t lane, uint8_t *data,
			   uint32_t bytes, bool write)
{
	for (uint32_t k = 0; k < bytes;) {
		uint32_t offset = (uint32_t)p->at + k, part = 4 - offset % 4;
		uint64_t va = private_address(p->base, lane, offset);

		if (part > bytes - k)
			part = bytes - k;
		if (offset + part > w->launch->private_bytes ||
		    !(write ? amd_memory_write(w->launch->memory, va, data + k, part) :
			      amd_memory_read(w->launch->memory, va, data + k, part)))
			return false;
		k += part;
	}
	return true;
}

static bool access_bytes(struct wave *w, const struct place *p, uint32_t lane, void *data,
			 uint32_t bytes, bool write)
{
	static const char *const what[] = {"memory at", "LDS at", "private memory at", ""};
	bool good = true;

	switch (p->space) {
	case SPACE_GLOBAL:
		good = write ? amd_memory_write(w->launch->memory, p->at, data, bytes) :
			       amd_memory_read(w->launch->memory, p->at, data, bytes);
		break;
	case SPACE_LDS:
		good = p->at + bytes <= w->launch->lds_bytes;
		if (good)
			memcpy(write ? w->group->lds + p->at : data,
			       write ? data : w->group->lds + p->at, bytes);
		break;
	case SPACE_PRIVATE:
		good = private_access(w, p, lane, data, bytes, write);
		break;
	case SPACE_NOWHERE:
		if (!write)
			memset(data, 0, bytes);
		break;
	}
	if (!good)
		amd_wave_fault(w, lane, "%s of %u bytes, %s 0x%llx, which is not there",
			   write ? "store" : "load", bytes, what[p->space],
			   (unsigned long long)p->at);
	return good;
}

static void run_load(struct wave *w, const struct op *op)
{
	uint32_t kind = op->handler->data, bytes = kind & MEM_BYTES;
	row *d = &w->v[op->in.reg[AMD_D] - AMD_VGPR];

	EACH_ACTIVE(i, w->s[AMD_EXEC]) {
		struct place p = place_of(w, op, i, bytes);
		uint32_t data[4] = {0};

		if (!access_bytes(w, &p, i, data, bytes, false))
			return;
		put_loaded(d, i, kind, data);
	}
}

static void run_store(struct wave *w, const struct op *op)
{
	uint32_t kind = op->handler->data, bytes = kind & MEM_BYTES;
	const row *s = &w->v[op->in.reg[AMD_S1] - AMD_VGPR];

	EACH_ACTIVE(i, w->s[AMD_EXEC]) {
		struct place p = place_of(w, op, i, bytes);
		uint32_t data[4];

		get_stored(s, i, kind, data);
		if (!access_bytes(w, &p, i, data, bytes, true))
			return;
	}
}

/* handler.data: enum atomic, and whether it is about 64 bits. */
enum { WIDE = 64 };

static void run_atomic(struct wave *w, const struct op *op)
{
	enum atomic a = (enum atomic)(op->handler->data & 63);
	uint32_t words = op->handler->data & WIDE ? 2 : 1;
	bool buffer = op->in.row->format == AMD_MUBUF;
	const row *s = &w->v[op->in.reg[buffer ? AMD_D : AMD_S1] - AMD_VGPR];

	EACH_ACTIVE(i, w->s[AMD_EXEC]) {
		struct place p = place_of(w, op, i, 4 * words);
		uint64_t old = 0, data, compare = 0, new;

		data = s[0][i] | (words > 1 ? (uint64_t)s[1][i] << 32 : 0);
		if (a == ATOMIC_CMPSWAP)
			compare = s[words][i] | (words > 1 ? (uint64_t)s[words + 1][i] << 32 : 0);
		if (p.space == SPACE_GLOBAL && p.at % (4 * words)) {
			amd_wave_fault(w, i, "atomic operation at 0x%llx, which is not aligned",
				   (unsigned long long)p.at);
			return;
		}
		if (!access_bytes(w, &p, i, &old, 4 * words, false))
			return;
		new = amd_atomic_result(a, 4 * words, old, data, compare);
		if (!access_bytes(w, &p, i, &new, 4 * words, true))
			return;
		if (!op->in.field[AMD_F_GLC])
			continue;
		w->v[op->in.reg[AMD_D] - AMD_VGPR][i] = (uint32_t)old;
		if (words > 1)
			w->v[op->in.reg[AMD_D] - AMD_VGPR + 1][i] = (uint32_t)(old >> 32);
	}
}

static void run_scalar_load(struct wave *w, const struct op *op)
{
	uint32_t words = amd_words(&op->in, AMD_D);
	uint64_t offset = (uint64_t)(int64_t)op->in.field[AMD_F_OFFSET] +
			  amd_read_scalar(w, op, AMD_S1, 0);
	uint32_t data[16] = {0};

	if (op->in.row->type[AMD_S0] == TYPE_B128) {
		struct buffer b = buffer_of(w, op, AMD_S0);
		uint64_t size = b.stride ? (uint64_t)b.stride * b.records : b.records;

		offset &= ~3ull;
		for (uint32_t k = 0; k < words; k++)
			if (offset + 4 * k + 4 <= size &&
			    !amd_memory_read(w->launch->memory, b.base + offset + 4 * k, &data[k],
					     4)) {
				amd_wave_fault(w, LANES,
					       "scalar load at 0x%llx, which is not mapped",
					       (unsigned long long)(b.base + offset + 4 * k));
				return;
			}
	} else {
		uint64_t at = (amd_read_scalar64(w, op, AMD_S0) + offset) & ~3ull;

		if (!amd_memory_read(w->launch->memory, at, data, 4 * words)) {
			amd_wave_fault(w, LANES, "scalar load at 0x%llx, which is not mapped",
				   (unsigned long long)at);
			return;
		}
	}
	for (uint32_t k = 0; k < words; k++)
		amd_write_scalar(w, op->in.reg[AMD_D] + (op->in.reg[AMD_D] == AMD_NULL ? 0 : k),
				 data[k]);
}

static void run_time(struct wave *w, const struct op *op)
{
	amd_write_scalar64(w, op->in.reg[AMD_D], w->steps);
}

static void run_nothing(struct wave *w, const struct op *op)
{
	(void)w;
	(void)op;
}

#define EVERYWHERE(name, run, data) \
	{AMD_flat_##name, run, NULL, data}, {AMD_global_##name, run, NULL, data}, \
	{AMD_scratch_##name, run, NULL, data}, {AMD_buffer_##name, run, NULL, data}
#define ATOMICS(name, kind) \
	{AMD_flat_atomic_##name, run_atomic, NULL, kind}, \
	{AMD_global_atomic_##name, run_atomic, NULL, kind}, \
	{AMD_buffer_atomic_##name, run_atomic, NULL, kind}, \
	{AMD_flat_atomic_##name##_x2, run_atomic, NULL, (kind) | WIDE}, \
	{AMD_global_atomic_##name##_x2, run_atomic, NULL, (kind) | WIDE}, \
	{AMD_buffer_atomic_##name##_x2, run_atomic, NULL, (kind) | WIDE}
#define SCALAR(name) {AMD_##name, run_scalar_load, NULL, 0}

const struct handler amd_handlers_memory[] = {
	EVERYWHERE(load_ubyte, run_load, 1), EVERYWHERE(load_sbyte, run_load, 1 | MEM_SIGNED),
	EVERYWHERE(load_ushort, run_load, 2), EVERYWHERE(load_sshort, run_load, 2 | MEM_SIGNED),
	EVERYWHERE(load_dword, run_load, 4), EVERYWHERE(load_dwordx2, run_load, 8),
	EVERYWHERE(load_dwordx3, run_load, 12), EVERYWHERE(load_dwordx4, run_load, 16),
	EVERYWHERE(load_ubyte_d16, run_load, 1 | MEM_LOW),
	EVERYWHERE(load_ubyte_d16_hi, run_load, 1 | MEM_HIGH),
	EVERYWHERE(load_sbyte_d16, run_load, 1 | MEM_SIGNED | MEM_LOW),
	EVERYWHERE(load_sbyte_d16_hi, run_load, 1 | MEM_SIGNED | MEM_HIGH),
	EVERYWHERE(load_short_d16, run_load, 2 | MEM_LOW),
	EVERYWHERE(load_short_d16_hi, run_load, 2 | MEM_HIGH),
	EVERYWHERE(store_byte, run_store, 1), EVERYWHERE(store_byte_d16_hi, run_store, 1 | MEM_HIGH),
	EVERYWHERE(store_short, run_store, 2), EVERYWHERE(store_short_d16_hi, run_store, 2 | MEM_HIGH),
	EVERYWHERE(store_dword, run_store, 4), EVERYWHERE(store_dwordx2, run_store, 8),
	EVERYWHERE(store_dwordx3, run_store, 12), EVERYWHERE(store_dwordx4, run_store, 16),
	{AMD_global_load_dword_addtid, run_load, NULL, 4},
	{AMD_global_store_dword_addtid, run_store, NULL, 4},
	ATOMICS(swap, ATOMIC_SWAP), ATOMICS(cmpswap, ATOMIC_CMPSWAP), ATOMICS(add, ATOMIC_ADD),
	ATOMICS(sub, ATOMIC_SUB), ATOMICS(smin, ATOMIC_SMIN), ATOMICS(umin, ATOMIC_UMIN),
	ATOMICS(smax, ATOMIC_SMAX), ATOMICS(umax, ATOMIC_UMAX), ATOMICS(and, ATOMIC_AND),
	ATOMICS(or, ATOMIC_OR), ATOMICS(xor, ATOMIC_XOR), ATOMICS(inc, ATOMIC_INC),
	ATOMICS(dec, ATOMIC_DEC), ATOMICS(fmin, ATOMIC_FMIN), ATOMICS(fmax, ATOMIC_FMAX),
	{AMD_global_atomic_csub, run_atomic, NULL, ATOMIC_CSUB},
	{AMD_buffer_atomic_csub, run_atomic, NULL, ATOMIC_CSUB},
	SCALAR(s_load_dword), SCALAR(s_load_dwordx2), SCALAR(s_load_dwordx4),
	SCALAR(s_load_dwordx8), SCALAR(s_load_dwordx16), SCALAR(s_buffer_load_dword),
	SCALAR(s_buffer_load_dwordx2), SCALAR(s_buffer_load_dwordx4),
	SCALAR(s_buffer_load_dwordx8), SCALAR(s_buffer_load_dwordx16),
	{AMD_s_memtime, run_time, NULL, 0}, {AMD_s_memrealtime, run_time, NULL, 0},
	/* There are no caches here. */
	{AMD_s_dcache_inv, run_nothing, NULL, 0}, {AMD_s_gl1_inv, run_nothing, NULL, 0},
	{AMD_buffer_gl0_inv, run_nothing, NULL, 0}, {AMD_buffer_gl1_inv, run_nothing, NULL, 0},
	HANDLERS_END,
};
