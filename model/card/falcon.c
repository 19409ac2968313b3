// SPDX-License-Identifier: MIT
/* The falcons GSP and SEC2 of chips that boot with FWSEC and booter. A falcon loads what the driver
 * tells it to by DMA, and when it is started, its boot ROM compares code, data and signature with
 * the program that belongs there: FWSEC of the ROM on the GSP, booter's files on SEC2. It executes
 * nothing; what the programs do is done by falcon_program.c. */
#include <inttypes.h>
#include <string.h>

#include "hw/nv/falcon.h"
#include "model/card/card_internal.h"

/* Physical DMA without a context from coherent system memory; reset state of both: 0. */
#define DMA_CONFIGURATION (NV_FALCON_TRANSCFG_PHYSICAL | NV_FALCON_TRANSCFG_COHERENT)
#define BLOCKS            (FALCON_MEMORY_BYTES / NV_FALCON_BLOCK_BYTES)

static const struct {
	const char *name;
	uint32_t base;
} falcons[CARD_FALCONS] = {
	[FALCON_GSP] = {"GSP falcon", NV_FALCON_GSP},
	[FALCON_SEC2] = {"SEC2 falcon", NV_FALCON_SEC2},
};

const char *falcon_name(const struct card *c, const struct falcon *f)
{
	return falcons[f - c->falcons].name;
}

static void falcon_reset(struct card *c, struct falcon *f)
{
	memset(f, 0, sizeof(*f));
	f->scrubbing = true;
	f->ready_reads = latency_next(c);
}

void falcons_reset(struct card *c)
{
	for (uint32_t i = 0; i < CARD_FALCONS; i++) {
		falcon_reset(c, &c->falcons[i]);
		c->falcons[i].unused = true;
	}
}

/* Memories may be accessed when they have been cleared after a reset. */
static bool memory_ready(struct card *c, struct falcon *f, const char *what)
{
	if (f->unused)
		card_refuse(c, "%s: %s before its first reset", falcon_name(c, f), what);
	else if (f->scrubbing)
		card_refuse(c, "%s: %s while its memories are being cleared", falcon_name(c, f),
			    what);
	else if (f->registers[NV_FALCON_BCR_CTRL / 4] & NV_FALCON_BCR_CTRL_RISCV)
		card_refuse(c, "%s: %s while the RISC-V core is selected", falcon_name(c, f), what);
	else
		return true;
	return false;
}

static void transfer(struct card *c, struct falcon *f, uint32_t command)
{
	const uint32_t *r = f->registers;
	uint64_t base = (uint64_t)r[NV_FALCON_DMATRFBASE1 / 4] << 40 |
			(uint64_t)r[NV_FALCON_DMATRFBASE / 4] << 8;
	uint32_t to = r[NV_FALCON_DMATRFMOFFS / 4], from = r[NV_FALCON_DMATRFFBOFFS / 4];
	bool imem = command & NV_FALCON_DMATRFCMD_IMEM;

	if (f->transfer_reads) {
		card_refuse(c, "%s: DMA 0x%x while another is under way", falcon_name(c, f),
			    command);
		return;
	}
	if (!memory_ready(c, f, "DMA"))
		return;
	if ((command & ~(NV_FALCON_DMATRFCMD_IMEM | NV_FALCON_DMATRFCMD_SECURE)) !=
		    NV_FALCON_DMATRFCMD_256 ||
	    to % NV_FALCON_BLOCK_BYTES || from % NV_FALCON_BLOCK_BYTES ||
	    to >= FALCON_MEMORY_BYTES || base >> NV_FALCON_DMA_BITS) {
		card_refuse(c,
			    "%s: DMA 0x%x of 0x%" PRIx64 " + 0x%x to 0x%x: blocks of 256 bytes "
			    "into 0x%x bytes are modelled",
			    falcon_name(c, f), command, base, from, to, FALCON_MEMORY_BYTES);
		return;
	}
	if (r[NV_FALCON_TRANSCFG / 4] != DMA_CONFIGURATION ||
	    !(r[NV_FALCON_FBIF_CTL / 4] & NV_FALCON_FBIF_CTL_NO_CONTEXT)) {
		card_refuse(c, "%s: DMA with configuration 0x%x, control 0x%x", falcon_name(c, f),
			    r[NV_FALCON_TRANSCFG / 4], r[NV_FALCON_FBIF_CTL / 4]);
		return;
	}
	const uint8_t *source =
		card_dma(c, base + from, NV_FALCON_BLOCK_BYTES, false, falcon_name(c, f));

	if (!source)
		return;
	memcpy((imem ? f->imem : f->dmem) + to, source, NV_FALCON_BLOCK_BYTES);
	if (imem) {
		f->tags[to / NV_FALCON_BLOCK_BYTES] =
			(struct falcon_tag){from, true, command & NV_FALCON_DMATRFCMD_SECURE};
	}
	f->transfer_reads = latency_next(c);
}

