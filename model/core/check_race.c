// SPDX-License-Identifier: MIT
/* Races: two accesses to the same bytes, one of them a write, by threads that nothing orders
 * (check_order.c). Marks of the last accesses are kept as in FastTrack (PLDI 2009), but for the
 * last reads of two warps only. So what is reported is a race, but not every race is reported.
 * Lanes of a warp are ordered, but for lanes that store different values to one address by one
 * instruction. Accesses that are both strong, with scopes that reach each other, are no race, nor
 * is a store of the present value.
 *
 * Adjacent lanes are looked at together, a line at a time, as long as all that they follow is
 * ordered before them (race_lanes); what is not so simple is decided lane by lane (race_access).
 * Marks that a newer write has made obsolete may stay: what follows the write follows them, too. */
#include <stdio.h>
#include <stdlib.h>

#include "model/core/check_internal.h"
#include "model/core/model_internal.h"

/* A mark's detail. The program counter, in words, is relative to the kernel's start. */
#define SCOPE_BITS        2u
#define ATOMIC_BIT        (1u << SCOPE_BITS)
#define LANE_SHIFT        3u
#define LANE_BITS         5u
#define PC_SHIFT          (LANE_SHIFT + LANE_BITS)
#define DETAIL_LANE(lane) ((uint32_t)(lane) << LANE_SHIFT)

static uint32_t mark_lane(const struct mark *m)
{
	return m->detail >> LANE_SHIFT & (CHECK_LANES - 1);
}

static enum check_scope mark_scope(const struct mark *m)
{
	return (enum check_scope)(m->detail & ((1u << SCOPE_BITS) - 1));
}

static uint64_t mark_pc(const struct check_launch *l, const struct mark *m)
{
	return l->grid.program + (uint64_t)(int64_t)((int32_t)m->detail >> PC_SHIFT) * 4;
}

/* The marks of single bytes or words. */
static struct marks *cells_of(struct shadow *m)
{
	if (!m->cells)
		m->cells = calloc((m->bytes >> m->shift) + 1, sizeof(*m->cells));
	return m->cells;
}

/* A cell for each byte from here on. */
static bool split_cells(struct shadow *m)
{
	struct marks *cells = calloc(m->bytes + 1, sizeof(*cells));

	if (!cells)
		return false;
	for (uint32_t i = 0; m->cells && i < m->bytes; i++)
		cells[i] = m->cells[i >> m->shift];
	free(m->cells);
	m->cells = cells;
	m->shift = 0;
	return true;
}

/* ---- one lane ---- */

static bool stores_the_same(const struct check_access *a, uint32_t lane, uint32_t other)
{
	for (uint32_t k = 0; k < (a->bytes + 3) / 4; k++)
		if ((a->values[k][lane] ^ a->values[k][other]) &
		    (a->bytes < 4 ? (1u << 8 * a->bytes) - 1 : UINT32_MAX))
			return false;
	return true;
}

/* Whether the store leaves memory as it is. */
static bool is_silent(const struct race *c)
{
	const struct check_access *a = c->a;
	const uint8_t *memory = a->shared ? a->shared + c->address[c->lane] : NULL;
	enum mmu_result why;

	if (a->kind != CHECK_WRITE || !a->values)
		return false;
	if (a->memory == CHECK_GLOBAL)
		memory = mmu_translate(a->reader, c->address[c->lane], MODEL_READ, &why);
	for (uint32_t i = 0; memory && i < a->bytes; i++)
		if (memory[i] != (uint8_t)(a->values[i / 4][c->lane] >> 8 * (i % 4)))
			return false;
	return memory;
}

/* A write's mark, or a read's, and a present write, or a present read and a write's mark. */
static bool is_race(const struct race *c, const struct mark *m, bool wrote)
{
	uint32_t block, other = mark_lane(m), warp = m->epoch % CHECK_MAX_WARPS;
	const struct check_access *a = c->a;
	bool same_block;

	if (m->epoch < c->first || !epoch_block(c->b->launch, m->epoch, &block))
		return false;
	same_block = block == c->b->linear;
	if (same_block && warp == a->warp)
		return wrote && a->kind == CHECK_WRITE && !(m->detail & ATOMIC_BIT) &&
		       m->detail >> PC_SHIFT == c->mark.detail >> PC_SHIFT && other < c->lane &&
		       c->mask >> other & 1 && c->address[other] == c->address[c->lane] &&
		       a->values && !stores_the_same(a, c->lane, other);
	if (mark_scope(m) && a->scope &&
	    (same_block || (mark_scope(m) == CHECK_GPU && a->scope == CHECK_GPU)))
		return false;
	return !is_ordered(c->b, a->warp, block, m->epoch) && !is_silent(c);
}

