/* SPDX-License-Identifier: MIT */
/*
 * NVIDIA's GPUs as the runtime knows them: a launch is a descriptor (QMD), constant bank 0 with the arguments behind
 * it, and methods that send the descriptor off.
 *
 * A place lies in video memory behind a bus, write-combined: every line of 64 bytes is composed in ordinary memory
 * and written once, in order. What a place still holds from its last launch is remembered, so a kernel that is
 * launched again and again in the same shape costs the first line of its bank, its arguments and the methods.
 */
#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "hw/nv/bank0.h"
#include "libsov/isa/nv/sass.h"
#include "libsov/gpu/nv/nv_gpu.h"

#define LINE              GPU_LINE
#define INSTRUCTION_BYTES 16
#define MOST_LINES        0x40000000u /* that the copy engine takes at a time */

static_assert(NV_GRID_BANK0_LAUNCH_BYTES == LINE, "what differs from launch to launch is one line");
static_assert(!(GPU_SLOT_CONSTANTS % LINE) && !(GPU_SLOT_BYTES % LINE), "parts begin lines");
static_assert(NV_QMD_MAX_BYTES <= GPU_SLOT_CONSTANTS, "a descriptor fits before its bank");
static_assert(GPU_TIMESTAMP_OFFSET == NV_SEM_TIMESTAMP_OFFSET, "releases put the time there");
static_assert((int)GPU_PREFETCH_PRE == NV_QMD_PREFETCH_PRE &&
		      (int)GPU_PREFETCH_POST == NV_QMD_PREFETCH_POST,
	      "the hardware's values");
/* Spans are entries as they are: nv_gp_entry_pack. */
static_assert(NV_GP_MAX_WORDS == GPU_MAX_SPAN_WORDS && NV_GP_ENTRY_BYTES == 8, "the hardware's layout");
static_assert(GPU_MAX_CONSTANTS >= NV_GRID_BANK0_LAUNCH_BYTES, "the bank has its head");

struct plan {
	struct nv_plan nv;
	const struct image_kernel *kernel;
	uint64_t id;
	_Atomic uint64_t split; /* see split() */
};

/* ---- chips ---- */

static void *chip_of(const struct winsys_info *i, uint64_t shared_window, uint64_t local_window)
{
	struct nv_chip *chip = malloc(sizeof(*chip));

	if (chip)
		*chip = (struct nv_chip){
			.sm = i->sm,
			.multiprocessors = i->multiprocessors,
			.warps_per_sm = i->warps_per_multiprocessor,
			.registers_per_sm = i->registers_per_multiprocessor,
			.shared_per_sm = i->shared_per_multiprocessor,
			.sms_per_tpc = i->sms_per_tpc,
			.tpcs = i->tpcs,
			.compute_class = i->compute_class,
			.copy_class = i->copy_class,
			.shared_window = shared_window,
			.local_window = local_window,
		};
	return chip;
}

/* Code runs on later machines of the same major version. */
static bool runs(const void *chip, const struct image *im, char *reason, size_t bytes)
{
	uint32_t sm = ((const struct nv_chip *)chip)->sm;

	snprintf(reason, bytes, "%s", im->target);
	return image_nv_sm(im) / 10 == sm / 10 && image_nv_sm(im) <= sm;
}

static uint32_t launch_bytes(const struct image_kernel *k)
{
	return image_nv_kernel(k)->bank0_bytes;
}

static uint32_t reserved_shared(const struct image *im)
{
	return image_nv_sm(im) >= 90 ? NV_SM90_RESERVED_SHARED : 0;
}

static uint32_t blocks(const void *chip, const struct image_kernel *k, uint32_t threads,
		       uint64_t shared)
{
	const struct nv_chip *c = chip;
	uint32_t count = nv_grid_blocks_per_sm(c, threads, k->registers);

	shared = (shared + NV_QMD_SHARED_ALIGN - 1) / NV_QMD_SHARED_ALIGN * NV_QMD_SHARED_ALIGN;
	if (shared && c->shared_per_sm / shared < count)
		count = (uint32_t)(c->shared_per_sm / shared);
	return count;
}

