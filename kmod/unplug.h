/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Taking a device out of use: on removal, shutdown and reset. */
#ifndef SOV_UNPLUG_H
#define SOV_UNPLUG_H

struct sov_device;

void sov_device_unplug(struct sov_device *sov);
void sov_device_stop(struct sov_device *sov);
void sov_device_take_down(struct sov_device *sov);

#endif
