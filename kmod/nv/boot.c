// SPDX-License-Identifier: GPL-2.0-only OR MIT
/**
 * DOC: Booting the GSP of a GH100
 *
 * The driver puts four images into memory that the GPU can read: the FMC, which is the first
 * firmware and is signed; the boot loader; the resource manager's image of 60 MB, whose scattered
 * pages a three-level table (radix3) lists; and the signature of that image. struct nv_gsp_wpr_meta
 * gives their addresses and the size of the protected region of video memory. struct
 * nv_gsp_fmc_boot points to that structure and to the named memory regions in which the GSP finds
 * the message queues. One message to the FSP names the FMC and struct nv_gsp_fmc_boot. The FSP
 * authenticates and starts the FMC, and the FMC authenticates and starts the rest; until then the
 * GSP's registers are locked down. The GSP reports the end of its boot by an event in its queue;
 * from then on the driver can free everything but the queues.
 */
#include <drm/drm_print.h>
#include <linux/dma-mapping.h>
#include <linux/firmware.h>
#include <linux/iopoll.h>
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <linux/sizes.h>
#include <linux/vmalloc.h>

#include "kmod/nv/boot.h"
#include "kmod/nv/chip_list.h"
#include "kmod/nv/firmware.h"
#include "kmod/nv/fsp.h"
#include "kmod/nv/log.h"
#include "kmod/nv/memory.h"
#include "kmod/nv/regs.h"
#include "kmod/nv/rpc.h"

#define FMC_LIMIT_US      (4 * USEC_PER_SEC)
#define INIT_LIMIT_MS     10000
#define MAX_SECTION_BYTES SZ_4M
#define RADIX3_ENTRIES    (NV_GSP_PAGE / sizeof(u64))

/* State that is needed only until the GSP has booted. */
struct nv_boot {
	struct nv_buffer fmc, bootloader, signature, radix3, meta, arguments, libos;
	void *image; /* vmalloc */
	size_t image_bytes, bootloader_bytes, signature_bytes;
	struct sg_table pages;
	bool mapped;
	struct nv_riscv_description description;
	struct nv_fsp_cot cot;
};

