/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The resource manager on the GSP: a tree of objects that are allocated, controlled and freed by
 * calls. We keep one client for each address space, with a device and a subdevice in it, and
 * what belongs to the address space below these. Freeing an object would free what is below it, but
 * we free things in the order in which they stop being used.
 */
#ifndef SOV_NV_RM_H
#define SOV_NV_RM_H

#include <linux/types.h>

#include "hw/nv/gsp_rm.h"

struct nv_device;

/* Objects that every client has once, by names of our choice. */
#define NV_RM_DEVICE     0xde1d0000u
#define NV_RM_SUBDEVICE  0x5d1d0000u
#define NV_RM_VA_SPACE   0x90f10000u
/* Objects of a channel or of a channel group, by its number. */
#define NV_RM_GROUP(n)   (0xa06c0000u | (n))
#define NV_RM_CHANNEL(n) (0xf1f00000u | (n))
#define NV_RM_ENGINE(n)  (0xe9e00000u | (n))

/**
 * struct nv_client - a client of the resource manager
 */
struct nv_client {
	/** @nv: the device */
	struct nv_device *nv;

	/** @handle: its name; 0: there is none */
	u32 handle;
};

int nv_client_init(struct nv_client *c, struct nv_device *nv);
void nv_client_fini(struct nv_client *c);
int nv_rm_alloc(struct nv_client *c, u32 parent, u32 object, u32 class, void *parameters,
		u32 bytes);
int nv_rm_control(struct nv_client *c, u32 object, u32 command, void *parameters, u32 bytes);
void nv_rm_free(struct nv_client *c, u32 object);
int nv_rm_ask(struct nv_device *nv, u32 command, void *parameters, u32 bytes);
void nv_rm_halt(struct nv_device *nv, struct rm_disable_channels *p);

#endif
