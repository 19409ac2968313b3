/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The GSP's logs and the steps of its boot. */
#ifndef SOV_NV_LOG_H
#define SOV_NV_LOG_H

#include "kmod/nv/gsp_types.h"

struct nv_device;

extern const char *const nv_log_names[NV_GSP_LOGS];

int nv_log_alloc(struct nv_device *nv);
void nv_log_free(struct nv_device *nv);
void nv_log_keep(struct nv_device *nv);
void nv_log_exit(void);
void nv_log_step(struct nv_device *nv, const char *step);

#endif