/* The block of IMEM that a virtual address is in, which must be loaded as secure. */
static bool secure_block(const struct falcon *f, uint32_t address, uint32_t *block)
{
	for (*block = 0; *block < BLOCKS; ++*block) {
		const struct falcon_tag *t = &f->tags[*block];

		if (t->loaded && t->secure && address >= t->address &&
		    address - t->address < NV_FALCON_BLOCK_BYTES)
			return true;
	}
	return false;
}

static void start(struct card *c, struct falcon *f)
{
	uint32_t vector = f->registers[NV_FALCON_BOOTVEC / 4], block;

	if (!memory_ready(c, f, "start"))
		return;
	if (f->run_reads || f->transfer_reads) {
		card_refuse(c, "%s: start while it runs, or during DMA", falcon_name(c, f));
		return;
	}
	f->run_reads = 1 + latency_next(c);
	f->started = true;
	if (vector % NV_FALCON_BLOCK_BYTES || !secure_block(f, vector, &block)) {
		card_refuse(c, "%s: start at 0x%x, where no secure code is loaded",
			    falcon_name(c, f), vector);
		f->result = FALCON_NO_PROGRAM;
		return;
	}
	f->result = program_run(c, f, block * NV_FALCON_BLOCK_BYTES);
}

static uint32_t read_cpuctl(struct falcon *f)
{
	if (!f->started)
		return NV_FALCON_CPUCTL_HALTED;
	if (latency_left(&f->run_reads) && f->run_reads)
		return 0;
	f->registers[NV_FALCON_MAILBOX0 / 4] = f->result;
	f->started = false;
	return NV_FALCON_CPUCTL_HALTED;
}

/* Memories are cleared when the driver looks: nouveau waits for 20 ms of real time only, in which a
 * busy host may not get to a second read. */
static uint32_t read_hwcfg2(struct falcon *f)
{
	f->scrubbing = false;
	return latency_left(&f->ready_reads) ? 0 : NV_FALCON_HWCFG2_RESET_READY;
}

static void write_engine(struct card *c, struct falcon *f, uint32_t value)
{
	if (value & NV_FALCON_ENGINE_RESET) {
		if (f == &c->falcons[FALCON_GSP] && c->gsp.running)
			card_refuse(c, "GSP falcon: reset while the GSP runs");
		if (f == &c->falcons[FALCON_GSP])
			c->gsp.unloaded = false; /* its mailbox is cleared, too */
		/* The reset itself writes to system memory (nova-core fb.rs). */
		gsp_check_flush_page(c);
		falcon_reset(c, f);
		f->in_reset = true;
	} else {
		f->in_reset = false;
	}
}

