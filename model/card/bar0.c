// SPDX-License-Identifier: MIT
/* BAR 0 registers: one row each, sorted by offset, with the reset value, the writable bits, and
 * functions for reads or writes with side effects; or one row for a block of registers of one unit.
 * The card rejects offsets without a row, accesses of other than four bytes and writes to reserved
 * bits. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "hw/nv/falcon.h"
#include "hw/nv/mmu_ver3.h"
#include "hw/nv/vbios.h"
#include "model/card/card_internal.h"

struct reg {
	uint32_t offset;
	const char *name;
	enum card_boot boot; /* chips that have it */
	uint32_t reset, writable;
	uint32_t bytes; /* of an access; 0: 4 */
	uint32_t (*read)(struct card *c);
	void (*write)(struct card *c, uint32_t value);
};

static uint32_t read_boot_0(struct card *c)
{
	return c->chip->boot_0;
}
static uint32_t read_boot_42(struct card *c)
{
	return c->chip->boot_42;
}
static uint32_t read_vram_mb(struct card *c)
{
	return (uint32_t)(c->vram_bytes >> 20);
}
static uint32_t read_time_low(struct card *c)
{
	(void)c;
	return (uint32_t)model_nanoseconds() & ~31u;
}
static uint32_t read_time_high(struct card *c)
{
	(void)c;
	return (uint32_t)(model_nanoseconds() >> 32) & 0x1fffffff;
}

static uint32_t read_flush(struct card *c)
{
	return latency_left(&c->flush_reads) ? NV_UFLUSH_FB_FLUSH_OUTSTANDING : 0;
}
static void write_flush(struct card *c, uint32_t value)
{
	if (value)
		c->flush_reads = latency_next(c);
}
static void write_alarm(struct card *c, uint32_t value)
{
	if (value)
		card_refuse(c, "PTIMER_INTR_EN_0: 0x%08x; alarms are not modelled", value);
}

/* Queue pointers and memory control are state of the FSP. */
#define FSP_WORD(name, member) \
	static uint32_t read_##name(struct card *c) \
	{ \
		fsp_poll(c); \
		return c->fsp.member; \
	} \
	static void write_##name(struct card *c, uint32_t value) \
	{ \
		c->fsp.member = value; \
	}
FSP_WORD(ememc, control)
FSP_WORD(queue_tail, queue[1])
FSP_WORD(answer_head, answer[0])
FSP_WORD(answer_tail, answer[1])
static uint32_t read_queue_head(struct card *c)
{
	fsp_poll(c);
	return c->fsp.queue[0];
}
static void write_gsp_doorbell(struct card *c, uint32_t value)
{
	(void)value;
	gsp_commands(c); /* ignored until the GSP runs */
}

#define INVALIDATE_SPACE (NV_VF_MMU_INVALIDATE_TRIGGER | NV_VF_MMU_INVALIDATE_ALL_VA)
#define INVALIDATE_WINDOWS \
	(INVALIDATE_SPACE | NV_VF_MMU_INVALIDATE_ALL_ROOTS | NV_VF_MMU_INVALIDATE_HUB)

static void write_invalidate(struct card *c, uint32_t value)
{
	struct invalidation *i = &c->invalidation;
	uint64_t root = ((uint64_t)c->mmu_root[1] << 32 | c->mmu_root[0]) << 8;

	if (i->command) {
		card_refuse(c, "MMU: invalidation 0x%08x while another is under way", value);
		return;
	}
	if (value != INVALIDATE_WINDOWS &&
	    (value != INVALIDATE_SPACE || root % NV_MMU3_TABLE_BYTES ||
	     root > c->vram_bytes - NV_MMU3_TABLE_BYTES)) {
		card_refuse(c, "MMU: invalidation 0x%08x of tables at 0x%" PRIx64, value, root);
		return;
	}
	*i = (struct invalidation){value, latency_next(c), root};
}
static uint32_t read_invalidate(struct card *c)
{
	struct invalidation *i = &c->invalidation;

	if (!i->command)
		return 0;
	if (latency_left(&i->reads))
		return i->command;
	if (i->command == INVALIDATE_SPACE) /* windows cache no translations */
		space_invalidate(c, i->root);
	i->command = 0;
	return 0;
}
static void write_root_low(struct card *c, uint32_t value)
{
	c->mmu_root[0] = value;
}
static void write_root_high(struct card *c, uint32_t value)
{
	c->mmu_root[1] = value;
}

