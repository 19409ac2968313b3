// SPDX-License-Identifier: MIT
/* The PSP and the SMU of the modelled Navi 21, with the test in the role of the driver: the boot
 * loader's order, the ring, the TMR, a comparison of each blob with the firmware files, which the
 * test writes itself with the headers of the real ones, and the SMU's handshake. */
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hw/amd/psp.h"
#include "hw/amd/smu.h"
#include "model/card/amd/navi.h"
#include "tests/tap.h"
#include "tests/userspace/model/card/_log.h"

#define VRAM         (512ull << 20)
#define BUFFER       0x1000000u /* offsets in video memory */
#define RING         0x2000000u
#define COMMAND      0x2001000u
#define FENCE        0x2002000u
#define TMR          0x4000000u
#define RING_BYTES   0x1000u
#define HEADER_BYTES 256u
#define READS        1000

static char folder[64];
static uint8_t file[1 << 16];

static uint32_t mailbox(uint32_t n)
{
	uint32_t value;

	card_read(card, NAVI_BAR_REGISTERS, 4 * NAVI_C2PMSG(n), &value, 4);
	return value;
}
static void set(uint32_t n, uint32_t value)
{
	card_write(card, NAVI_BAR_REGISTERS, 4 * NAVI_C2PMSG(n), &value, 4);
}
static void put(uint32_t at, uint32_t value)
{
	memcpy(file + at, &value, 4);
}

/* The contents of each file: bytes that say where they are, and which file it is. */
static void fill(uint32_t seed, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes; i++)
		file[i] = i < HEADER_BYTES ? 0 : (uint8_t)(i * 7 + (i >> 8) + seed);
	put(PSP_FILE_UCODE_BYTES, bytes - HEADER_BYTES);
	put(PSP_FILE_UCODE_OFFSET, HEADER_BYTES);
}

static void save(const char *name, uint32_t bytes)
{
	char path[160];

	snprintf(path, sizeof(path), "%s/amdgpu/sienna_cichlid_%s.bin", folder, name);
	FILE *f = fopen(path, "w");

	if (!f || fwrite(file, 1, bytes, f) != bytes)
		diag("cannot write %s", path);
	if (f)
		fclose(f);
}

static const char *const plain[] = {"smc", "sdma", "ce", "pfp", "me"};
static const uint32_t plain_types[] = {PSP_FW_SMU, PSP_FW_SDMA0, PSP_FW_CE, PSP_FW_PFP, PSP_FW_ME};

static void write_sos(void)
{
	static const uint16_t parts[][2] = {
		{PSP_SOS_OFFSET, PSP_SOS_BYTES},
		{PSP_TOC_OFFSET, PSP_TOC_BYTES},
		{PSP_KEYS_OFFSET, PSP_KEYS_BYTES},
		{PSP_SPL_OFFSET, PSP_SPL_BYTES},
	};

	fill(1, HEADER_BYTES + 5 * 256);
	for (uint32_t i = 0; i < 4; i++) {
		put(parts[i][0], 256 * (i + 1));
		put(parts[i][1], 256);
	}
	save("sos", HEADER_BYTES + 5 * 256);
}

static void write_rlc(void)
{
	static const uint16_t iram_dram[] = {156, 164};

	fill(2, HEADER_BYTES + 3 * 512);
	put(PSP_FILE_UCODE_BYTES, 512);
	for (uint32_t i = 0; i < 2; i++) {
		put(iram_dram[i], 512);
		put(iram_dram[i] + 4u, HEADER_BYTES + 512 * (i + 1));
	}
	save("rlc", HEADER_BYTES + 3 * 512);
}

