/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* PCI reset. */
#ifndef SOV_RESET_H
#define SOV_RESET_H

#include <linux/pci.h>

extern const struct pci_error_handlers sov_error_handlers;

int sov_reset_init(void);
void sov_reset_exit(void);
void sov_reset_recover(void);

#endif
