// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * PCI reset, which root requests through the sysfs attribute "reset". A reset loses the firmware
 * and the contents of VRAM. The driver takes the device down as on removal, and binds to it again
 * after the reset. Files that were open before get ENODEV, as after a removal. A reset also
 * recovers a wedged device. With the module parameter recover=1 the driver requests that reset
 * itself, unless it has done so too often: a device that fails again and again stays wedged.
 */
#include <drm/drm_print.h>
#include <linux/device.h>
#include <linux/moduleparam.h>
#include <linux/pm_runtime.h>
#include <linux/ratelimit.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "kmod/device.h"
#include "kmod/reset.h"
#include "kmod/unplug.h"

static bool sov_recover;
module_param_named(recover, sov_recover, bool, 0644);
MODULE_PARM_DESC(recover, "Reset a wedged device, at most 3 times in 10 minutes (default: N)");

/* Counts the resets of all devices, because the structure of a device does not outlive one. */
static DEFINE_RATELIMIT_STATE(sov_recover_limit, 600 * HZ, 3);

/* Not a member of struct sov_device, which the reprobe frees. */
struct sov_reprobe {
	struct work_struct work;
	struct pci_dev *pdev;
	struct device_driver *driver; /* ours; not to be dereferenced */
};

static struct workqueue_struct *sov_reprobe_wq;

/**
 * sov_reset_init() - create the reprobe workqueue
 *
 * Return: 0 or -ENOMEM.
 */
int sov_reset_init(void)
{
	ratelimit_set_flags(&sov_recover_limit, RATELIMIT_MSG_ON_RELEASE); /* no message */
	/* Freezable: recovery must not reset a device while the system suspends it. */
	sov_reprobe_wq = alloc_workqueue("sovgpu_reprobe", WQ_UNBOUND | WQ_FREEZABLE, 0);
	return sov_reprobe_wq ? 0 : -ENOMEM;
}

/**
 * sov_reset_exit() - destroy the reprobe workqueue after the PCI driver is unregistered
 */
void sov_reset_exit(void)
{
	destroy_workqueue(sov_reprobe_wq);
}

static void sov_reprobe_work(struct work_struct *work)
{
	struct sov_reprobe *r = container_of(work, struct sov_reprobe, work);
	int ret = 0;

	/*
	 * Root may have unbound the device, or bound another driver to it, since the work was
	 * queued. device_reprobe() would detach that driver.
	 */
	if (READ_ONCE(r->pdev->dev.driver) == r->driver)
		ret = device_reprobe(&r->pdev->dev);
	if (ret < 0)
		pci_err(r->pdev, "reprobe after reset failed: %pe\n", ERR_PTR(ret));
	pci_dev_put(r->pdev);
	kfree(r);
}

/* A device that was taken down already waits for its reprobe. */
static bool sov_reset_is_due(struct pci_dev *pdev)
{
	struct sov_device *sov;
	bool due = false;

	device_lock(&pdev->dev);
	if (pdev->driver && pdev->driver->err_handler == &sov_error_handlers) {
		sov = pci_get_drvdata(pdev);
		due = READ_ONCE(sov->wedged) && !sov->unplugged;
	}
	device_unlock(&pdev->dev);
	return due;
}

/* Resets all wedged devices. Root may reset one meanwhile; a second reset does no harm. */
static void sov_recover_all(struct work_struct *work)
{
	struct pci_dev *pdev = NULL;
	int ret;

	while ((pdev = pci_get_device(PCI_ANY_ID, PCI_ANY_ID, pdev))) {
		if (!sov_reset_is_due(pdev))
			continue;
		if (!__ratelimit(&sov_recover_limit)) {
			pci_err(pdev, "recovery: too many resets; reset the device by hand\n");
			continue;
		}
		pci_info(pdev, "recovery: the device will be reset\n");
		ret = pci_reset_function(pdev);
		if (ret)
			pci_err(pdev, "recovery: reset failed: %pe\n", ERR_PTR(ret));
	}
}

static DECLARE_WORK(sov_recover_work, sov_recover_all);

/* The PCI core holds the device lock, which device_reprobe() takes. */
static void sov_schedule_reprobe(struct pci_dev *pdev)
{
	struct sov_reprobe *r = kzalloc(sizeof(*r), GFP_KERNEL | __GFP_NOFAIL);

	INIT_WORK(&r->work, sov_reprobe_work);
	r->pdev = pci_dev_get(pdev);
	r->driver = pdev->dev.driver;
	queue_work(sov_reprobe_wq, &r->work);
}

/**
 * sov_reset_recover() - reset wedged devices if the administrator wants that
 *
 * Context: Any; allocates no memory.
 */
void sov_reset_recover(void)
{
	if (READ_ONCE(sov_recover) && !sov_system_going_down())
		queue_work(sov_reprobe_wq, &sov_recover_work);
}

static void sov_reset_prepare(struct pci_dev *pdev)
{
	struct sov_device *sov = pci_get_drvdata(pdev);

	/*
	 * Resume the device and keep it resumed until the end of the reset: a reset of the bus
	 * above it (reset_subordinate) does not check its runtime PM state.
	 */
	pm_runtime_get_sync(&pdev->dev);
	drm_info(&sov->drm, "reset: contexts and VRAM contents are lost\n");
	sov_device_take_down(sov);
}

static void sov_reset_done(struct pci_dev *pdev)
{
	sov_schedule_reprobe(pdev);
	pm_runtime_put_noidle(&pdev->dev);
}

const struct pci_error_handlers sov_error_handlers = {
	.reset_prepare = sov_reset_prepare,
	.reset_done = sov_reset_done,
};
