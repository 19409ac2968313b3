// SPDX-License-Identifier: MIT
/* Boot of a GA102 with the test in the role of the driver, and with the parsers that the kernel
 * compiles: FWSEC of the VBIOS runs on the GSP's falcon, booter on SEC2. The falcons check what
 * they are given: one refusal for each mistake that a driver can make. With FIRMWARE_FOLDER in the
 * environment, the boot ROM compares booter with NVIDIA's files. */
#include <stddef.h>
#include <stdlib.h>

static const char *firmware;
#define CHIP     "ga102"
#define FIRMWARE firmware
#include "tests/userspace/model/card/_machine.h"

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
#include "kmod/nv/booter.c"
#include "kmod/nv/falcon_image.c"
#include "kmod/nv/vbios.c"

/* Offset in the machine's memory of a program, and the layout of 512 MiB of video memory. */
#define PROGRAM      0x300000u
#define VGA          0x1ff00000ull
#define FRTS         0x1fe00000ull
#define BOOT_IMAGE   0x1fdff000ull
#define RM_IMAGE     0x1fdf0000ull
#define HEAP         0x15300000ull
#define WPR          0x15200000ull
#define HEAP_OUTSIDE 0x15100000ull

static u8 rom[NV_PROM_BYTES];
static struct nv_fwsec fwsec;
static u32 fuse, transfers; /* transfers: load this many blocks of each part only; 0: all */

static void start_machine(void)
{
	reset();
	write32(NV_PFB_NISO_FLUSH_ADDR_HI, 0);
	write32(NV_PFB_NISO_FLUSH_ADDR, flush_page >> 8);
	wait_for_bits(NV_PGC6_GFW_BOOT, ~0u, NV_PGC6_GFW_BOOT_COMPLETE);
	*(struct nv_gsp_wpr_meta *)at(META) = (struct nv_gsp_wpr_meta){
		.magic = NV_GSP_WPR_MAGIC,
		.revision = NV_GSP_WPR_REVISION,
		.radix3 = MACHINE + RADIX0,
		.radix3_bytes = 4000,
		.bootloader = MACHINE + LOADER,
		.bootloader_bytes = 4096,
		.signature = MACHINE + SIGNATURE,
		.signature_bytes = 4096,
		.reserved_start = HEAP_OUTSIDE,
		.heap_outside = HEAP_OUTSIDE,
		.heap_outside_bytes = NV_GSP_HEAP_OUTSIDE_BYTES_TU102,
		.wpr_start = WPR,
		.heap = HEAP,
		.heap_bytes = 0x1fd00000 - HEAP,
		.image = RM_IMAGE,
		.boot_image = BOOT_IMAGE,
		.frts = FRTS,
		.frts_bytes = NV_FRTS_BYTES,
		.wpr_end = VGA,
		.fb_bytes = VRAM,
		.vga = VGA,
		.vga_bytes = VRAM - VGA,
	};
}

static void reset_falcon(u32 base)
{
	wait_for_bits(base + NV_FALCON_HWCFG2, NV_FALCON_HWCFG2_RESET_READY,
		      NV_FALCON_HWCFG2_RESET_READY);
	write32(base + NV_FALCON_ENGINE, NV_FALCON_ENGINE_RESET);
	write32(base + NV_FALCON_ENGINE, 0);
	wait_for_bits(base + NV_FALCON_HWCFG2, NV_FALCON_HWCFG2_SCRUBBING, 0);
	write32(base + NV_FALCON_BCR_CTRL, 0);
	wait_for_bits(base + NV_FALCON_BCR_CTRL, NV_FALCON_BCR_CTRL_VALID,
		      NV_FALCON_BCR_CTRL_VALID);
}

static void load_part(u32 base, const struct nv_falcon_part *part, u32 offset, u32 command)
{
	u64 from = MACHINE + PROGRAM + part->from - offset;

	write32(base + NV_FALCON_DMATRFBASE, (u32)(from >> 8));
	write32(base + NV_FALCON_DMATRFBASE1, (u32)(from >> 40));
	for (u32 i = 0; i * 256 < part->bytes && (!transfers || i < transfers); i++) {
		write32(base + NV_FALCON_DMATRFMOFFS, part->to + i * 256);
		write32(base + NV_FALCON_DMATRFFBOFFS, offset + i * 256);
		write32(base + NV_FALCON_DMATRFCMD, NV_FALCON_DMATRFCMD_256 | command);
		wait_for_bits(base + NV_FALCON_DMATRFCMD, NV_FALCON_DMATRFCMD_IDLE,
			      NV_FALCON_DMATRFCMD_IDLE);
	}
}

