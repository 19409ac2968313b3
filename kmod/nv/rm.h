/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The resource manager (RM) on the GSP: a tree of objects that RPCs allocate, control and free. The
 * driver has one RM client for each address space, with a device and a subdevice below it, and the
 * objects of the address space below these. RM frees children with their parent, but the driver
 * frees each object explicitly, in the order in which the objects stop being used.
 */
#ifndef SOV_NV_RM_H
#define SOV_NV_RM_H

#include <linux/types.h>

#include "hw/nv/gsp_rm.h"

struct nv_device;

/* Handles are the driver's choice. Each client has one of these objects: */
#define NV_RM_DEVICE     0xde1d0000u
#define NV_RM_SUBDEVICE  0x5d1d0000u
#define NV_RM_VA_SPACE   0x90f10000u
/* Handles of the objects of a channel group or channel, by its id: */
#define NV_RM_GROUP(n)   (0xa06c0000u | (n))
#define NV_RM_CHANNEL(n) (0xf1f00000u | (n))
#define NV_RM_ENGINE(n)  (0xe9e00000u | (n))

/**
 * struct nv_rm_client - an RM client
 */
struct nv_rm_client {
	/** @nv: The device. */
	struct nv_device *nv;

	/** @handle: RM handle of the client; 0 if the client does not exist. */
	u32 handle;
};

int nv_rm_client_init(struct nv_rm_client *c, struct nv_device *nv);
void nv_rm_client_fini(struct nv_rm_client *c);
int nv_rm_alloc(struct nv_rm_client *c, u32 parent, u32 object, u32 class, void *parameters,
		u32 bytes);
int nv_rm_control(struct nv_rm_client *c, u32 object, u32 command, void *parameters, u32 bytes);
bool nv_rm_free(struct nv_rm_client *c, u32 object);
void nv_rm_free_or_wedge(struct nv_rm_client *c, u32 object);
int nv_rm_query(struct nv_device *nv, u32 command, void *parameters, u32 bytes);
void nv_rm_disable_channels(struct nv_device *nv, struct rm_disable_channels *p);

#endif
