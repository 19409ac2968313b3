// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Taking a device out of use. sov_device_unplug() ends all use by processes, sov_device_stop() ends
 * all DMA. The caller of each function holds the device lock.
 */
#include <drm/drm_drv.h>

#include "kmod/device.h"
#include "kmod/prime.h"
#include "kmod/teardown.h"
#include "kmod/unplug.h"
#include "kmod/vm.h"

/**
 * sov_device_unplug() - end all use of a device
 * @sov: The device. Idempotent.
 */
void sov_device_unplug(struct sov_device *sov)
{
	if (sov->unplugged)
		return;
	sov->unplugged = true;
	/*
	 * drm_dev_unplug() removes the processes' mappings, and waits for ioctls or makes them
	 * fail. Only submitters that wait for space in a queue continue until their queue stops.
	 */
	drm_dev_unplug(&sov->drm);
	sov_groups_stop(sov);
	sov_groups_reap(sov);
	/* Work items may hold the last reference to a group. */
	flush_workqueue(sov->wq);
	flush_workqueue(sov->reap_wq);
	sov_notify_waiters(sov);
	sov_vms_unplug(sov);
	sov_prime_unmap_imports(sov);
}

/**
 * sov_device_stop() - stop all DMA and interrupts of a device
 * @sov: The device, unplugged or without users. Idempotent.
 */
void sov_device_stop(struct sov_device *sov)
{
	if (!sov->stopped)
		sov->vendor->stop(sov);
	sov->stopped = true;
}

/**
 * sov_device_take_down() - unplug and stop a device while the driver stays bound
 * @sov: The device. It is unusable until the driver is bound again.
 */
void sov_device_take_down(struct sov_device *sov)
{
	sov_device_unplug(sov);
	sov_device_stop(sov);
}
