// SPDX-License-Identifier: MIT
/*
 * The chip table (hw/chips.h): keys are unique, and all layers that expand it agree with each
 * other.
 */
#include "hw/chips.h"
#include "libsov/gpu/nv/nv_gpu.h"
#include "libsov/winsys/nv_chip.h"
#include "model/core/model.h"
#include "tests/tap.h"

#define ROW(chip, CHIP, number_, sm_, sms_, generation_, pci_first_, pci_last_) \
	{#chip, number_, sm_, sms_, pci_first_, pci_last_},
static const struct {
	const char *name;
	uint32_t number, sm, sms, pci_first, pci_last;
} rows[] = {SOV_NV_CHIPS(ROW)};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

static bool keys_are_unique(void)
{
	for (size_t i = 0; i < ROWS; i++)
		for (size_t k = 0; k < i; k++)
			if (rows[i].number == rows[k].number ||
			    !strcmp(rows[i].name, rows[k].name) ||
			    (rows[i].pci_first <= rows[k].pci_last &&
			     rows[k].pci_first <= rows[i].pci_last)) {
				diag("%s and %s", rows[i].name, rows[k].name);
				return false;
			}
	return true;
}

static bool winsys_finds_every_chip(void)
{
	for (size_t i = 0; i < ROWS; i++) {
		const struct winsys_nv_chip *c = winsys_nv_chip_find(rows[i].number);
		struct winsys_info info;

		if (!c)
			return false;
		winsys_nv_chip_describe(c, &info);
		if (strcmp(info.chip, rows[i].name) || info.nv.sm != rows[i].sm ||
		    info.multiprocessors != rows[i].sms || !info.nv.host_class ||
		    !info.nv.compute_class || !info.nv.copy_class || !info.shared_per_block) {
			diag("%s", rows[i].name);
			return false;
		}
	}
	return true;
}

/* The winsys' facts, and the residency that the launch descriptor assumes, against the model's. */
static bool layers_agree(const struct model_chip *m)
{
	struct nv_chip chip = {.sm = m->sm,
			       .warps_per_sm = m->warps_per_sm,
			       .registers_per_sm = m->registers_per_sm};
	struct winsys_info info;
	size_t i = 0;

	while (strcmp(rows[i].name, m->name))
		i++;
	winsys_nv_chip_describe(winsys_nv_chip_find(rows[i].number), &info);
	return info.warps_per_multiprocessor == m->warps_per_sm &&
	       info.registers_per_multiprocessor == m->registers_per_sm &&
	       info.shared_per_multiprocessor == m->shared_per_sm &&
	       info.shared_per_block == m->shared_per_block &&
	       info.nv.sms_per_tpc == m->sms_per_tpc &&
	       info.max_threads_per_block == m->max_threads_per_block &&
	       info.nv.host_class == m->host_class && info.nv.compute_class == m->compute_class &&
	       info.nv.copy_class == m->copy_class && m->sm_count <= rows[i].sms &&
	       nv_grid_blocks_per_sm(&chip, 32, 16) == m->blocks_per_sm;
}

int main(void)
{
	const struct model_chip *m;

	ok(keys_are_unique(), "no two chips share a number, a name or a PCI device id");
	ok(winsys_finds_every_chip(), "the winsys finds every NVIDIA chip by its number");
	for (uint32_t i = 0; (m = model_chip_at(i)); i++)
		if (m->sm)
			ok(layers_agree(m),
			   "%s: model, winsys and launch descriptor have the same facts", m->name);
	return tap_done();
}
