/* SPDX-License-Identifier: MIT */
/*
 * AMD's GPUs as the runtime knows them. A launch is its arguments in memory and packets in the queue's words; where
 * private memory is stands in these, so graphs are written anew when it is another. Queues of one process do not
 * wait for each other, so kernels need not release anything themselves. Copies are another queue's.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/gpu/amd/amd_gpu.h"
#include "libsov/isa/amd/amd_isa.h"

static_assert(AMD_PLACE_HEAD <= GPU_SLOT_CONSTANTS, "what is beside arguments lies before them");
static_assert(AMD_PM4_IB_MAX_SIZE <= GPU_MAX_SPAN_WORDS, "a span has as many words as a buffer");

struct plan {
	struct amd_kernel amd;
	const struct image_kernel *kernel;
};

/* ---- chips ---- */

static void *chip_of(const struct winsys_info *i, uint64_t shared_window, uint64_t local_window)
{
	struct amd_card *card = malloc(sizeof(*card));

	/* The hardware's windows are no user's to choose: hw/amd/queue.h. */
	(void)shared_window;
	(void)local_window;
	if (card)
		*card = (struct amd_card){
			.units = i->multiprocessors,
			.waves_per_unit = i->warps_per_multiprocessor,
			.registers_per_unit = i->registers_per_multiprocessor,
			.lds_per_unit = i->shared_per_multiprocessor,
		};
	return card;
}

static bool runs(const void *chip, const struct image *im, char *reason, size_t bytes)
{
	(void)chip;
	snprintf(reason, bytes, "%s", im->target);
	return im->format == &image_code_object && !strcmp(im->target, "gfx1030");
}

static uint32_t launch_bytes(const struct image_kernel *k)
{
	return image_amd_kernel(k)->kernarg_bytes;
}

static uint32_t reserved_shared(const struct image *im)
{
	(void)im;
	return 0;
}

static uint32_t pair_blocks(const void *chip, const struct image_kernel *k, uint32_t threads,
			    uint64_t shared)
{
	return amd_grid_blocks(chip, k->registers, image_amd_kernel(k)->descriptor.rsrc1 & AMD_RSRC1_WGP_MODE,
			       threads, shared);
}

/* A workgroup may have both compute units of a pair to itself; then each counts as having one. */
static uint32_t blocks(const void *chip, const struct image_kernel *k, uint32_t threads,
		       uint64_t shared)
{
	return (pair_blocks(chip, k, threads, shared) + 1) / 2;
}

static uint64_t together(const void *chip, const struct image_kernel *k, uint32_t threads,
			 uint64_t shared)
{
	const struct amd_card *card = chip;

	return (uint64_t)pair_blocks(chip, k, threads, shared) * (card->units / 2);
}

static struct gpu_local local(const void *chip, uint32_t thread_bytes)
{
	return amd_grid_local(chip, thread_bytes);
}

static uint64_t nanoseconds(const void *chip, uint64_t ticks)
{
	(void)chip;
	return ticks * AMD_CLOCK_NANOSECONDS;
}

static bool chains(const void *chip)
{
	(void)chip;
	return false;
}

static enum winsys_access access_of(const char *name)
{
	static const char *const places[] = {"global_", "flat_", "buffer_"};
	uint32_t i;

	for (i = 0; i < sizeof(places) / sizeof(*places); i++) {
		size_t n = strlen(places[i]);

		if (!strncmp(name, places[i], n))
			return !strncmp(name + n, "load", 4)     ? WINSYS_READ
			       : !strncmp(name + n, "store", 5)  ? WINSYS_WRITE
			       : !strncmp(name + n, "atomic", 6) ? WINSYS_ATOMIC
								 : WINSYS_UNKNOWN_ACCESS;
	}
	return !strncmp(name, "s_load", 6) || !strncmp(name, "s_buffer_load", 13)
		       ? WINSYS_READ
		       : WINSYS_UNKNOWN_ACCESS;
}

static uint32_t instruction(const void *chip, const struct image_kernel *k, uint64_t pc, char *text,
			    size_t text_bytes, enum winsys_access *access)
{
	uint32_t words[AMD_MAX_WORDS], left, bytes;
	struct amd_inst in;
	char name[128];

	(void)chip;
	if (pc % 4 || pc >= k->code_bytes)
		return 0;
	left = (k->code_bytes - (uint32_t)pc) / 4;
	left = left < AMD_MAX_WORDS ? left : AMD_MAX_WORDS;
	memcpy(words, k->code + pc, 4 * left);
	bytes = amd_decode(AMD_GFX1030, words, left, &in);
	if (!bytes)
		return 0;
	amd_print(&in, name, sizeof(name));
	if (text)
		snprintf(text, text_bytes, "%s", name);
	if (access)
		*access = access_of(name);
	return bytes;
}

