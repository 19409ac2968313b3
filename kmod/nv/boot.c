// SPDX-License-Identifier: GPL-2.0-only OR MIT
/**
 * DOC: Booting the GSP of a GH100
 *
 * Four things go into memory that the GPU can read: FMC, the first firmware, signed; the boot
 * loader; the resource manager's image of 60 MB, in scattered pages that a three-level table
 * lists; and the image's signature. struct nv_gsp_wpr_meta says where they are and how much video
 * memory to protect, struct nv_gsp_fmc_boot points to it and to the named regions in which the GSP
 * finds our queues. One message to the FSP names FMC and that structure; the FSP checks, starts
 * FMC, FMC checks and starts the rest. The GSP's registers are locked meanwhile. When it is up it
 * says so through its queue, and all but the queues can be freed.
 */
#include <drm/drm_print.h>
#include <linux/dma-mapping.h>
#include <linux/firmware.h>
#include <linux/iopoll.h>
#include <linux/scatterlist.h>
#include <linux/sizes.h>
#include <linux/vmalloc.h>

#include "kmod/nv/firmware.h"
#include "kmod/nv/nv.h"

#define FMC_LIMIT_US  (4 * USEC_PER_SEC)
#define INIT_LIMIT_MS 10000
#define MAX_PART      SZ_4M
#define ENTRIES       (NV_GSP_PAGE / sizeof(u64))

/* What is needed only until the GSP is up. */
struct boot {
	struct nv_buffer fmc, bootloader, signature, radix3, meta, arguments, libos;
	void *image; /* vmalloc */
	size_t image_bytes, bootloader_bytes, signature_bytes;
	struct sg_table pages;
	bool mapped;
	struct nv_riscv_description description;
	struct nv_fsp_cot cot;
};

static int request(struct nv_device *nv, const char *part, const struct firmware **fw)
{
	char path[64];
	int ret;

	snprintf(path, sizeof(path), "nvidia/%s/gsp/%s-" NV_GSP_VERSION ".bin", nv->chip->name,
		 part);
	ret = firmware_request_nowarn(fw, path, nv->base.drm.dev);
	if (ret)
		drm_err(&nv->base.drm,
			"firmware %s: %pe; Debian has it in firmware-nvidia-graphics\n", path,
			ERR_PTR(ret));
	return ret;
}

static int broken(struct nv_device *nv, const char *part, const char *what)
{
	drm_err(&nv->base.drm, "firmware %s-" NV_GSP_VERSION ".bin: %s\n", part, what);
	return -EINVAL;
}

/* What is in one piece is small; nobody asks for more than pages come in, or for none. */
static int copy_in(struct nv_device *nv, const char *part, struct nv_buffer *b, const u8 *data,
		   size_t bytes)
{
	int ret;

	if (!bytes || bytes > MAX_PART)
		return broken(nv, part, "something in it is empty or too large");
	ret = nv_buffer_alloc(nv, NULL, b, ALIGN(bytes, NV_GSP_PAGE));
	if (!ret)
		memcpy(b->cpu, data, bytes);
	return ret;
}

/* A part of FMC's file that must have one size. */
static int copy_part(struct nv_device *nv, const struct firmware *fw, const char *name, u8 *to,
		     size_t bytes)
{
	const u8 *data;
	size_t size;

	if (nv_elf_section(fw->data, fw->size, name, &data, &size) || size != bytes)
		return broken(nv, "fmc", name);
	memcpy(to, data, bytes);
	return 0;
}

static int load_fmc(struct nv_device *nv, struct boot *b)
{
	const struct firmware *fw;
	const u8 *data;
	size_t size;
	int ret;

	ret = request(nv, "fmc", &fw);
	if (ret)
		return ret;
	ret = copy_part(nv, fw, "hash", b->cot.hash, sizeof(b->cot.hash));
	if (!ret)
		ret = copy_part(nv, fw, "publickey", b->cot.public_key, sizeof(b->cot.public_key));
	if (!ret)
		ret = copy_part(nv, fw, "signature", b->cot.signature, sizeof(b->cot.signature));
	if (!ret && nv_elf_section(fw->data, fw->size, "image", &data, &size))
		ret = broken(nv, "fmc", "it has no image");
	if (!ret)
		ret = copy_in(nv, "fmc", &b->fmc, data, size);
	release_firmware(fw);
	return ret;
}

