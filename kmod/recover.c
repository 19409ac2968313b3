// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A device that is reset forgets everything: its firmware is gone, and so is what was in its
 * memory. There is one way back. The device is taken down as when it is removed, in the same
 * order, and afterwards bound anew. Who had it open before gets ENODEV, as after a removal; who
 * opens it then finds a device as good as new. A reset is asked for in sysfs (the PCI device's file
 * "reset"), and works on a device that was given up, too.
 *
 * In its sleep a device would forget as much, so a machine does not sleep while we have one. Nor
 * does it sleep while the machine is awake: what PCI's core counts as our use of it from probe on
 * is never given back.
 */
#include <drm/drm_print.h>
#include <linux/device.h>
#include <linux/list.h>
#include <linux/pm.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "kmod/device.h"

/* The device's own structure goes meanwhile, so this is another. */
struct rebirth {
	struct work_struct work;
	struct pci_dev *pdev;
};

static struct workqueue_struct *rebirths;

/**
 * sov_recover_init() - when the module is loaded
 *
 * Return: 0 or ENOMEM.
 */
int sov_recover_init(void)
{
	rebirths = alloc_workqueue("sovgpu_bind", WQ_UNBOUND, 0);
	return rebirths ? 0 : -ENOMEM;
}

/**
 * sov_recover_fini() - when it is unloaded, after its driver
 */
void sov_recover_fini(void)
{
	destroy_workqueue(rebirths);
}

static void bind_anew(struct work_struct *work)
{
	struct rebirth *r = container_of(work, struct rebirth, work);
	int ret = device_reprobe(&r->pdev->dev);

	if (ret < 0)
		pci_err(r->pdev, "it cannot be bound anew: %pe\n", ERR_PTR(ret));
	pci_dev_put(r->pdev);
	kfree(r);
}

/* We are called with the device's lock held, which binding takes. */
static void bind_later(struct pci_dev *pdev)
{
	struct rebirth *r = kzalloc(sizeof(*r), GFP_KERNEL | __GFP_NOFAIL);

	INIT_WORK(&r->work, bind_anew);
	r->pdev = pci_dev_get(pdev);
	queue_work(rebirths, &r->work);
}

static void reset_prepare(struct pci_dev *pdev)
{
	struct sov_device *sov = pci_get_drvdata(pdev);

	drm_info(&sov->drm, "it is reset: whoever uses it loses what is there\n");
	sov_take_down(sov);
}

static void reset_done(struct pci_dev *pdev)
{
	bind_later(pdev);
}

const struct pci_error_handlers sov_error_handlers = {
	.reset_prepare = reset_prepare,
	.reset_done = reset_done,
};

static u32 files_of(struct sov_device *sov)
{
	u32 count;

	mutex_lock(&sov->drm.filelist_mutex);
	count = list_count_nodes(&sov->drm.filelist);
	mutex_unlock(&sov->drm.filelist_mutex);
	return count;
}

static u32 groups_of(struct sov_device *sov)
{
	u32 count;

	mutex_lock(&sov->groups_lock);
	count = list_count_nodes(&sov->groups);
	mutex_unlock(&sov->groups_lock);
	return count;
}

static int suspend(struct device *dev)
{
	struct sov_device *sov = dev_get_drvdata(dev);

	drm_err(&sov->drm,
		"no sleep: memory of the card would be lost, %u files and %u groups use it; unbind it first\n",
		files_of(sov), groups_of(sov));
	return -EBUSY;
}

const struct dev_pm_ops sov_pm = {
	SYSTEM_SLEEP_PM_OPS(suspend, NULL)
};