/* The chip's own firmware boots after a reset; until then only its progress can be read. */
static uint32_t read_boot_progress(struct card *c)
{
	return latency_left(&c->boot_reads) ? 0xff - c->boot_reads - 1 : NV_PGC6_GFW_BOOT_COMPLETE;
}
static uint32_t read_frts_scratch(struct card *c)
{
	return c->frts_error;
}
/* The ROM: what lies behind the images is erased. */
static uint32_t read_rom(struct card *c, uint32_t offset)
{
	uint32_t value = ~0u;

	offset -= NV_PROM;
	if (bar0_stored(c, NV_PCI_MIRROR_ROM_SHADOW))
		card_refuse(c, "BAR 0: read of the ROM at 0x%x while it is hidden", offset);
	else if (offset % 4 == 0 && offset < VBIOS_BYTES)
		memcpy(&value, c->vbios.rom + offset, 4);
	return value;
}
static void write_rom(struct card *c, uint32_t offset, uint32_t value)
{
	card_refuse(c, "BAR 0: write of 0x%08x to 0x%06x of the ROM", value, offset);
}
static uint32_t read_fuse(struct card *c, uint32_t offset)
{
	(void)c;
	if (offset == NV_FUSE_GSP_VERSION(VBIOS_FWSEC_PROGRAM))
		return 1u << (VBIOS_FWSEC_FUSE - 1);
	return 0;
}
static void write_fuse(struct card *c, uint32_t offset, uint32_t value)
{
	card_refuse(c, "BAR 0: write of 0x%08x to 0x%06x of the fuses", value, offset);
}

static uint32_t read_pramin_base(struct card *c)
{
	return c->pramin;
}
static void write_pramin_base(struct card *c, uint32_t value)
{
	c->pramin = value;
}

/* The high word starts the change of mode. */
static uint32_t read_window(struct card *c)
{
	uint32_t left = c->gsp.bind_reads;

	if (latency_left(&c->gsp.bind_reads))
		return NV_VF_BAR1_BLOCK_VIRTUAL | NV_VF_BAR1_BLOCK_OUTSTANDING |
		       (left > 1 ? NV_VF_BAR1_BLOCK_PENDING : 0);
	if (c->gsp.bind_started)
		c->gsp.window_virtual = false;
	return c->gsp.window_virtual ? NV_VF_BAR1_BLOCK_VIRTUAL : 0;
}
static void write_window(struct card *c, uint32_t value)
{
	if (value)
		card_refuse(c,
			    "VF_BAR1_BLOCK: 0x%08x; page tables of the driver are not "
			    "modelled there",
			    value);
}
static void write_window_high(struct card *c, uint32_t value)
{
	write_window(c, value);
	c->gsp.bind_started = true;
	c->gsp.bind_reads = 1 + latency_next(c);
}

