/* SPDX-License-Identifier: MIT */
/* A machine for tests of the card: memory mapped for DMA, a GSP booted from valid structures
 * (images are not compared; virtual machines do that with the real files), its queues with the test
 * in the role of the driver, and a check of the card's refusals. */
#ifndef TESTS_CARD_MACHINE_H
#define TESTS_CARD_MACHINE_H

#include <sys/mman.h>
#include <unistd.h>

#include "hw/nv/gsp_rm.h"
#include "hw/nv/pci.h"
#include "hw/nv/registers.h"
#include "model/card/card.h"
#include "tests/tap.h"

#define MACHINE 0x40000000ull /* DMA address of the machine's memory */
#define BYTES   (4u << 20)
#ifndef CHIP
#define CHIP     "gh100"
#define FIRMWARE NULL
#endif
#define VRAM (512ull << 20)

/* Offsets in that memory. */
enum {
	FMC = 0x1000,
	BOOT = 0x2000,
	META = 0x3000,
	LIBOS = 0x4000,
	ARGUMENTS = 0x5000,
	RADIX0 = 0x6000,
	RADIX1 = 0x7000,
	RADIX2 = 0x8000,
	IMAGE = 0x9000,
	LOADER = 0xa000,
	SIGNATURE = 0xb000,
	FLUSH = 0xc000,
	LOGS = 0x10000,
	SHARED = 0x100000,
	COMMAND = SHARED + 0x1000,
	STATUS = COMMAND + NV_GSP_QUEUE_BYTES,
};

static struct card *card;
static uint8_t *memory;
static char *said;
static size_t said_bytes;
static FILE *log_file;
static struct nv_fsp_cot cot;
static uint32_t sequence, status_get;

static inline uint32_t read32(uint32_t offset)
{
	uint32_t v;

	card_read(card, CARD_BAR0, offset, &v, 4);
	return v;
}
static inline void write32(uint32_t offset, uint32_t value)
{
	card_write(card, CARD_BAR0, offset, &value, 4);
}
static inline void *at(uint32_t offset)
{
	return memory + offset;
}
static inline struct nv_gsp_queue *command(void)
{
	return at(COMMAND);
}

static inline void name(uint32_t index, const char *letters, uint32_t offset, uint64_t bytes)
{
	struct nv_gsp_libos_region *r = at(LIBOS);

	r[index] = (struct nv_gsp_libos_region){
		nv_gsp_name(letters), MACHINE + offset, bytes, 1, 1, {0}};
	for (uint64_t i = 0; bytes == NV_GSP_LOG_BYTES && i < bytes / 4096; i++)
		((uint64_t *)at(offset))[1 + i] = MACHINE + offset + i * 4096;
}