static void load(u32 base, const struct nv_falcon_image *image)
{
	write32(base + NV_FALCON_FBIF_CTL, NV_FALCON_FBIF_CTL_NO_CONTEXT);
	write32(base + NV_FALCON_DMACTL, 0);
	write32(base + NV_FALCON_TRANSCFG,
		NV_FALCON_TRANSCFG_PHYSICAL | NV_FALCON_TRANSCFG_COHERENT);
	load_part(base, &image->imem, image->imem.from,
		  NV_FALCON_DMATRFCMD_IMEM | NV_FALCON_DMATRFCMD_SECURE);
	load_part(base, &image->dmem, 0, 0);
	write32(base + NV_FALCON_BROM_PARAADDR, image->signature);
	write32(base + NV_FALCON_BROM_ENGIDMASK, image->engines);
	write32(base + NV_FALCON_BROM_UCODE_ID, image->program);
	write32(base + NV_FALCON_MOD_SEL, NV_FALCON_MOD_SEL_RSA3K);
	write32(base + NV_FALCON_BOOTVEC, image->boot);
}

/* Starts a falcon and returns mailbox 0 when it has halted. */
static u32 run(u32 base, u32 low, u32 high)
{
	write32(base + NV_FALCON_MAILBOX0, low);
	write32(base + NV_FALCON_MAILBOX1, high);
	write32(base + NV_FALCON_CPUCTL, NV_FALCON_CPUCTL_START);
	wait_for_bits(base + NV_FALCON_CPUCTL, NV_FALCON_CPUCTL_HALTED, NV_FALCON_CPUCTL_HALTED);
	return read32(base + NV_FALCON_MAILBOX0);
}

/* Leaves a signed copy of FWSEC with the command FRTS in the machine's memory. */
static void prepare_fwsec(void)
{
	memcpy(at(PROGRAM), fwsec.image.data, fwsec.image.bytes);
	nv_falcon_sign(&fwsec.image, fuse, at(PROGRAM));
	nv_fwsec_set_frts(&fwsec, at(PROGRAM), FRTS, NV_FRTS_BYTES);
}

static u32 run_fwsec(void)
{
	reset_falcon(NV_FALCON_GSP);
	load(NV_FALCON_GSP, &fwsec.image);
	return run(NV_FALCON_GSP, 0, 0);
}

/* Without files the boot ROM accepts any program on SEC2. */
static const struct nv_falcon_image any = {.imem = {0, 0, 256}, .dmem = {256, 0, 256}};

static u32 run_booter(u32 low, u32 high)
{
	reset_falcon(NV_FALCON_SEC2);
	load(NV_FALCON_SEC2, &any);
	return run(NV_FALCON_SEC2, low, high);
}

static void prepare_gsp(void)
{
	reset_falcon(NV_FALCON_GSP);
	write32(NV_FALCON_GSP + NV_FALCON_BCR_CTRL,
		NV_FALCON_BCR_CTRL_VALID | NV_FALCON_BCR_CTRL_RISCV | NV_FALCON_BCR_CTRL_FETCH);
	write32(NV_FALCON_GSP + NV_FALCON_MAILBOX0, (u32)(MACHINE + LIBOS));
	write32(NV_FALCON_GSP + NV_FALCON_MAILBOX1, 0);
}

static u32 boot_all(void)
{
	prepare_fwsec();
	if (run_fwsec())
		return 1;
	prepare_gsp();
	return run_booter((u32)MACHINE + META, 0);
}

static void test_identity(void)
{
	struct card_region registers = card_region(card, 0), vram = card_region(card, 1),
			   instance = card_region(card, 3);
	u32 word;

	ok(registers.bytes == 16u << 20 && vram.bytes == 64ull << 30 && instance.bytes == 32u << 20,
	   "ga102: registers and both windows are BARs 0, 1 and 3");
	card_read(card, CARD_CONFIG, 0, &word, 4);
	ok(word == (NV_PCI_A40_DEVICE << 16 | NV_PCI_VENDOR), "ga102: the card has an A40's ids");
	ok(NV_PMC_BOOT_42_CHIP(read32(NV_PMC_BOOT_42)) == NV_CHIP_GA102,
	   "ga102: BOOT_42 names the chip");
	card_reset(card);
	card_write(card, CARD_CONFIG, 4, &(u32){6}, 2);
	ok(read32(NV_PGC6_GFW_PRIV_MASK) & 1 &&
		   read32(NV_PGC6_GFW_BOOT) != NV_PGC6_GFW_BOOT_COMPLETE &&
		   wait_for_bits(NV_PGC6_GFW_BOOT, ~0u, NV_PGC6_GFW_BOOT_COMPLETE),
	   "ga102: its own firmware takes a while to boot");
	refused(NULL, "ga102: nothing of this is refused");
	read32(NV_PFSP_EMEMC);
	refused("no such register", "ga102: it has no FSP");
}