/* Registers that only hold a value, with the bits that may be written. */
static const struct {
	uint32_t offset, writable;
} plain[] = {
	{NV_FALCON_IRQMCLR, ~0u},
	{NV_FALCON_MAILBOX0, ~0u},
	{NV_FALCON_MAILBOX1, ~0u},
	{NV_FALCON_ITFEN, 3},
	{NV_FALCON_OS, ~0u},
	{NV_FALCON_RM, ~0u},
	{NV_FALCON_BOOTVEC, ~0u},
	{NV_FALCON_DMACTL, 0},
	{NV_FALCON_DMATRFBASE, ~0u},
	{NV_FALCON_DMATRFMOFFS, 0xffffff},
	{NV_FALCON_DMATRFFBOFFS, ~0u},
	{NV_FALCON_DMATRFBASE1, 0x1ff},
	{NV_FALCON_TRANSCFG, NV_FALCON_TRANSCFG_TARGET | NV_FALCON_TRANSCFG_PHYSICAL},
	{NV_FALCON_FBIF_CTL, NV_FALCON_FBIF_CTL_NO_CONTEXT},
	{NV_FALCON_MOD_SEL, 0xff},
	{NV_FALCON_BROM_UCODE_ID, 0xff},
	{NV_FALCON_BROM_ENGIDMASK, ~0u},
	{NV_FALCON_BROM_PARAADDR, ~0u},
	{NV_FALCON_BCR_CTRL,
	 NV_FALCON_BCR_CTRL_VALID | NV_FALCON_BCR_CTRL_RISCV | NV_FALCON_BCR_CTRL_FETCH},
};

static bool is_plain(uint32_t offset, uint32_t *writable)
{
	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
		if (plain[i].offset == offset) {
			*writable = plain[i].writable;
			return true;
		}
	return false;
}

static uint32_t falcon_read(struct card *c, struct falcon *f, uint32_t offset)
{
	uint32_t writable;

	if (offset == NV_FALCON_HWCFG2)
		return read_hwcfg2(f);
	if (offset == NV_FALCON_CPUCTL)
		return read_cpuctl(f);
	if (offset == NV_FALCON_ENGINE)
		return f->in_reset;
	if (offset == NV_FALCON_HWCFG)
		return BLOCKS | BLOCKS << 9;
	if (offset == NV_FALCON_HWCFG1)
		return 6 | 3 << 4 | 1 << 8 | 1 << 12; /* revision, security, ports */
	if (offset == NV_FALCON_DMATRFCMD)
		return latency_left(&f->transfer_reads) ? 0 : NV_FALCON_DMATRFCMD_IDLE;
	/* Selecting a core makes it valid. */
	if (offset == NV_FALCON_BCR_CTRL)
		return f->registers[offset / 4] | NV_FALCON_BCR_CTRL_VALID;
	if (offset == NV_FALCON_MAILBOX0 && f == &c->falcons[FALCON_GSP] && c->gsp.unloaded)
		return gsp_read_mailbox0(c);
	if (is_plain(offset, &writable))
		return f->registers[offset / 4];
	card_refuse(c, "%s: read of +0x%x: no such register is modelled", falcon_name(c, f),
		    offset);
	return ~0u;
}

static void falcon_write(struct card *c, struct falcon *f, uint32_t offset, uint32_t value)
{
	uint32_t writable;

	if (f->in_reset && offset != NV_FALCON_ENGINE) {
		card_refuse(c, "%s: write of 0x%x to +0x%x during its reset", falcon_name(c, f),
			    value, offset);
	} else if (offset == NV_FALCON_ENGINE) {
		write_engine(c, f, value);
	} else if (offset == NV_FALCON_CPUCTL && value == NV_FALCON_CPUCTL_START) {
		start(c, f);
	} else if (offset == NV_FALCON_DMATRFCMD) {
		transfer(c, f, value);
	} else if (is_plain(offset, &writable) && !(value & ~writable)) {
		f->registers[offset / 4] = value;
	} else {
		card_refuse(c, "%s: write of 0x%x to +0x%x", falcon_name(c, f), value, offset);
	}
}

uint32_t falcon_read_gsp(struct card *c, uint32_t offset)
{
	return falcon_read(c, &c->falcons[FALCON_GSP], offset - NV_FALCON_GSP);
}
void falcon_write_gsp(struct card *c, uint32_t offset, uint32_t value)
{
	falcon_write(c, &c->falcons[FALCON_GSP], offset - NV_FALCON_GSP, value);
}
uint32_t falcon_read_sec2(struct card *c, uint32_t offset)
{
	return falcon_read(c, &c->falcons[FALCON_SEC2], offset - NV_FALCON_SEC2);
}
void falcon_write_sec2(struct card *c, uint32_t offset, uint32_t value)
{
	falcon_write(c, &c->falcons[FALCON_SEC2], offset - NV_FALCON_SEC2, value);
}