static void write_files(void)
{
	char path[128];

	snprintf(folder, sizeof(folder), "/tmp/sovgpu-psp-XXXXXX");
	if (!mkdtemp(folder))
		diag("cannot create a folder");
	snprintf(path, sizeof(path), "%s/amdgpu", folder);
	mkdir(path, 0700);
	write_sos();
	write_rlc();
	for (uint32_t i = 0; i < 5; i++) {
		fill(10 + i, HEADER_BYTES + 1024);
		put(PSP_FILE_VERSION, 0x3a5b00 + i); /* the SMU's is the first */
		save(plain[i], HEADER_BYTES + 1024);
	}
	fill(20, HEADER_BYTES + 1024);
	put(PSP_MEC_TABLE_WORDS, 16);
	save("mec", HEADER_BYTES + 1024);
	fill(21, HEADER_BYTES + 1024);
	put(PSP_TA_COUNT, 1);
	put(PSP_TA_ENTRIES + 8, 0);
	put(PSP_TA_ENTRIES + 12, 1024);
	save("ta", HEADER_BYTES + 1024);
}

static void remove_files(void)
{
	static const char *const names[] = {"sos", "rlc", "mec", "ta"};
	char path[160];

	for (uint32_t i = 0; i < 9; i++) {
		snprintf(path, sizeof(path), "%s/amdgpu/sienna_cichlid_%s.bin", folder,
			 i < 5 ? plain[i] : names[i - 5]);
		unlink(path);
	}
	snprintf(path, sizeof(path), "%s/amdgpu", folder);
	rmdir(path);
	rmdir(folder);
}

static bool becomes(uint32_t n, uint32_t mask)
{
	for (uint32_t i = 0; i < READS; i++)
		if (mailbox(n) & mask)
			return true;
	return false;
}

/* Puts bytes of a file's ucode into the buffer. */
static void load(uint32_t seed, uint32_t offset, uint32_t bytes)
{
	fill(seed, sizeof(file));
	memset(card->vram + BUFFER, 0, 1 << 20);
	memcpy(card->vram + BUFFER, file + HEADER_BYTES + offset, bytes);
}

static void boot(uint32_t command, uint32_t offset)
{
	load(1, offset, 256);
	set(PSP_BOOT_ADDRESS, (uint32_t)((NAVI_FB_BASE + BUFFER) >> 20));
	set(PSP_BOOT_COMMAND, command);
}

static void boot_loader(void)
{
	ok(!mailbox(PSP_SIGN_OF_LIFE), "the secure OS does not run after reset");
	boot(PSP_BOOT_KEYS, 768);
	refused("while the boot loader is busy", "a boot command before it is ready is refused");
	ok(becomes(PSP_BOOT_COMMAND, PSP_READY), "the boot loader becomes ready");
	boot(PSP_BOOT_SYSTEM_DRIVER, 0);
	refused("out of order", "the system driver before the keys is refused");
	boot(PSP_BOOT_KEYS, 769);
	refused("keys: it differs from the file", "keys that differ from the file are refused");
	boot(0x30000, 0);
	refused("0x30000 is unknown", "an unknown boot command is refused");
	set(PSP_RING_CONTROL, PSP_RING_KERNEL);
	refused("before the secure OS runs", "a ring before the secure OS runs is refused");
	boot(PSP_BOOT_KEYS, 768);
	ok(becomes(PSP_BOOT_COMMAND, PSP_READY), "the boot loader accepts the keys");
	boot(PSP_BOOT_SPL, 1024);
	ok(becomes(PSP_BOOT_COMMAND, PSP_READY), "the boot loader accepts the SPL table");
	boot(PSP_BOOT_SYSTEM_DRIVER, 0);
	ok(becomes(PSP_BOOT_COMMAND, PSP_READY), "the boot loader accepts the system driver");
	boot(PSP_BOOT_SECURE_OS, 256);
	ok(!mailbox(PSP_SIGN_OF_LIFE), "the secure OS takes time to start");
	ok(becomes(PSP_SIGN_OF_LIFE, ~0u), "the secure OS starts");
	refused(NULL, "none of this is refused");
}

static uint32_t fence;