static const struct reg registers[] = {
	{NV_PMC_BOOT_0, "PMC_BOOT_0", .read = read_boot_0},
	{NV_PMC_BOOT_1, "PMC_BOOT_1", .reset = 0},
	{NV_PMC_BOOT_42, "PMC_BOOT_42", .read = read_boot_42},
	{NV_PBUS_SW_SCRATCH_FRTS, "PBUS_SW_SCRATCH_FRTS", BOOT_FWSEC, .read = read_frts_scratch},
	{NV_PBUS_SW_SCRATCH_SB, "PBUS_SW_SCRATCH_SB", BOOT_FWSEC, .reset = 0},
	{NV_PBUS_BAR0_WINDOW, "PBUS_BAR0_WINDOW", BOOT_FWSEC, .writable = 0xffffff,
	 .read = read_pramin_base, .write = write_pramin_base},
	{NV_PTIMER_INTR_EN_0, "PTIMER_INTR_EN_0", .writable = 1, .write = write_alarm},
	/* The firmware owns the clock: writes have no effect. */
	{NV_PTIMER_TIME_0, "PTIMER_TIME_0", .writable = ~0u, .read = read_time_low},
	{NV_PTIMER_TIME_1, "PTIMER_TIME_1", .writable = ~0u, .read = read_time_high},
	{NV_THERM_I2CS_SCRATCH, "THERM_I2CS_SCRATCH", BOOT_FSP, .read = fsp_read_boot_status},
	{NV_UFLUSH_FB_FLUSH, "UFLUSH_FB_FLUSH", .writable = 1, .read = read_flush,
	 .write = write_flush},
	{NV_PCI_MIRROR_ROM_SHADOW, "PCI_MIRROR_ROM_SHADOW", BOOT_FWSEC, .writable = 1},
	{NV_PCI_MIRROR_MSI_REARM, "PCI_MIRROR_MSI_REARM", BOOT_FWSEC, .writable = ~0u,
	 .write = interrupt_rearm},
	{NV_PFB_FLUSH_SYSMEM_ADDR_LO, "PFB_FLUSH_SYSMEM_ADDR_LO", BOOT_FSP, .writable = ~0u},
	{NV_PFB_FLUSH_SYSMEM_ADDR_HI, "PFB_FLUSH_SYSMEM_ADDR_HI", BOOT_FSP, .writable = 0xfffff},
	{NV_PFB_NISO_FLUSH_ADDR, "PFB_NISO_FLUSH_ADDR", BOOT_FWSEC, .writable = ~0u},
	{NV_PFB_NISO_FLUSH_ADDR_HI, "PFB_NISO_FLUSH_ADDR_HI", BOOT_FWSEC, .writable = 0xfff},
	{NV_PEXTDEV_BOOT_0, "PEXTDEV_BOOT_0", .reset = 0},
	{NV_XAL_EP_BAR0_WINDOW, "XAL_EP_BAR0_WINDOW", BOOT_FSP, .writable = 0x3fffff,
	 .read = read_pramin_base, .write = write_pramin_base},
	{NV_PGSP_IRQSCLR, "PGSP_IRQSCLR", .writable = ~0u, .write = gsp_clear_interrupt},
	{NV_PGSP_IRQSTAT, "PGSP_IRQSTAT", .read = gsp_read_interrupt},
	{NV_PGSP_MAILBOX0, "PGSP_MAILBOX0", BOOT_FSP, .read = gsp_read_mailbox0},
	{NV_PGSP_MAILBOX1, "PGSP_MAILBOX1", BOOT_FSP, .reset = 0},
	{NV_PGSP_OS, "PGSP_OS", BOOT_FSP, .writable = ~0u},
	{NV_PGSP_HWCFG2, "PGSP_HWCFG2", BOOT_FSP, .read = gsp_read_hwcfg2},
	{NV_PGSP_IRQ_RETRIGGER, "PGSP_IRQ_RETRIGGER", .writable = 1, .write = gsp_retrigger},
	{NV_PGSP_QUEUE_HEAD, "PGSP_QUEUE_HEAD", .writable = ~0u, .write = write_gsp_doorbell},
	{NV_PGSP_RISCV_CPUCTL, "PGSP_RISCV_CPUCTL", .read = gsp_read_cpuctl},
	{NV_PGSP_RISCV_IRQMASK, "PGSP_RISCV_IRQMASK",
	 .reset = NV_PGSP_IRQ_HALT | NV_PGSP_IRQ_SWGEN0},
	{NV_PGC6_GFW_PRIV_MASK, "PGC6_GFW_PRIV_MASK", BOOT_FWSEC, .reset = 1},
	{NV_PGC6_GFW_BOOT, "PGC6_GFW_BOOT", BOOT_FWSEC, .read = read_boot_progress},
	{NV_USABLE_FB_SIZE_MB, "USABLE_FB_SIZE_MB", .read = read_vram_mb},
	{NV_PFB_WPR2_ADDR_LO, "PFB_WPR2_ADDR_LO", .read = gsp_read_wpr_low},
	{NV_PFB_WPR2_ADDR_HI, "PFB_WPR2_ADDR_HI", .read = gsp_read_wpr_high},
	{NV_VGA_CRTC_INDEX, "VGA_CRTC_INDEX", BOOT_FWSEC, .bytes = 1, .writable = 0xff},
	{NV_VGA_CRTC_DATA, "VGA_CRTC_DATA", BOOT_FWSEC, .bytes = 1, .writable = 0xff},
	{NV_FUSE_DISPLAY, "FUSE_DISPLAY", BOOT_FWSEC, .reset = 1},
	{NV_PFSP_EMEMC, "PFSP_EMEMC", BOOT_FSP, .writable = 0x0300fffc, .read = read_ememc,
	 .write = write_ememc},
	{NV_PFSP_EMEMD, "PFSP_EMEMD", BOOT_FSP, .writable = ~0u, .read = fsp_read_data,
	 .write = fsp_write_data},
	{NV_PFSP_QUEUE_HEAD, "PFSP_QUEUE_HEAD", BOOT_FSP, .writable = ~0u, .read = read_queue_head,
	 .write = fsp_write_head},
	{NV_PFSP_QUEUE_TAIL, "PFSP_QUEUE_TAIL", BOOT_FSP, .writable = ~0u, .read = read_queue_tail,
	 .write = write_queue_tail},
	{NV_PFSP_MSGQ_HEAD, "PFSP_MSGQ_HEAD", BOOT_FSP, .writable = ~0u, .read = read_answer_head,
	 .write = write_answer_head},
	{NV_PFSP_MSGQ_TAIL, "PFSP_MSGQ_TAIL", BOOT_FSP, .writable = ~0u, .read = read_answer_tail,
	 .write = write_answer_tail},
	{NV_VF_BAR1_BLOCK, "VF_BAR1_BLOCK", .writable = ~0u, .read = read_window,
	 .write = write_window},
	{NV_VF_BAR1_BLOCK_HIGH, "VF_BAR1_BLOCK_HIGH", .writable = ~0u, .write = write_window_high},
	{NV_VF_MMU_INVALIDATE_PDB_LO, "VF_MMU_INVALIDATE_PDB_LO", .writable = ~0u,
	 .write = write_root_low},
	{NV_VF_MMU_INVALIDATE_PDB_HI, "VF_MMU_INVALIDATE_PDB_HI", .writable = ~0u,
	 .write = write_root_high},
	{NV_VF_MMU_INVALIDATE, "VF_MMU_INVALIDATE", .writable = ~0u, .read = read_invalidate,
	 .write = write_invalidate},
};
/* Blocks of registers that belong to one unit, but for those that have rows above. */
static uint32_t user_read(struct card *c, uint32_t offset)
{
	if (offset == NV_VF_USER + NV_VF_USER_TIME_LOW)
		return read_time_low(c);
	if (offset == NV_VF_USER + NV_VF_USER_TIME_HIGH)
		return read_time_high(c);
	card_refuse(c, "BAR 0: read of 0x%06x: the user page has no such readable register",
		    offset);
	return ~0u;
}
static void user_write(struct card *c, uint32_t offset, uint32_t value)
{
	if (offset == NV_VF_DOORBELL)
		channel_doorbell(c, value);
	else
		card_refuse(c,
			    "BAR 0: write of 0x%08x to 0x%06x: only the doorbell is written on the "
			    "user page",
			    value, offset);
}

