// SPDX-License-Identifier: GPL-2.0-only OR MIT
/**
 * DOC: sovgpu
 *
 * A driver for GPU compute. It boots the device's firmware, allocates memory, address spaces and
 * queues, and reports faults to the process that caused them. The user-space library does
 * everything else. This file binds the driver to PCI and DRM.
 */
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_ioctl.h>
#include <drm/drm_managed.h>
#include <drm/drm_print.h>
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/workqueue.h>

#include "kmod/bo_ioctl.h"
#include "kmod/device.h"
#include "kmod/fence.h"
#include "kmod/file.h"
#include "kmod/group_ioctl.h"
#include "kmod/limits.h"
#include "kmod/pm.h"
#include "kmod/prime.h"
#include "kmod/query.h"
#include "kmod/queue_ioctl.h"
#include "kmod/reset.h"
#include "kmod/submit.h"
#include "kmod/teardown.h"
#include "kmod/unplug.h"
#include "kmod/vendor.h"
#include "kmod/vm.h"
#include "kmod/vram.h"

static bool sov_probe_only;
module_param_named(probe_only, sov_probe_only, bool, 0444);
MODULE_PARM_DESC(probe_only,
		 "Start each device, print its identity, stop it and bind no device (default: N)");

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
	.show_fdinfo = sov_file_show_fdinfo,
	.gem_prime_import = sov_prime_import,
	.gem_prime_import_sg_table = sov_prime_import_sg_table,
	.ioctls = sov_ioctls,
	.num_ioctls = ARRAY_SIZE(sov_ioctls),
	.fops = &sov_fops,
	.name = "sovgpu",
	.desc = "GPU compute",
	.major = 0,
	.minor = 4,
};

static void sov_destroy_workqueue(struct drm_device *drm, void *data)
{
	destroy_workqueue(data);
}

static void sov_put_account(struct drm_device *drm, void *data)
{
	sov_account_put(data);
}

static void sov_wedge_work(struct work_struct *work)
{
	sov_groups_stop(container_of(work, struct sov_device, wedge_work));
	sov_reset_recover();
}

static struct workqueue_struct *sov_alloc_workqueue(struct sov_device *sov, const char *name,
						    u32 flags)
{
	struct workqueue_struct *wq = alloc_workqueue("%s", WQ_UNBOUND | flags, 0, name);

	if (wq && drmm_add_action_or_reset(&sov->drm, sov_destroy_workqueue, wq))
		return NULL;
	return wq;
}

/* Initialises the vendor-independent part of a device. */
static int sov_device_init(struct sov_device *sov)
{
	int ret;

	INIT_LIST_HEAD(&sov->vms);
	INIT_LIST_HEAD(&sov->imports);
	INIT_LIST_HEAD(&sov->groups);
	INIT_LIST_HEAD(&sov->queues);
	spin_lock_init(&sov->queues_lock);
	INIT_WORK(&sov->wedge_work, sov_wedge_work);
	init_waitqueue_head(&sov->interrupt_wq);
	sov->account = sov_account_create_device();
	if (!sov->account)
		return -ENOMEM;
	ret = drmm_add_action_or_reset(&sov->drm, sov_put_account, sov->account);
	if (ret)
		return ret;
	ret = drmm_mutex_init(&sov->drm, &sov->vms_lock);
	if (ret)
		return ret;
	ret = drmm_mutex_init(&sov->drm, &sov->imports_lock);
	if (ret)
		return ret;
	ret = drmm_mutex_init(&sov->drm, &sov->groups_lock);
	if (ret)
		return ret;
	/* Work on wq queues work on reap_wq, so reap_wq is destroyed last. */
	sov->reap_wq = sov_alloc_workqueue(sov, "sovgpu_reap", 0);
	sov->wq = sov_alloc_workqueue(sov, "sovgpu", WQ_MEM_RECLAIM);
	return sov->wq && sov->reap_wq ? 0 : -ENOMEM;
}

