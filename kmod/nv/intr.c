// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Interrupts. Each source has a vector, which is a bit in one of the leaf registers of the PCI
 * function's own register block. The driver handles two kinds of sources: the GSP signals a message
 * in its status queue, and engines signal that a command stream has executed a non-stall interrupt
 * method. The device sends one MSI and then stays silent until the driver rearms it, so the hard
 * handler only checks that the interrupt is real and masks it.
 *
 * Spurious interrupts must not monopolise a CPU. No other device shares the MSI, so the kernel
 * would disable it for good after 100,000 unhandled interrupts; the driver masks it for a short
 * time long before that, and checks all sources at the end of the pause.
 */
#include <drm/drm_print.h>
#include <linux/interrupt.h>
#include <linux/jiffies.h>
#include <linux/slab.h>

#include "kmod/nv/chip.h"
#include "kmod/nv/intr.h"
#include "kmod/nv/regs.h"
#include "kmod/nv/rm.h"
#include "kmod/queue.h"

/* A healthy device sends no spurious interrupts; STORM_COUNT of them in STORM_WINDOW is a storm. */
#define STORM_COUNT  100
#define STORM_WINDOW (HZ / 10)
#define STORM_PAUSE  (HZ / 10)

static_assert(NV_INTR_MAX_LEAF_WORDS >= NV_MAX_LEAVES);

static bool nv_intr_pending(const struct nv_intr *intr, const u32 *leaves, u32 vector)
{
	return vector / 32 < intr->leaves && leaves[vector / 32] & BIT(vector % 32);
}

static irqreturn_t nv_intr_spurious(struct nv_device *nv, int irq)
{
	struct nv_intr *intr = &nv->intr;

	if (time_after(jiffies, intr->spurious_since + STORM_WINDOW)) {
		intr->spurious_since = jiffies;
		intr->spurious = 0;
	}
	if (++intr->spurious < STORM_COUNT)
		return IRQ_HANDLED;
	intr->spurious = 0;
	disable_irq_nosync(irq);
	queue_delayed_work(nv->base.wq, &intr->unmask_work, STORM_PAUSE);
	dev_warn_ratelimited(nv->base.drm.dev, "spurious interrupt storm: irq masked for %u ms\n",
			     jiffies_to_msecs(STORM_PAUSE));
	return IRQ_HANDLED;
}

/* Ends the pause after a storm. A real interrupt may have been lost in it, so check all sources. */
static void nv_intr_unmask_work(struct work_struct *work)
{
	struct nv_device *nv =
		container_of(to_delayed_work(work), struct nv_device, intr.unmask_work);

	enable_irq(pci_irq_vector(sov_pci(&nv->base), 0));
	queue_work(nv->base.wq, &nv->gsp.event_work);
	sov_queues_retire(&nv->base);
}

static irqreturn_t nv_intr_hard(int irq, void *data)
{
	struct nv_device *nv = data;
	u32 top = nv_rd32(nv, NV_VF_INTR_TOP);

	if (top == ~0u || !(top & nv->intr.subtrees)) /* all ones: off the bus */
		return nv_intr_spurious(nv, irq);
	nv_wr32(nv, NV_VF_INTR_TOP_DISABLE, nv->intr.subtrees);
	return IRQ_WAKE_THREAD;
}

/*
 * A bit that stays set raises the interrupt again after the retrigger, so every bit is cleared. The
 * RPC that may be waiting for the GSP notices by itself that it has halted.
 */
static void nv_intr_handle_gsp(struct nv_device *nv)
{
	u32 pending = nv_rd32(nv, NV_PGSP_IRQSTAT) & nv_rd32(nv, NV_PGSP_RISCV_IRQMASK);

	if (nv_regs_lost(nv))
		return;
	nv_wr32(nv, NV_PGSP_IRQSCLR, pending);
	if (pending & NV_PGSP_IRQ_HALT) {
		drm_err(&nv->base.drm, "GSP: its core has halted\n");
		WRITE_ONCE(nv->gsp.halted, true);
	} else if (pending & ~NV_PGSP_IRQ_SWGEN0) {
		dev_warn_ratelimited(nv->base.drm.dev, "GSP: unexpected interrupt 0x%08x\n",
				     pending);
	}
	if (pending)
		queue_work(nv->base.wq, &nv->gsp.event_work);
	nv_wr32(nv, NV_PGSP_IRQ_RETRIGGER, 1);
}

static irqreturn_t nv_intr_thread(int irq, void *data)
{
	struct nv_device *nv = data;
	struct nv_intr *intr = &nv->intr;
	u32 leaves[NV_INTR_MAX_LEAF_WORDS] = {}, i;

	for (i = 0; i < intr->leaves; i++) {
		if (!intr->enabled[i])
			continue;
		leaves[i] = nv_rd32(nv, NV_VF_INTR_LEAF(i)) & intr->enabled[i];
		/* Acknowledge before handling, so that a later occurrence raises it again. */
		if (leaves[i])
			nv_wr32(nv, NV_VF_INTR_LEAF(i), leaves[i]);
	}
	if (nv_intr_pending(intr, leaves, intr->gsp))
		nv_intr_handle_gsp(nv);
	for (i = 0; i < intr->engine_count; i++) {
		if (nv_intr_pending(intr, leaves, intr->engines[i])) {
			sov_queues_retire(&nv->base);
			break;
		}
	}
	nv_wr32(nv, NV_VF_INTR_TOP_ENABLE, intr->subtrees);
	return IRQ_HANDLED;
}

