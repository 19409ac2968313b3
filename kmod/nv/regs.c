// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Detection of a GPU that has fallen off the PCI bus: all its registers read as all ones. */
#include <drm/drm_print.h>

#include "kmod/nv/regs.h"

/**
 * nv_regs_lost() - check whether the device has fallen off the bus
 * @nv: The device.
 *
 * Code that polls the device, or that reads a value which makes no sense, calls this function. The
 * first caller that finds the device lost logs it, so callers log nothing else in that case. A
 * reset may bring the device back.
 *
 * Return: True if the device is lost.
 */
bool nv_regs_lost(struct nv_device *nv)
{
	if (READ_ONCE(nv->lost))
		return true;
	if (nv_rd32(nv, NV_PMC_BOOT_0) != ~0u)
		return false;
	if (!xchg(&nv->lost, true))
		drm_err(&nv->base.drm, "GPU has fallen off the bus: registers read all ones\n");
	return true;
}