static void test_boot(void)
{
	u32 result = 99;

	start_machine();
	ok(read32(NV_PFB_WPR2_ADDR_HI) == 0, "boot: before it no region is protected");
	prepare_fwsec();
	ok(run_fwsec() == 0 && read32(NV_PBUS_SW_SCRATCH_FRTS) >> 16 == 0,
	   "boot: FWSEC ends without an error");
	ok((u64)(read32(NV_PFB_WPR2_ADDR_LO) >> 4) << 12 == FRTS &&
		   (u64)(read32(NV_PFB_WPR2_ADDR_HI) >> 4) << 12 == VGA,
	   "boot: FWSEC protects FRTS");
	prepare_gsp();
	ok(run_booter((u32)MACHINE + META, 0) == 0, "boot: booter ends without an error");
	ok((u64)(read32(NV_PFB_WPR2_ADDR_LO) >> 4) << 12 == WPR &&
		   read32(NV_PGSP_RISCV_CPUCTL) & NV_PGSP_RISCV_CPUCTL_ACTIVE,
	   "boot: booter protects the GSP's region and starts its RISC-V core");
	ok(answer(&result) == NV_GSP_EVENT_INIT_DONE && !result, "boot: the GSP sends INIT_DONE");
	refused(NULL, "boot: a correct driver is not refused anything");
}

static void test_unload(void)
{
	struct nv_gsp_unloading unloading = {0};
	u32 result = 99;

	set_windows();
	put(NV_GSP_UNLOADING_GUEST_DRIVER, &unloading, sizeof(unloading));
	ring();
	ok(answer(&result) == NV_GSP_UNLOADING_GUEST_DRIVER && !result &&
		   wait_for_bits(NV_PGSP_MAILBOX0, ~0u, NV_PGSP_MAILBOX0_UNLOADED),
	   "unload: the GSP unloads");
	ok(read32(NV_PFB_WPR2_ADDR_HI), "unload: the region stays protected");
	memcpy(at(PROGRAM), fwsec.image.data, fwsec.image.bytes);
	nv_falcon_sign(&fwsec.image, fuse, at(PROGRAM));
	nv_fwsec_set_sb(&fwsec, at(PROGRAM));
	ok(run_fwsec() == 0 && !(read32(NV_PBUS_SW_SCRATCH_SB) & 0xffff),
	   "unload: FWSEC starts the programs that run without a driver");
	ok(run_booter(NV_BOOTER_UNLOAD, NV_BOOTER_UNLOAD) == 0 && !read32(NV_PFB_WPR2_ADDR_HI),
	   "unload: booter ends the protection");
	refused(NULL, "unload: a correct driver is not refused anything");
	prepare();
	start_machine();
	ok(boot_all() == 0, "unload: the GSP boots again");
	refused(NULL, "unload: nothing of the second boot is refused");
}

/* Each of these changes one thing in a boot of FWSEC. */
static void test_wrong_fwsec(void)
{
	struct nv_falcon_image good = fwsec.image;

	start_machine();
	prepare_fwsec();
	nv_falcon_sign(&fwsec.image, fuse + 1, at(PROGRAM));
	ok(run_fwsec() != 0, "FWSEC: a signature for another version fails");
	refused("not that of the fuse's version", "FWSEC: such a signature is refused");
	prepare_fwsec();
	((u8 *)at(PROGRAM))[100] ^= 1;
	ok(run_fwsec() != 0, "FWSEC: changed code fails");
	refused("the code differs", "FWSEC: changed code is refused");
	prepare_fwsec();
	((u8 *)at(PROGRAM))[fwsec.image.dmem.from + fwsec.image.dmem.bytes - 1] ^= 1;
	ok(run_fwsec() != 0, "FWSEC: changed data fails");
	refused("the data differs", "FWSEC: changed data is refused");
	prepare_fwsec();
	transfers = 7; /* of the eight blocks of code */
	ok(run_fwsec() != 0, "FWSEC: code that is loaded in part fails");
	refused("the code differs", "FWSEC: code that is loaded in part is refused");
	transfers = 0;
	fwsec.image.engines = NV_FALCON_ENGINE_SEC2;
	ok(run_fwsec() != 0, "FWSEC: another engine's mask fails");
	refused("engines 0x1,", "FWSEC: another engine's mask is refused");
	fwsec.image = good;
	fwsec.image.program++;
	ok(run_fwsec() != 0, "FWSEC: another program's number fails");
	refused("program 10", "FWSEC: another program's number is refused");
	fwsec.image = good;
	fwsec.image.boot = 0x1000;
	ok(run_fwsec() != 0, "FWSEC: a start where no code is fails");
	refused("no secure code", "FWSEC: a start where no code is is refused");
	fwsec.image = good;
	prepare_fwsec();
	nv_fwsec_set_frts(&fwsec, at(PROGRAM), VRAM, NV_FRTS_BYTES);
	run_fwsec();
	ok(read32(NV_PBUS_SW_SCRATCH_FRTS) >> 16 != 0,
	   "FWSEC: a region beyond video memory leaves an error in the scratch register");
	refused("FRTS of", "FWSEC: a region beyond video memory is refused");
	start_machine();
	ok(!boot_all() && !read32(NV_PBUS_SW_SCRATCH_FRTS), "FWSEC: a reset clears that error");
	refused(NULL, "FWSEC: after a reset nothing is refused");
}

