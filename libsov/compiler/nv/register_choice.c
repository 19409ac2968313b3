// SPDX-License-Identifier: MIT
/* Chooses free registers for the allocator: rotating, or packed. */
#include "libsov/compiler/nv/regalloc.h"

/* The number of instructions after which a memory instruction has read its operands: overwriting
 * them no longer makes a write wait (write after read). */
#define READY 63

/* A bank is not worth a copy: see reg_file.awaited. */
static bool is_in_bank(const struct reg_file *reg_file, uint32_t reg)
{
	return reg_file->bank == BANK_ANY || (reg % 2 == reg_file->bank && !reg_file->awaited[reg]);
}

bool nv_is_free(const struct reg_file *reg_file, uint32_t reg, uint32_t units)
{
	if (reg % sass_register_alignment(units) || reg + units > reg_file->count ||
	    !is_in_bank(reg_file, reg))
		return false;
	for (uint32_t k = 0; k < units; k++) {
		if (reg_file->owner[reg + k] ||
		    (reg_file->barred && bitset_has(reg_file->barred, reg + k)))
			return false;
	}
	return true;
}

static bool is_any_awaited(const struct reg_file *reg_file, uint32_t reg, uint32_t units)
{
	bool any = false;

	for (uint32_t k = 0; k < units; k++)
		any |= reg_file->awaited[reg + k];
	return any;
}

static uint32_t next_in_window(const struct reg_file *reg_file, uint32_t reg)
{
	return reg + 1 == reg_file->window ? 0 : reg + 1;
}

bool nv_choose_round_robin(struct reg_file *reg_file, uint32_t units, uint32_t *reg)
{
	uint32_t r = reg_file->window ? reg_file->cursor % reg_file->window : 0;

	for (uint32_t k = 0; k < 2 * reg_file->window; k++, r = next_in_window(reg_file, r)) {
		if (!nv_is_free(reg_file, r, units) ||
		    (k < reg_file->window && is_any_awaited(reg_file, r, units)))
			continue;
		reg_file->cursor = r + units;
		*reg = r;
		return true;
	}
	for (r = 0; r < reg_file->count && reg_file->bank == BANK_ANY; r++) {
		if (!nv_is_free(reg_file, r, units))
			continue;
		*reg = r;
		return true;
	}
	return false;
}

static uint32_t count_occupied(const struct reg_file *reg_file, uint32_t from, uint32_t units)
{
	uint32_t n = 0;

	for (uint32_t r = from; r < from + units; r++)
		n += r >= reg_file->count || reg_file->owner[r];
	return n;
}

/* The number of instructions, at most READY, since memory instructions read a free group of
 * registers. They read their operands late, so that a result in the group waits for them. */
static uint32_t readiness(const struct reg_file *reg_file, uint32_t reg, uint32_t units)
{
	uint32_t min_age = READY;

	for (uint32_t r = reg; r < reg + units; r++) {
		uint32_t at = reg_file->read_late[r], age = reg_file->position - at;

		if (at && age && age < min_age)
			min_age = age;
	}
	return min_age;
}

/* Quads and pairs from the lowest register up, single registers from the highest down. The two
 * areas then cannot fragment each other, so without quads, assignment succeeds while there are no
 * more units than registers. */
static bool choose_separate(const struct reg_file *reg_file, uint32_t first, uint32_t units,
			    uint32_t *reg)
{
	for (uint32_t k = first; k < reg_file->count; k++) {
		uint32_t r = units == 1 ? reg_file->count - 1 - (k - first) : k;

		if (!nv_is_free(reg_file, r, units))
			continue;
		*reg = r;
		return true;
	}
	return false;
}

bool nv_choose_tight(const struct reg_file *reg_file, uint32_t units, uint32_t *reg)
{
	uint32_t best = 0;

	if (reg_file->separate)
		return choose_separate(reg_file, 0, units, reg);
	for (uint32_t r = 0; r < reg_file->count; r += sass_register_alignment(units)) {
		uint32_t score;

		if (!nv_is_free(reg_file, r, units))
			continue;
		if (is_any_awaited(reg_file, r, units)) {
			if (!best)
				*reg = r;
			best = best ? best : 1;
			continue;
		}
		score = 1 + 8 * count_occupied(reg_file, r & ~1u, 2) +
			count_occupied(reg_file, r & ~3u, 4);
		score = score * (READY + 1) + readiness(reg_file, r, units);
		if (score <= best)
			continue;
		best = score;
		*reg = r;
	}
	return best;
}

/* Temporaries rotate, so that one need not wait until the one before has been read. */
bool nv_choose_uniform(struct allocator *a, uint32_t vreg, uint32_t *reg)
{
	uint32_t units = a->f->vregs[vreg].units, count = a->f->uniform_temporaries;

	if (!count || !a->f->vregs[vreg].temporary)
		return choose_separate(&a->ugpr, count, units, reg);
	for (uint32_t k = 0; k < count; k++) {
		uint32_t r = (a->ugpr.cursor + k) % count;

		if (r + units > count || !nv_is_free(&a->ugpr, r, units))
			continue;
		a->ugpr.cursor = r + units;
		*reg = r;
		return true;
	}
	return false;
}
