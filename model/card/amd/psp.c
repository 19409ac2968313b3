// SPDX-License-Identifier: MIT
/* The PSP: a boot loader that takes keys, the SPL table, the system driver and the secure OS by
 * mailbox, and then the secure OS, which takes commands from a ring: reserve memory for firmware
 * (TMR), load firmware and trusted applications, start the RLC's autoload. It accepts parts in this
 * order and compares them with the files. All addresses are VMID 0's in the MM hub. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "hw/amd/psp.h"
#include "model/card/amd/navi.h"

#define MEGABYTE     (1u << 20)
#define TMR_BYTES    (8u * MEGABYTE) /* what the TOC asks for; the real figure is not known */
#define FRAME_WORDS  (sizeof(struct psp_frame) / 4)
#define MAX_FIRMWARE (4u * MEGABYTE)
#define MAX_SESSIONS 32

static uint32_t *mailbox(struct card *c, uint32_t n)
{
	return &c->navi->registers[NAVI_C2PMSG(n)];
}

/* Copies memory that need not be contiguous in the machine. Returns false after a refusal. */
static bool copy_in(struct card *c, uint64_t address, void *to, uint32_t bytes, const char *what)
{
	for (uint32_t done = 0; done < bytes;) {
		uint32_t part = 4096 - (uint32_t)((address + done) & 4095);
		const uint8_t *from = navi_memory(c, NAVI_MM, address + done, false, what);

		if (part > bytes - done)
			part = bytes - done;
		if (!from)
			return false;
		memcpy((uint8_t *)to + done, from, part);
		done += part;
	}
	return true;
}

/* The boot loader. */

static const struct {
	uint32_t command;
	enum navi_psp_stage from, to;
} boot_steps[] = {
	{PSP_BOOT_KEYS, NAVI_PSP_EMPTY, NAVI_PSP_KEYS},
	{PSP_BOOT_SPL, NAVI_PSP_KEYS, NAVI_PSP_SPL},
	{PSP_BOOT_SYSTEM_DRIVER, NAVI_PSP_SPL, NAVI_PSP_DRIVER},
	{PSP_BOOT_SECURE_OS, NAVI_PSP_DRIVER, NAVI_PSP_OS},
};

static void boot_command(struct card *c, uint32_t command)
{
	struct navi_psp *psp = &c->navi->psp;
	uint64_t address = (uint64_t)*mailbox(c, PSP_BOOT_ADDRESS) << 20;
	const char *wrong, *name;
	uint32_t part = 0;
	size_t step = 0;

	while (step < sizeof(boot_steps) / sizeof(*boot_steps) &&
	       boot_steps[step].command != command)
		step++;
	if (step == sizeof(boot_steps) / sizeof(*boot_steps)) {
		card_refuse(c, "PSP: boot command 0x%x is unknown", command);
		return;
	}
	if (psp->boot_reads) {
		card_refuse(c, "PSP: boot command 0x%x while the boot loader is busy", command);
		return;
	}
	if (psp->stage != boot_steps[step].from) {
		card_refuse(c, "PSP: boot command 0x%x out of order: stage %u, not %u", command,
			    psp->stage, boot_steps[step].from);
		return;
	}
	uint8_t *data = malloc(MEGABYTE);

	if (!data || !copy_in(c, address, data, MEGABYTE, "the boot loader's buffer")) {
		free(data);
		return;
	}
	wrong = navi_blob_check(&c->navi->blobs, NAVI_BOOT, command, data, MEGABYTE, &name, &part);
	free(data);
	if (wrong) {
		card_refuse(c, "PSP: %s: %s", name, wrong);
		return;
	}
	psp->stage = boot_steps[step].to;
	psp->boot_reads = latency_next(c);
	card_log(c, "PSP: %s accepted", name);
}

/* Commands of the ring. A function returns NULL, or why the command is refused. */

struct request {
	struct card *c;
	struct navi_psp *psp;
	struct psp_command *command;
};

static uint64_t argument_address(const struct request *r, uint32_t i)
{
	return r->command->arguments[i] | (uint64_t)r->command->arguments[i + 1] << 32;
}

/* Reads a blob and compares it; adds it to those that are loaded. */
static const char *take_blob(struct request *r, enum navi_blob_kind kind, uint32_t id,
			     uint64_t address, uint32_t bytes)
{
	const char *wrong, *name = "";
	uint32_t part = 0;

	if (address % 4096)
		return "its address is not a multiple of 4096";
	if (!bytes || bytes > MAX_FIRMWARE)
		return "its size is 0 or more than 4 MiB";
	uint8_t *data = malloc(bytes);

	if (!data)
		return "no memory";
	wrong = copy_in(r->c, address, data, bytes, "firmware")
			? navi_blob_check(&r->c->navi->blobs, kind, id, data, bytes, &name, &part)
			: "it cannot be read";
	free(data);
	if (wrong) {
		card_log(r->c, "PSP: %s, type %u, %u bytes: %s", name, id, bytes, wrong);
		return wrong;
	}
	if (kind == NAVI_FIRMWARE)
		r->psp->loaded |= 1u << part;
	card_log(r->c, "PSP: %s accepted, %u bytes", name, bytes);
	return NULL;
}