static void test_wrong_registers(void)
{
	const u32 gsp = NV_FALCON_GSP;

	start_machine();
	prepare_fwsec();
	load(gsp, &fwsec.image);
	refused("before its first reset", "falcon: DMA before its first reset is refused");
	start_machine();
	write32(gsp + NV_FALCON_ENGINE, NV_FALCON_ENGINE_RESET);
	write32(gsp + NV_FALCON_BOOTVEC, 0);
	refused("during its reset", "falcon: a write during its reset is refused");
	write32(gsp + NV_FALCON_ENGINE, 0);
	write32(gsp + NV_FALCON_DMATRFCMD, NV_FALCON_DMATRFCMD_256);
	refused("being cleared", "falcon: DMA while its memories are being cleared is refused");
	reset_falcon(gsp);
	write32(gsp + NV_FALCON_DMATRFCMD, NV_FALCON_DMATRFCMD_256);
	refused("DMA with configuration", "falcon: DMA without its configuration is refused");
	load(gsp, &fwsec.image);
	refused(NULL, "falcon: a complete load is not refused");
	write32(gsp + NV_FALCON_DMATRFCMD, NV_FALCON_DMATRFCMD_256);
	write32(gsp + NV_FALCON_DMATRFCMD, NV_FALCON_DMATRFCMD_256);
	refused("another is under way", "falcon: DMA during another is refused");
	wait_for_bits(gsp + NV_FALCON_DMATRFCMD, NV_FALCON_DMATRFCMD_IDLE,
		      NV_FALCON_DMATRFCMD_IDLE);
	write32(gsp + NV_FALCON_DMATRFMOFFS, 0x10000);
	write32(gsp + NV_FALCON_DMATRFCMD, NV_FALCON_DMATRFCMD_256);
	refused("blocks of 256 bytes", "falcon: DMA beyond its memory is refused");
	write32(NV_PFB_NISO_FLUSH_ADDR, 0);
	write32(gsp + NV_FALCON_ENGINE, NV_FALCON_ENGINE_RESET);
	refused("page for flushes", "falcon: a reset without a page for flushes is refused");
	write32(NV_PROM, 0);
	refused("of the ROM", "falcon: a write to the ROM is refused");
	write32(NV_PCI_MIRROR_ROM_SHADOW, 1);
	read32(NV_PROM);
	refused("while it is hidden", "falcon: a read of the ROM while it is hidden is refused");
	write32(NV_PCI_MIRROR_ROM_SHADOW, 0);
	read32(NV_VGA_CRTC_INDEX);
	refused("it is a byte", "falcon: a word access to a register of a byte is refused");
}