static int nv_intr_add_vector(struct nv_device *nv, u32 vector)
{
	struct nv_intr *intr = &nv->intr;

	if (vector / 32 >= intr->leaves) {
		drm_err(&nv->base.drm, "GSP: interrupt vector %u out of range, limit %u\n", vector,
			intr->leaves * 32);
		return -EIO;
	}
	intr->enabled[vector / 32] |= BIT(vector % 32);
	intr->subtrees |= BIT(vector / 64);
	return 0;
}

static int nv_intr_add_row(struct nv_device *nv, const struct rm_interrupt *row)
{
	struct nv_intr *intr = &nv->intr;
	bool copy = row->unit >= RM_UNIT_COPY0 && row->unit < RM_UNIT_COPY0 + NV_MAX_COPY_ENGINES;

	if (row->unit == RM_UNIT_GSP) {
		intr->gsp = row->stall;
		return nv_intr_add_vector(nv, row->stall);
	}
	if ((copy || row->unit == RM_UNIT_GRAPHICS) && row->non_stall != RM_VECTOR_NONE &&
	    intr->engine_count < ARRAY_SIZE(intr->engines)) {
		intr->engines[intr->engine_count++] = row->non_stall;
		return nv_intr_add_vector(nv, row->non_stall);
	}
	return 0;
}

static int nv_intr_parse_table(struct nv_device *nv, const struct rm_interrupts *table)
{
	struct nv_intr *intr = &nv->intr;
	int ret;
	u32 i;

	if (table->count > RM_INTERRUPTS) {
		drm_err(&nv->base.drm, "GSP: invalid number of interrupts: %u\n", table->count);
		return -EIO;
	}
	for (i = 0; i < table->count; i++) {
		ret = nv_intr_add_row(nv, &table->list[i]);
		if (ret)
			return ret;
	}
	if (!intr->gsp || !intr->engine_count) {
		drm_err(&nv->base.drm, "GSP: no interrupt vectors for the GSP or for engines\n");
		return -EIO;
	}
	return 0;
}

static int nv_intr_query_vectors(struct nv_device *nv)
{
	struct rm_interrupts *table = kzalloc(sizeof(*table), GFP_KERNEL);
	int ret;

	if (!table)
		return -ENOMEM;
	nv->intr = (struct nv_intr){ .leaves = nv->chip->interrupt_leaves };
	nv->intr.spurious_since = jiffies;
	INIT_DELAYED_WORK(&nv->intr.unmask_work, nv_intr_unmask_work);
	ret = nv_rm_query(nv, RM_CONTROL_INTERRUPTS, table, sizeof(*table));
	if (!ret)
		ret = nv_intr_parse_table(nv, table);
	kfree(table);
	return ret;
}

/**
 * nv_intr_start() - query the interrupt vectors and enable interrupts
 * @nv: The device, with a running GSP.
 *
 * Return: 0 or a negative errno after a log message.
 */
int nv_intr_start(struct nv_device *nv)
{
	struct pci_dev *pdev = sov_pci(&nv->base);
	struct nv_intr *intr = &nv->intr;
	int ret;
	u32 i;

	ret = nv_intr_query_vectors(nv);
	if (ret)
		return ret;
	ret = pci_alloc_irq_vectors(pdev, 1, 1, PCI_IRQ_MSI);
	if (ret < 0) {
		drm_err(&nv->base.drm, "failed to allocate MSI: %pe\n", ERR_PTR(ret));
		return ret;
	}
	ret = request_threaded_irq(pci_irq_vector(pdev, 0), nv_intr_hard, nv_intr_thread, 0,
				   "sovgpu", nv);
	if (ret)
		goto err_free_vectors;
	intr->requested = true;
	for (i = 0; i < intr->leaves; i++)
		if (intr->enabled[i])
			nv_wr32(nv, NV_VF_INTR_LEAF_ENABLE(i), intr->enabled[i]);
	nv_wr32(nv, NV_VF_INTR_TOP_ENABLE, intr->subtrees);
	queue_work(nv->base.wq, &nv->gsp.event_work); /* events that arrived earlier */
	return 0;

err_free_vectors:
	pci_free_irq_vectors(pdev);
	return ret;
}

/**
 * nv_intr_stop() - disable interrupts and flush their work
 * @nv: The device; nv_intr_start() may have failed or never run.
 */
void nv_intr_stop(struct nv_device *nv)
{
	struct pci_dev *pdev = sov_pci(&nv->base);
	struct nv_intr *intr = &nv->intr;
	u32 i;

	if (intr->requested) {
		for (i = 0; i < intr->leaves; i++)
			if (intr->enabled[i])
				nv_wr32(nv, NV_VF_INTR_LEAF_DISABLE(i), intr->enabled[i]);
		disable_irq(pci_irq_vector(pdev, 0)); /* no new storm can queue unmask_work */
		cancel_delayed_work_sync(&intr->unmask_work);
		free_irq(pci_irq_vector(pdev, 0), nv);
		nv_wr32(nv, NV_VF_INTR_TOP_DISABLE, intr->subtrees); /* the thread rearmed it */
		pci_free_irq_vectors(pdev);
		intr->requested = false;
	}
	cancel_work_sync(&nv->gsp.event_work);
}