static const char *load_toc(struct request *r)
{
	const char *wrong =
		take_blob(r, NAVI_TOC, 0, argument_address(r, 0), r->command->arguments[2]);

	if (!wrong)
		r->command->tmr_bytes = r->psp->toc_bytes = TMR_BYTES;
	return wrong;
}

static const char *setup_tmr(struct request *r)
{
	uint64_t address = argument_address(r, 0), physical = argument_address(r, 4);
	uint32_t bytes = r->command->arguments[2], flags = r->command->arguments[3];

	if (r->psp->tmr_bytes)
		return "there is a TMR already";
	if (!r->psp->toc_bytes)
		return "the TOC is not loaded";
	if (address % MEGABYTE)
		return "its address is not a multiple of 1 MiB";
	if (bytes < r->psp->toc_bytes || bytes % 4096)
		return "it is smaller than the TOC says, or no multiple of 4096";
	if (address < NAVI_FB_BASE || address - NAVI_FB_BASE > r->c->vram_bytes ||
	    bytes > r->c->vram_bytes - (address - NAVI_FB_BASE))
		return "it does not lie in video memory";
	if (flags & 2 && physical != address - NAVI_FB_BASE)
		return "its physical address is another one";
	r->psp->tmr = address;
	r->psp->tmr_bytes = bytes;
	r->psp->tmr_used = 0;
	return NULL;
}

static const char *destroy_tmr(struct request *r)
{
	if (!r->psp->tmr_bytes)
		return "there is no TMR";
	r->psp->tmr_bytes = 0;
	r->psp->loaded = 0;
	return NULL;
}

static const char *load_firmware(struct request *r)
{
	uint32_t bytes = r->command->arguments[2], type = r->command->arguments[3];
	uint64_t room = ((uint64_t)bytes + 4095) & ~4095ull;

	if (!r->psp->tmr_bytes && type != PSP_FW_SMU)
		return "there is no TMR";
	if (r->psp->tmr_bytes && room > r->psp->tmr_bytes - r->psp->tmr_used)
		return "the TMR is full";
	const char *wrong = take_blob(r, NAVI_FIRMWARE, type, argument_address(r, 0), bytes);

	if (wrong || !r->psp->tmr_bytes)
		return wrong;
	r->command->firmware_low = (uint32_t)(r->psp->tmr + r->psp->tmr_used);
	r->command->firmware_high = (uint32_t)((r->psp->tmr + r->psp->tmr_used) >> 32);
	r->psp->tmr_used += (uint32_t)room;
	return NULL;
}

static const char *autoload_rlc(struct request *r)
{
	const char *missing = navi_blob_missing(r->psp->loaded);

	if (!missing) {
		r->psp->autoloaded = true;
		r->psp->autoload_reads = latency_next(r->c);
		return NULL;
	}
	card_log(r->c, "PSP: RLC autoload without %s", missing);
	return "firmware is missing";
}

static const char *load_application(struct request *r)
{
	const char *wrong;

	if (!r->psp->tmr_bytes)
		return "there is no TMR";
	if (r->psp->sessions == MAX_SESSIONS)
		return "there are too many applications";
	wrong = take_blob(r, NAVI_APPLICATION, 0, argument_address(r, 0), r->command->arguments[2]);
	if (!wrong)
		r->command->session = ++r->psp->sessions;
	return wrong;
}

static const char *use_application(struct request *r)
{
	uint32_t session = r->command->arguments[0];

	return session && session <= r->psp->sessions ? NULL : "there is no such session";
}

static const struct {
	uint32_t id;
	const char *name;
	const char *(*run)(struct request *r);
} commands[] = {
	{PSP_LOAD_TA, "LOAD_TA", load_application},
	{PSP_UNLOAD_TA, "UNLOAD_TA", use_application},
	{PSP_INVOKE_TA, "INVOKE_CMD", use_application},
	{PSP_LOAD_ASD, "LOAD_ASD", load_application},
	{PSP_SETUP_TMR, "SETUP_TMR", setup_tmr},
	{PSP_LOAD_FIRMWARE, "LOAD_IP_FW", load_firmware},
	{PSP_DESTROY_TMR, "DESTROY_TMR", destroy_tmr},
	{PSP_LOAD_TOC, "LOAD_TOC", load_toc},
	{PSP_AUTOLOAD_RLC, "AUTOLOAD_RLC", autoload_rlc},
};

static uint32_t run_command(struct card *c, struct psp_command *command)
{
	struct request r = {c, &c->navi->psp, command};

	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		if (commands[i].id != command->id)
			continue;
		const char *wrong = commands[i].run(&r);

		if (wrong)
			card_refuse(c, "PSP: %s: %s", commands[i].name, wrong);
		return wrong ? PSP_STATUS_REFUSED : 0;
	}
	card_refuse(c, "PSP: command 0x%x is not modelled", command->id);
	return PSP_STATUS_REFUSED;
}