/* ---- launches ---- */

/* What a kernel calls may need more than the kernel knew. */
static uint32_t with_registers(uint32_t rsrc1, uint32_t vgprs)
{
	if (vgprs <= AMD_RSRC1_VGPRS(rsrc1))
		return rsrc1;
	return (rsrc1 & ~AMD_RSRC1_SET_VGPRS(512u)) | AMD_RSRC1_SET_VGPRS(vgprs);
}

static bool plan_kernel(const void *chip, const struct image_kernel *k,
			const uint64_t base[IMAGE_PARTS], uint32_t local_bytes, uint64_t id,
			void *plan)
{
	const struct amd_kernel_descriptor *d = &image_amd_kernel(k)->descriptor;
	struct plan *p = plan;
	uint32_t h;

	(void)chip;
	(void)id;
	p->kernel = k;
	p->amd = (struct amd_kernel){
		.entry = base[IMAGE_CODE] + image_amd_kernel(k)->descriptor_offset + (uint64_t)d->entry_offset,
		.descriptor = base[IMAGE_CODE] + image_amd_kernel(k)->descriptor_offset,
		.rsrc1 = with_registers(d->rsrc1, k->registers),
		.rsrc2 = d->rsrc2 | (local_bytes ? AMD_RSRC2_SET_SCRATCH : 0),
		.rsrc3 = d->rsrc3,
		.properties = d->properties,
		.lds_bytes = k->shared_bytes,
		.private_bytes = local_bytes,
		.kernarg_bytes = image_amd_kernel(k)->kernarg_bytes,
	};
	for (h = 0; h < AMD_HIDDEN_COUNT; h++) {
		p->amd.hidden[h].offset = image_amd_kernel(k)->hidden[h].offset;
		p->amd.hidden[h].bytes = image_amd_kernel(k)->hidden[h].bytes;
	}
	return p->amd.kernarg_bytes <= GPU_MAX_CONSTANTS && amd_grid_fits(&p->amd);
}

static bool looks(const struct amd_kernel *k)
{
	return k->properties & (AMD_DISPATCH_PTR | AMD_QUEUE_PTR);
}

static void launch(const void *chip, void *plan, struct gpu_launch *l, const struct gpu_slot *at,
		   struct gpu_push *p)
{
	const struct plan *pl = plan;
	const struct amd_kernel *k = &pl->amd;
	uint64_t kernarg = at->va + GPU_SLOT_CONSTANTS;
	_Alignas(GPU_LINE) uint8_t lines[GPU_MAX_CONSTANTS];

	if (looks(k)) {
		amd_grid_head(k, l, kernarg, lines);
		gpu_write_lines(at->cpu, lines, AMD_PLACE_HEAD);
	}
	memset(lines, 0, (k->kernarg_bytes + GPU_LINE - 1) / GPU_LINE * GPU_LINE);
	gpu_write_arguments(pl->kernel, l->arguments, lines);
	amd_grid_hidden(k, l, lines);
	gpu_write_lines(at->cpu + GPU_SLOT_CONSTANTS, lines, k->kernarg_bytes);
	amd_grid_push(chip, k, l, at->va, kernarg, p);
}

static uint32_t place_bytes(const void *plan, uint32_t *arguments)
{
	*arguments = GPU_SLOT_CONSTANTS;
	return GPU_SLOT_CONSTANTS + ((const struct plan *)plan)->amd.kernarg_bytes;
}

static bool grid(const void *chip, const void *plan, struct gpu_launch *l, uint8_t *cpu,
		 uint64_t va)
{
	const struct amd_kernel *k = &((const struct plan *)plan)->amd;
	uint8_t bytes[GPU_MAX_CONSTANTS] = {0};

	(void)chip;
	amd_grid_hidden(k, l, bytes);
	memcpy(cpu + GPU_SLOT_CONSTANTS, bytes, k->kernarg_bytes);
	amd_grid_head(k, l, va + GPU_SLOT_CONSTANTS, bytes);
	memcpy(cpu, bytes, AMD_PLACE_HEAD);
	return true;
}

static void start(const void *chip, const void *plan, const struct gpu_launch *l, uint64_t va,
		  struct gpu_push *p)
{
	amd_grid_push(chip, &((const struct plan *)plan)->amd, l, va, va + GPU_SLOT_CONSTANTS, p);
}

/* ---- words ---- */

static void setup(const void *chip, struct gpu_push *p)
{
	(void)chip;
	amd_pm4_setup(p);
}