static uint64_t together(const void *chip, const struct image_kernel *k, uint32_t threads,
			 uint64_t shared)
{
	return (uint64_t)blocks(chip, k, threads, shared) *
	       ((const struct nv_chip *)chip)->multiprocessors;
}

static struct gpu_local local(const void *chip, uint32_t thread_bytes)
{
	return nv_grid_local_layout(chip, thread_bytes);
}

static uint64_t nanoseconds(const void *chip, uint64_t ticks)
{
	(void)chip;
	return ticks;
}

/* Of older chips it is not known how a descriptor names the next. */
static bool chains(const void *chip)
{
	return ((const struct nv_chip *)chip)->sm >= 80;
}

/* What an instruction does that the MMU may refuse. */
static enum winsys_access access_of(const struct sass_inst *in)
{
	switch (in->op) {
	case SASS_LDG:
	case SASS_LD:
		return WINSYS_READ;
	case SASS_STG:
	case SASS_ST:
		return WINSYS_WRITE;
	case SASS_ATOMG:
	case SASS_ATOMG_CAS:
	case SASS_ATOM:
	case SASS_ATOM_CAS:
	case SASS_RED:
		return WINSYS_ATOMIC;
	}
	return WINSYS_UNKNOWN_ACCESS;
}

static uint32_t instruction(const void *chip, const struct image_kernel *k, uint64_t pc, char *text,
			    size_t text_bytes, enum winsys_access *access)
{
	uint32_t sm = ((const struct nv_chip *)chip)->sm;
	struct sass_word word;
	struct sass_inst in;

	if (pc % INSTRUCTION_BYTES || pc >= k->code_bytes || k->code_bytes - pc < INSTRUCTION_BYTES)
		return 0;
	memcpy(&word, k->code + pc, sizeof(word));
	if (!sass_decode(sm, word, &in))
		return 0;
	if (text)
		sass_print(sm, &in, pc, text, text_bytes);
	if (access)
		*access = access_of(&in);
	return INSTRUCTION_BYTES;
}

static bool chain_code(const void *chip, const struct image *im, const struct image_kernel *k,
		       uint8_t *to)
{
	return nv_chain_code(((const struct nv_chip *)chip)->sm, im, k, to);
}

static uint32_t wait_bytes(const void *chip)
{
	return nv_chain_wait_bytes(((const struct nv_chip *)chip)->sm);
}

/* ---- launches ---- */

static bool plan_kernel(const void *chip, const struct image_kernel *k,
			const uint64_t base[IMAGE_PARTS], uint32_t local_bytes, uint64_t id,
			void *plan)
{
	struct plan *p = plan;
	struct nv_kernel kernel = {
		.program = base[IMAGE_CODE] + k->code_offset,
		.program_bytes = k->code_bytes,
		.registers = k->registers,
		.barriers = image_nv_kernel(k)->barriers,
		.shared_bytes = k->shared_bytes,
		.local_bytes = local_bytes,
		.bank0_bytes = image_nv_kernel(k)->bank0_bytes,
	};
	uint32_t i;

	for (i = 1; i < IMAGE_NV_BANKS; i++) {
		if (!image_nv_kernel(k)->banks[i].bytes)
			continue;
		kernel.banks[i].address = base[image_nv_kernel(k)->banks[i].part] + image_nv_kernel(k)->banks[i].offset;
		kernel.banks[i].bytes = image_nv_kernel(k)->banks[i].bytes;
	}
	p->kernel = k;
	p->id = id;
	return nv_grid_plan(chip, &kernel, &p->nv);
}

/*
 * How to split an SM's memory takes divisions, and is the same as long as blocks are. The last
 * answer is kept in one word: threads in 63:44, dynamic shared memory in 43:12, the two values.
 */
static void split(const struct nv_chip *chip, struct plan *p, struct gpu_launch *g)
{
	uint32_t threads = g->block[0] * g->block[1] * g->block[2];
	uint64_t key = (uint64_t)threads << 44 | (uint64_t)g->dynamic_shared << 12;
	uint64_t known = atomic_load_explicit(&p->split, memory_order_relaxed);

	if (known >> 12 != key >> 12) {
		nv_grid_carveout(chip, &p->nv.kernel, threads, g->dynamic_shared, &g->carveout_min,
			      &g->carveout_target);
		known = key | g->carveout_min << 6 | g->carveout_target;
		atomic_store_explicit(&p->split, known, memory_order_relaxed);
	}
	g->carveout_min = known >> 6 & 63;
	g->carveout_target = known & 63;
}