/* Fills all boot structures with valid contents. */
static inline void prepare(void)
{
	uint32_t pages = 1 + 2 * NV_GSP_QUEUE_BYTES / NV_GSP_PAGE;

	memset(memory, 0, BYTES);
	sequence = status_get = 0;
	*(uint64_t *)at(RADIX0) = MACHINE + RADIX1;
	*(uint64_t *)at(RADIX1) = MACHINE + RADIX2;
	*(uint64_t *)at(RADIX2) = MACHINE + IMAGE;
	*(struct nv_gsp_wpr_meta *)at(META) = (struct nv_gsp_wpr_meta){
		.magic = NV_GSP_WPR_MAGIC,
		.revision = 1,
		.radix3 = MACHINE + RADIX0,
		.radix3_bytes = 4000,
		.bootloader = MACHINE + LOADER,
		.bootloader_bytes = 4096,
		.signature = MACHINE + SIGNATURE,
		.signature_bytes = 4096,
		.heap_outside_bytes = NV_GSP_HEAP_OUTSIDE_BYTES,
		.heap_bytes = NV_GSP_HEAP_MIN,
		.frts_bytes = NV_FRTS_BYTES,
		.vga_bytes = NV_GSP_VGA_BYTES,
	};
	*(struct nv_gsp_fmc_boot *)at(BOOT) = (struct nv_gsp_fmc_boot){
		.rm_target = NV_GSP_TARGET_COHERENT,
		.rm_bytes = 256,
		.rm = MACHINE + META,
		.is_rm_boot = 1,
		.libos_target = NV_GSP_TARGET_NONCOHERENT,
		.libos = MACHINE + LIBOS,
	};
	name(0, "LOGINIT", LOGS, NV_GSP_LOG_BYTES);
	name(1, "LOGINTR", LOGS + 0x10000, NV_GSP_LOG_BYTES);
	name(2, "LOGRM", LOGS + 0x20000, NV_GSP_LOG_BYTES);
	name(3, "RMARGS", ARGUMENTS, sizeof(struct nv_gsp_arguments));
	*(struct nv_gsp_arguments *)at(ARGUMENTS) = (struct nv_gsp_arguments){
		.shared = MACHINE + SHARED,
		.shared_pages = pages,
		.command_offset = COMMAND - SHARED,
		.status_offset = STATUS - SHARED,
		.dmem_stack = 1,
	};
	for (uint32_t i = 0; i < pages; i++)
		((uint64_t *)at(SHARED))[i] = MACHINE + SHARED + i * 4096ull;
	*command() = (struct nv_gsp_queue){
		0, NV_GSP_QUEUE_BYTES, 4096, NV_GSP_QUEUE_ELEMENTS, 0, 1, 32, 4096, 0};
	cot = (struct nv_fsp_cot){.mctp = NV_MCTP_SINGLE,
				  .nvdm = NV_NVDM_HEADER(NV_NVDM_COT),
				  .version = 1,
				  .bytes = sizeof(cot) - 8,
				  .fmc = MACHINE + FMC,
				  .frts_vidmem = NV_FRTS_ALIGN,
				  .frts_vidmem_bytes = NV_FRTS_BYTES,
				  .boot_args = MACHINE + BOOT};
}

/* Reads a register until it has the value of these bits; no operation takes 100 reads. */
static inline bool wait_for_bits(uint32_t offset, uint32_t bits, uint32_t value)
{
	for (int i = 0; i < 100; i++)
		if ((read32(offset) & bits) == value)
			return true;
	return false;
}

static uint32_t flush_page = (uint32_t)MACHINE + FLUSH;

/* Boots the GSP and returns the FSP's error code. */
static inline uint32_t boot(void)
{
	uint32_t words[sizeof(cot) / 4], reply[5];

	wait_for_bits(NV_THERM_I2CS_SCRATCH, ~0u, NV_THERM_FSP_BOOT_COMPLETE);
	write32(NV_PFB_FLUSH_SYSMEM_ADDR_HI, 0);
	write32(NV_PFB_FLUSH_SYSMEM_ADDR_LO, flush_page >> 8);
	memcpy(words, &cot, sizeof(cot));
	write32(NV_PFSP_EMEMC, NV_PFSP_EMEMC_WRITE_INC);
	for (size_t i = 0; i < sizeof(cot) / 4; i++)
		write32(NV_PFSP_EMEMD, words[i]);
	write32(NV_PFSP_QUEUE_TAIL, sizeof(cot) - 4);
	write32(NV_PFSP_QUEUE_HEAD, 0);
	wait_for_bits(NV_PFSP_MSGQ_TAIL, ~0u, sizeof(struct nv_fsp_reply) - 4);
	write32(NV_PFSP_EMEMC, NV_PFSP_EMEMC_READ_INC);
	for (int i = 0; i < 5; i++)
		reply[i] = read32(NV_PFSP_EMEMD);
	write32(NV_PFSP_MSGQ_TAIL, 0);
	write32(NV_PFSP_MSGQ_HEAD, 0);
	return reply[4];
}

