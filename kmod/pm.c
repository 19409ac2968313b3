// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Power management. A suspended device loses its firmware and the contents of VRAM. Therefore a
 * device suspends only if no VM, group or VRAM allocation exists; open files may stay. Suspend
 * stops the firmware, and resume boots it again. Otherwise system sleep fails with EBUSY. Runtime
 * PM (the sysfs attribute power/control) suspends a device that no file has open. A device that
 * fails to resume is wedged.
 *
 * On shutdown, reboot and kexec the driver takes the device down and then neither resumes it nor
 * binds to it again, so that the next kernel finds a quiet device.
 */
#include <drm/drm_print.h>
#include <linux/device.h>
#include <linux/list.h>
#include <linux/pm_runtime.h>
#include <linux/workqueue.h>

#include "kmod/device.h"
#include "kmod/pm.h"
#include "kmod/vram.h"

/* Default of the sysfs attribute power/autosuspend_delay_ms. */
#define SOV_AUTOSUSPEND_DELAY_MS 5000

/* Objects that a suspend would destroy. */
struct sov_pm_blockers {
	u32 vms, groups;
	u64 vram; /* bytes, including page tables and exported BOs */
};

static u32 sov_pm_count_list(struct mutex *lock, struct list_head *list)
{
	u32 n;

	mutex_lock(lock);
	n = list_count_nodes(list);
	mutex_unlock(lock);
	return n;
}

static bool sov_pm_find_blockers(struct sov_device *sov, struct sov_pm_blockers *b)
{
	/* Work items may still free objects of a closed file. */
	flush_workqueue(sov->wq);
	flush_workqueue(sov->reap_wq);
	*b = (struct sov_pm_blockers){
		.vms = sov_pm_count_list(&sov->vms_lock, &sov->vms),
		.groups = sov_pm_count_list(&sov->groups_lock, &sov->groups),
		.vram = sov->vram_idle_free - sov_vram_free_bytes(sov),
	};
	return b->vms || b->groups || b->vram;
}

/* A wedged device has no contents to lose, and an unplugged device waits for its reprobe. */
static int sov_pm_stop(struct sov_device *sov, struct sov_pm_blockers *b)
{
	if (sov->unplugged || READ_ONCE(sov->wedged))
		return 0;
	if (sov_pm_find_blockers(sov, b))
		return -EBUSY;
	sov->vendor->stop(sov);
	sov->suspended = true;
	return 0;
}

static void sov_pm_resume(struct sov_device *sov)
{
	int ret;

	if (!sov->suspended)
		return;
	sov->suspended = false;
	ret = sov->vendor->resume(sov);
	if (!ret) {
		sov->vram_idle_free = sov_vram_free_bytes(sov);
		return;
	}
	drm_err(&sov->drm, "resume failed, device is wedged until the next reset: %pe\n",
		ERR_PTR(ret));
	sov_wedge(sov);
}

static int sov_pm_suspend(struct device *dev)
{
	struct sov_device *sov = dev_get_drvdata(dev);
	struct sov_pm_blockers b = {};
	int ret = sov_pm_stop(sov, &b);

	if (!ret)
		return 0;
	drm_err(&sov->drm, "suspend refused: device in use (%u VMs, %u groups, %llu KiB of VRAM)\n",
		b.vms, b.groups, b.vram >> 10);
	drm_err(&sov->drm, "close all files of the device or unbind the driver to suspend\n");
	return ret;
}

/*
 * Resumes in the complete phase, because the firmware is loaded from a file system whose device
 * must be resumed before. The PM core also calls this without a preceding suspend, and for a device
 * that stays runtime suspended.
 */
static void sov_pm_complete(struct device *dev)
{
	if (!pm_runtime_suspended(dev))
		sov_pm_resume(dev_get_drvdata(dev));
}

static int sov_pm_runtime_suspend(struct device *dev)
{
	struct sov_pm_blockers b;
	int ret = sov_pm_stop(dev_get_drvdata(dev), &b);

	if (ret) /* an exported BO still exists: try again later */
		pm_runtime_mark_last_busy(dev);
	return ret;
}

/*
 * The PCI core resumes every device before its shutdown. A suspended device runs no firmware and
 * needs no resume for that.
 */
static int sov_pm_runtime_resume(struct device *dev)
{
	if (!sov_system_going_down())
		sov_pm_resume(dev_get_drvdata(dev));
	return 0;
}

/* clang-format off */
const struct dev_pm_ops sov_pm_ops = {
	SYSTEM_SLEEP_PM_OPS(sov_pm_suspend, NULL)
	RUNTIME_PM_OPS(sov_pm_runtime_suspend, sov_pm_runtime_resume, NULL)
	.complete = pm_sleep_ptr(sov_pm_complete),
};

/* clang-format on */

/**
 * sov_pm_enable() - allow runtime PM; root enables it in sysfs
 * @sov: The device, started and registered.
 */
void sov_pm_enable(struct sov_device *sov)
{
	struct device *dev = sov->drm.dev;

	pm_runtime_set_autosuspend_delay(dev, SOV_AUTOSUSPEND_DELAY_MS);
	pm_runtime_use_autosuspend(dev);
	pm_runtime_mark_last_busy(dev);
	pm_runtime_put_autosuspend(dev); /* the PCI core's reference for probe */
}

/**
 * sov_pm_disable() - forbid runtime PM
 * @sov: The device, which is being removed and is resumed.
 */
void sov_pm_disable(struct sov_device *sov)
{
	pm_runtime_get_noresume(sov->drm.dev);
	pm_runtime_dont_use_autosuspend(sov->drm.dev);
}
