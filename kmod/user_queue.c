// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Queues of processes, see user.h. What is mapped to a process are buffers without a handle: one
 * page of video memory for each queue, and the page of registers that has the doorbell. So the file
 * alone can map them, they outlive the queue where they are mapped, and go with the device.
 *
 * All processes share the doorbell, and one can guess another's token. That makes the hardware look
 * at a ring whose end has not moved: it does nothing. What a process writes to its own ring and
 * ends can only end its own group.
 */
#include <drm/drm_vma_manager.h>
#include <linux/mm.h>

#include "kmod/bo.h"
#include "kmod/device.h"
#include "kmod/group.h"
#include "kmod/queue.h"
#include "kmod/user_queue.h"

static int doorbell_init(struct drm_device *drm, struct sov_bo *bo, u64 size)
{
	drm_gem_private_object_init(drm, &bo->base, size);
	return 0;
}

static void doorbell_empty(struct sov_bo *bo)
{
}

static unsigned long doorbell_pfn(struct sov_bo *bo, u64 offset)
{
	return PHYS_PFN(to_sov_device(bo->base.dev)->doorbell);
}

static const struct sov_bo_kind doorbell = {
	.align = PAGE_SIZE,
	.limit = SOV_LIMITS,
	.registers = true,
	.init = doorbell_init,
	.empty = doorbell_empty,
	.pfn = doorbell_pfn,
};

static struct sov_bo *make_pointers(struct drm_device *drm, struct sov_account *account)
{
	const struct drm_sovgpu_bo_create c = {
		.size = SOV_VRAM_PAGE_SIZE,
		.region = DRM_SOVGPU_REGION_VRAM,
		.flags = DRM_SOVGPU_BO_MAPPABLE,
	};

	return sov_bo_create(drm, &c, account);
}

static struct sov_bo *make_doorbell(struct drm_device *drm)
{
	struct sov_bo *bo = sov_bo_make(drm, &doorbell, PAGE_SIZE);
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

static int show(struct sov_user_queue *u, struct drm_file *file)
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
 * sov_user_init() - make what a process will see of its queue
 * @queue: the queue, not on the hardware yet
 * @file: whose it is
 * @ring_va: address of its ring
 *
 * Return: 0 or a negative errno; then sov_user_fini() is wanted all the same.
 */
int sov_user_init(struct sov_queue *queue, struct drm_file *file, u64 ring_va)
{
	struct drm_device *drm = &queue->group->sov->drm;
	struct sov_user_queue *u = &queue->user;
	struct sov_bo *bo;

	u->ring_va = ring_va;
	bo = make_pointers(drm, queue->account);
	if (IS_ERR(bo))
		return PTR_ERR(bo);
	u->pointers = bo;
	bo = make_doorbell(drm);
	if (IS_ERR(bo))
		return PTR_ERR(bo);
	u->doorbell = bo;
	return show(u, file);
}

/**
 * sov_user_tell() - where a process finds it
 * @queue: the queue
 * @c: what QUEUE_CREATE answers
 */
void sov_user_tell(struct sov_queue *queue, struct drm_sovgpu_queue_create *c)
{
	const struct sov_user_queue *u = &queue->user;

	c->doorbell_value = u->token;
	c->doorbell_offset = drm_vma_node_offset_addr(&u->doorbell->base.vma_node) +
			     offset_in_page(queue->group->sov->doorbell);
	c->pointers_offset = drm_vma_node_offset_addr(&u->pointers->base.vma_node);
	c->put_offset = u->put;
	c->get_offset = u->get;
}

/**
 * sov_user_hide() - let it be mapped no more; what is mapped stays
 * @queue: the queue, of any mode; its file is still there
 */
void sov_user_hide(struct sov_queue *queue)
{
	struct sov_user_queue *u = &queue->user;

	if (!u->file)
		return;
	drm_vma_node_revoke(&u->pointers->base.vma_node, u->file);
	drm_vma_node_revoke(&u->doorbell->base.vma_node, u->file);
	u->file = NULL;
}

/**
 * sov_user_fini() - let it go
 * @queue: the queue, of any mode, which the hardware does not have
 */
void sov_user_fini(struct sov_queue *queue)
{
	struct sov_user_queue *u = &queue->user;

	if (u->doorbell)
		drm_gem_object_put(&u->doorbell->base);
	if (u->pointers)
		drm_gem_object_put(&u->pointers->base);
}
