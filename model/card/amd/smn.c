// SPDX-License-Identifier: MIT
/* Registers beyond BAR 5, by byte address through PCIE_INDEX2 and PCIE_DATA2. Those of the PCI
 * Express port and the bus interface keep what is written to them, without effect. Source: Linux,
 * nbio_v2_3.c, amdgpu_device.c. */
#include <inttypes.h>

#include "hw/amd/smu.h"
#include "model/card/amd/navi.h"

/* Registers that Linux' nbio_v2_3.c reads and writes; the values after reset are those that its
 * headers list (nbio_2_3_default.h), where they do. */
static const struct {
	uint32_t address, reset;
	const char *name;
} stored[NAVI_SMN_STORED] = {
	{0x11180044, 0x0000000f, "PCIE_CONFIG_CNTL"},
	{0x11180460, 0x0080ca00, "CPM_CONTROL"},
	{0x11180070, 0x0e000109, "PCIE_CNTL2"},
	{0x11140280, 0, "PCIE_LC_CNTL"},
};

static uint32_t address(const struct card *c)
{
	return c->navi->registers[NAVI_PCIE_INDEX2];
}

static uint32_t *find(struct card *c, const char *verb)
{
	for (uint32_t i = 0; i < NAVI_SMN_STORED; i++)
		if (stored[i].address == address(c))
			return &c->navi->smn[i];
	card_refuse(c, "PCIE_DATA2: %s at 0x%x, which is not modelled", verb, address(c));
	return NULL;
}

uint32_t navi_smn_read(struct card *c, uint32_t index)
{
	(void)index;
	if (address(c) == SMU_FIRMWARE_FLAGS)
		return navi_smu_flags(c);
	const uint32_t *at = find(c, "read");

	return at ? *at : ~0u;
}

void navi_smn_write(struct card *c, uint32_t index, uint32_t value)
{
	uint32_t *at = find(c, "write");

	(void)index;
	if (at)
		*at = value;
}

void navi_smn_reset(struct card *c)
{
	for (uint32_t i = 0; i < NAVI_SMN_STORED; i++)
		c->navi->smn[i] = stored[i].reset;
}
