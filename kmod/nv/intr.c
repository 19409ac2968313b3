// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Interrupts. Each source has a vector, which is a bit in one of the leaves of the function's own
 * block. There are two sources for us: the GSP has put something into its queue, and an engine was
 * told by a command stream to say that it has come so far. The device sends one message and is
 * then quiet until it is rearmed, so the hard handler has nothing to do but to see that it is ours.
 *
 * A device that interrupts without a reason must not take a processor with it. Nobody shares the
 * message, so the kernel would switch it off for good after 100,000 of these; before that we do it
 * ourselves, for a moment at a time. What is to be told meanwhile is found at its end.
 */
#include <drm/drm_print.h>
#include <linux/interrupt.h>
#include <linux/jiffies.h>
#include <linux/slab.h>

#include "kmod/nv/nv.h"
#include "kmod/queue.h"

/* A healthy device sends none: so many without a reason in so long, and it is not heard so long. */
#define STORM_COUNT  100
#define STORM_WINDOW (HZ / 10)
#define STORM_PAUSE  (HZ / 10)

static bool pending(const struct nv_intr *intr, const u32 *leaves, u32 vector)
{
	return vector / 32 < intr->leaves && leaves[vector / 32] & BIT(vector % 32);
}

static irqreturn_t without_reason(struct nv_device *nv, int irq)
{
	struct nv_intr *intr = &nv->intr;

	if (time_after(jiffies, intr->window + STORM_WINDOW)) {
		intr->window = jiffies;
		intr->vain = 0;
	}
	if (++intr->vain < STORM_COUNT)
		return IRQ_HANDLED;
	intr->vain = 0;
	disable_irq_nosync(irq);
	queue_delayed_work(nv->base.wq, &intr->resume, STORM_PAUSE);
	dev_warn_ratelimited(nv->base.drm.dev,
			     "interrupts without a reason: they are not heard for %u ms\n",
			     jiffies_to_msecs(STORM_PAUSE));
	return IRQ_HANDLED;
}

/* The end of a pause: an interrupt with a reason may have been lost in it. */
static void resume(struct work_struct *work)
{
	struct nv_device *nv = container_of(to_delayed_work(work), struct nv_device, intr.resume);

	enable_irq(pci_irq_vector(sov_pci(&nv->base), 0));
	queue_work(nv->base.wq, &nv->gsp.events);
	sov_queues_retire(&nv->base);
}

static irqreturn_t hard(int irq, void *data)
{
	struct nv_device *nv = data;
	u32 top = nv_rd32(nv, NV_VF_INTR_TOP);

	if (top == ~0u || !(top & nv->intr.subtrees)) /* all ones: the device is gone */
		return without_reason(nv, irq);
	nv_wr32(nv, NV_VF_INTR_TOP_DISABLE, nv->intr.subtrees);
	return IRQ_WAKE_THREAD;
}

static void on_gsp(struct nv_device *nv)
{
	if (nv_rd32(nv, NV_PGSP_IRQSTAT) & NV_PGSP_IRQ_SWGEN0) {
		nv_wr32(nv, NV_PGSP_IRQSCLR, NV_PGSP_IRQ_SWGEN0);
		queue_work(nv->base.wq, &nv->gsp.events);
	}
	nv_wr32(nv, NV_PGSP_IRQ_RETRIGGER, 1);
}

static irqreturn_t thread(int irq, void *data)
{
	struct nv_device *nv = data;
	struct nv_intr *intr = &nv->intr;
	u32 leaves[NV_MAX_LEAVES] = {}, i;

	for (i = 0; i < intr->leaves; i++) {
		if (!intr->enabled[i])
			continue;
		leaves[i] = nv_rd32(nv, NV_VF_INTR_LEAF(i)) & intr->enabled[i];
		/* Acknowledged before it is looked into: what comes later comes again. */
		if (leaves[i])
			nv_wr32(nv, NV_VF_INTR_LEAF(i), leaves[i]);
	}
	if (pending(intr, leaves, intr->gsp))
		on_gsp(nv);
	for (i = 0; i < intr->engine_count; i++) {
		if (pending(intr, leaves, intr->engines[i])) {
			sov_queues_retire(&nv->base);
			break;
		}
	}
	nv_wr32(nv, NV_VF_INTR_TOP_ENABLE, intr->subtrees);
	return IRQ_HANDLED;
}

