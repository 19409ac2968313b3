// SPDX-License-Identifier: MIT
/* The modelled GSP, part one: boot. It follows every pointer that the driver left in memory, by DMA
 * as the real GSP does, and verifies everything: images must match the files, sizes must suffice,
 * tables must point to mapped memory. Then it creates its queue, executes the commands in the
 * driver's queue, and sends the init-done event. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "model/card/card_internal.h"

#define ENTRIES          (NV_GSP_PAGE / 8)
#define ALIGN_DOWN(x, a) ((x) & ~((uint64_t)(a) - 1))

static bool dma_read(struct card *c, uint64_t address, void *to, uint64_t bytes, const char *what)
{
	const void *from = card_dma(c, address, bytes, false, what);

	if (from)
		memcpy(to, from, bytes);
	return from;
}

/* Compares memory with the file. */
static bool matches_file(struct card *c, uint64_t address, uint64_t bytes, struct span want,
			 const char *what)
{
	if (!c->firmware.known)
		return card_dma(c, address, bytes, false, what);
	if (bytes != want.bytes) {
		card_refuse(c, "GSP: %s has %" PRIu64 " bytes, its file %zu", what, bytes,
			    want.bytes);
		return false;
	}
	const uint8_t *got = card_dma(c, address, bytes, false, what);

	if (got && memcmp(got, want.data, bytes)) {
		card_refuse(c, "GSP: %s at 0x%" PRIx64 " differs from its file", what, address);
		return false;
	}
	return got;
}

static bool check_trust(struct card *c, const struct nv_fsp_cot *cot)
{
	const struct firmware *fw = &c->firmware;

	if (!fw->known)
		return true;
	if (fw->hash.bytes != sizeof(cot->hash) ||
	    memcmp(cot->hash, fw->hash.data, sizeof(cot->hash)) ||
	    fw->public_key.bytes != sizeof(cot->public_key) ||
	    memcmp(cot->public_key, fw->public_key.data, sizeof(cot->public_key)) ||
	    fw->fmc_signature.bytes != sizeof(cot->signature) ||
	    memcmp(cot->signature, fw->fmc_signature.data, sizeof(cot->signature))) {
		card_refuse(c, "FSP: hash, key or signature differs from the file");
		return false;
	}
	return true;
}

/* Three levels of pages of addresses (radix3); the leaves are pages of the image. */
static bool check_image(struct card *c, uint64_t root, uint64_t bytes)
{
	uint64_t level1, table = 0, pages = (bytes + NV_GSP_PAGE - 1) / NV_GSP_PAGE;

	if (c->firmware.known && bytes != c->firmware.image.bytes) {
		card_refuse(c, "GSP: image has %" PRIu64 " bytes, its file %zu", bytes,
			    c->firmware.image.bytes);
		return false;
	}
	if (!pages || pages > ENTRIES * ENTRIES) {
		card_refuse(c, "GSP: image has %" PRIu64 " bytes", bytes);
		return false;
	}
	if (!dma_read(c, root, &level1, 8, "radix3 level 0"))
		return false;
	for (uint64_t i = 0; i < pages; i++) {
		uint64_t left = bytes - i * NV_GSP_PAGE,
			 n = left < NV_GSP_PAGE ? left : NV_GSP_PAGE, page;

		if (i % ENTRIES == 0 &&
		    !dma_read(c, level1 + i / ENTRIES * 8, &table, 8, "radix3 level 1"))
			return false;
		if (!dma_read(c, table + i % ENTRIES * 8, &page, 8, "radix3 level 2"))
			return false;
		struct span want = {c->firmware.image.data + i * NV_GSP_PAGE, n};

		if (!matches_file(c, page, n, want, "a page of the image"))
			return false;
	}
	return true;
}

/* Lays out the write-protected region (WPR) below FRTS, as the firmware does; the driver chooses
 * the sizes. */