static bool run_frame(struct card *c, uint64_t address)
{
	struct psp_frame frame;
	struct psp_command command;

	if (!copy_in(c, address, &frame, sizeof(frame), "a frame of the PSP's ring"))
		return false;
	uint64_t fence = frame.fence_low | (uint64_t)frame.fence_high << 32;

	if (frame.command % 4096 || fence % 4) {
		card_refuse(c,
			    "PSP: frame with its command at 0x%" PRIx64 ", its fence at 0x%" PRIx64
			    ": these must be multiples of 4096 and 4",
			    frame.command, fence);
		return false;
	}
	uint8_t *at = navi_memory(c, NAVI_MM, frame.command, true, "a command of the PSP");
	uint8_t *done = navi_memory(c, NAVI_MM, fence, true, "a fence of the PSP");

	if (!at || !done)
		return false;
	memcpy(&command, at, sizeof(command));
	command.status = run_command(c, &command);
	memcpy(at, &command, sizeof(command));
	__atomic_store_n((uint32_t *)done, frame.fence, __ATOMIC_RELEASE);
	return true;
}

/* The ring. */

static void ring_control(struct card *c, uint32_t value)
{
	struct navi_psp *psp = &c->navi->psp;
	uint64_t ring = *mailbox(c, PSP_RING_LOW) | (uint64_t)*mailbox(c, PSP_RING_HIGH) << 32;
	uint32_t bytes = *mailbox(c, PSP_RING_BYTES);

	if (psp->stage != NAVI_PSP_OS) {
		card_refuse(c, "PSP: ring command 0x%x before the secure OS runs", value);
	} else if (value == PSP_RING_DESTROY) {
		psp->ring_bytes = 0;
	} else if (value != PSP_RING_KERNEL) {
		card_refuse(c, "PSP: ring command 0x%x is not modelled", value);
	} else if (psp->ring_bytes) {
		card_refuse(c, "PSP: there is a ring already");
	} else if (ring % 4096 || !bytes || bytes % 4096) {
		card_refuse(c,
			    "PSP: ring at 0x%" PRIx64 " of %u bytes: these must be multiples of "
			    "4096",
			    ring, bytes);
	} else {
		psp->ring = ring;
		psp->ring_bytes = bytes;
		psp->rptr = 0;
		*mailbox(c, PSP_RING_WPTR) = 0;
	}
	psp->ring_reads = latency_next(c);
}

static void ring_run(struct card *c, uint32_t wptr)
{
	struct navi_psp *psp = &c->navi->psp;

	if (!psp->ring_bytes) {
		card_refuse(c, "PSP: write pointer %u without a ring", wptr);
		return;
	}
	if (wptr % FRAME_WORDS || wptr >= psp->ring_bytes / 4) {
		card_refuse(c, "PSP: write pointer %u is no frame of a ring of %u words", wptr,
			    psp->ring_bytes / 4);
		return;
	}
	*mailbox(c, PSP_RING_WPTR) = wptr;
	while (psp->rptr != wptr && run_frame(c, psp->ring + 4ull * psp->rptr))
		psp->rptr = (psp->rptr + (uint32_t)FRAME_WORDS) % (psp->ring_bytes / 4);
}

uint32_t navi_psp_read(struct card *c, uint32_t index)
{
	struct navi_psp *psp = &c->navi->psp;

	switch (index) {
	case NAVI_C2PMSG(33):
		return NAVI_PSP_IFWI_DONE;
	case NAVI_C2PMSG(PSP_BOOT_COMMAND):
		return latency_left(&psp->boot_reads) ? 0 : PSP_READY;
	case NAVI_C2PMSG(PSP_SIGN_OF_LIFE):
		return psp->stage != NAVI_PSP_OS || latency_left(&psp->boot_reads) ? 0 : 1;
	case NAVI_C2PMSG(PSP_RING_CONTROL):
		return psp->stage != NAVI_PSP_OS || latency_left(&psp->ring_reads) ? 0 : PSP_READY;
	default:
		return c->navi->registers[index];
	}
}

void navi_psp_write(struct card *c, uint32_t index, uint32_t value)
{
	switch (index) {
	case NAVI_C2PMSG(33):
	case NAVI_C2PMSG(PSP_SIGN_OF_LIFE):
		card_refuse(c, "register 0x%x is read-only: write of 0x%x", 4 * index, value);
		break;
	case NAVI_C2PMSG(PSP_BOOT_COMMAND):
		boot_command(c, value);
		break;
	case NAVI_C2PMSG(PSP_RING_CONTROL):
		ring_control(c, value);
		break;
	case NAVI_C2PMSG(PSP_RING_WPTR):
		ring_run(c, value);
		break;
	default:
		c->navi->registers[index] = value;
	}
}

uint32_t navi_rlc_boot_status(struct card *c, uint32_t index)
{
	struct navi_psp *psp = &c->navi->psp;

	(void)index;
	return psp->autoloaded && !latency_left(&psp->autoload_reads) ? NAVI_RLC_BOOT_COMPLETE : 0;
}

void navi_psp_reset(struct card *c)
{
	c->navi->psp = (struct navi_psp){.boot_reads = latency_next(c)};
}
