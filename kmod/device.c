// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Operations on the vendor-independent device that every other file may call. */
#include <drm/drm_drv.h>
#include <drm/drm_print.h>
#include <linux/aperture.h>
#include <linux/kernel.h>

#include "kmod/device.h"
#include "kmod/trace.h"

struct dentry *sov_debugfs_root;

/**
 * sov_dev_enter() - enter a section that creates objects on the device
 * @sov: The device.
 * @idx: Cookie for drm_dev_exit(), which leaves the section.
 *
 * Return: 0, -ENODEV if the device is unplugged, -EIO if it is wedged.
 */
int sov_dev_enter(struct sov_device *sov, int *idx)
{
	if (!drm_dev_enter(&sov->drm, idx))
		return -ENODEV;
	if (!READ_ONCE(sov->wedged))
		return 0;
	drm_dev_exit(*idx);
	return -EIO;
}

/**
 * sov_claim_aperture() - remove the firmware framebuffer drivers of a device
 * @sov: The device. &sov_vendor.start calls this after it has identified a supported chip.
 *
 * Return: 0, or a negative errno after a message.
 */
int sov_claim_aperture(struct sov_device *sov)
{
	int ret = aperture_remove_conflicting_pci_devices(sov_pci(sov), sov->drm.driver->name);

	if (ret)
		drm_err(&sov->drm, "cannot remove conflicting framebuffer drivers: %pe\n",
			ERR_PTR(ret));
	return ret;
}

/**
 * sov_notify_waiters() - wake all waiters of FENCE_WAIT and INTERRUPT_WAIT
 * @sov: The device.
 *
 * Context: Any.
 */
void sov_notify_waiters(struct sov_device *sov)
{
	atomic_inc(&sov->interrupt_count);
	wake_up_all(&sov->interrupt_wq);
}

/**
 * sov_wedge() - declare a device unusable because it does not respond
 * @sov: The device, which cannot access system memory any more.
 *
 * Work may continue to execute on the device. Therefore ioctls that create objects fail with -EIO,
 * and freed VRAM is not allocated again until the driver is bound again after a reset.
 *
 * Context: Process context; may sleep.
 */
void sov_wedge(struct sov_device *sov)
{
	WRITE_ONCE(sov->wedged, true);
	trace_sov_wedge(sov->drm.dev);
	queue_work(sov->wq, &sov->wedge_work);
}

/**
 * sov_system_going_down() - check for shutdown, reboot and kexec
 *
 * The kernel sets the state before it shuts down the first device. A caller that holds the device
 * lock either sees the state or runs before the device's shutdown callback.
 *
 * Return: True if the system is going down.
 */
bool sov_system_going_down(void)
{
	return system_state >= SYSTEM_HALT && system_state <= SYSTEM_RESTART;
}
