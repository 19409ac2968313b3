// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A device that is reset forgets everything: its firmware is gone, and so is what was in its
 * memory. There is one way back. The device is taken down as when it is removed, in the same
 * order, and afterwards bound anew. Who had it open before gets ENODEV, as after a removal; who
 * opens it then finds a device as good as new. A reset is asked for in sysfs (the PCI device's file
 * "reset"), and works on a device that was given up, too.
 *
 * In its sleep a device would forget as much. So it sleeps only when there is nothing on it that
 * anybody could miss: no address space, no group, no byte of video memory. Then its firmware is
 * ended, and booted again when it wakes up; files may stay open. That holds for sleep of the
 * machine, which is refused otherwise, and for a device that sleeps by itself while nobody has it
 * open (power/control in sysfs). One that does not wake up is given up.
 *
 * When the machine ends, or starts another kernel, a device is taken down like that, too, and from
 * then on neither woken up nor bound: whoever comes next finds it quiet.
 */
#include <drm/drm_print.h>
#include <linux/device.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/pm.h>
#include <linux/pm_runtime.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "kmod/device.h"

#define REST_MS 5000 /* without a user, until it sleeps by itself; power/autosuspend_delay_ms */

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

/**
 * sov_machine_ends() - does the machine switch off, or start anew?
 *
 * That is so before the first device is shut down, so whoever asks with the device's lock held
 * either finds it, or is found by the device's shutdown.
 *
 * Return: whether it does.
 */
bool sov_machine_ends(void)
{
	return system_state >= SYSTEM_HALT && system_state <= SYSTEM_RESTART;
}

static void bind_anew(struct work_struct *work)
{
	struct rebirth *r = container_of(work, struct rebirth, work);
	int ret = 0;

	/* Who has unbound it meanwhile, or unloads the module, does not want any driver there. */
	if (READ_ONCE(r->pdev->dev.driver))
		ret = device_reprobe(&r->pdev->dev);
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

	/*
	 * One that sleeps is woken up first, and nobody else does that in the midst: who resets the
	 * bus above it (reset_subordinate) knows nothing of its sleep.
	 */
	pm_runtime_get_sync(&pdev->dev);
	drm_info(&sov->drm, "it is reset: whoever uses it loses what is there\n");
	sov_take_down(sov);
}

static void reset_done(struct pci_dev *pdev)
{
	bind_later(pdev);
	pm_runtime_put_noidle(&pdev->dev);
}

const struct pci_error_handlers sov_error_handlers = {
	.reset_prepare = reset_prepare,
	.reset_done = reset_done,
};

static u32 count(struct mutex *lock, struct list_head *list)
{
	u32 n;

	mutex_lock(lock);
	n = list_count_nodes(list);
	mutex_unlock(lock);
	return n;
}

/* What a device would forget in its sleep. */
struct belongings {
	u32 vms, groups;
	u64 vram; /* bytes, also of buffers that were passed on and of address spaces */
};

static bool look(struct sov_device *sov, struct belongings *b)
{
	/* What a file had ends with it, some of it a moment later. */
	flush_workqueue(sov->work);
	flush_workqueue(sov->late_work);
	*b = (struct belongings){
		.vms = count(&sov->vms_lock, &sov->vms),
		.groups = count(&sov->groups_lock, &sov->groups),
		.vram = sov->vram_at_rest - sov_vram_available(sov),
	};
	return b->vms || b->groups || b->vram;
}

/* One that was given up has lost everything already; one that is down will be bound anew. */
static int fall_asleep(struct sov_device *sov, struct belongings *b)
{
	if (sov->down || READ_ONCE(sov->wedged))
		return 0;
	if (look(sov, b))
		return -EBUSY;
	sov->vendor->stop(sov);
	sov->asleep = true;
	return 0;
}

static void awaken(struct sov_device *sov)
{
	int ret;

	if (!sov->asleep)
		return;
	sov->asleep = false;
	ret = sov->vendor->wake(sov);
	if (!ret) {
		sov->vram_at_rest = sov_vram_available(sov);
		return;
	}
	drm_err(&sov->drm, "it does not wake up, and is given up until it is reset: %pe\n",
		ERR_PTR(ret));
	sov_wedge(sov);
}

static int suspend(struct device *dev)
{
	struct sov_device *sov = dev_get_drvdata(dev);
	struct belongings b = {};
	int ret = fall_asleep(sov, &b);

	if (ret)
		drm_err(&sov->drm,
			"no sleep: %u address spaces, %u groups and %llu KiB of video memory would "
			"be lost; end who has them, or unbind the card\n",
			b.vms, b.groups, b.vram >> 10);
	return ret;
}

/*
 * Firmware is read from files, so this comes when all other devices are awake. Also called where
 * nothing has slept, and for a device that sleeps on by itself.
 */
static void sleep_over(struct device *dev)
{
	if (!pm_runtime_suspended(dev))
		awaken(dev_get_drvdata(dev));
}

static int runtime_suspend(struct device *dev)
{
	struct belongings b;
	int ret = fall_asleep(dev_get_drvdata(dev), &b);

	if (ret) /* a buffer was passed on: try again later */
		pm_runtime_mark_last_busy(dev);
	return ret;
}

/* PCI's core wakes up every device before its shutdown; one without firmware is quiet already. */
static int runtime_resume(struct device *dev)
{
	if (!sov_machine_ends())
		awaken(dev_get_drvdata(dev));
	return 0;
}

const struct dev_pm_ops sov_pm = {
	SYSTEM_SLEEP_PM_OPS(suspend, NULL) RUNTIME_PM_OPS(runtime_suspend, runtime_resume, NULL)
		.complete = pm_sleep_ptr(sleep_over),
};

/**
 * sov_recover_start() - from here on the device may sleep, if it is allowed to in sysfs
 * @sov: the device, up and registered
 */
void sov_recover_start(struct sov_device *sov)
{
	struct device *dev = sov->drm.dev;

	pm_runtime_set_autosuspend_delay(dev, REST_MS);
	pm_runtime_use_autosuspend(dev);
	pm_runtime_mark_last_busy(dev);
	pm_runtime_put_autosuspend(dev); /* what PCI's core has counted for probe */
}

/**
 * sov_recover_end() - it does not sleep any more
 * @sov: the device, which is removed, and awake for it
 */
void sov_recover_end(struct sov_device *sov)
{
	pm_runtime_get_noresume(sov->drm.dev);
	pm_runtime_dont_use_autosuspend(sov->drm.dev);
}