/* devres calls this first after remove, before it unmaps the registers. */
static void sov_devres_stop(void *data)
{
	sov_device_stop(data);
}

/*
 * Stops a device again that has just started. The errno makes the PCI core leave the device unbound
 * without a message.
 */
static int sov_end_probe_only(struct sov_device *sov)
{
	drm_info(&sov->drm, "probe_only: the device has started and is stopped again\n");
	sov_device_stop(sov);
	if (READ_ONCE(sov->wedged))
		drm_err(&sov->drm, "probe_only: the device did not stop; reset it\n");
	else
		drm_info(&sov->drm, "probe_only: done; load sovgpu without it to use the device\n");
	return -ENODEV;
}

static int sov_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	const struct sov_vendor *vendor = (const struct sov_vendor *)id->driver_data;
	struct sov_device *sov;
	int ret;

	if (sov_system_going_down())
		return -ENODEV; /* the shutdown callback may have run already */
	sov = __devm_drm_dev_alloc(&pdev->dev, &sov_driver, vendor->device_bytes,
				   offsetof(struct sov_device, drm));
	if (IS_ERR(sov))
		return PTR_ERR(sov);
	sov->vendor = vendor;
	ret = sov_device_init(sov);
	if (ret)
		return ret;
	pci_set_drvdata(pdev, sov);

	ret = pcim_enable_device(pdev);
	if (ret)
		return dev_err_probe(&pdev->dev, ret, "cannot enable PCI device\n");

	ret = vendor->start(sov);
	if (ret)
		return ret;
	if (sov_probe_only)
		return sov_end_probe_only(sov);
	ret = devm_add_action_or_reset(&pdev->dev, sov_devres_stop, sov);
	if (ret)
		return ret;
	sov_file_debugfs_init(&sov->drm);
	sov_vram_debugfs_init(&sov->drm);
	sov->vram_idle_free = sov_vram_free_bytes(sov);
	ret = drm_dev_register(&sov->drm, 0);
	if (ret)
		return ret;
	sov_pm_enable(sov);
	return 0;
}

static void sov_remove(struct pci_dev *pdev)
{
	struct sov_device *sov = pci_get_drvdata(pdev);

	sov_pm_disable(sov);
	sov_device_unplug(sov);
}

/*
 * Called on shutdown, reboot and kexec, while processes may still run. The device does no DMA and
 * raises no interrupt afterwards, so it cannot corrupt the memory of the next kernel.
 */
static void sov_shutdown(struct pci_dev *pdev)
{
	sov_device_take_down(pci_get_drvdata(pdev));
}

#define SOV_PCI(vendor_id, class_id, vendor) \
	{ \
		PCI_DEVICE(vendor_id, PCI_ANY_ID), \
		.class = (class_id) << 8, \
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
	.driver.pm = pm_ptr(&sov_pm_ops),
};

static int __init sov_init(void)
{
	int ret;

	ret = sov_reset_init();
	if (ret)
		return ret;
	sov_debugfs_root = debugfs_create_dir("sovgpu", NULL);
	ret = pci_register_driver(&sov_pci_driver);
	if (ret)
		goto err_remove_debugfs;
	return 0;

err_remove_debugfs:
	debugfs_remove(sov_debugfs_root);
	sov_reset_exit();
	return ret;
}
module_init(sov_init);

static void __exit sov_exit(void)
{
	pci_unregister_driver(&sov_pci_driver);
	sov_reset_exit(); /* no device is bound any more, so no reprobe is queued */
	sov_nv.exit();
	debugfs_remove(sov_debugfs_root);
}
module_exit(sov_exit);

MODULE_DESCRIPTION("GPU compute driver");
MODULE_AUTHOR("the sovgpu authors");
MODULE_LICENSE("Dual MIT/GPL");
/* MODULE_IMPORT_NS() takes a quoted name on some kernels and a bare one on others. */
MODULE_INFO(import_ns, "DMA_BUF");
