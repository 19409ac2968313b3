/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Everything that a vendor's back end uses of the core, and the back ends that exist. */
#ifndef SOV_VENDOR_H
#define SOV_VENDOR_H

#include "kmod/device.h"
#include "kmod/group.h"
#include "kmod/job.h"
#include "kmod/limits.h"
#include "kmod/queue.h"
#include "kmod/vm.h"
#include "kmod/vram.h"

extern const struct sov_vendor sov_nv;

#endif