static bool layout_wpr(struct card *c, const struct nv_fsp_cot *cot,
		       const struct nv_gsp_wpr_meta *m)
{
	struct gsp *g = &c->gsp;
	uint64_t need = cot->frts_vidmem + m->frts_bytes + m->vga_bytes + m->bootloader_bytes +
			m->radix3_bytes + m->heap_bytes + m->heap_outside_bytes + (8 << 20);

	/* Minimum by the formula of open-gpu-kernel-modules; drivers may use larger minima. */
	uint64_t min_heap = NV_GSP_HEAP_FIXED + (c->vram_bytes >> 30) * NV_GSP_HEAP_PER_GB;

	if (m->heap_bytes < min_heap || m->heap_outside_bytes < NV_GSP_HEAP_OUTSIDE_BYTES ||
	    m->frts_bytes != NV_FRTS_BYTES || cot->frts_vidmem_bytes != NV_FRTS_BYTES ||
	    cot->frts_vidmem % NV_FRTS_ALIGN || m->heap_bytes > c->vram_bytes ||
	    cot->frts_vidmem > c->vram_bytes || need > c->vram_bytes) {
		card_refuse(c,
			    "GSP: no room: heap %" PRIu64 ", outside %" PRIu64 ", FRTS %" PRIu64
			    " at -0x%" PRIx64 ", memory %" PRIu64,
			    m->heap_bytes, m->heap_outside_bytes, m->frts_bytes, cot->frts_vidmem,
			    c->vram_bytes);
		return false;
	}
	g->frts = ALIGN_DOWN(c->vram_bytes - cot->frts_vidmem - m->frts_bytes, NV_FRTS_ALIGN);
	g->wpr_end = g->frts + m->frts_bytes;
	uint64_t boot = ALIGN_DOWN(g->frts - m->bootloader_bytes, 4096);
	uint64_t image = ALIGN_DOWN(boot - m->radix3_bytes, 65536);
	uint64_t heap = ALIGN_DOWN(image - m->heap_bytes, 1 << 20);

	g->wpr_start = ALIGN_DOWN(heap - sizeof(*m), 1 << 20);
	g->heap_outside = g->wpr_start - m->heap_outside_bytes;
	return true;
}

static bool read_meta(struct card *c, uint64_t address, struct nv_gsp_wpr_meta *m)
{
	if (!dma_read(c, address, m, sizeof(*m), "the WPR metadata"))
		return false;
	if (m->magic != NV_GSP_WPR_MAGIC || m->revision != NV_GSP_WPR_REVISION || m->verified) {
		card_refuse(c, "GSP: WPR metadata with magic 0x%" PRIx64 ", revision %" PRIu64,
			    m->magic, m->revision);
		return false;
	}
	if (m->bootloader_code >= m->bootloader_bytes ||
	    m->bootloader_data >= m->bootloader_bytes ||
	    m->bootloader_manifest >= m->bootloader_bytes) {
		card_refuse(c,
			    "GSP: boot loader's parts at 0x%" PRIx64 ", 0x%" PRIx64 ", 0x%" PRIx64
			    " of %" PRIu64,
			    m->bootloader_code, m->bootloader_data, m->bootloader_manifest,
			    m->bootloader_bytes);
		return false;
	}
	return true;
}

static bool check_meta(struct card *c, const struct nv_gsp_fmc_boot *boot,
		       struct nv_gsp_wpr_meta *m)
{
	if (boot->rm_target != NV_GSP_TARGET_COHERENT || boot->is_rm_boot != 1 ||
	    boot->rm_bytes != sizeof(*m) || boot->libos_target != NV_GSP_TARGET_NONCOHERENT) {
		card_refuse(c, "GSP: boot parameters: targets %u %u, kind %u, %u bytes",
			    boot->rm_target, boot->libos_target, boot->is_rm_boot, boot->rm_bytes);
		return false;
	}
	return read_meta(c, boot->rm, m);
}

static bool find_region(struct card *c, uint64_t libos, const char *name,
			struct nv_gsp_libos_region *r)
{
	struct nv_gsp_libos_region regions[8];

	if (!dma_read(c, libos, regions, sizeof(regions), "the named regions"))
		return false;
	for (size_t i = 0; i < sizeof(regions) / sizeof(*regions); i++) {
		if (regions[i].name != nv_gsp_name(name))
			continue;
		*r = regions[i];
		if (r->kind == NV_GSP_REGION_CONTIGUOUS && r->location == NV_GSP_REGION_SYSMEM)
			return true;
		card_refuse(c, "GSP: region %s of kind %u in location %u", name, r->kind,
			    r->location);
		return false;
	}
	card_refuse(c, "GSP: no region is named %s", name);
	return false;
}