static void test_wrong_booter(void)
{
	struct nv_gsp_wpr_meta *meta = at(META);

	start_machine();
	prepare_gsp();
	ok(run_booter((u32)MACHINE + META, 0) != 0, "booter: without FRTS it fails");
	refused("FWSEC has set up 0x0", "booter: without FRTS it is refused");
	prepare_fwsec();
	run_fwsec();
	ok(run_booter((u32)MACHINE + META, 0) != 0, "booter: without the RISC-V core it fails");
	refused("RISC-V core", "booter: without the RISC-V core it is refused");
	prepare_gsp();
	meta->heap += 0x1000;
	ok(run_booter((u32)MACHINE + META, 0) != 0, "booter: a heap that is not aligned fails");
	refused("GSP: heap of", "booter: a heap that is not aligned is refused");
	meta->heap -= 0x1000;
	meta->image = meta->boot_image - 0x1000;
	ok(run_booter((u32)MACHINE + META, 0) != 0, "booter: parts that overlap fail");
	refused("GSP: ", "booter: parts that overlap are refused");
	meta->image = RM_IMAGE;
	meta->heap_bytes = 100 << 20;
	ok(run_booter((u32)MACHINE + META, 0) != 0, "booter: a heap that is too small fails");
	refused("heap 104857600", "booter: a heap that is too small is refused");
	meta->heap_bytes = 0x1fd00000 - HEAP;
	meta->heap_outside = meta->reserved_start = 0;
	ok(run_booter((u32)MACHINE + META, 0) != 0, "booter: a region that is all memory fails");
	refused("FRTS at", "booter: a region that leaves nothing to the driver is refused");
	meta->heap_outside = meta->reserved_start = HEAP_OUTSIDE;
	meta->magic++;
	ok(run_booter((u32)MACHINE + META, 0) != 0, "booter: metadata with a wrong magic fails");
	refused("magic", "booter: metadata with a wrong magic is refused");
	meta->magic--;
	ok(run_booter((u32)MACHINE + META, 0) == 0, "booter: without these mistakes it succeeds");
	ok(run_booter(NV_BOOTER_UNLOAD, NV_BOOTER_UNLOAD) != 0,
	   "booter: unloading a GSP that runs fails");
	refused("of a running GSP", "booter: unloading a GSP that runs is refused");
}

/* The faults of a boot that this chip does not have would never happen. */
static void test_faults(void)
{
	static const char *const names[] = {"refuse", "locked"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct card_options o = {.chip = CHIP, .log = stderr, .fault = names[i]};
		char why[200] = "";
		struct card *made = card_create(&o, why, sizeof(why));

		ok(!made && strstr(why, "FSP"), "fault: '%s', which needs an FSP, is rejected",
		   names[i]);
		card_destroy(made);
	}
}

static void test_files(const char *folder)
{
	struct nv_falcon_image image = {0};
	static u8 file[1 << 17];
	char path[500];
	FILE *f;
	size_t bytes;

	if (!folder) {
		ok(true,
		   "booter: NVIDIA's files pass the boot ROM # SKIP FIRMWARE_FOLDER is not set");
		return;
	}
	firmware = folder;
	machine_open();
	snprintf(path, sizeof(path), "%s/nvidia/ga102/gsp/booter_load-" NV_GSP_VERSION ".bin",
		 folder);
	f = fopen(path, "r");
	bytes = f ? fread(file, 1, sizeof(file), f) : 0;
	ok(!nv_booter_parse(file, bytes, &image), "booter: NVIDIA's file is parsed");
	fclose(f);
	start_machine();
	memcpy(at(PROGRAM), image.data, image.bytes);
	nv_falcon_sign(&image, 0, at(PROGRAM));
	reset_falcon(NV_FALCON_SEC2);
	load(NV_FALCON_SEC2, &image);
	ok(run(NV_FALCON_SEC2, (u32)MACHINE + META, 0) != 0,
	   "booter: NVIDIA's file without a GSP fails");
	refused("RISC-V core", "booter: NVIDIA's file passes the boot ROM");
	nv_falcon_sign(&image, image.newest, at(PROGRAM));
	reset_falcon(NV_FALCON_SEC2);
	load(NV_FALCON_SEC2, &image);
	ok(run(NV_FALCON_SEC2, (u32)MACHINE + META, 0) != 0,
	   "booter: NVIDIA's file with its other signature fails");
	refused("not that of the fuse's version",
		"booter: NVIDIA's file with its other signature is refused");
	machine_close();
}

int main(void)
{
	if (!machine_open())
		return tap_done();
	start_machine();
	for (u32 i = 0; i < NV_PROM_BYTES; i += 4)
		*(u32 *)(rom + i) = read32(NV_PROM + i);
	const char *wrong = nv_vbios_find_fwsec(rom, sizeof(rom), &fwsec);

	if (!ok(!wrong, "vbios: FWSEC is found through the window of the ROM"))
		return tap_done();
	for (u32 v = read32(NV_FUSE_GSP_VERSION(fwsec.image.program)); v; v >>= 1)
		fuse++;
	test_identity();
	test_boot();
	test_unload();
	test_wrong_fwsec();
	test_wrong_registers();
	test_wrong_booter();
	machine_close();
	test_faults();
	test_files(getenv("FIRMWARE_FOLDER"));
	return tap_done();
}
