// SPDX-License-Identifier: GPL-2.0-only OR MIT
/**
 * DOC: sovgpu
 *
 * A driver for compute on GPUs. It finds the device, boots its firmware, hands out memory, address
 * spaces and queues, and reports faults to whoever caused them; everything else is done in user
 * space. This file binds it to PCI and to DRM.
 */
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_ioctl.h>
#include <drm/drm_managed.h>
#include <drm/drm_print.h>
#include <linux/aperture.h>
#include <linux/module.h>
#include <linux/workqueue.h>

#include "kmod/bo.h"
#include "kmod/device.h"
#include "kmod/fence.h"
#include "kmod/file.h"
#include "kmod/group.h"
#include "kmod/limits.h"
#include "kmod/queue.h"

static const struct drm_ioctl_desc sov_ioctls[] = {
	DRM_IOCTL_DEF_DRV(SOVGPU_DEV_QUERY, sov_dev_query_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(SOVGPU_BO_CREATE, sov_bo_create_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(SOVGPU_BO_MMAP_OFFSET, sov_bo_mmap_offset_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(SOVGPU_BO_INFO, sov_bo_info_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(SOVGPU_VM_CREATE, sov_vm_create_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(SOVGPU_VM_DESTROY, sov_vm_destroy_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(SOVGPU_VM_BIND, sov_vm_bind_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(SOVGPU_VM_STATE, sov_vm_state_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(SOVGPU_GROUP_CREATE, sov_group_create_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(SOVGPU_GROUP_DESTROY, sov_group_destroy_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(SOVGPU_QUEUE_CREATE, sov_queue_create_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(SOVGPU_QUEUE_DESTROY, sov_queue_destroy_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(SOVGPU_QUEUE_SUBMIT, sov_queue_submit_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(SOVGPU_QUEUE_STATE, sov_queue_state_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(SOVGPU_FENCE_WAIT, sov_fence_wait_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(SOVGPU_INTERRUPT_WAIT, sov_interrupt_wait_ioctl, DRM_RENDER_ALLOW),
};

static const struct file_operations sov_fops = {
	.owner = THIS_MODULE,
	DRM_GEM_FOPS,
	.show_fdinfo = drm_show_fdinfo,
};

static const struct drm_driver sov_driver = {
	.driver_features = DRIVER_GEM | DRIVER_RENDER | DRIVER_GEM_GPUVA | DRIVER_SYNCOBJ |
			   DRIVER_SYNCOBJ_TIMELINE,
	.open = sov_file_open,
	.postclose = sov_file_close,
	.show_fdinfo = sov_file_show,
	.gem_prime_import = sov_bo_import,
	.gem_prime_import_sg_table = sov_bo_import_pages,
	.ioctls = sov_ioctls,
	.num_ioctls = ARRAY_SIZE(sov_ioctls),
	.fops = &sov_fops,
	.name = "sovgpu",
	.desc = "compute on GPUs",
	.major = 0,
	.minor = 3,
};

static void sov_end_work(struct drm_device *drm, void *data)
{
	destroy_workqueue(data);
}

/**
 * sov_enter() - begin a call that makes something on the device
 * @sov: the device
 * @idx: for drm_dev_exit(), which ends it
 *
 * Return: 0; ENODEV when the device is gone; EIO when it was given up.
 */
int sov_enter(struct sov_device *sov, int *idx)
{
	if (!drm_dev_enter(&sov->drm, idx))
		return -ENODEV;
	if (!READ_ONCE(sov->wedged))
		return 0;
	drm_dev_exit(*idx);
	return -EIO;
}

/**
 * sov_claim_aperture() - take a device from drivers that show what firmware left on its screen
 * @sov: the device; the vendor's start has found that it is one for us
 *
 * Return: 0, or a negative errno after a message.
 */
int sov_claim_aperture(struct sov_device *sov)
{
	int ret = aperture_remove_conflicting_pci_devices(sov_pci(sov), sov_driver.name);

	if (ret)
		drm_err(&sov->drm, "another driver keeps the device: %pe\n", ERR_PTR(ret));
	return ret;
}

/**
 * sov_interrupt() - wake up who waits for the device
 * @sov: the device; something has happened on it. From anywhere.
 */
void sov_interrupt(struct sov_device *sov)
{
	atomic_inc(&sov->interrupts);
	wake_up_all(&sov->wake);
}

static void sov_stop_groups(struct work_struct *work)
{
	sov_groups_stop(container_of(work, struct sov_device, wedge));
}

/**
 * sov_wedge() - give a device up, because it does not do what it is told
 * @sov: the device, which reaches no memory but its own any more
 *
 * What runs on it may run on. So nothing new is made on it, and video memory that is given back is
 * nobody's until the device is bound again. Called from where one may sleep.
 */
void sov_wedge(struct sov_device *sov)
{
	WRITE_ONCE(sov->wedged, true);
	queue_work(sov->work, &sov->wedge);
}

static struct workqueue_struct *sov_make_work(struct sov_device *sov, const char *name, u32 flags)
{
	struct workqueue_struct *work = alloc_workqueue("%s", WQ_UNBOUND | flags, 0, name);

	if (work && drmm_add_action_or_reset(&sov->drm, sov_end_work, work))
		return NULL;
	return work;
}

/* What every device has, whatever its vendor. */
static int sov_init(struct sov_device *sov)
{
	int ret;

	INIT_LIST_HEAD(&sov->vms);
	INIT_LIST_HEAD(&sov->imports);
	INIT_LIST_HEAD(&sov->groups);
	INIT_LIST_HEAD(&sov->queues);
	spin_lock_init(&sov->queues_lock);
	INIT_WORK(&sov->wedge, sov_stop_groups);
	init_waitqueue_head(&sov->wake);
	ret = drmm_mutex_init(&sov->drm, &sov->vms_lock);
	if (!ret)
		ret = drmm_mutex_init(&sov->drm, &sov->imports_lock);
	if (!ret)
		ret = drmm_mutex_init(&sov->drm, &sov->groups_lock);
	if (ret)
		return ret;
	sov->late_work = sov_make_work(sov, "sovgpu_late", 0); /* the last to go */
	sov->work = sov_make_work(sov, "sovgpu", WQ_MEM_RECLAIM);
	return sov->work && sov->late_work ? 0 : -ENOMEM;
}

/* devres calls this first after remove, before the registers go. */
static void sov_stop(void *data)
{
	struct sov_device *sov = data;

	if (!sov->stopped)
		sov->vendor->stop(sov);
	sov->stopped = true;
}

static int sov_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	const struct sov_vendor *vendor = (const struct sov_vendor *)id->driver_data;
	struct sov_device *sov;
	int ret;

	if (sov_machine_ends())
		return -ENODEV; /* nobody would stop it */
	sov = __devm_drm_dev_alloc(&pdev->dev, &sov_driver, vendor->device_bytes,
				   offsetof(struct sov_device, drm));
	if (IS_ERR(sov))
		return PTR_ERR(sov);
	sov->vendor = vendor;
	ret = sov_init(sov);
	if (ret)
		return ret;
	pci_set_drvdata(pdev, sov);

	ret = pcim_enable_device(pdev);
	if (ret)
		return dev_err_probe(&pdev->dev, ret, "PCI device cannot be enabled\n");

	ret = vendor->start(sov);
	if (ret)
		return ret;
	ret = devm_add_action_or_reset(&pdev->dev, sov_stop, sov);
	if (ret)
		return ret;
	sov_limits_init(&sov->drm);
	sov->vram_at_rest = sov_vram_available(sov);
	ret = drm_dev_register(&sov->drm, 0);
	if (!ret)
		sov_recover_start(sov);
	return ret;
}

static void sov_end_use(struct sov_device *sov)
{
	if (sov->down)
		return;
	sov->down = true;
	/*
	 * Calls end or fail from here on, but for those that wait for room in a queue; these end
	 * with the queues. Processes' mappings of the card go first. sov_stop() comes last.
	 */
	drm_dev_unplug(&sov->drm);
	sov_groups_stop(sov);
	sov_groups_bury(sov);
	flush_workqueue(sov->work); /* it may hold the last of a group */
	flush_workqueue(sov->late_work);
	sov_interrupt(sov);
	sov_vms_kill(sov);
	sov_imports_unmap(sov);
}

static void sov_remove(struct pci_dev *pdev)
{
	struct sov_device *sov = pci_get_drvdata(pdev);

	sov_recover_end(sov);
	sov_end_use(sov);
}

/**
 * sov_take_down() - what removal does, while the device stays bound
 * @sov: the device, with the lock of its struct device held; to be bound anew, if ever
 */
void sov_take_down(struct sov_device *sov)
{
	sov_end_use(sov);
	sov_stop(sov);
}

/*
 * The machine ends, with processes that still run: the device does no DMA and raises no interrupt
 * when this returns, so that what is in memory next is safe from it.
 */
static void sov_shutdown(struct pci_dev *pdev)
{
	sov_take_down(pci_get_drvdata(pdev));
}

#define SOV_PCI(vendor_id, class_id, vendor) \
	{ \
		PCI_DEVICE(vendor_id, PCI_ANY_ID), .class = (class_id) << 8, \
						   .class_mask = 0xffff00, \
						   .driver_data = (kernel_ulong_t)(vendor), \
	}

static const struct pci_device_id sov_ids[] = {
	SOV_PCI(PCI_VENDOR_ID_NVIDIA, PCI_CLASS_DISPLAY_3D, &sov_nv),
	SOV_PCI(PCI_VENDOR_ID_NVIDIA, PCI_CLASS_DISPLAY_VGA, &sov_nv),
	{}
};
MODULE_DEVICE_TABLE(pci, sov_ids);

static struct pci_driver sov_pci_driver = {
	.name = "sovgpu",
	.id_table = sov_ids,
	.probe = sov_probe,
	.remove = sov_remove,
	.shutdown = sov_shutdown,
	.err_handler = &sov_error_handlers,
	.driver.pm = pm_ptr(&sov_pm),
};

static int __init sov_load(void)
{
	int ret;

	ret = sov_recover_init();
	if (ret)
		return ret;
	ret = pci_register_driver(&sov_pci_driver);
	if (ret)
		sov_recover_fini();
	return ret;
}
module_init(sov_load);

static void __exit sov_unload(void)
{
	pci_unregister_driver(&sov_pci_driver);
	sov_recover_fini(); /* nobody is left to be bound anew */
}
module_exit(sov_unload);

MODULE_DESCRIPTION("compute on GPUs");
MODULE_AUTHOR("the sovgpu authors");
MODULE_LICENSE("Dual MIT/GPL");
/* As MODULE_IMPORT_NS has it, which wants the name quoted on some kernels and bare on others. */
MODULE_INFO(import_ns, "DMA_BUF");