/* Sends a command and returns its status. */
static uint32_t submit(const struct psp_command *command)
{
	uint32_t wptr = mailbox(PSP_RING_WPTR), done;
	uint64_t at = NAVI_FB_BASE + FENCE;
	struct psp_frame frame = {.command = NAVI_FB_BASE + COMMAND,
				  .fence_low = (uint32_t)at,
				  .fence_high = (uint32_t)(at >> 32),
				  .fence = ++fence};

	memcpy(card->vram + COMMAND, command, sizeof(*command));
	memcpy(card->vram + RING + 4 * wptr, &frame, sizeof(frame));
	set(PSP_RING_WPTR, (wptr + 16) % (RING_BYTES / 4));
	memcpy(&done, card->vram + FENCE, 4);
	return done == fence ? ((struct psp_command *)(card->vram + COMMAND))->status : ~0u;
}

static uint32_t command(uint32_t id, uint64_t address, uint32_t bytes, uint32_t type)
{
	struct psp_command x = {.id = id,
				.arguments = {(uint32_t)address, (uint32_t)(address >> 32), bytes,
					      type, (uint32_t)(address - NAVI_FB_BASE)}};

	return submit(&x);
}

static uint32_t firmware(uint32_t type, uint32_t seed, uint32_t offset, uint32_t bytes)
{
	load(seed, offset, bytes);
	return command(PSP_LOAD_FIRMWARE, NAVI_FB_BASE + BUFFER, bytes, type);
}

static void ring(void)
{
	set(PSP_RING_WPTR, 16);
	refused("without a ring", "a write pointer without a ring is refused");
	set(PSP_RING_LOW, RING);
	set(PSP_RING_HIGH, NAVI_FB_BASE >> 32);
	set(PSP_RING_BYTES, RING_BYTES);
	set(PSP_RING_CONTROL, PSP_RING_KERNEL);
	ok(becomes(PSP_RING_CONTROL, PSP_READY), "the ring is created");
	set(PSP_RING_WPTR, 3);
	refused("no frame", "a write pointer between frames is refused");
	set(PSP_RING_CONTROL, PSP_RING_KERNEL);
	refused("a ring already", "a second ring is refused");
	ok(command(0x55, 0, 0, 0) == PSP_STATUS_REFUSED, "an unknown command has a status");
	refused("0x55 is not modelled", "an unknown command is refused");
}

static const struct psp_command *answer(void)
{
	return (const struct psp_command *)(card->vram + COMMAND);
}

static void firmware_memory(void)
{
	command(PSP_SETUP_TMR, NAVI_FB_BASE + TMR, 8 << 20, 2);
	refused("the TOC is not loaded", "a TMR before the TOC is refused");
	load(1, 512, 256);
	ok(!command(PSP_LOAD_TOC, NAVI_FB_BASE + BUFFER, 256, 0) && answer()->tmr_bytes,
	   "LOAD_TOC says how large the TMR must be");
	uint32_t bytes = answer()->tmr_bytes;

	command(PSP_SETUP_TMR, NAVI_FB_BASE + TMR, bytes / 2, 2);
	refused("smaller than the TOC says", "a TMR that is too small is refused");
	command(PSP_SETUP_TMR, NAVI_FB_BASE + VRAM - (1 << 20), bytes, 2);
	refused("not lie in video memory", "a TMR beyond video memory is refused");
	ok(firmware(PSP_FW_PFP, 13, 0, 1024), "firmware before the TMR has a status");
	refused("there is no TMR", "firmware before the TMR is refused");
	ok(!firmware(PSP_FW_SMU, 10, 0, 1024), "the SMU's firmware is loaded without a TMR");
	ok(!command(PSP_SETUP_TMR, NAVI_FB_BASE + TMR, bytes, 2), "the TMR is set up");
	refused(NULL, "none of this is refused");
}

