/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Dumps of devices that fail to start or are wedged. */
#ifndef SOV_NV_DUMP_H
#define SOV_NV_DUMP_H

#include <linux/workqueue.h>

struct nv_device;

void nv_dump_failed_start(struct nv_device *nv, int error);
void nv_dump_work(struct work_struct *work);

#endif