static bool check_logs(struct card *c, uint64_t libos)
{
	static const char *const names[CARD_LOGS] = {"LOGINIT", "LOGINTR", "LOGRM"};
	struct nv_gsp_libos_region r;

	for (size_t i = 0; i < CARD_LOGS; i++) {
		if (!find_region(c, libos, names[i], &r))
			return false;
		const uint64_t *log = card_dma(c, r.address, r.bytes, true, names[i]);

		if (!log)
			return false;
		for (uint64_t page = 0; page < r.bytes / NV_GSP_PAGE; page++)
			if (r.bytes != NV_GSP_LOG_BYTES || log[0] ||
			    log[1 + page] != r.address + page * NV_GSP_PAGE) {
				card_refuse(c, "GSP: region %s does not list its pages", names[i]);
				return false;
			}
		c->gsp.logs[i] = r.address;
	}
	return true;
}

/* Once the GSP has read the list of a log's pages, records overwrite it, and later themselves. */
void gsp_write_log(struct card *c, enum card_log_region log, const char *format, ...)
{
	const uint32_t room = (NV_GSP_LOG_BYTES - 8) / sizeof(struct gsp_log_record);
	struct gsp_log_record record = {.time = model_nanoseconds()};
	uint8_t *words = c->gsp.logs[log]
				 ? card_dma(c, c->gsp.logs[log], NV_GSP_LOG_BYTES, true, "a log")
				 : NULL;
	uint64_t put;
	va_list ap;

	if (!words)
		return;
	va_start(ap, format);
	vsnprintf(record.text, sizeof(record.text), format, ap);
	va_end(ap);
	memcpy(&put, words, 8);
	memcpy(words + 8 + put * 8 / sizeof(record) % room * sizeof(record), &record,
	       sizeof(record));
	put += sizeof(record) / 8;
	memcpy(words, &put, 8);
}

static bool find_queues(struct card *c, uint64_t libos)
{
	struct gsp *g = &c->gsp;
	struct nv_gsp_libos_region r;
	struct nv_gsp_arguments a;

	if (!find_region(c, libos, "RMARGS", &r) ||
	    !dma_read(c, r.address, &a, sizeof(a), "the arguments"))
		return false;
	uint64_t bytes = (uint64_t)a.shared_pages * NV_GSP_PAGE;

	if (r.bytes < sizeof(a) || a.shared_pages > GSP_SHARED_PAGES ||
	    a.command_offset % NV_GSP_PAGE || a.status_offset % NV_GSP_PAGE ||
	    a.command_offset >= bytes || a.status_offset >= bytes ||
	    bytes - a.command_offset < NV_GSP_QUEUE_BYTES ||
	    bytes - a.status_offset < NV_GSP_QUEUE_BYTES || a.dmem_stack != 1 || a.old_level ||
	    a.flags || a.in_pm_transition) {
		card_refuse(c, "GSP: arguments: %u pages, queues at 0x%" PRIx64 " and 0x%" PRIx64,
			    a.shared_pages, a.command_offset, a.status_offset);
		return false;
	}
	if (!dma_read(c, a.shared, g->pages, 8 * a.shared_pages, "addresses of shared pages"))
		return false;
	if (g->pages[0] != a.shared) {
		card_refuse(c, "GSP: shared memory at 0x%" PRIx64 " lists 0x%" PRIx64 " first",
			    a.shared, g->pages[0]);
		return false;
	}
	g->command = (uint32_t)(a.command_offset / NV_GSP_PAGE);
	g->status = (uint32_t)(a.status_offset / NV_GSP_PAGE);
	return true;
}