static void firmware_files(void)
{
	for (uint32_t i = 1; i < 5; i++)
		ok(!firmware(plain_types[i], 10 + i, 0, 1024), "firmware of type %u is accepted",
		   plain_types[i]);
	ok(answer()->firmware_low == TMR + 3 * 4096, "its place in the TMR is returned");
	ok(!firmware(PSP_FW_MEC, 20, 0, 1024 - 64), "MEC without its jump table is accepted");
	refused(NULL, "none of this is refused");
	firmware(PSP_FW_PFP, 14, 0, 1024);
	refused("it differs from the file", "firmware that differs in its bytes is refused");
	firmware(PSP_FW_PFP, 13, 0, 1020);
	refused("not that in the file's header", "firmware of another size is refused");
	firmware(33, 13, 0, 1024);
	refused("no such part", "firmware that the chip does not have is refused");
	command(PSP_LOAD_FIRMWARE, NAVI_FB_BASE + BUFFER + 16, 1024, PSP_FW_PFP);
	refused("multiple of 4096", "firmware at a misaligned address is refused");
	ok(!firmware(PSP_FW_RLC_IRAM, 2, 512, 512), "a part of RLC's file is accepted");
	command(PSP_AUTOLOAD_RLC, 0, 0, 0);
	refused("firmware is missing", "autoload without all firmware is refused");
	ok(!firmware(PSP_FW_RLC_DRAM, 2, 1024, 512) && !firmware(PSP_FW_RLC_G, 2, 0, 512) &&
		   !command(PSP_AUTOLOAD_RLC, 0, 0, 0),
	   "autoload with all firmware starts");
	uint32_t status = 0;

	for (uint32_t i = 0; i < READS && !status; i++)
		card_read(card, NAVI_BAR_REGISTERS, 4 * NAVI_RLC_BOOT_STATUS, &status, 4);
	ok(status & NAVI_RLC_BOOT_COMPLETE, "the RLC reports that autoload has ended");
}

/* Firmware for which there is no room is not among what is loaded. */
static void full_memory(void)
{
	const uint32_t bytes = card->navi->psp.toc_bytes;
	uint32_t loads = 0;

	ok(!command(PSP_DESTROY_TMR, 0, 0, 0) &&
		   !command(PSP_SETUP_TMR, NAVI_FB_BASE + TMR, bytes, 2) &&
		   !firmware(PSP_FW_ME, 14, 0, 1024),
	   "a TMR that was destroyed is set up again");
	while (!command(PSP_LOAD_FIRMWARE, NAVI_FB_BASE + BUFFER, 1024, PSP_FW_ME) && loads < bytes)
		loads++;
	ok(loads == bytes / 4096 - 1, "the TMR has room for as much firmware as its size says");
	refused("the TMR is full", "firmware without room in the TMR is refused");
	firmware(PSP_FW_PFP, 13, 0, 1024);
	ok(!navi_blob_loaded(card->navi->psp.loaded, PSP_FW_PFP), "it does not count as loaded");
	refused("the TMR is full", "other firmware without room is refused, too");
}

static void applications(void)
{
	load(21, 0, 1024);
	ok(!command(PSP_LOAD_ASD, NAVI_FB_BASE + BUFFER, 1024, 0) && answer()->session,
	   "a trusted application is loaded and has a session");
	uint64_t session = answer()->session;

	ok(!command(PSP_INVOKE_TA, session, 0, 0), "a command goes to its session");
	refused(NULL, "none of this is refused");
	command(PSP_INVOKE_TA, session + 1, 0, 0);
	refused("no such session", "a command without a session is refused");
	load(22, 0, 1024);
	command(PSP_LOAD_TA, NAVI_FB_BASE + BUFFER, 1024, 0);
	refused("differs from all applications", "an unknown application is refused");
	set(PSP_RING_CONTROL, PSP_RING_DESTROY);
	set(PSP_RING_WPTR, 16);
	refused("without a ring", "after its ring is destroyed the PSP takes no commands");
}

static uint32_t power(uint32_t index)
{
	uint32_t value;

	card_read(card, NAVI_BAR_REGISTERS, 4 * index, &value, 4);
	return value;
}
static void set_power(uint32_t index, uint32_t value)
{
	card_write(card, NAVI_BAR_REGISTERS, 4 * index, &value, 4);
}

