// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * User queues, see user_queue.h. A process maps two BOs that have no handle: a page of VRAM per
 * queue, and the register page with the doorbell. Only the file of the queue can mmap them.
 * Existing mappings outlive the queue and end when the device is unplugged.
 *
 * All processes share the doorbell register, and a process can guess the token of another one. The
 * hardware then reads a PUT that has not changed and does nothing. By writing to its own ring and
 * pointers, a process can only fault its own group.
 */
#include <drm/drm_vma_manager.h>
#include <linux/mm.h>

#include "kmod/bo.h"
#include "kmod/device.h"
#include "kmod/user_queue.h"
#include "kmod/vram.h"

static int sov_doorbell_init(struct drm_device *drm, struct sov_bo *bo, u64 size)
{
	drm_gem_private_object_init(drm, &bo->base, size);
	return 0;
}

static void sov_doorbell_release(struct sov_bo *bo)
{
}

static unsigned long sov_doorbell_pfn(struct sov_bo *bo, u64 offset)
{
	return PHYS_PFN(to_sov_device(bo->base.dev)->doorbell);
}

static const struct sov_bo_type sov_doorbell_type = {
	.align = PAGE_SIZE,
	.limit = SOV_LIMIT_NONE,
	.registers = true,
	.init = sov_doorbell_init,
	.release = sov_doorbell_release,
	.pfn = sov_doorbell_pfn,
};

static struct sov_bo *sov_user_queue_create_pointers(struct drm_device *drm,
						     struct sov_account *account)
{
	const struct drm_sovgpu_bo_create c = {
		.size = SOV_VRAM_PAGE_SIZE,
		.region = DRM_SOVGPU_REGION_VRAM,
		.flags = DRM_SOVGPU_BO_MAPPABLE,
	};

	return sov_bo_create(drm, &c, account);
}

static struct sov_bo *sov_user_queue_create_doorbell(struct drm_device *drm)
{
	struct sov_bo *bo = sov_bo_alloc(drm, &sov_doorbell_type, PAGE_SIZE);
	int ret;

	if (IS_ERR(bo))
		return bo;
	bo->flags = DRM_SOVGPU_BO_MAPPABLE;
	ret = drm_gem_create_mmap_offset(&bo->base);
	if (ret) {
		drm_gem_object_put(&bo->base);
		return ERR_PTR(ret);
	}
	return bo;
}

static int sov_user_queue_allow(struct sov_user_queue *u, struct drm_file *file)
{
	int ret;

	ret = drm_vma_node_allow(&u->pointers->base.vma_node, file);
	if (ret)
		return ret;
	ret = drm_vma_node_allow(&u->doorbell->base.vma_node, file);
	if (ret) {
		drm_vma_node_revoke(&u->pointers->base.vma_node, file);
		return ret;
	}
	u->file = file;
	return 0;
}

/**
 * sov_user_queue_init() - create the mappable parts of a user queue
 * @u: The zero-initialised structure.
 * @drm: The device.
 * @account: The account to charge.
 * @file: The file that may map the pages.
 * @ring_va: GPU address of the ring.
 *
 * Return: 0 or a negative errno. The caller must call sov_user_queue_fini() in both cases.
 */
int sov_user_queue_init(struct sov_user_queue *u, struct drm_device *drm,
			struct sov_account *account, struct drm_file *file, u64 ring_va)
{
	struct sov_bo *bo;

	u->ring_va = ring_va;
	bo = sov_user_queue_create_pointers(drm, account);
	if (IS_ERR(bo))
		return PTR_ERR(bo);
	u->pointers = bo;
	bo = sov_user_queue_create_doorbell(drm);
	if (IS_ERR(bo))
		return PTR_ERR(bo);
	u->doorbell = bo;
	return sov_user_queue_allow(u, file);
}

/**
 * sov_user_queue_describe() - fill the mmap offsets in the reply of QUEUE_CREATE
 * @u: The user queue.
 * @c: The reply.
 */
void sov_user_queue_describe(const struct sov_user_queue *u, struct drm_sovgpu_queue_create *c)
{
	c->doorbell_value = u->token;
	c->doorbell_offset = drm_vma_node_offset_addr(&u->doorbell->base.vma_node) +
			     offset_in_page(to_sov_device(u->doorbell->base.dev)->doorbell);
	c->pointers_offset = drm_vma_node_offset_addr(&u->pointers->base.vma_node);
	c->put_offset = u->put;
	c->get_offset = u->get;
}

/**
 * sov_user_queue_revoke() - refuse new mappings of the pages; existing ones stay
 * @u: The structure, also of a kernel queue. The file is still open.
 */
void sov_user_queue_revoke(struct sov_user_queue *u)
{
	if (!u->file)
		return;
	drm_vma_node_revoke(&u->pointers->base.vma_node, u->file);
	drm_vma_node_revoke(&u->doorbell->base.vma_node, u->file);
	u->file = NULL;
}

/**
 * sov_user_queue_fini() - drop the BOs
 * @u: The structure, also of a kernel queue. The queue is not on the hardware.
 */
void sov_user_queue_fini(struct sov_user_queue *u)
{
	if (u->doorbell)
		drm_gem_object_put(&u->doorbell->base);
	if (u->pointers)
		drm_gem_object_put(&u->pointers->base);
}