static int load_bootloader(struct nv_device *nv, struct boot *b)
{
	const struct nv_riscv_description *description;
	const struct firmware *fw;
	const u8 *data;
	size_t size;
	int ret;

	ret = request(nv, "bootloader", &fw);
	if (ret)
		return ret;
	if (nv_firmware_bootloader(fw->data, fw->size, &data, &size, &description)) {
		ret = broken(nv, "bootloader", "its header is wrong");
	} else {
		b->description = *description;
		ret = copy_in(nv, "bootloader", &b->bootloader, data, size);
		b->bootloader_bytes = size;
	}
	release_firmware(fw);
	return ret;
}

static int load_image(struct nv_device *nv, struct boot *b)
{
	const struct firmware *fw;
	char section[32];
	const u8 *data, *signature;
	size_t size, signature_size;
	int ret;

	ret = request(nv, "gsp", &fw);
	if (ret)
		return ret;
	snprintf(section, sizeof(section), ".fwsignature_%s", nv->chip->name);
	if (nv_elf_section(fw->data, fw->size, ".fwimage", &data, &size) || !size ||
	    size > ENTRIES * ENTRIES * NV_GSP_PAGE) {
		ret = broken(nv, "gsp", "it has no image");
	} else if (nv_elf_section(fw->data, fw->size, section, &signature, &signature_size)) {
		ret = broken(nv, "gsp", "it has no signature for this chip");
	} else {
		b->image_bytes = size;
		b->image = vzalloc(PAGE_ALIGN(size));
		ret = b->image ? copy_in(nv, "gsp", &b->signature, signature, signature_size)
			       : -ENOMEM;
		b->signature_bytes = signature_size;
		if (!ret)
			memcpy(b->image, data, size);
	}
	release_firmware(fw);
	return ret;
}

static int map_image(struct nv_device *nv, struct boot *b)
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

/* Three levels in one piece: a page with one entry, a page of level 1, then all of level 2. */
static int build_radix3(struct nv_device *nv, struct boot *b)
{
	u32 pages = DIV_ROUND_UP(b->image_bytes, NV_GSP_PAGE);
	u32 tables = DIV_ROUND_UP(pages, (u32)ENTRIES), i, n = 0;
	struct sg_dma_page_iter it;
	u64 *root, *level1, *level2;
	int ret;

	ret = map_image(nv, b);
	if (!ret)
		ret = nv_buffer_alloc(nv, NULL, &b->radix3, (2 + tables) * NV_GSP_PAGE);
	if (ret)
		return ret;
	root = b->radix3.cpu;
	level1 = root + ENTRIES;
	level2 = level1 + ENTRIES;
	root[0] = b->radix3.bus + NV_GSP_PAGE;
	for (i = 0; i < tables; i++)
		level1[i] = b->radix3.bus + (2 + i) * (u64)NV_GSP_PAGE;
	for_each_sgtable_dma_page(&b->pages, &it, 0)
		for (i = 0; i < PAGE_SIZE / NV_GSP_PAGE && n < pages; i++)
			level2[n++] = sg_page_iter_dma_address(&it) + (u64)i * NV_GSP_PAGE;
	return 0;
}

static u64 heap_bytes(u64 vram)
{
	u64 tables = ALIGN(DIV_ROUND_UP(vram, SZ_1G) * NV_GSP_HEAP_PER_GB, SZ_1M);

	return max(NV_GSP_HEAP_FIXED + tables, NV_GSP_HEAP_MIN);
}

static int describe_image(struct nv_device *nv, struct boot *b)
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
	meta->heap_bytes = heap_bytes(nv->vram_bytes);
	meta->frts_bytes = NV_FRTS_BYTES;
	meta->vga_bytes = NV_GSP_VGA_BYTES;
	return 0;
}

static void name_region(struct nv_gsp_libos_region *r, const char *name, const struct nv_buffer *b)
{
	*r = (struct nv_gsp_libos_region){
		.name = nv_gsp_name(name),
		.address = b->bus,
		.bytes = b->bytes,
		.kind = NV_GSP_REGION_CONTIGUOUS,
		.location = NV_GSP_REGION_SYSMEM,
	};
}