/* Sends a message and returns its response. */
static uint32_t message(uint32_t id, uint32_t argument)
{
	uint32_t response = 0;

	set_power(SMU_RESPONSE, 0);
	set_power(SMU_ARGUMENT, argument);
	set_power(SMU_MESSAGE, id);
	for (uint32_t i = 0; i < READS && !response; i++)
		response = power(SMU_RESPONSE);
	return response;
}

static uint32_t power_flags(void)
{
	set_power(NAVI_PCIE_INDEX2, SMU_FIRMWARE_FLAGS);
	return power(NAVI_PCIE_DATA2);
}

static void power_before_firmware(void)
{
	ok(!power_flags(), "the SMU does not run before its firmware is loaded");
	ok(!message(SMU_TEST, 0), "it responds to no message");
	refused("before its firmware", "a message before the SMU's firmware is refused");
}

static void power_handshake(void)
{
	ok(power_flags() & SMU_FLAGS_INTERRUPTS_ON, "the SMU runs when its firmware is loaded");
	ok(message(SMU_TEST, 7) == SMU_OK && power(SMU_ARGUMENT) == 8,
	   "the SMU answers a test message with its argument plus 1");
	ok(message(SMU_GET_VERSION, 0) == SMU_OK && power(SMU_ARGUMENT) == 0x3a5b00,
	   "the SMU says the version in its file");
	ok(message(SMU_GET_DRIVER_INTERFACE, 0) == SMU_OK &&
		   power(SMU_ARGUMENT) == SMU_DRIVER_INTERFACE,
	   "the SMU says the version of its interface");
	refused(NULL, "the handshake is not refused");
	set_power(SMU_MESSAGE, SMU_TEST);
	refused("without clearing the response", "a message before the last one ended is refused");
	ok(message(0x77, 0) == SMU_UNKNOWN_MESSAGE, "an unknown message has a response");
	refused("0x77 is not modelled", "an unknown message is refused");
	set_power(NAVI_PCIE_INDEX2, 0x12345678);
	ok(power(NAVI_PCIE_DATA2) == ~0u, "an unknown register beyond BAR 5 reads as all ones");
	refused("0x12345678", "an unknown register beyond BAR 5 is refused with its address");
	set_power(NAVI_PCIE_INDEX2, 0x11180070);
	ok(power(NAVI_PCIE_DATA2) == 0x0e000109, "PCIE_CNTL2 has its value after reset");
	set_power(NAVI_PCIE_DATA2, 5);
	ok(power(NAVI_PCIE_DATA2) == 5, "PCIE_CNTL2 keeps what is written to it");
}

int main(void)
{
	struct card_options o = {.chip = "navi21", .vram_bytes = VRAM, .log = log_open()};
	char why[400] = "";

	write_files();
	o.firmware = folder;
	card = card_create(&o, why, sizeof(why));
	if (ok(card != NULL, "a card with firmware files is created: %s", why)) {
		uint32_t memory = 6;

		card_write(card, CARD_CONFIG, 4, &memory, 4);
		boot_loader();
		ring();
		power_before_firmware();
		firmware_memory();
		firmware_files();
		power_handshake();
		full_memory();
		applications();
		card_destroy(card);
	}
	fill(1, HEADER_BYTES + 256);
	put(PSP_SOS_OFFSET, 1 << 20);
	put(PSP_SOS_BYTES, 1 << 20);
	save("sos", HEADER_BYTES + 256);
	ok(!card_create(&o, why, sizeof(why)) && strstr(why, "sienna_cichlid_sos.bin"),
	   "a file whose header describes parts outside of it is rejected by name");
	remove_files();
	ok(!card_create(&o, why, sizeof(why)) && strstr(why, "No such file"),
	   "missing files are rejected by name");
	log_close();
	return tap_done();
}
