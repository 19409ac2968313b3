// SPDX-License-Identifier: MIT
/* LDS: the shared memory of a workgroup, with one or two addresses per instruction, atomics, and
 * the lane permutations that use its crossbar but no memory. */
#include <string.h>

#include "model/amd/lane_address.h"

#define REG(slot) (&w->v[op->in.reg[slot] - AMD_VGPR])

/* Host address of the bytes at a lane's LDS address; NULL: the wave has failed. */
static uint8_t *lds_pointer(struct wave *w, uint32_t lane, uint32_t lds_address, uint32_t bytes)
{
	if ((uint64_t)lds_address + bytes <= w->grid->lds_bytes)
		return w->group->lds + lds_address;
	amd_wave_fault(w, lane, MODEL_FAULT_SHARED_RANGE, lds_address,
		       "LDS access at 0x%x, %u bytes, is outside the workgroup's %u", lds_address,
		       bytes, w->grid->lds_bytes);
	return NULL;
}

static uint32_t lds_address(const struct wave *w, const struct op *op, uint32_t lane)
{
	uint32_t offset = (uint32_t)op->in.field[AMD_F_OFFSET];

	if (!op->in.row->type[AMD_S0]) /* by lane number */
		return (w->s[AMD_M0] & 0xffff) + lane * 4 + offset;
	return REG(AMD_S0)[0][lane] + offset;
}

static void run_read(struct wave *w, const struct op *op)
{
	uint32_t kind = op->handler->data, bytes = kind & MEM_BYTES;
	row *d = REG(AMD_D);

	EACH_ACTIVE(i, w->s[AMD_EXEC]) {
		const uint8_t *from = lds_pointer(w, i, lds_address(w, op, i), bytes);
		uint32_t data[4] = {0};

		if (!from)
			return;
		if (kind % 4 == 0 && kind <= 16) { /* whole words */
			for (uint32_t k = 0; k < kind / 4; k++)
				memcpy(&d[k][i], from + 4 * k, 4);
			continue;
		}
		memcpy(data, from, bytes);
		put_loaded(d, i, kind, data);
	}
}

static void run_write(struct wave *w, const struct op *op)
{
	uint32_t kind = op->handler->data, bytes = kind & MEM_BYTES;
	const row *s = REG(AMD_S1);

	EACH_ACTIVE(i, w->s[AMD_EXEC]) {
		uint8_t *to = lds_pointer(w, i, lds_address(w, op, i), bytes);
		uint32_t data[4];

		if (!to)
			return;
		get_stored(s, i, kind, data);
		memcpy(to, data, bytes);
	}
}

/* Two addresses, with offsets in elements. handler.data: element size, ST64: offsets are multiplied
 * by 64. */
enum { ST64 = 32 };

static uint32_t offset_of(const struct op *op, uint32_t which)
{
	uint32_t bytes = op->handler->data & MEM_BYTES;

	return ((uint32_t)op->in.field[AMD_F_OFFSET] >> (8 * which) & 255) * bytes *
	       (op->handler->data & ST64 ? 64 : 1);
}

static void run_read2(struct wave *w, const struct op *op)
{
	uint32_t bytes = op->handler->data & MEM_BYTES;
	row *d = REG(AMD_D);

	EACH_ACTIVE(i, w->s[AMD_EXEC]) {
		uint32_t base = REG(AMD_S0)[0][i], data[4];

		for (uint32_t n = 0; n < 2; n++) {
			const uint8_t *from = lds_pointer(w, i, base + offset_of(op, n), bytes);

			if (!from)
				return;
			memcpy(&data[n * bytes / 4], from, bytes);
		}
		for (uint32_t k = 0; k < bytes / 2; k++)
			d[k][i] = data[k];
	}
}

static void run_write2(struct wave *w, const struct op *op)
{
	uint32_t bytes = op->handler->data & MEM_BYTES;

	EACH_ACTIVE(i, w->s[AMD_EXEC])
		for (uint32_t n = 0; n < 2; n++) {
			const row *s = REG(n ? AMD_S2 : AMD_S1);
			uint8_t *to =
				lds_pointer(w, i, REG(AMD_S0)[0][i] + offset_of(op, n), bytes);
			uint32_t data[2] = {s[0][i], bytes > 4 ? s[1][i] : 0};

			if (!to)
				return;
			memcpy(to, data, bytes);
		}
}