static const struct block {
	uint32_t offset, bytes;
	const char *name;
	enum card_boot boot;
	uint32_t (*read)(struct card *c, uint32_t offset);
	void (*write)(struct card *c, uint32_t offset, uint32_t value);
} blocks[] = {
	{NV_FALCON_GSP, NV_FALCON_BYTES, "PGSP", BOOT_FWSEC, falcon_read_gsp, falcon_write_gsp},
	{NV_PROM, NV_PROM_BYTES, "PROM", BOOT_FWSEC, read_rom, write_rom},
	{NV_PRAMIN, NV_PRAMIN_BYTES, "PRAMIN", BOOT_ANY, window_read_pramin, window_write_pramin},
	{NV_FUSE_SEC2_VERSION(1), 4 * NV_FUSE_PROGRAMS, "FUSE_SEC2", BOOT_FWSEC, read_fuse,
	 write_fuse},
	{NV_FUSE_GSP_VERSION(1), 4 * NV_FUSE_PROGRAMS, "FUSE_GSP", BOOT_FWSEC, read_fuse,
	 write_fuse},
	{NV_FALCON_SEC2, NV_FALCON_BYTES, "PSEC", BOOT_FWSEC, falcon_read_sec2, falcon_write_sec2},
	{NV_VF_INTR_LEAF(0), NV_VF_INTR_BYTES, "VF_INTR", BOOT_ANY, interrupt_read,
	 interrupt_write},
	{NV_VF_USER, NV_VF_USER_BYTES, "VF_USER", BOOT_ANY, user_read, user_write},
};