/* Ends the mapping of BAR 1 by the GSP's page tables. */
static inline void set_windows(void)
{
	write32(NV_VF_BAR1_BLOCK, 0);
	write32(NV_VF_BAR1_BLOCK_HIGH, 0);
	wait_for_bits(NV_VF_BAR1_BLOCK, NV_VF_BAR1_BLOCK_PENDING | NV_VF_BAR1_BLOCK_OUTSTANDING, 0);
}

static inline void reset(void)
{
	uint32_t on = 6;

	card_reset(card);
	card_write(card, CARD_CONFIG, 4, &on, 2);
	prepare();
}

/* Appends an RPC to the command queue without a doorbell. */
static inline struct nv_gsp_element *put(uint32_t function, const void *payload, uint32_t bytes)
{
	uint32_t slot = command()->put;
	struct nv_gsp_element *e = at(COMMAND + 4096 * (1 + slot));
	struct nv_gsp_rpc *rpc = (void *)(e + 1);
	uint32_t sum = 0, words = (uint32_t)(NV_GSP_HEADERS + bytes + 7) / 8 * 2;

	memset(e, 0x5a, 4096); /* what follows the message is in no sum */
	memset(e, 0, 4 * words);
	e->sequence = sequence++;
	e->pages = 1;
	*rpc = (struct nv_gsp_rpc){
		NV_GSP_RPC_VERSION, NV_GSP_RPC_SIGNATURE, 32 + bytes, function, ~0u, ~0u, 0, 0};
	memcpy(rpc + 1, payload, bytes);
	for (uint32_t i = 0; i < words; i++)
		sum ^= ((uint32_t *)e)[i];
	e->checksum = sum;
	command()->put = (slot + 1) % NV_GSP_QUEUE_ELEMENTS;
	return e;
}
static inline void ring(void)
{
	write32(NV_PGSP_QUEUE_HEAD, 0);
}
/* Takes the next message: returns its function, and its result in *result; 0: none. */
static inline uint32_t answer(uint32_t *result)
{
	struct nv_gsp_queue *q = at(STATUS);
	struct nv_gsp_element *e = at(STATUS + 4096 * (1 + status_get));
	struct nv_gsp_rpc *rpc = (void *)(e + 1);

	if (q->put == status_get)
		return 0;
	*result = rpc->result;
	status_get = (status_get + e->pages) % NV_GSP_QUEUE_ELEMENTS;
	command()->get = status_get;
	return rpc->function;
}

static uint64_t refusals_before;

static inline void refused(const char *words, const char *promise)
{
	uint64_t before = refusals_before, now = card_refusals(card);

	fflush(log_file);
	bool good = words ? now > before && strstr(said, words) : now == before;

	if (!ok(good, "%s", promise))
		diag("%llu refused; log: %s", (unsigned long long)(now - before), said ? said : "");
	refusals_before = now;
	rewind(log_file);
	if (said)
		memset(said, 0, said_bytes);
}

/* Creates a card and its machine; returns false after a failed check. */
static inline bool machine_create(const char *fault, uint64_t seed)
{
	int fd = memfd_create("machine", MFD_CLOEXEC);
	char why[200] = "";

	log_file = open_memstream(&said, &said_bytes);
	refusals_before = 0;
	card = card_create(&(struct card_options){.chip = CHIP,
						  .firmware = FIRMWARE,
						  .vram_bytes = VRAM,
						  .log = log_file,
						  .fault = fault,
						  .seed = seed,
						  .require_quiesced = true},
			   why, sizeof(why));
	bool good =
		card && !ftruncate(fd, BYTES) && !card_dma_map(card, MACHINE, BYTES, fd, 0, true);

	memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return good && memory != MAP_FAILED;
}

static inline bool machine_open_with(const char *fault)
{
	return ok(machine_create(fault, 0), "the card and the machine's memory are created");
}

static inline bool machine_open(void)
{
	return machine_open_with(NULL);
}

static inline void machine_close(void)
{
	card_destroy(card);
	munmap(memory, BYTES);
	fclose(log_file);
	free(said);
}

#endif