/* The page that the GPU reads to flush its writes to system memory; the FMC uses it, too. */
bool gsp_check_flush_page(struct card *c)
{
	bool fwsec = c->chip->boot == BOOT_FWSEC;
	uint64_t page =
		(uint64_t)bar0_stored(c, fwsec ? NV_PFB_NISO_FLUSH_ADDR_HI
					       : NV_PFB_FLUSH_SYSMEM_ADDR_HI)
			<< 32 |
		bar0_stored(c, fwsec ? NV_PFB_NISO_FLUSH_ADDR : NV_PFB_FLUSH_SYSMEM_ADDR_LO);

	if (!page) {
		card_refuse(c, "GSP: boot without a page for flushes of system memory");
		return false;
	}
	return card_dma(c, page << 8, NV_GSP_PAGE, true, "the page for flushes");
}

/* The images and structures that both kinds of boot have. */
static bool check_images(struct card *c, const struct nv_gsp_wpr_meta *m)
{
	return matches_file(c, m->bootloader, m->bootloader_bytes, c->firmware.bootloader,
			    "the boot loader") &&
	       matches_file(c, m->signature, m->signature_bytes, c->firmware.signature,
			    "the image's signature") &&
	       check_image(c, m->radix3, m->radix3_bytes);
}

static bool boot_verified(struct card *c, const struct nv_fsp_cot *cot)
{
	struct nv_gsp_fmc_boot boot;
	struct nv_gsp_wpr_meta m;

	if (c->gsp.running) {
		card_refuse(c, "FSP: boot of a running GSP");
		return false;
	}
	gsp_reset(c);
	return gsp_check_flush_page(c) && check_trust(c, cot) &&
	       matches_file(c, cot->fmc, c->firmware.known ? c->firmware.fmc.bytes : NV_GSP_PAGE,
			    c->firmware.fmc, "FMC") &&
	       dma_read(c, cot->boot_args, &boot, sizeof(boot), "boot parameters") &&
	       check_meta(c, &boot, &m) && check_images(c, &m) && layout_wpr(c, cot, &m) &&
	       check_logs(c, boot.libos) && find_queues(c, boot.libos);
}

static void run(struct card *c)
{
	fault_boot(c);
	c->gsp.running = true;
	c->gsp.window_virtual = true;
	gsp_write_log(c, LOG_INIT, "GSP boots");
	card_log(c, "GSP: booted, images %s; protected 0x%" PRIx64 " to 0x%" PRIx64,
		 c->firmware.known ? "match the files" : "were not compared with files",
		 c->gsp.wpr_start, c->gsp.wpr_end);
	gsp_open(c);
}

uint32_t gsp_boot(struct card *c, const struct nv_fsp_cot *cot)
{
	if (!boot_verified(c, cot))
		return 1;
	c->gsp.locked_reads = c->fault.kind == FAULT_LOCKED ? UINT32_MAX : latency_next(c);
	c->gsp.lockdown_reads = latency_next(c);
	run(c);
	return 0;
}

/* The driver has laid out the regions itself, and FWSEC has set up FRTS. */
static bool check_layout(struct card *c, const struct nv_gsp_wpr_meta *m)
{
	uint64_t min_heap = NV_GSP_HEAP_FIXED_GA102 + (c->vram_bytes >> 30) * NV_GSP_HEAP_PER_GB;
	const struct {
		const char *name;
		uint64_t at, bytes, align;
	} parts[] = {
		{"heap outside", m->heap_outside, m->heap_outside_bytes, NV_GSP_WPR_ALIGN},
		{"metadata", m->wpr_start, sizeof(*m), NV_GSP_WPR_ALIGN},
		{"heap", m->heap, m->heap_bytes, NV_GSP_WPR_ALIGN},
		{"image", m->image, m->radix3_bytes, NV_GSP_IMAGE_ALIGN},
		{"boot loader", m->boot_image, m->bootloader_bytes, NV_GSP_BOOT_ALIGN},
		{"FRTS", m->frts, m->frts_bytes, NV_FRTS_ALIGN_TU102},
		{"VGA workspace", m->vga, m->vga_bytes, NV_FRTS_ALIGN_TU102},
	};
	const size_t count = sizeof(parts) / sizeof(*parts);

	for (size_t i = 0; i < count; i++) {
		uint64_t end = i + 1 < count ? parts[i + 1].at : c->vram_bytes;

		if (parts[i].at % parts[i].align || parts[i].at > end ||
		    parts[i].bytes > end - parts[i].at) {
			card_refuse(c,
				    "GSP: %s of 0x%" PRIx64 " bytes at 0x%" PRIx64
				    "; the next part is at 0x%" PRIx64,
				    parts[i].name, parts[i].bytes, parts[i].at, end);
			return false;
		}
	}
	if (c->gsp.frts != m->frts || c->gsp.wpr_end != m->frts + m->frts_bytes ||
	    m->wpr_end != c->gsp.wpr_end || m->frts_bytes != NV_FRTS_BYTES ||
	    m->fb_bytes != c->vram_bytes || m->reserved_start != m->heap_outside ||
	    !m->heap_outside || /* nothing would be left for the driver */
	    m->heap_bytes < min_heap || m->heap_outside_bytes < NV_GSP_HEAP_OUTSIDE_BYTES_TU102) {
		card_refuse(c,
			    "GSP: FRTS at 0x%" PRIx64 ", WPR2 to 0x%" PRIx64 ", memory 0x%" PRIx64
			    ", heap %" PRIu64 "; FWSEC has set up 0x%" PRIx64 " to 0x%" PRIx64,
			    m->frts, m->wpr_end, m->fb_bytes, m->heap_bytes, c->gsp.frts,
			    c->gsp.wpr_end);
		return false;
	}
	return true;
}