static int enable(struct nv_device *nv, u32 vector)
{
	struct nv_intr *intr = &nv->intr;

	if (vector / 32 >= intr->leaves) {
		drm_err(&nv->base.drm, "GSP: vector %u, there are %u\n", vector, intr->leaves * 32);
		return -EIO;
	}
	intr->enabled[vector / 32] |= BIT(vector % 32);
	intr->subtrees |= BIT(vector / 64);
	return 0;
}

static int take_table(struct nv_device *nv, const struct rm_interrupts *table)
{
	struct nv_intr *intr = &nv->intr;
	int ret = 0;
	u32 i;

	if (table->count > RM_INTERRUPTS) {
		drm_err(&nv->base.drm, "GSP: %u interrupts\n", table->count);
		return -EIO;
	}
	for (i = 0; i < table->count && !ret; i++) {
		const struct rm_interrupt *row = &table->list[i];
		bool copy = row->unit >= RM_UNIT_COPY0 &&
			    row->unit < RM_UNIT_COPY0 + NV_MAX_COPY_ENGINES;

		if (row->unit == RM_UNIT_GSP) {
			intr->gsp = row->stall;
			ret = enable(nv, row->stall);
		} else if ((copy || row->unit == RM_UNIT_GRAPHICS) &&
			   row->non_stall != RM_VECTOR_NONE &&
			   intr->engine_count < ARRAY_SIZE(intr->engines)) {
			intr->engines[intr->engine_count++] = row->non_stall;
			ret = enable(nv, row->non_stall);
		}
	}
	if (!ret && (!intr->gsp || !intr->engine_count)) {
		drm_err(&nv->base.drm, "GSP: no interrupts of its own or of engines\n");
		ret = -EIO;
	}
	return ret;
}

/**
 * nv_intr_start() - learn the vectors and let interrupts come
 * @nv: the device, with its GSP up
 *
 * Return: 0 or a negative errno after a message.
 */
int nv_intr_start(struct nv_device *nv)
{
	struct pci_dev *pdev = sov_pci(&nv->base);
	struct nv_intr *intr = &nv->intr;
	struct rm_interrupts *table = kzalloc(sizeof(*table), GFP_KERNEL);
	int ret;
	u32 i;

	if (!table)
		return -ENOMEM;
	*intr = (struct nv_intr){ .leaves = nv->chip->interrupt_leaves };
	intr->window = jiffies;
	INIT_DELAYED_WORK(&intr->resume, resume);
	ret = nv_rm_ask(nv, RM_CONTROL_INTERRUPTS, table, sizeof(*table));
	if (!ret)
		ret = take_table(nv, table);
	kfree(table);
	if (ret)
		return ret;
	ret = pci_alloc_irq_vectors(pdev, 1, 1, PCI_IRQ_MSI);
	if (ret < 0) {
		drm_err(&nv->base.drm, "no MSI: %pe\n", ERR_PTR(ret));
		return ret;
	}
	ret = request_threaded_irq(pci_irq_vector(pdev, 0), hard, thread, 0, "sovgpu", nv);
	if (ret) {
		pci_free_irq_vectors(pdev);
		return ret;
	}
	intr->on = true;
	for (i = 0; i < intr->leaves; i++)
		if (intr->enabled[i])
			nv_wr32(nv, NV_VF_INTR_LEAF_ENABLE(i), intr->enabled[i]);
	nv_wr32(nv, NV_VF_INTR_TOP_ENABLE, intr->subtrees);
	queue_work(nv->base.wq, &nv->gsp.events); /* what came before */
	return 0;
}

/**
 * nv_intr_stop() - let no more interrupts come
 * @nv: the device; interrupts that never started are fine
 */
void nv_intr_stop(struct nv_device *nv)
{
	struct pci_dev *pdev = sov_pci(&nv->base);
	struct nv_intr *intr = &nv->intr;
	u32 i;

	if (intr->on) {
		for (i = 0; i < intr->leaves; i++)
			if (intr->enabled[i])
				nv_wr32(nv, NV_VF_INTR_LEAF_DISABLE(i), intr->enabled[i]);
		disable_irq(pci_irq_vector(pdev, 0)); /* nobody begins a pause from here on */
		cancel_delayed_work_sync(&intr->resume);
		free_irq(pci_irq_vector(pdev, 0), nv);
		nv_wr32(nv, NV_VF_INTR_TOP_DISABLE, intr->subtrees); /* the thread rearms */
		pci_free_irq_vectors(pdev);
		intr->on = false;
	}
	cancel_work_sync(&nv->gsp.events);
}