static bool same_shape(const struct gpu_slot_contents *w, const struct plan *p,
		       const struct gpu_launch *g)
{
	return w->id == p->id && !memcmp(w->grid, g->grid, sizeof(g->grid)) &&
	       !memcmp(w->block, g->block, sizeof(g->block)) &&
	       w->dynamic_shared == g->dynamic_shared && w->new_code == g->new_code;
}

static void write_descriptor(const struct nv_chip *chip, struct plan *p, struct gpu_launch *g,
			     const struct gpu_slot *at)
{
	_Alignas(LINE) uint32_t qmd[NV_GRID_QMD_WORDS];
	struct gpu_slot_contents *w = at->written;

	if (!g->release && same_shape(w, p, g))
		return;
	split(chip, p, g);
	/* That every value fits was checked before: shapes by the launch's checks, the rest by the plan. */
	nv_grid_qmd(chip, &p->nv, g, qmd);
	gpu_write_lines(at->cpu, qmd, sizeof(qmd));
	w->id = g->release ? 0 : p->id; /* a number stands in it */
	memcpy(w->grid, g->grid, sizeof(g->grid));
	memcpy(w->block, g->block, sizeof(g->block));
	w->dynamic_shared = g->dynamic_shared;
	w->new_code = g->new_code;
}

/* The part of bank 0 that no launch of the module changes, and the part of the descriptor that none
 * uses. */
static void write_once(const struct nv_chip *chip, const struct nv_kernel *k,
		       const struct gpu_slot *at, uint32_t base)
{
	_Alignas(LINE) uint8_t body[GPU_MAX_CONSTANTS];

	memset(body, 0, NV_QMD_MAX_BYTES - NV_GRID_QMD_BYTES);
	gpu_write_lines(at->cpu + NV_GRID_QMD_BYTES, body, NV_QMD_MAX_BYTES - NV_GRID_QMD_BYTES);
	nv_grid_bank0_common(chip, k, base, body);
	gpu_write_lines(at->cpu + GPU_SLOT_CONSTANTS, body, base);
	at->written->base = base;
	at->written->constants = k->banks[NV_CONSTANT_VARIABLES].address;
}

static void write_bank(const struct nv_chip *chip, const struct plan *p, const struct gpu_launch *g,
		       const struct gpu_slot *at)
{
	const struct nv_kernel *nv = &p->nv.kernel;
	const struct image_kernel *k = p->kernel;
	uint32_t base = image_nv_kernel(k)->param_base / LINE * LINE, end = image_nv_kernel(k)->param_base + k->param_bytes;
	_Alignas(LINE) uint8_t lines[GPU_MAX_CONSTANTS + LINE];

	if (at->written->base != base ||
	    at->written->constants != nv->banks[NV_CONSTANT_VARIABLES].address)
		write_once(chip, nv, at, base);
	nv_grid_bank0_launch(chip, g, lines);
	gpu_write_lines(at->cpu + GPU_SLOT_CONSTANTS, lines, LINE);
	memset(lines, 0, (end - base + LINE - 1) / LINE * LINE);
	gpu_write_arguments(k, g->arguments, lines + (image_nv_kernel(k)->param_base - base));
	gpu_write_lines(at->cpu + GPU_SLOT_CONSTANTS + base, lines, end - base);
}

static void launch(const void *chip, void *plan, struct gpu_launch *l, const struct gpu_slot *at,
		   struct gpu_push *p)
{
	l->bank0 = at->va + GPU_SLOT_CONSTANTS;
	write_descriptor(chip, plan, l, at);
	write_bank(chip, plan, l, at);
	if (l->new_local)
		nv_push_set_local(p, l->local->address, l->local->unit_bytes);
	nv_push_launch(p, at->va);
}

static uint32_t place_bytes(const void *plan, uint32_t *arguments)
{
	const struct image_kernel *k = ((const struct plan *)plan)->kernel;

	*arguments = GPU_SLOT_CONSTANTS + image_nv_kernel(k)->param_base;
	return GPU_SLOT_CONSTANTS + image_nv_kernel(k)->bank0_bytes;
}