bool gsp_boot_protected(struct card *c, uint64_t meta, uint64_t libos)
{
	struct nv_gsp_wpr_meta m;

	if (c->gsp.running) {
		card_refuse(c, "booter: boot of a running GSP");
		return false;
	}
	if (!gsp_check_flush_page(c) || !read_meta(c, meta, &m) || !check_layout(c, &m) ||
	    !check_images(c, &m) || !check_logs(c, libos) || !find_queues(c, libos))
		return false;
	c->gsp.wpr_start = m.wpr_start;
	c->gsp.heap_outside = m.heap_outside;
	run(c);
	return true;
}

bool gsp_stop_protected(struct card *c)
{
	if (c->gsp.running) {
		card_refuse(c, "booter: unload of a running GSP");
		return false;
	}
	c->gsp.wpr_start = c->gsp.wpr_end = c->gsp.frts = 0;
	return true;
}

void gsp_reset(struct card *c)
{
	objects_close(c, false);
	c->gsp = (struct gsp){0};
}

void gsp_unload(struct card *c)
{
	const struct gsp before = c->gsp;

	objects_close(c, true);
	gsp_reset(c);
	c->gsp.unloaded = true;
	/* Only booter removes the region that it has set up. */
	if (c->chip->boot == BOOT_FWSEC) {
		c->gsp.frts = before.frts;
		c->gsp.wpr_start = before.wpr_start;
		c->gsp.wpr_end = before.wpr_end;
	}
	c->gsp.unload_reads = latency_next(c);
	c->gsp.halt_reads = latency_next(c);
	card_log(c, "GSP: unloaded after %u messages", c->fault.messages);
}

uint32_t gsp_read_mailbox0(struct card *c)
{
	if (c->gsp.locked_reads) {
		c->gsp.locked_reads--;
		return 0xbadf4100;
	}
	return c->gsp.unloaded && !latency_left(&c->gsp.unload_reads) ? NV_PGSP_MAILBOX0_UNLOADED
								      : 0;
}

uint32_t gsp_read_cpuctl(struct card *c)
{
	return c->gsp.running || latency_left(&c->gsp.halt_reads) ? NV_PGSP_RISCV_CPUCTL_ACTIVE
								  : NV_PGSP_RISCV_CPUCTL_HALTED;
}

uint32_t gsp_read_hwcfg2(struct card *c)
{
	return latency_left(&c->gsp.lockdown_reads) ? NV_PGSP_HWCFG2_LOCKDOWN : 0;
}

uint32_t gsp_read_wpr_low(struct card *c)
{
	return (uint32_t)(c->gsp.wpr_start >> 12) << 4;
}

uint32_t gsp_read_wpr_high(struct card *c)
{
	return (uint32_t)(c->gsp.wpr_end >> 12) << 4;
}
