/* SPDX-License-Identifier: MIT */
/* What the files of libnvidia-ml.so.1 share. */
#ifndef SOV_NVML_MANAGEMENT_H
#define SOV_NVML_MANAGEMENT_H

#include <stdbool.h>
#include "libsov/cuda/management/abi.h"
#include "libsov/sov.h"

#define CUDA_VERSION 13000

/* An entry point; entries.def lists all. */
#define API NVML_EXPORT nvmlReturn_t

struct nvmlDevice_st {
	sov_device sov;
	sov_device_properties properties;
	sov_device_identity identity;
	unsigned index;
	int sm; /* 90; 0: not NVIDIA's */
};

/* ---- library.c ---- */

/* NVML_SUCCESS between nvmlInit and the last nvmlShutdown. */
nvmlReturn_t nvml_ready(void);
unsigned nvml_device_count(void);
nvmlDevice_t nvml_device_at(unsigned index);
nvmlReturn_t nvml_result(sov_result r);
/* Copies text with its end; it may be too long. */
nvmlReturn_t nvml_copy_text(char *to, unsigned bytes, const char *text);

/* ---- device.c ---- */

/* The first check of a call: the library is ready, device is one of its handles, out is not
 * NULL. */
nvmlReturn_t nvml_check(nvmlDevice_t device, const void *out);

#endif