static bool grid(const void *chip, const void *plan, struct gpu_launch *g, uint8_t *cpu,
		 uint64_t va)
{
	const struct plan *p = plan;
	uint32_t qmd[NV_QMD_MAX_BYTES / 4] = {0};
	uint8_t bank[GPU_MAX_CONSTANTS] = {0};

	g->bank0 = va + GPU_SLOT_CONSTANTS;
	nv_grid_carveout(chip, &p->nv.kernel, g->block[0] * g->block[1] * g->block[2],
		      g->dynamic_shared, &g->carveout_min, &g->carveout_target);
	if (!nv_grid_qmd(chip, &p->nv, g, qmd))
		return false;
	nv_grid_bank0_common(chip, &p->nv.kernel, image_nv_kernel(p->kernel)->param_base, bank);
	nv_grid_bank0_launch(chip, g, bank);
	memcpy(cpu, qmd, sizeof(qmd));
	memcpy(cpu + GPU_SLOT_CONSTANTS, bank, image_nv_kernel(p->kernel)->bank0_bytes);
	return true;
}

static void start(const void *chip, const void *plan, const struct gpu_launch *l, uint64_t va,
		  struct gpu_push *p)
{
	(void)chip;
	(void)plan;
	(void)l;
	nv_push_launch(p, va);
}

/* ---- methods ---- */

static void setup(const void *chip, struct gpu_push *p)
{
	nv_push_setup(p, chip);
}

static void begin_copies(const void *chip, struct gpu_push *p)
{
	nv_push_bind_copy(p, chip);
}

static void idle(struct gpu_push *p, bool engine)
{
	if (engine)
		nv_push_compute_wfi(p);
	else
		nv_push_wfi(p);
}

static void set_local(struct gpu_push *p, const struct gpu_local *l)
{
	nv_push_set_local(p, l->address, l->unit_bytes);
}

static void copy(struct gpu_push *p, uint64_t destination, uint64_t source, uint64_t bytes,
		 uint64_t semaphore, uint32_t payload)
{
	nv_push_copy(p, destination, source, (uint32_t)bytes, semaphore, payload);
}

static void fill(struct gpu_push *p, uint64_t destination, uint32_t value, uint32_t element_bytes,
		 uint64_t bytes, uint64_t semaphore, uint32_t payload)
{
	nv_push_fill(p, destination, value, element_bytes, (uint32_t)(bytes / element_bytes),
		     semaphore, payload);
}

static uint32_t lines_most(const struct gpu_lines *l)
{
	(void)l;
	return MOST_LINES;
}

const struct gpu nv_gpu = {
	.family = "nv",
	.image = "cubin",
	.code = "sass",
	.warp_lanes = 32,
	.address_bits = 49,
	.copy_most = NV_PUSH_COPY_MAX,
	.inline_most = NV_PUSH_INLINE_MAX,
	.inline_unit = 1,
	.local_most = NV_LOCAL_MAX_BYTES,
	.plan_bytes = sizeof(struct plan),
	.entry_bytes = NV_GP_ENTRY_BYTES,
	.span_most = NV_GP_MAX_WORDS,
	.node_words = 32,
	.level_words = 24,
	.kernels_release = true,
	.copies_on_compute = true,
	.chip = chip_of,
	.runs = runs,
	.launch_bytes = launch_bytes,
	.reserved_shared = reserved_shared,
	.blocks = blocks,
	.together = together,
	.local = local,
	.time = nanoseconds,
	.chains = chains,
	.chain_code = chain_code,
	.wait_bytes = wait_bytes,
	.instruction = instruction,
	.plan = plan_kernel,
	.launch = launch,
	.place_bytes = place_bytes,
	.grid = grid,
	.start = start,
	.setup = setup,
	.begin_copies = begin_copies,
	.idle = idle,
	.forget_constants = nv_push_invalidate_constants,
	.interrupt = nv_push_interrupt,
	.set_local = set_local,
	.acquire = nv_push_acquire,
	.release = nv_push_release,
	.copy = copy,
	.lines_most = lines_most,
	.copy_lines = nv_push_copy_lines,
	.fill = fill,
	.write = nv_push_inline,
};
