/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* System sleep and runtime PM. */
#ifndef SOV_PM_H
#define SOV_PM_H

#include <linux/pm.h>

struct sov_device;

extern const struct dev_pm_ops sov_pm_ops;

void sov_pm_enable(struct sov_device *sov);
void sov_pm_disable(struct sov_device *sov);

#endif