static void begin_copies(const void *chip, struct gpu_push *p)
{
	(void)chip;
	(void)p; /* a copy queue does nothing else */
}

static void idle(struct gpu_push *p, bool engine)
{
	(void)engine;
	amd_pm4_idle(p);
}

static void forget_constants(struct gpu_push *p)
{
	(void)p; /* every launch does */
}

static void set_local(struct gpu_push *p, const struct gpu_local *l)
{
	(void)p;
	(void)l; /* every launch says it */
}

static void interrupt(struct gpu_push *p)
{
	if (p->copying)
		amd_sdma_interrupt(p);
	else
		amd_pm4_interrupt(p);
}

static void acquire(struct gpu_push *p, uint64_t semaphore, uint32_t payload)
{
	if (p->copying)
		amd_sdma_wait(p, semaphore, payload);
	else
		amd_pm4_wait(p, semaphore, payload);
}

static void release(struct gpu_push *p, uint64_t semaphore, uint32_t payload, uint32_t flags)
{
	if (p->copying)
		amd_sdma_release(p, semaphore, payload, flags);
	else
		amd_pm4_release(p, semaphore, payload, flags);
}

static void copy(struct gpu_push *p, uint64_t destination, uint64_t source, uint64_t bytes,
		 uint64_t semaphore, uint32_t payload)
{
	(void)semaphore; /* as in all copies: the ring says when they are done */
	(void)payload;
	amd_sdma_copy(p, destination, source, bytes);
}

static void copy_lines(struct gpu_push *p, const struct gpu_lines *l, uint64_t semaphore,
		       uint32_t payload)
{
	(void)semaphore;
	(void)payload;
	amd_sdma_lines(p, l);
}

/* value as the user gave it, or repeated: both are the same for us. */
static void fill(struct gpu_push *p, uint64_t destination, uint32_t value, uint32_t element_bytes,
		 uint64_t bytes, uint64_t semaphore, uint32_t payload)
{
	uint32_t word = element_bytes == 1   ? (value & 0xff) * 0x01010101u
			: element_bytes == 2 ? (value & 0xffff) * 0x00010001u
					     : value;

	(void)semaphore;
	(void)payload;
	amd_sdma_fill(p, destination, word, element_bytes, bytes);
}

static void pad(struct gpu_push *p)
{
	if (p->copying)
		amd_sdma_pad(p);
	else
		amd_pm4_pad(p);
}

/* A compute queue counts words, a copy queue bytes. */
static uint32_t enter(const struct winsys_queue_memory *m, uint32_t put, uint32_t entries,
		      uint64_t span, bool copying, const struct gpu_completion *end)
{
	uint32_t unit = copying ? 4 * AMD_ENTRY_WORDS : AMD_ENTRY_WORDS, entry[AMD_ENTRY_WORDS];

	if (copying)
		amd_sdma_enter(entry, span, end);
	else
		amd_pm4_enter(entry, span, end);
	memcpy((uint8_t *)m->ring + (uint64_t)put / unit * sizeof(entry), entry, sizeof(entry));
	return (put + unit) & (entries * unit - 1);
}

const struct gpu amd_gpu = {
	.family = "amd",
	.image = "co",
	.code = "s",
	.warp_lanes = 32,
	.address_bits = AMD_VA_BITS,
	.copy_most = AMD_SDMA_MAX_BYTES,
	.inline_most = AMD_PM4_INLINE_MAX,
	.inline_unit = 4,
	.local_most = AMD_PRIVATE_MAX,
	.plan_bytes = sizeof(struct plan),
	.entry_bytes = 4 * AMD_ENTRY_WORDS,
	.span_most = AMD_PM4_IB_MAX_SIZE,
	.node_words = AMD_SDMA_LINES_WORDS + 16,
	.level_words = 32,
	.compares_unsigned = true,
	.local_in_launch = true,
	.chip = chip_of,
	.runs = runs,
	.launch_bytes = launch_bytes,
	.reserved_shared = reserved_shared,
	.blocks = blocks,
	.together = together,
	.local = local,
	.time = nanoseconds,
	.chains = chains,
	.instruction = instruction,
	.plan = plan_kernel,
	.launch = launch,
	.place_bytes = place_bytes,
	.grid = grid,
	.start = start,
	.setup = setup,
	.begin_copies = begin_copies,
	.idle = idle,
	.forget_constants = forget_constants,
	.interrupt = interrupt,
	.set_local = set_local,
	.acquire = acquire,
	.release = release,
	.copy = copy,
	.lines_most = amd_sdma_lines_most,
	.copy_lines = copy_lines,
	.fill = fill,
	.write = amd_pm4_write,
	.pad = pad,
	.enter = enter,
};