static void report_race(const struct race *c, const struct mark *m, bool wrote)
{
	static const char *const reasons[] = {
		"no barrier or fence between them orders them",
		"they are in different blocks, which nothing orders",
		"lanes of a warp store different values by one instruction",
		"they are in different blocks, and the scope of one is its own block",
	};
	struct check_block *b = c->b;
	uint64_t other_pc = mark_pc(b->launch, m);
	struct model_report *r;
	uint32_t warp = m->epoch % CHECK_MAX_WARPS, block = 0, why;

	epoch_block(b->launch, m->epoch, &block);
	why = block != b->linear;
	if (!why && warp == c->a->warp)
		why = 2;
	else if (why && mark_scope(m) && c->a->scope)
		why = 3;
	r = report_access(b, c->a, c->lane, c->address[c->lane], MODEL_REPORT_RACE, other_pc);
	if (!r)
		return;
	r->site_count = 2;
	report_place(b->launch, &r->sites[1], block, warp * CHECK_LANES + mark_lane(m), other_pc);
	snprintf(r->sites[1].access, sizeof(r->sites[1].access), "%s",
		 access_name(!wrote                   ? CHECK_READ
			     : m->detail & ATOMIC_BIT ? CHECK_ATOMIC
						      : CHECK_WRITE));
	snprintf(r->text, sizeof(r->text), "%s at 0x%llx races with an earlier %s: %s",
		 r->sites[0].access, (unsigned long long)r->address, r->sites[1].access,
		 reasons[why]);
	if (c->range)
		report_allocation(r, c->range, false);
}

static void report_races(const struct race *c, const struct mark *m, bool wrote)
{
	if (!is_race(c, m, wrote))
		return;
	if (c->a->memory == CHECK_GLOBAL) { /* the caller holds the lock */
		report_race(c, m, wrote);
		return;
	}
	pthread_mutex_lock(&c->b->space->lock);
	report_race(c, m, wrote);
	pthread_mutex_unlock(&c->b->space->lock);
}

/* Whether the mark is a read by the same warp since its last synchronisation. */
static inline bool is_known_read(const struct race *c, const struct mark *m)
{
	return m->epoch == c->mark.epoch && mark_scope(m) <= mark_scope(&c->mark);
}

static inline bool is_same_warp(const struct race *c, uint32_t epoch)
{
	uint32_t block;

	return epoch >> EPOCH_WARP_BITS >= c->b->first_group &&
	       !((epoch ^ c->mark.epoch) % CHECK_MAX_WARPS) &&
	       (epoch == c->mark.epoch ||
		(epoch_block(c->b->launch, epoch, &block) && block == c->b->linear));
}

/* A new last read. */
static inline void add_read(const struct race *c, struct mark read[2], const struct mark *me)
{
	if (read[0].epoch >= c->first && !is_same_warp(c, read[0].epoch))
		read[1] = read[0];
	read[0] = *me;
}

/* The marks of a line, as far as they are of its byte. */
static void report_line(const struct race *c, const struct line *l, uint32_t byte, bool reads)
{
	const struct mark *marks[] = {&l->marks.write, &l->marks.read[0], &l->marks.read[1]};

	for (uint32_t i = 0; i < (reads ? 3 : 1); i++) {
		struct mark m = *marks[i];

		m.detail += DETAIL_LANE(byte >> l->shift[i]);
		report_races(c, &m, !i);
	}
}

static void access_cell(const struct race *c, struct marks *cell, const struct mark *me)
{
	if (c->a->kind == CHECK_READ) {
		report_races(c, &cell->write, true);
		if (!is_known_read(c, &cell->read[0]))
			add_read(c, cell->read, me);
		return;
	}
	report_races(c, &cell->write, true);
	report_races(c, &cell->read[0], false);
	report_races(c, &cell->read[1], false);
	cell->read[0].epoch = cell->read[1].epoch = 0;
	cell->write = *me;
}

static inline void update_newest(uint32_t *newest, uint32_t epoch)
{
	*newest = *newest > epoch ? *newest : epoch;
}

static inline void update_line(const struct race *c, struct line *l)
{
	if (c->a->kind == CHECK_READ)
		update_newest(&l->cell_read, c->mark.epoch);
	else
		update_newest(&l->cell_write, c->mark.epoch);
}

void race_access(struct race *c, uint32_t lane, struct shadow *m, uint32_t offset)
{
	uint32_t bytes = c->a->bytes;
	struct mark me = c->mark;

	if (!c->b->first_group || (m->shift && (bytes | offset) % 4 && !split_cells(m)) ||
	    !cells_of(m))
		return;
	c->lane = lane;
	me.detail |= DETAIL_LANE(lane);
	for (uint32_t i = 0; i < bytes; i += 1u << m->shift) {
		struct line *l = &m->lines[(offset + i) / LINE_BYTES];

		report_line(c, l, (offset + i) % LINE_BYTES, c->a->kind != CHECK_READ);
		access_cell(c, &m->cells[(offset + i) >> m->shift], &me);
		update_line(c, l);
	}
}

/* ---- adjacent lanes ---- */

static bool find_order(struct race *c, uint32_t epoch)
{
	uint32_t block;

	if (epoch_block(c->b->launch, epoch, &block) && !is_ordered(c->b, c->a->warp, block, epoch))
		return false;
	c->known = epoch;
	return true;
}

