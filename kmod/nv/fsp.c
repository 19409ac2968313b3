// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The FSP, the processor that is awake first and decides what may boot. It takes one message at a
 * time through a small memory of its own and answers the same way.
 */
#include <drm/drm_print.h>
#include <linux/iopoll.h>

#include "kmod/nv/nv.h"

#define FSP_LIMIT_US   (1 * USEC_PER_SEC)
#define AWAKE_LIMIT_US (4 * USEC_PER_SEC)

static void emem_write(struct nv_device *nv, const void *data, u32 bytes)
{
	const u8 *from = data;
	u32 word, i;

	nv_wr32(nv, NV_PFSP_EMEMC, NV_PFSP_EMEMC_WRITE_INC);
	for (i = 0; i < bytes; i += sizeof(word)) {
		memcpy(&word, from + i, sizeof(word));
		nv_wr32(nv, NV_PFSP_EMEMD, word);
	}
}

static void emem_read(struct nv_device *nv, void *data, u32 bytes)
{
	u8 *to = data;
	u32 word, i;

	nv_wr32(nv, NV_PFSP_EMEMC, NV_PFSP_EMEMC_READ_INC);
	for (i = 0; i < bytes; i += sizeof(word)) {
		word = nv_rd32(nv, NV_PFSP_EMEMD);
		memcpy(to + i, &word, sizeof(word));
	}
}

/* Bytes that wait in a queue whose tail is the offset of its last word; 0: it is empty. */
static u32 waiting(struct nv_device *nv, u32 head_register, u32 tail_register)
{
	u32 head = nv_rd32(nv, head_register);
	u32 tail = nv_rd32(nv, tail_register);

	return head == tail ? 0 : tail - head + sizeof(u32);
}

/* An answer is there, or will never be. */
static bool answered(struct nv_device *nv, u32 *bytes)
{
	*bytes = waiting(nv, NV_PFSP_MSGQ_HEAD, NV_PFSP_MSGQ_TAIL);
	return *bytes || nv_lost(nv);
}

static int receive(struct nv_device *nv, struct nv_fsp_reply *reply)
{
	struct drm_device *drm = &nv->base.drm;
	bool there;
	u32 bytes;
	int ret;

	ret = read_poll_timeout(answered, there, there, 100, FSP_LIMIT_US, false, nv, &bytes);
	if (nv_lost(nv))
		return -EIO;
	if (ret) {
		drm_err(drm, "FSP: no answer\n");
		return ret;
	}
	if (bytes != sizeof(*reply)) {
		drm_err(drm, "FSP: answer of %u bytes, not %zu\n", bytes, sizeof(*reply));
		return -EIO;
	}
	emem_read(nv, reply, sizeof(*reply));
	if (nv_lost(nv))
		return -EIO;
	nv_wr32(nv, NV_PFSP_MSGQ_TAIL, 0);
	nv_wr32(nv, NV_PFSP_MSGQ_HEAD, 0);
	return 0;
}

/**
 * nv_fsp_send() - have the FSP boot the GSP
 * @nv: the device
 * @cot: what to boot, with its signatures
 *
 * Return: 0 when the FSP accepts, or a negative errno after a message.
 */
int nv_fsp_send(struct nv_device *nv, const struct nv_fsp_cot *cot)
{
	struct drm_device *drm = &nv->base.drm;
	struct nv_fsp_reply reply;
	u32 bytes;
	int ret;

	BUILD_BUG_ON(sizeof(*cot) % sizeof(u32));
	ret = read_poll_timeout(waiting, bytes, !bytes, 100, FSP_LIMIT_US, false, nv,
				NV_PFSP_QUEUE_HEAD, NV_PFSP_QUEUE_TAIL);
	if (nv_lost(nv))
		return -EIO;
	if (ret) {
		drm_err(drm, "FSP: a message of %u bytes is still there\n", bytes);
		return ret;
	}
	emem_write(nv, cot, sizeof(*cot));
	nv_wr32(nv, NV_PFSP_QUEUE_TAIL, sizeof(*cot) - sizeof(u32));
	nv_wr32(nv, NV_PFSP_QUEUE_HEAD, 0);

	ret = receive(nv, &reply);
	if (ret)
		return ret;
	if (reply.mctp != NV_MCTP_SINGLE || reply.nvdm != NV_NVDM_HEADER(NV_NVDM_REPLY) ||
	    reply.command != NV_NVDM_COT) {
		drm_err(drm, "FSP: answer is none: 0x%08x 0x%08x to 0x%02x\n", reply.mctp,
			reply.nvdm, reply.command);
		return -EIO;
	}
	if (reply.error) {
		drm_err(drm, "FSP: it refuses to boot the firmware, error 0x%08x\n", reply.error);
		return -EIO;
	}
	return 0;
}

/**
 * nv_fsp_wait_boot() - wait until the FSP has come up, which it does by itself from power-on
 * @nv: the device
 *
 * Return: 0, or ETIMEDOUT or EIO after a message.
 */
int nv_fsp_wait_boot(struct nv_device *nv)
{
	u32 status;
	int ret;

	ret = read_poll_timeout(nv_rd32, status,
				status == NV_THERM_FSP_BOOT_COMPLETE || nv_lost(nv), 1000,
				AWAKE_LIMIT_US, false, nv, NV_THERM_I2CS_SCRATCH);
	if (nv_lost(nv))
		return -EIO;
	if (ret)
		drm_err(&nv->base.drm, "the chip's own firmware did not come up: status 0x%08x\n",
			status);
	return ret;
}
