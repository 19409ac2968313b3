// SPDX-License-Identifier: MIT
/* The SMU, which manages clocks and power: a message, its argument and the response are a mailbox
 * each. Modelled is the handshake in which a driver learns versions; every other message is refused
 * and gets the response for an unknown one. The version is that of Debian's firmware; that of the
 * driver's interface is the one that Linux expects, which no source connects with this firmware.
 * Source: Linux, pm/swsmu: smu_cmn.c, smu11/smu_v11_0.c, smu11/sienna_cichlid_ppt.c,
 * inc/smu_v11_0.h, inc/pmfw_if/smu_v11_0_7_ppsmc.h. */
#include "hw/amd/psp.h"
#include "hw/amd/smu.h"
#include "model/card/amd/navi.h"

static bool smu_runs(const struct card *c)
{
	return navi_blob_loaded(c->navi->psp.loaded, PSP_FW_SMU);
}

/* The functions return what the argument's mailbox then holds. */

static uint32_t test(struct card *c, uint32_t argument)
{
	(void)c;
	return argument + 1;
}

static uint32_t get_version(struct card *c, uint32_t argument)
{
	(void)argument;
	return navi_blobs_smu_version(&c->navi->blobs);
}

static uint32_t get_driver_interface(struct card *c, uint32_t argument)
{
	(void)c;
	(void)argument;
	return SMU_DRIVER_INTERFACE;
}

static const struct {
	uint32_t id;
	uint32_t (*run)(struct card *c, uint32_t argument);
} messages[] = {
	{SMU_TEST, test},
	{SMU_GET_VERSION, get_version},
	{SMU_GET_DRIVER_INTERFACE, get_driver_interface},
};

static void send(struct card *c, uint32_t message)
{
	uint32_t *r = c->navi->registers;

	if (!smu_runs(c)) {
		card_refuse(c, "SMU: message 0x%x before its firmware is loaded", message);
		return;
	}
	if (r[SMU_RESPONSE]) {
		card_refuse(c, "SMU: message 0x%x without clearing the response 0x%x before it",
			    message, r[SMU_RESPONSE]);
		return;
	}
	c->navi->smu_reads = latency_next(c);
	r[SMU_RESPONSE] = SMU_UNKNOWN_MESSAGE;
	for (size_t i = 0; i < sizeof(messages) / sizeof(*messages); i++) {
		if (messages[i].id != message)
			continue;
		r[SMU_RESPONSE] = SMU_OK;
		r[SMU_ARGUMENT] = messages[i].run(c, r[SMU_ARGUMENT]);
		return;
	}
	card_refuse(c, "SMU: message 0x%x is not modelled", message);
}

uint32_t navi_smu_read(struct card *c, uint32_t index)
{
	if (index == SMU_RESPONSE && (!smu_runs(c) || latency_left(&c->navi->smu_reads)))
		return 0;
	return c->navi->registers[index];
}

void navi_smu_write(struct card *c, uint32_t index, uint32_t value)
{
	if (index == SMU_MESSAGE)
		send(c, value);
	else
		c->navi->registers[index] = value;
}

uint32_t navi_smu_flags(const struct card *c)
{
	return smu_runs(c) ? SMU_FLAGS_INTERRUPTS_ON : 0;
}

void navi_smu_reset(struct card *c)
{
	c->navi->registers[SMU_RESPONSE] = SMU_OK;
	c->navi->smu_reads = 0;
}