/* handler.data: enum atomic, WIDE: 64 bits. Compare-and-swap takes the new value from the second
 * data operand. */
enum { WIDE = 64 };

static uint64_t read_data(const row *s, uint32_t words, uint32_t i)
{
	return s[0][i] | (words > 1 ? (uint64_t)s[1][i] << 32 : 0);
}

static void run_atomic(struct wave *w, const struct op *op)
{
	enum atomic a = (enum atomic)(op->handler->data & 63);
	uint32_t words = op->handler->data & WIDE ? 2 : 1;

	EACH_ACTIVE(i, w->s[AMD_EXEC]) {
		uint8_t *memory = lds_pointer(w, i, lds_address(w, op, i), 4 * words);
		uint64_t old = 0, data, compare = 0, new;

		if (!memory)
			return;
		memcpy(&old, memory, 4 * words);
		data = read_data(REG(AMD_S1), words, i);
		if (a == ATOMIC_CMPSWAP) {
			compare = data;
			data = read_data(REG(AMD_S2), words, i);
		}
		new = amd_atomic_result(a, 4 * words, old, data, compare);
		memcpy(memory, &new, 4 * words);
		if (!op->in.row->type[AMD_D])
			continue;
		REG(AMD_D)[0][i] = (uint32_t)old;
		if (words > 1)
			REG(AMD_D)[1][i] = (uint32_t)(old >> 32);
	}
}

enum amd_access amd_lds_access(const struct op *op, uint32_t *addresses, uint32_t *bytes)
{
	run_fn *run = op->handler->run;

	*bytes = run == run_atomic ? (op->handler->data & WIDE ? 8 : 4)
				   : op->handler->data & MEM_BYTES;
	*addresses = run == run_read2 || run == run_write2 ? 2 : 1;
	return run == run_read || run == run_read2     ? AMD_READS
	       : run == run_write || run == run_write2 ? AMD_WRITES
	       : run == run_atomic                     ? AMD_ATOMIC
						       : AMD_NO_ACCESS;
}

const row *amd_lds_stored_rows(const struct wave *w, const struct op *op, uint32_t which)
{
	if (op->handler->run == run_write && !(op->handler->data & MEM_HIGH))
		return REG(AMD_S1);
	return op->handler->run == run_write2 ? REG(which ? AMD_S2 : AMD_S1) : NULL;
}

uint32_t amd_lds_address(const struct wave *w, const struct op *op, uint32_t lane, uint32_t which)
{
	if (op->handler->run == run_read2 || op->handler->run == run_write2)
		return REG(AMD_S0)[0][lane] + offset_of(op, which);
	return lds_address(w, op, lane);
}

/* Inactive lanes provide 0. */
static void run_bpermute(struct wave *w, const struct op *op)
{
	uint32_t exec = w->s[AMD_EXEC];
	row result;

	EACH_ACTIVE(i, exec) {
		uint32_t from = lds_address(w, op, i) / 4 % LANES;

		result[i] = exec >> from & 1 ? REG(AMD_S1)[0][from] : 0;
	}
	EACH_ACTIVE(i, exec)
		REG(AMD_D)[0][i] = result[i];
}

static void run_permute(struct wave *w, const struct op *op)
{
	uint32_t exec = w->s[AMD_EXEC];
	row result = {0};

	EACH_ACTIVE(i, exec)
		result[lds_address(w, op, i) / 4 % LANES] = REG(AMD_S1)[0][i];
	EACH_ACTIVE(i, exec)
		REG(AMD_D)[0][i] = result[i];
}

static void run_swizzle(struct wave *w, const struct op *op)
{
	uint32_t exec = w->s[AMD_EXEC], p = (uint32_t)op->in.field[AMD_F_OFFSET];
	row result;

	EACH_ACTIVE(i, exec) {
		uint32_t from = p & 0x8000 ? (i & ~3u) | (p >> (2 * (i & 3)) & 3)
					   : ((i & p & 31) | (p >> 5 & 31)) ^ (p >> 10 & 31);

		result[i] = exec >> from & 1 ? REG(AMD_S0)[0][from] : 0;
	}
	EACH_ACTIVE(i, exec)
		REG(AMD_D)[0][i] = result[i];
}

