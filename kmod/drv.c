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
#include <linux/aperture.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "kmod/bo.h"
#include "kmod/device.h"

static const struct drm_ioctl_desc sov_ioctls[] = {
	DRM_IOCTL_DEF_DRV(SOVGPU_DEV_QUERY, sov_dev_query_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(SOVGPU_BO_CREATE, sov_bo_create_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(SOVGPU_BO_MMAP_OFFSET, sov_bo_mmap_offset_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(SOVGPU_BO_INFO, sov_bo_info_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(SOVGPU_VM_CREATE, sov_vm_create_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(SOVGPU_VM_DESTROY, sov_vm_destroy_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(SOVGPU_VM_BIND, sov_vm_bind_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(SOVGPU_VM_STATE, sov_vm_state_ioctl, DRM_RENDER_ALLOW),
};

DEFINE_DRM_GEM_FOPS(sov_fops);

static int sov_open(struct drm_device *drm, struct drm_file *file)
{
	struct sov_vms *vms = kzalloc(sizeof(*vms), GFP_KERNEL);

	if (!vms)
		return -ENOMEM;
	sov_vms_init(vms);
	file->driver_priv = vms;
	return 0;
}

static void sov_postclose(struct drm_device *drm, struct drm_file *file)
{
	struct sov_vms *vms = file->driver_priv;

	sov_vms_fini(vms);
	kfree(vms);
}

static const struct drm_driver sov_driver = {
	.driver_features = DRIVER_GEM | DRIVER_RENDER | DRIVER_GEM_GPUVA,
	.open = sov_open,
	.postclose = sov_postclose,
	.ioctls = sov_ioctls,
	.num_ioctls = ARRAY_SIZE(sov_ioctls),
	.fops = &sov_fops,
	.name = "sovgpu",
	.desc = "compute on GPUs",
	.major = 0,
	.minor = 1,
};

/* devres calls this first after remove, before the registers go. */
static void sov_stop(void *data)
{
	struct sov_device *sov = data;

	sov->vendor->stop(sov);
}

static int sov_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	const struct sov_vendor *vendor = (const struct sov_vendor *)id->driver_data;
	struct sov_device *sov;
	int ret;

	ret = aperture_remove_conflicting_pci_devices(pdev, sov_driver.name);
	if (ret)
		return dev_err_probe(&pdev->dev, ret, "another driver keeps the device\n");

	sov = __devm_drm_dev_alloc(&pdev->dev, &sov_driver, vendor->device_bytes,
				   offsetof(struct sov_device, drm));
	if (IS_ERR(sov))
		return PTR_ERR(sov);
	sov->vendor = vendor;
	INIT_LIST_HEAD(&sov->vms);
	ret = drmm_mutex_init(&sov->drm, &sov->vms_lock);
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
	ret = sov_vram_init(sov);
	if (ret)
		return ret;

	return drm_dev_register(&sov->drm, 0);
}

static void sov_remove(struct pci_dev *pdev)
{
	struct sov_device *sov = pci_get_drvdata(pdev);

	/* Calls end or fail from here on; then nobody keeps a mapping of the card. */
	drm_dev_unplug(&sov->drm);
	sov_vms_kill(sov);
	unmap_mapping_range(sov->drm.anon_inode->i_mapping, 0, 0, 1);
}

#define SOV_PCI(vendor_id, class_id, vendor) { \
	PCI_DEVICE(vendor_id, PCI_ANY_ID), \
	.class = (class_id) << 8, \
	.class_mask = 0xffff00, \
	.driver_data = (kernel_ulong_t)(vendor), \
}

static const struct pci_device_id sov_ids[] = {
	SOV_PCI(PCI_VENDOR_ID_NVIDIA, PCI_CLASS_DISPLAY_3D, &sov_nv),
	SOV_PCI(PCI_VENDOR_ID_NVIDIA, PCI_CLASS_DISPLAY_VGA, &sov_nv),
	{ }
};
MODULE_DEVICE_TABLE(pci, sov_ids);

static struct pci_driver sov_pci_driver = {
	.name = "sovgpu",
	.id_table = sov_ids,
	.probe = sov_probe,
	.remove = sov_remove,
};
module_pci_driver(sov_pci_driver);

MODULE_DESCRIPTION("compute on GPUs");
MODULE_AUTHOR("the sovgpu authors");
MODULE_LICENSE("Dual MIT/GPL");