/* Whether what has the epoch comes before this instruction. */
static inline bool precedes(struct race *c, uint32_t epoch)
{
	return epoch < c->first || epoch == c->known || epoch == c->mark.epoch ||
	       find_order(c, epoch);
}

static inline bool follows_all(struct race *c, const struct marks *m)
{
	return precedes(c, m->write.epoch) && precedes(c, m->read[0].epoch) &&
	       precedes(c, m->read[1].epoch);
}

static bool read_part(struct race *c, struct line *l, struct marks *cells, uint32_t count,
		      uint32_t shift)
{
	struct mark me = c->mark;

	if (l->cell_write >= c->first)
		for (uint32_t i = 0; i < count; i++)
			if (!precedes(c, cells[i].write.epoch))
				return false;
	for (uint32_t i = 0; i < count; i++) {
		me.detail = c->mark.detail | DETAIL_LANE(c->lane + (i >> shift));
		if (!is_known_read(c, &cells[i].read[0]))
			add_read(c, cells[i].read, &me);
	}
	update_newest(&l->cell_read, me.epoch);
	return true;
}

static bool write_part(struct race *c, struct line *l, struct marks *cells, uint32_t count,
		       uint32_t shift)
{
	struct mark me = c->mark;

	for (uint32_t i = 0; i < count; i++)
		if (!follows_all(c, &cells[i]))
			return false;
	for (uint32_t i = 0; i < count; i++) {
		me.detail = c->mark.detail | DETAIL_LANE(c->lane + (i >> shift));
		cells[i] = (struct marks){.write = me};
	}
	update_newest(&l->cell_write, me.epoch);
	return true;
}

/* Whether this write follows all marks in the line's cells, which are obsolete then. */
static bool clear_cells(struct race *c, struct line *l, struct shadow *m, uint32_t offset)
{
	uint32_t count = LINE_BYTES >> m->shift;
	struct marks *cells;

	if (l->cell_write < c->first && l->cell_read < c->first)
		return true;
	cells = m->cells + (offset >> m->shift);
	for (uint32_t i = 0; i < count; i++)
		if (!follows_all(c, &cells[i]))
			return false;
	memset(cells, 0, count * sizeof(*cells));
	l->cell_write = l->cell_read = 0;
	return true;
}

static inline void read_line(const struct race *c, struct line *l, const struct mark *me,
			     uint8_t shift)
{
	struct marks *m = &l->marks;

	if (is_known_read(c, &m->read[0]))
		return;
	if (m->read[0].epoch >= c->first && !is_same_warp(c, m->read[0].epoch)) {
		m->read[1] = m->read[0];
		l->shift[2] = l->shift[1];
	}
	m->read[0] = *me;
	l->shift[1] = shift;
}

bool race_lanes(struct race *c, uint32_t lane, struct shadow *m, uint32_t offset, uint32_t bytes)
{
	struct line *l = &m->lines[offset / LINE_BYTES];
	uint32_t lane_shift = (uint32_t)__builtin_ctz(c->a->bytes), count = bytes >> m->shift;
	bool reads = c->a->kind == CHECK_READ, whole = bytes == LINE_BYTES;
	struct mark me = c->mark;

	if (!c->b->first_group)
		return true;
	if (!precedes(c, l->marks.write.epoch))
		return false;
	if (reads && is_known_read(c, &l->marks.read[0]) && l->cell_write < c->first)
		return true;
	if (!reads && !follows_all(c, &l->marks))
		return false;
	me.detail |= DETAIL_LANE(lane);
	if (!whole) {
		if ((m->shift && (bytes | offset) % 4) || !cells_of(m) || lane_shift < m->shift)
			return false;
		c->lane = lane;
		return (reads ? read_part : write_part)(c, l, m->cells + (offset >> m->shift),
							count, lane_shift - m->shift);
	}
	if (reads) {
		for (uint32_t i = 0; l->cell_write >= c->first && i < count; i++)
			if (!precedes(c, m->cells[(offset >> m->shift) + i].write.epoch))
				return false;
		read_line(c, l, &me, (uint8_t)lane_shift);
		return true;
	}
	if (!clear_cells(c, l, m, offset))
		return false;
	l->marks = (struct marks){.write = me};
	l->shift[0] = (uint8_t)lane_shift;
	return true;
}

void race_begin(struct race *c, struct check_block *b, const struct check_access *a,
		const uint64_t *address, uint32_t mask)
{
	uint32_t first = a->memory == CHECK_SHARED ? b->first_group : b->launch->first_group;
	uint32_t pc = (uint32_t)((int64_t)(a->pc - b->launch->grid.program) / 4);

	*c = (struct race){
		.b = b,
		.a = a,
		.address = address,
		.mask = mask,
		.first = first << EPOCH_WARP_BITS,
		.mark = {.epoch = b->warps[a->warp].clock[a->warp] << EPOCH_WARP_BITS | a->warp,
			 .detail = pc << PC_SHIFT | (a->kind == CHECK_ATOMIC ? ATOMIC_BIT : 0) |
				   (uint32_t)a->scope},
	};
}
