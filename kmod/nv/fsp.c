// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The FSP, the security processor that boots first and decides which firmware may run. It accepts
 * one message at a time in its external memory (EMEM) and replies there.
 */
#include <drm/drm_print.h>
#include <linux/iopoll.h>

#include "hw/nv/gsp_570.h"
#include "kmod/nv/fsp.h"
#include "kmod/nv/regs.h"

#define REPLY_LIMIT_US (1 * USEC_PER_SEC)
#define BOOT_LIMIT_US  (4 * USEC_PER_SEC)

static void nv_fsp_write_emem(struct nv_device *nv, const void *data, u32 bytes)
{
	const u8 *from = data;
	u32 word, i;

	nv_wr32(nv, NV_PFSP_EMEMC, NV_PFSP_EMEMC_WRITE_INC);
	for (i = 0; i < bytes; i += sizeof(word)) {
		memcpy(&word, from + i, sizeof(word));
		nv_wr32(nv, NV_PFSP_EMEMD, word);
	}
}

static void nv_fsp_read_emem(struct nv_device *nv, void *data, u32 bytes)
{
	u8 *to = data;
	u32 word, i;

	nv_wr32(nv, NV_PFSP_EMEMC, NV_PFSP_EMEMC_READ_INC);
	for (i = 0; i < bytes; i += sizeof(word)) {
		word = nv_rd32(nv, NV_PFSP_EMEMD);
		memcpy(to + i, &word, sizeof(word));
	}
}

/* Returns the size of the message in a queue, whose tail is the offset of its last word. */
static u32 nv_fsp_queued_bytes(struct nv_device *nv, u32 head_register, u32 tail_register)
{
	u32 head = nv_rd32(nv, head_register);
	u32 tail = nv_rd32(nv, tail_register);

	return head == tail ? 0 : tail - head + sizeof(u32);
}

/* Ends the poll loop when a reply has arrived or can no longer arrive. */
static bool nv_fsp_poll_reply(struct nv_device *nv, u32 *bytes)
{
	*bytes = nv_fsp_queued_bytes(nv, NV_PFSP_MSGQ_HEAD, NV_PFSP_MSGQ_TAIL);
	return *bytes || nv_regs_lost(nv);
}

static int nv_fsp_receive(struct nv_device *nv, struct nv_fsp_reply *reply)
{
	struct drm_device *drm = &nv->base.drm;
	bool done;
	u32 bytes;
	int ret;

	ret = read_poll_timeout(nv_fsp_poll_reply, done, done, 100, REPLY_LIMIT_US, false, nv,
				&bytes);
	if (nv_regs_lost(nv))
		return -EIO;
	if (ret) {
		drm_err(drm, "FSP reply timed out\n");
		return ret;
	}
	if (bytes != sizeof(*reply)) {
		drm_err(drm, "FSP: reply of %u bytes, expected %zu\n", bytes, sizeof(*reply));
		return -EIO;
	}
	nv_fsp_read_emem(nv, reply, sizeof(*reply));
	if (nv_regs_lost(nv))
		return -EIO;
	nv_wr32(nv, NV_PFSP_MSGQ_TAIL, 0);
	nv_wr32(nv, NV_PFSP_MSGQ_HEAD, 0);
	return 0;
}

/**
 * nv_fsp_send_cot() - ask the FSP to boot the GSP
 * @nv: The device.
 * @cot: Chain-of-trust message, which names the firmware and its signatures.
 *
 * Return: 0 if the FSP accepts the firmware, or a negative errno after a log message.
 */
int nv_fsp_send_cot(struct nv_device *nv, const struct nv_fsp_cot *cot)
{
	struct drm_device *drm = &nv->base.drm;
	struct nv_fsp_reply reply;
	u32 bytes;
	int ret;

	BUILD_BUG_ON(sizeof(*cot) % sizeof(u32));
	ret = read_poll_timeout(nv_fsp_queued_bytes, bytes, !bytes, 100, REPLY_LIMIT_US, false, nv,
				NV_PFSP_QUEUE_HEAD, NV_PFSP_QUEUE_TAIL);
	if (nv_regs_lost(nv))
		return -EIO;
	if (ret) {
		drm_err(drm, "FSP: a message of %u bytes is still queued\n", bytes);
		return ret;
	}
	nv_fsp_write_emem(nv, cot, sizeof(*cot));
	nv_wr32(nv, NV_PFSP_QUEUE_TAIL, sizeof(*cot) - sizeof(u32));
	nv_wr32(nv, NV_PFSP_QUEUE_HEAD, 0);

	ret = nv_fsp_receive(nv, &reply);
	if (ret)
		return ret;
	if (reply.mctp != NV_MCTP_SINGLE || reply.nvdm != NV_NVDM_HEADER(NV_NVDM_REPLY) ||
	    reply.command != NV_NVDM_COT) {
		drm_err(drm, "FSP: malformed reply: 0x%08x 0x%08x, command 0x%02x\n", reply.mctp,
			reply.nvdm, reply.command);
		return -EIO;
	}
	if (reply.error) {
		drm_err(drm, "FSP rejected the firmware, error 0x%08x\n", reply.error);
		return -EIO;
	}
	return 0;
}

/**
 * nv_fsp_wait_boot() - wait until the FSP has booted, which it does on its own after power-on
 * @nv: The device.
 *
 * Return: 0, or -ETIMEDOUT or -EIO after a log message.
 */
int nv_fsp_wait_boot(struct nv_device *nv)
{
	u32 status;
	int ret;

	ret = read_poll_timeout(nv_rd32, status,
				status == NV_THERM_FSP_BOOT_COMPLETE || nv_regs_lost(nv), 1000,
				BOOT_LIMIT_US, false, nv, NV_THERM_I2CS_SCRATCH);
	if (nv_regs_lost(nv))
		return -EIO;
	if (ret)
		drm_err(&nv->base.drm, "FSP boot timed out, status 0x%08x\n", status);
	return ret;
}