static int describe_memory(struct nv_device *nv, struct boot *b)
{
	static const char *const names[] = { "LOGINIT", "LOGINTR", "LOGRM" };
	struct nv_gsp *gsp = &nv->gsp;
	struct nv_gsp_libos_region *regions;
	struct nv_gsp_fmc_boot *boot;
	int ret, i;

	ret = nv_buffer_alloc(nv, NULL, &b->libos, NV_GSP_PAGE);
	if (!ret)
		ret = nv_buffer_alloc(nv, NULL, &b->arguments, sizeof(*boot));
	if (ret)
		return ret;
	regions = b->libos.cpu;
	for (i = 0; i < ARRAY_SIZE(names); i++)
		name_region(&regions[i], names[i], &gsp->logs[i]);
	name_region(&regions[i], "RMARGS", &gsp->arguments);

	boot = b->arguments.cpu;
	boot->rm_target = NV_GSP_TARGET_COHERENT;
	boot->rm = b->meta.bus;
	boot->rm_bytes = b->meta.bytes;
	boot->is_rm_boot = 1;
	boot->libos_target = NV_GSP_TARGET_NONCOHERENT;
	boot->libos = b->libos.bus;
	return 0;
}

static void fill_cot(struct boot *b)
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

/* Is the GSP open to us, be it up or failed? An answer of FMC's own is an error. */
static bool unlocked(struct nv_device *nv, u64 boot_args, u32 *error)
{
	u32 low = nv_rd32(nv, NV_PGSP_MAILBOX0);

	*error = 0;
	if (NV_PRIV_LOCKED(low))
		return false;
	/* Until FMC has read it the mailbox holds the address it was given. */
	if (low && ((u64)nv_rd32(nv, NV_PGSP_MAILBOX1) << 32 | low) != boot_args) {
		*error = low;
		return true;
	}
	return !(nv_rd32(nv, NV_PGSP_HWCFG2) & NV_PGSP_HWCFG2_LOCKDOWN);
}

static int wait_for_fmc(struct nv_device *nv, u64 boot_args)
{
	struct drm_device *drm = &nv->base.drm;
	bool open;
	u32 error;
	int ret;

	ret = read_poll_timeout(unlocked, open, open, 1000, FMC_LIMIT_US, false, nv, boot_args,
				&error);
	if (nv_lost(nv))
		return -EIO;
	if (ret) {
		drm_err(drm, "GSP: its registers stay locked, the first firmware does not end\n");
		return ret;
	}
	if (error) {
		drm_err(drm, "GSP: the first firmware fails with 0x%08x\n", error);
		return -EIO;
	}
	return 0;
}

static int wait_for_gsp(struct nv_device *nv, struct boot *b)
{
	nv_wr32(nv, NV_PGSP_OS, b->description.application_version);
	if (!(nv_rd32(nv, NV_PGSP_RISCV_CPUCTL) & NV_PGSP_RISCV_CPUCTL_ACTIVE)) {
		drm_err(&nv->base.drm, "GSP: its processor does not run\n");
		return -EIO;
	}
	return nv_rpc_wait(nv, NV_GSP_EVENT_INIT_DONE, INIT_LIMIT_MS);
}

static void boot_free(struct nv_device *nv, struct boot *b)
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

/**
 * nv_gsp_boot() - boot the GSP
 * @nv: the device, with queues, logs and arguments ready and bus mastering on
 *
 * Return: 0 when it is up, or a negative errno after a message; then the GPU is no bus master any
 * more, because it may still want to read the images.
 */
int nv_gsp_boot(struct nv_device *nv)
{
	struct boot *b = kzalloc(sizeof(*b), GFP_KERNEL);
	int ret;

	if (!b)
		return -ENOMEM;
	ret = load_fmc(nv, b);
	if (!ret)
		ret = load_bootloader(nv, b);
	if (!ret)
		ret = load_image(nv, b);
	if (!ret)
		ret = build_radix3(nv, b);
	if (!ret)
		ret = describe_image(nv, b);
	if (!ret)
		ret = describe_memory(nv, b);
	if (!ret) {
		fill_cot(b);
		ret = nv_fsp_send(nv, &b->cot);
	}
	if (!ret)
		ret = wait_for_fmc(nv, b->arguments.bus);
	if (!ret)
		ret = wait_for_gsp(nv, b);
	if (ret)
		pci_clear_master(sov_pci(&nv->base));
	boot_free(nv, b);
	return ret;
}