/* So that an initramfs with the module has the files of all chips. */
#define NV_BOOT_FIRMWARE(chip_, part_) \
	MODULE_FIRMWARE("nvidia/" #chip_ "/gsp/" part_ "-" NV_GSP_VERSION ".bin")
#define NV_BOOT_CHIP_FIRMWARE(chip_, ...) \
	NV_BOOT_FIRMWARE(chip_, "fmc"); \
	NV_BOOT_FIRMWARE(chip_, "bootloader"); \
	NV_BOOT_FIRMWARE(chip_, "gsp");
NV_DRIVER_CHIPS(NV_BOOT_CHIP_FIRMWARE)

static const char *nv_boot_chip_name(struct nv_device *nv)
{
	return (const char *)nv->base.info.name;
}

static int nv_boot_request(struct nv_device *nv, const char *part, const struct firmware **fw)
{
	char path[64];
	int ret;

	snprintf(path, sizeof(path), "nvidia/%s/gsp/%s-" NV_GSP_VERSION ".bin",
		 nv_boot_chip_name(nv), part);
	ret = firmware_request_nowarn(fw, path, nv->base.drm.dev);
	if (ret)
		drm_err(&nv->base.drm,
			"firmware %s: %pe; install package firmware-nvidia-graphics (Debian)\n",
			path, ERR_PTR(ret));
	return ret;
}

static int nv_boot_bad_file(struct nv_device *nv, const char *part, const char *reason)
{
	drm_err(&nv->base.drm, "firmware %s-" NV_GSP_VERSION ".bin: %s\n", part, reason);
	return -EINVAL;
}

/* Contiguous parts are small; the limit keeps a broken file from asking for a huge allocation. */
static int nv_boot_copy_section(struct nv_device *nv, const char *part, struct nv_buffer *b,
				const u8 *data, size_t bytes)
{
	int ret;

	if (!bytes || bytes > MAX_SECTION_BYTES)
		return nv_boot_bad_file(nv, part, "empty or oversized section");
	ret = nv_buffer_alloc(nv, NULL, b, ALIGN(bytes, NV_GSP_PAGE));
	if (!ret)
		memcpy(b->cpu, data, bytes);
	return ret;
}

/* Copies a section of the FMC's file, which must have exactly the expected size. */
static int nv_boot_copy_fmc_field(struct nv_device *nv, const struct firmware *fw, const char *name,
				  u8 *to, size_t bytes)
{
	const u8 *data;
	size_t size;

	if (nv_firmware_section(fw->data, fw->size, name, &data, &size) || size != bytes)
		return nv_boot_bad_file(nv, "fmc", name);
	memcpy(to, data, bytes);
	return 0;
}

static int nv_boot_load_fmc(struct nv_device *nv, struct nv_boot *b)
{
	struct nv_fsp_cot *cot = &b->cot;
	const struct firmware *fw;
	const u8 *data;
	size_t size;
	int ret;

	ret = nv_boot_request(nv, "fmc", &fw);
	if (ret)
		return ret;
	ret = nv_boot_copy_fmc_field(nv, fw, "hash", cot->hash, sizeof(cot->hash));
	if (ret)
		goto out;
	ret = nv_boot_copy_fmc_field(nv, fw, "publickey", cot->public_key, sizeof(cot->public_key));
	if (ret)
		goto out;
	ret = nv_boot_copy_fmc_field(nv, fw, "signature", cot->signature, sizeof(cot->signature));
	if (ret)
		goto out;
	if (nv_firmware_section(fw->data, fw->size, "image", &data, &size)) {
		ret = nv_boot_bad_file(nv, "fmc", "no image");
		goto out;
	}
	ret = nv_boot_copy_section(nv, "fmc", &b->fmc, data, size);
out:
	release_firmware(fw);
	return ret;
}

static int nv_boot_load_bootloader(struct nv_device *nv, struct nv_boot *b)
{
	const struct nv_riscv_description *description;
	const struct firmware *fw;
	const u8 *data;
	size_t size;
	int ret;

	ret = nv_boot_request(nv, "bootloader", &fw);
	if (ret)
		return ret;
	if (nv_firmware_bootloader(fw->data, fw->size, &data, &size, &description)) {
		ret = nv_boot_bad_file(nv, "bootloader", "bad header");
		goto out;
	}
	b->description = *description;
	ret = nv_boot_copy_section(nv, "bootloader", &b->bootloader, data, size);
	b->bootloader_bytes = size;
out:
	release_firmware(fw);
	return ret;
}

static int nv_boot_load_image(struct nv_device *nv, struct nv_boot *b)
{
	const struct firmware *fw;
	char section[48];
	const u8 *data, *signature;
	size_t size, signature_size;
	int ret;

	ret = nv_boot_request(nv, "gsp", &fw);
	if (ret)
		return ret;
	snprintf(section, sizeof(section), ".fwsignature_%s", nv_boot_chip_name(nv));
	if (nv_firmware_section(fw->data, fw->size, ".fwimage", &data, &size) || !size ||
	    size > RADIX3_ENTRIES * RADIX3_ENTRIES * NV_GSP_PAGE) {
		ret = nv_boot_bad_file(nv, "gsp", "no image");
		goto out;
	}
	if (nv_firmware_section(fw->data, fw->size, section, &signature, &signature_size)) {
		ret = nv_boot_bad_file(nv, "gsp", "no signature for this chip");
		goto out;
	}
	b->image_bytes = size;
	b->image = vzalloc(PAGE_ALIGN(size));
	if (!b->image) {
		ret = -ENOMEM;
		goto out;
	}
	ret = nv_boot_copy_section(nv, "gsp", &b->signature, signature, signature_size);
	if (ret)
		goto out;
	b->signature_bytes = signature_size;
	memcpy(b->image, data, size);
out:
	release_firmware(fw);
	return ret;
}

static int nv_boot_map_image(struct nv_device *nv, struct nv_boot *b)
{
	u32 count = PAGE_ALIGN(b->image_bytes) / PAGE_SIZE, i;
	struct page **pages = kvmalloc_array(count, sizeof(*pages), GFP_KERNEL);
	int ret;

	if (!pages)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		pages[i] = vmalloc_to_page(b->image + (size_t)i * PAGE_SIZE);
	ret = sg_alloc_table_from_pages(&b->pages, pages, count, 0, (size_t)count * PAGE_SIZE,
					GFP_KERNEL);
	kvfree(pages);
	if (ret)
		return ret;
	ret = dma_map_sgtable(nv->base.drm.dev, &b->pages, DMA_TO_DEVICE, 0);
	b->mapped = !ret;
	return ret;
}

/* One contiguous buffer: the root page with one entry, one level 1 page, then all level 2 pages. */
static int nv_boot_build_radix3(struct nv_device *nv, struct nv_boot *b)
{
	u32 pages = DIV_ROUND_UP(b->image_bytes, NV_GSP_PAGE);
	u32 tables = DIV_ROUND_UP(pages, (u32)RADIX3_ENTRIES), i, n = 0;
	struct sg_dma_page_iter it;
	u64 *root, *level1, *level2;
	int ret;

	ret = nv_boot_map_image(nv, b);
	if (ret)
		return ret;
	ret = nv_buffer_alloc(nv, NULL, &b->radix3, (2 + tables) * NV_GSP_PAGE);
	if (ret)
		return ret;
	root = b->radix3.cpu;
	level1 = root + RADIX3_ENTRIES;
	level2 = level1 + RADIX3_ENTRIES;
	root[0] = b->radix3.bus + NV_GSP_PAGE;
	for (i = 0; i < tables; i++)
		level1[i] = b->radix3.bus + (2 + i) * (u64)NV_GSP_PAGE;
	for_each_sgtable_dma_page(&b->pages, &it, 0)
		for (i = 0; i < PAGE_SIZE / NV_GSP_PAGE && n < pages; i++)
			level2[n++] = sg_page_iter_dma_address(&it) + (u64)i * NV_GSP_PAGE;
	return 0;
}

static u64 nv_boot_heap_bytes(u64 vram)
{
	u64 tables = ALIGN(DIV_ROUND_UP(vram, SZ_1G) * NV_GSP_HEAP_PER_GB, SZ_1M);

	return max(NV_GSP_HEAP_FIXED + tables, NV_GSP_HEAP_MIN);
}

static int nv_boot_fill_wpr_meta(struct nv_device *nv, struct nv_boot *b)
{
	struct nv_gsp_wpr_meta *meta;
	int ret = nv_buffer_alloc(nv, NULL, &b->meta, sizeof(*meta));

	if (ret)
		return ret;
	meta = b->meta.cpu;
	meta->magic = NV_GSP_WPR_MAGIC;
	meta->revision = NV_GSP_WPR_REVISION;
	meta->radix3 = b->radix3.bus;
	meta->radix3_bytes = b->image_bytes;
	meta->bootloader = b->bootloader.bus;
	meta->bootloader_bytes = b->bootloader_bytes;
	meta->bootloader_code = b->description.monitor_code;
	meta->bootloader_data = b->description.monitor_data;
	meta->bootloader_manifest = b->description.manifest;
	meta->signature = b->signature.bus;
	meta->signature_bytes = b->signature_bytes;
	meta->heap_outside_bytes = NV_GSP_HEAP_OUTSIDE_BYTES;
	meta->heap_bytes = nv_boot_heap_bytes(nv->vram_bytes);
	meta->frts_bytes = NV_FRTS_BYTES;
	meta->vga_bytes = NV_GSP_VGA_BYTES;
	return 0;
}

static void nv_boot_fill_region(struct nv_gsp_libos_region *r, const char *name,
				const struct nv_buffer *b)
{
	*r = (struct nv_gsp_libos_region){
		.name = nv_gsp_name(name),
		.address = b->bus,
		.bytes = b->bytes,
		.kind = NV_GSP_REGION_CONTIGUOUS,
		.location = NV_GSP_REGION_SYSMEM,
	};
}

static int nv_boot_fill_arguments(struct nv_device *nv, struct nv_boot *b)
{
	struct nv_gsp *gsp = &nv->gsp;
	struct nv_gsp_libos_region *regions;
	struct nv_gsp_fmc_boot *boot;
	int ret, i;

	ret = nv_buffer_alloc(nv, NULL, &b->libos, NV_GSP_PAGE);
	if (ret)
		return ret;
	ret = nv_buffer_alloc(nv, NULL, &b->arguments, sizeof(*boot));
	if (ret)
		return ret;
	regions = b->libos.cpu;
	for (i = 0; i < NV_GSP_LOGS; i++)
		nv_boot_fill_region(&regions[i], nv_log_names[i], &gsp->logs[i]);
	nv_boot_fill_region(&regions[i], "RMARGS", &gsp->arguments);

	boot = b->arguments.cpu;
	boot->rm_target = NV_GSP_TARGET_COHERENT;
	boot->rm = b->meta.bus;
	boot->rm_bytes = b->meta.bytes;
	boot->is_rm_boot = 1;
	boot->libos_target = NV_GSP_TARGET_NONCOHERENT;
	boot->libos = b->libos.bus;
	return 0;
}

static void nv_boot_fill_cot(struct nv_boot *b)
{
	b->cot.mctp = NV_MCTP_SINGLE;
	b->cot.nvdm = NV_NVDM_HEADER(NV_NVDM_COT);
	b->cot.version = NV_COT_VERSION;
	b->cot.bytes = sizeof(b->cot) - 2 * sizeof(u32);
	b->cot.fmc = b->fmc.bus;
	b->cot.frts_vidmem = ALIGN(NV_GSP_HEAP_OUTSIDE_BYTES, NV_FRTS_ALIGN);
	b->cot.frts_vidmem_bytes = NV_FRTS_BYTES;
	b->cot.boot_args = b->arguments.bus;
}

/*
 * Returns true when the GSP's registers are no longer locked down, whether the boot succeeded or
 * failed. A nonzero @error is the FMC's error code.
 */
static bool nv_boot_unlocked(struct nv_device *nv, u64 boot_args, u32 *error)
{
	u32 low = nv_rd32(nv, NV_PGSP_MAILBOX0);

	*error = 0;
	if (NV_PRIV_LOCKED(low))
		return false;
	/* The mailbox holds the address of the boot arguments until the FMC has read it. */
	if (low && ((u64)nv_rd32(nv, NV_PGSP_MAILBOX1) << 32 | low) != boot_args) {
		*error = low;
		return true;
	}
	return !(nv_rd32(nv, NV_PGSP_HWCFG2) & NV_PGSP_HWCFG2_LOCKDOWN);
}

static int nv_boot_wait_fmc(struct nv_device *nv, u64 boot_args)
{
	struct drm_device *drm = &nv->base.drm;
	bool open;
	u32 error;
	int ret;

	ret = read_poll_timeout(nv_boot_unlocked, open, open, 1000, FMC_LIMIT_US, false, nv,
				boot_args, &error);
	if (nv_regs_lost(nv))
		return -EIO;
	if (ret) {
		drm_err(drm, "GSP boot timed out: registers are still locked down by the FMC\n");
		return ret;
	}
	if (error) {
		drm_err(drm, "GSP boot failed: FMC error 0x%08x\n", error);
		return -EIO;
	}
	return 0;
}

static int nv_boot_wait_gsp(struct nv_device *nv, struct nv_boot *b)
{
	nv_wr32(nv, NV_PGSP_OS, b->description.application_version);
	if (!(nv_rd32(nv, NV_PGSP_RISCV_CPUCTL) & NV_PGSP_RISCV_CPUCTL_ACTIVE)) {
		drm_err(&nv->base.drm, "GSP boot failed: RISC-V core is not active\n");
		return -EIO;
	}
	return nv_rpc_wait_event(nv, NV_GSP_EVENT_INIT_DONE, INIT_LIMIT_MS);
}

static void nv_boot_free(struct nv_device *nv, struct nv_boot *b)
{
	nv_buffer_free(nv, &b->libos);
	nv_buffer_free(nv, &b->arguments);
	nv_buffer_free(nv, &b->meta);
	nv_buffer_free(nv, &b->radix3);
	if (b->mapped)
		dma_unmap_sgtable(nv->base.drm.dev, &b->pages, DMA_TO_DEVICE, 0);
	sg_free_table(&b->pages);
	vfree(b->image);
	nv_buffer_free(nv, &b->signature);
	nv_buffer_free(nv, &b->bootloader);
	nv_buffer_free(nv, &b->fmc);
	kfree(b);
}

static int nv_boot_load(struct nv_device *nv, struct nv_boot *b)
{
	int ret;

	ret = nv_boot_load_fmc(nv, b);
	if (ret)
		return ret;
	ret = nv_boot_load_bootloader(nv, b);
	if (ret)
		return ret;
	ret = nv_boot_load_image(nv, b);
	if (ret)
		return ret;
	ret = nv_boot_build_radix3(nv, b);
	if (ret)
		return ret;
	ret = nv_boot_fill_wpr_meta(nv, b);
	if (ret)
		return ret;
	ret = nv_boot_fill_arguments(nv, b);
	if (ret)
		return ret;
	nv_boot_fill_cot(b);
	return 0;
}

/**
 * nv_gsp_boot() - boot the GSP
 * @nv: The device, with message queues, logs and arguments allocated and bus mastering enabled.
 *
 * Return: 0 when the GSP has booted, or a negative errno after a log message. On failure the
 * function clears bus mastering before it frees the images, because the GPU may still read them.
 */
int nv_gsp_boot(struct nv_device *nv)
{
	struct nv_boot *b = kzalloc(sizeof(*b), GFP_KERNEL);
	int ret;

	if (!b)
		return -ENOMEM;
	ret = nv_boot_load(nv, b);
	if (ret)
		goto err_clear_master;
	nv->gsp.loaded = true;
	nv_log_step(nv, "FSP message");
	ret = nv_fsp_send_cot(nv, &b->cot);
	if (ret)
		goto err_clear_master;
	nv_log_step(nv, "FMC");
	ret = nv_boot_wait_fmc(nv, b->arguments.bus);
	if (ret)
		goto err_clear_master;
	nv_log_step(nv, "GSP init");
	ret = nv_boot_wait_gsp(nv, b);
	if (ret)
		goto err_clear_master;
	nv_boot_free(nv, b);
	return 0;

err_clear_master:
	pci_clear_master(sov_pci(&nv->base));
	nv_boot_free(nv, b);
	return ret;
}
