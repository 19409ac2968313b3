// SPDX-License-Identifier: MIT
/* The modelled FSP: a small memory with a cursor, two pairs of queue pointers, and one message,
 * which boots the GSP. It rejects other messages with an error reply. */
#include <stdlib.h>
#include <string.h>

#include "hw/nv/gsp_570.h"
#include "hw/nv/registers.h"
#include "model/card/card_internal.h"

static_assert(FSP_EMEM_BYTES >= sizeof(struct nv_fsp_cot),
	      "FSP_EMEM_BYTES is too small for a message");

uint32_t fsp_read_data(struct card *c)
{
	uint32_t at = NV_PFSP_EMEMC_OFFSET(c->fsp.control), value;

	if (!(c->fsp.control & NV_PFSP_EMEMC_READ_INC) || at >= FSP_EMEM_BYTES) {
		card_refuse(c, "FSP: EMEM read at 0x%x with control 0x%08x", at, c->fsp.control);
		return ~0u;
	}
	memcpy(&value, c->fsp.emem + at, sizeof(value));
	c->fsp.control += 4;
	return value;
}

void fsp_write_data(struct card *c, uint32_t value)
{
	uint32_t at = NV_PFSP_EMEMC_OFFSET(c->fsp.control);

	if (!(c->fsp.control & NV_PFSP_EMEMC_WRITE_INC) || at >= FSP_EMEM_BYTES) {
		card_refuse(c, "FSP: EMEM write at 0x%x with control 0x%08x", at, c->fsp.control);
		return;
	}
	memcpy(c->fsp.emem + at, &value, sizeof(value));
	c->fsp.control += 4;
}

static uint32_t fsp_execute(struct card *c, uint32_t bytes)
{
	struct nv_fsp_cot cot;

	memcpy(&cot, c->fsp.emem, sizeof(cot));
	if (bytes != sizeof(cot)) {
		card_refuse(c, "FSP: message of %u bytes, expected %zu", bytes, sizeof(cot));
		return 1;
	}
	if (cot.mctp != NV_MCTP_SINGLE || cot.nvdm != NV_NVDM_HEADER(NV_NVDM_COT)) {
		card_refuse(c, "FSP: message with headers 0x%08x 0x%08x", cot.mctp, cot.nvdm);
		return 1;
	}
	if (cot.version != NV_COT_VERSION || cot.bytes != sizeof(cot) - 8) {
		card_refuse(c, "FSP: chain of trust version %u of %u bytes", cot.version,
			    cot.bytes);
		return 1;
	}
	if (c->fault.kind == FAULT_VANISH) {
		card_log(c, "the card falls off the bus");
		exit(0);
	}
	return c->fault.kind == FAULT_REFUSE ? 1 : gsp_boot(c, &cot);
}

/* The driver writes the head last: the message lies in the memory from offset 0. */
void fsp_write_head(struct card *c, uint32_t head)
{
	uint32_t tail = c->fsp.queue[1], bytes = tail - head + 4;

	if (head || tail % 4 || bytes > FSP_EMEM_BYTES) {
		card_refuse(c, "FSP: queue from 0x%x to 0x%x", head, tail);
		return;
	}
	if (c->fsp.works || !c->fsp.ready) {
		card_refuse(c, "FSP: a message, but %s",
			    c->fsp.ready ? "the one before has no reply yet" : "it has not booted");
		return;
	}
	c->fsp.works = true;
	c->fsp.reads = latency_next(c);
	c->fsp.reply = (struct nv_fsp_reply){
		.mctp = NV_MCTP_SINGLE,
		.nvdm = NV_NVDM_HEADER(NV_NVDM_REPLY),
		.command = NV_NVDM_COT,
		.error = fsp_execute(c, bytes),
	};
}

void fsp_poll(struct card *c)
{
	struct fsp *f = &c->fsp;

	if (!f->works || latency_left(&f->reads))
		return;
	f->works = false;
	memcpy(f->emem, &f->reply, sizeof(f->reply));
	f->queue[0] = f->queue[1] = 0;
	f->answer[0] = 0;
	f->answer[1] = sizeof(f->reply) - 4;
}

uint32_t fsp_read_boot_status(struct card *c)
{
	if (!c->fsp.ready)
		c->fsp.ready = !latency_left(&c->fsp.boot_reads);
	return c->fsp.ready ? NV_THERM_FSP_BOOT_COMPLETE : 0;
}
