/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Chips of hw/chips.h that sovgpu.ko drives. `sov doctor` reads this list too. */
#ifndef SOV_NV_CHIP_LIST_H
#define SOV_NV_CHIP_LIST_H

#include "hw/chips.h"

#define NV_DRIVER_CHIPS(X) SOV_NV_GH100(X)

#endif