static void run_nothing(struct wave *w, const struct op *op)
{
	(void)w;
	(void)op;
}

#define READ(name, data)  {AMD_ds_##name, run_read, NULL, data}
#define WRITE(name, data) {AMD_ds_##name, run_write, NULL, data}
#define TWO(name, bytes) \
	{AMD_ds_read2_##name, run_read2, NULL, bytes}, \
		{AMD_ds_read2st64_##name, run_read2, NULL, (bytes) | ST64}, \
		{AMD_ds_write2_##name, run_write2, NULL, bytes}, \
	{ \
		AMD_ds_write2st64_##name, run_write2, NULL, (bytes) | ST64 \
	}
#define ATOMICS(name, letter, kind) \
	{AMD_ds_##name##_##letter##32, run_atomic, NULL, kind}, \
		{AMD_ds_##name##_rtn_##letter##32, run_atomic, NULL, kind}, \
		{AMD_ds_##name##_##letter##64, run_atomic, NULL, (kind) | WIDE}, \
	{ \
		AMD_ds_##name##_rtn_##letter##64, run_atomic, NULL, (kind) | WIDE \
	}

const struct handler amd_handlers_lds[] = {
	READ(read_u8, 1),
	READ(read_i8, 1 | MEM_SIGNED),
	READ(read_u16, 2),
	READ(read_i16, 2 | MEM_SIGNED),
	READ(read_b32, 4),
	READ(read_b64, 8),
	READ(read_b96, 12),
	READ(read_b128, 16),
	READ(read_u8_d16, 1 | MEM_LOW),
	READ(read_u8_d16_hi, 1 | MEM_HIGH),
	READ(read_i8_d16, 1 | MEM_SIGNED | MEM_LOW),
	READ(read_i8_d16_hi, 1 | MEM_SIGNED | MEM_HIGH),
	READ(read_u16_d16, 2 | MEM_LOW),
	READ(read_u16_d16_hi, 2 | MEM_HIGH),
	READ(read_addtid_b32, 4),
	WRITE(write_b8, 1),
	WRITE(write_b16, 2),
	WRITE(write_b32, 4),
	WRITE(write_b64, 8),
	WRITE(write_b96, 12),
	WRITE(write_b128, 16),
	WRITE(write_b8_d16_hi, 1 | MEM_HIGH),
	WRITE(write_b16_d16_hi, 2 | MEM_HIGH),
	WRITE(write_addtid_b32, 4),
	TWO(b32, 4),
	TWO(b64, 8),
	ATOMICS(add, u, ATOMIC_ADD),
	ATOMICS(sub, u, ATOMIC_SUB),
	ATOMICS(rsub, u, ATOMIC_RSUB),
	ATOMICS(inc, u, ATOMIC_INC),
	ATOMICS(dec, u, ATOMIC_DEC),
	ATOMICS(min, i, ATOMIC_SMIN),
	ATOMICS(max, i, ATOMIC_SMAX),
	ATOMICS(min, u, ATOMIC_UMIN),
	ATOMICS(max, u, ATOMIC_UMAX),
	ATOMICS(and, b, ATOMIC_AND),
	ATOMICS(or, b, ATOMIC_OR),
	ATOMICS(xor, b, ATOMIC_XOR),
	ATOMICS(cmpst, b, ATOMIC_CMPSWAP),
	ATOMICS(min, f, ATOMIC_FMIN),
	ATOMICS(max, f, ATOMIC_FMAX),
	{AMD_ds_add_f32, run_atomic, NULL, ATOMIC_FADD},
	{AMD_ds_add_rtn_f32, run_atomic, NULL, ATOMIC_FADD},
	{AMD_ds_wrxchg_rtn_b32, run_atomic, NULL, ATOMIC_SWAP},
	{AMD_ds_wrxchg_rtn_b64, run_atomic, NULL, ATOMIC_SWAP | WIDE},
	{AMD_ds_bpermute_b32, run_bpermute, NULL, 0},
	{AMD_ds_permute_b32, run_permute, NULL, 0},
	{AMD_ds_swizzle_b32, run_swizzle, NULL, 0},
	{AMD_ds_nop, run_nothing, NULL, 0},
	HANDLERS_END,
};