static const struct block *find_block(const struct card *c, uint32_t offset)
{
	for (size_t i = 0; i < sizeof(blocks) / sizeof(*blocks); i++)
		if (offset >= blocks[i].offset && offset - blocks[i].offset < blocks[i].bytes &&
		    (!blocks[i].boot || blocks[i].boot == c->chip->boot))
			return &blocks[i];
	return NULL;
}

#define COUNT (sizeof(registers) / sizeof(*registers))
static_assert(COUNT <= MAX_REGISTERS, "MAX_REGISTERS is too small");

void bar0_reset(struct card *c)
{
	for (size_t i = 0; i < COUNT; i++)
		c->registers[i] = registers[i].reset;
}

static int by_offset(const void *key, const void *row)
{
	uint32_t a = *(const uint32_t *)key, b = ((const struct reg *)row)->offset;

	return (a > b) - (a < b);
}

/* The row of a register of this chip, or NULL. */
static const struct reg *row_of(const struct card *c, uint32_t offset)
{
	const struct reg *r = bsearch(&offset, registers, COUNT, sizeof(*registers), by_offset);

	return r && (!r->boot || r->boot == c->chip->boot) ? r : NULL;
}

static const struct reg *find_register(struct card *c, const char *verb, uint32_t offset,
				       uint32_t bytes)
{
	const struct reg *r = row_of(c, offset);

	if (!r)
		card_refuse(c, "BAR 0: %s of 0x%06x, %u bytes: no such register is modelled", verb,
			    offset, bytes);
	else if (bytes != (r->bytes ? r->bytes : 4))
		card_refuse(c, "BAR 0: %s of %s, %u bytes: %s", verb, r->name, bytes,
			    r->bytes ? "it is a byte" : "registers allow only 4-byte accesses");
	else
		return r;
	return NULL;
}

uint32_t bar0_stored(struct card *c, uint32_t offset)
{
	const struct reg *r = bsearch(&offset, registers, COUNT, sizeof(*registers), by_offset);

	return r ? c->registers[r - registers] : 0;
}

uint32_t bar0_read(struct card *c, uint32_t offset, uint32_t bytes)
{
	const struct block *b = bytes == 4 ? find_block(c, offset) : NULL;

	if (b && !row_of(c, offset))
		return b->read(c, offset);
	const struct reg *r = find_register(c, "read", offset, bytes);

	if (!r)
		return ~0u;
	return r->read ? r->read(c) : c->registers[r - registers];
}

void bar0_write(struct card *c, uint32_t offset, uint32_t value, uint32_t bytes)
{
	const struct block *b = bytes == 4 ? find_block(c, offset) : NULL;

	if (b && !row_of(c, offset)) {
		b->write(c, offset, value);
		return;
	}
	const struct reg *r = find_register(c, "write", offset, bytes);

	if (!r)
		return;
	if (!r->writable || value & ~r->writable) {
		card_refuse(c, "BAR 0: write of 0x%08x to %s: bits 0x%08x may be written", value,
			    r->name, r->writable);
		return;
	}
	c->registers[r - registers] = value;
	if (r->write)
		r->write(c, value);
}
