// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The core's queue groups and queues on channel groups (TSGs) and channels. The channels of a TSG
 * share a time slice of their runlist and a context, but a TSG has a single engine. A queue group
 * therefore has one TSG for its compute queues and one for its copy queues, and the core stops both
 * when either fails. RM accepts no channel in a TSG that has lost its last one (status 0x40 on an
 * H200), so a later queue gets a new TSG.
 */
#include <linux/slab.h>

#include "kmod/bo.h"
#include "kmod/nv/chip.h"
#include "kmod/nv/memory.h"
#include "kmod/nv/queue.h"
#include "kmod/nv/rm.h"
#include "kmod/nv/vm.h"

#define TSG_ID_MAX        0xfff
#define PAGE_ROUND(bytes) ALIGN(bytes, SZ_4K)

static struct nv_group *to_nv_group(struct sov_group *group)
{
	return container_of(group, struct nv_group, base);
}

static struct nv_queue *to_nv_queue(struct sov_queue *queue)
{
	return container_of(queue, struct nv_queue, base);
}

static struct nv_vm *nv_queue_group_vm(struct sov_group *group)
{
	return to_nv_vm(group->vm);
}

static int nv_queue_tsg_set_scheduling(struct nv_rm_client *client, u32 tsg,
				       const struct sov_group *group)
{
	struct rm_interleave interleave = { .level = group->priority ? 0 : 1 };
	struct rm_time_slice slice = { .us = group->time_slice_us };
	int ret;

	ret = nv_rm_control(client, NV_RM_GROUP(tsg), RM_CONTROL_INTERLEAVE, &interleave,
			    sizeof(interleave));
	if (ret)
		return ret;
	return nv_rm_control(client, NV_RM_GROUP(tsg), RM_CONTROL_TIME_SLICE, &slice,
			     sizeof(slice));
}

/* Frees a TSG without channels. */
static void nv_queue_tsg_free(struct nv_tsg *tsg, struct nv_vm *vm)
{
	if (tsg->id) {
		nv_rm_free_or_wedge(&vm->client, NV_RM_GROUP(tsg->id));
		ida_free(&vm->nv->tsgs, tsg->id);
	}
	nv_context_fini(&tsg->context);
	nv_buffer_free(vm->nv, &tsg->method_buffer);
	mutex_destroy(&tsg->lock);
	kfree(tsg);
}

static int nv_queue_tsg_rm_alloc(struct nv_tsg *tsg, struct sov_group *group,
				 const struct nv_engine *engine)
{
	struct rm_channel_group_parameters p = {
		.va_space = NV_RM_VA_SPACE,
		.engine = engine->type,
	};
	struct nv_rm_client *client = &nv_queue_group_vm(group)->client;
	int id, ret;

	id = ida_alloc_range(&client->nv->tsgs, 1, TSG_ID_MAX, GFP_KERNEL);
	if (id < 0)
		return id;
	ret = nv_rm_alloc(client, NV_RM_DEVICE, NV_RM_GROUP(id), RM_CLASS_CHANNEL_GROUP, &p,
			  sizeof(p));
	if (ret) {
		ida_free(&client->nv->tsgs, id);
		return ret;
	}
	tsg->id = id;
	return nv_queue_tsg_set_scheduling(client, id, group);
}

static struct nv_tsg *nv_queue_tsg_create(struct sov_group *group, const struct nv_engine *engine)
{
	struct nv_tsg *tsg = kzalloc(sizeof(*tsg), GFP_KERNEL_ACCOUNT);
	struct nv_vm *vm = nv_queue_group_vm(group);
	int ret;

	if (!tsg)
		return ERR_PTR(-ENOMEM);
	mutex_init(&tsg->lock);
	ret = nv_buffer_alloc(vm->nv, vm->base.account, &tsg->method_buffer, vm->nv->method_bytes);
	if (!ret)
		ret = nv_queue_tsg_rm_alloc(tsg, group, engine);
	if (ret) {
		nv_queue_tsg_free(tsg, vm);
		return ERR_PTR(ret);
	}
	return tsg;
}

/* Joins the TSG of the queue's class, or a new one. */
static int nv_queue_join_tsg(struct nv_queue *q, const struct nv_engine *engine)
{
	struct nv_tsg **current_tsg = &to_nv_group(q->base.group)->tsgs[q->base.queue_class];
	struct nv_tsg *tsg = *current_tsg;

	if (!tsg || READ_ONCE(tsg->spent)) {
		tsg = nv_queue_tsg_create(q->base.group, engine);
		if (IS_ERR(tsg))
			return PTR_ERR(tsg);
		*current_tsg = tsg; /* the queues of a spent one still have it */
	}
	q->tsg = tsg;
	tsg->queues++;
	return 0;
}

static void nv_queue_leave_tsg(struct nv_queue *q)
{
	struct nv_tsg **current_tsg = &to_nv_group(q->base.group)->tsgs[q->base.queue_class];
	struct nv_tsg *tsg = q->tsg;

	q->tsg = NULL;
	if (!tsg || --tsg->queues)
		return;
	if (*current_tsg == tsg)
		*current_tsg = NULL;
	nv_queue_tsg_free(tsg, nv_queue_group_vm(q->base.group));
}

/* Returns -EAGAIN if the TSG was spent since the queue joined it. */
static int nv_queue_start_channel(struct nv_queue *q, const struct nv_channel_params *params)
{
	struct nv_tsg *tsg = q->tsg;
	int ret = -EAGAIN;

	mutex_lock(&tsg->lock);
	if (!tsg->spent)
		ret = nv_channel_start(&q->channel, params);
	tsg->channels += !ret;
	mutex_unlock(&tsg->lock);
	return ret;
}

static void nv_queue_stop_channel(struct nv_queue *q)
{
	struct nv_tsg *tsg = q->tsg;

	if (!tsg)
		return;
	mutex_lock(&tsg->lock);
	if (q->channel.allocated) {
		nv_channel_stop(&q->channel);
		WRITE_ONCE(tsg->spent, !--tsg->channels);
	}
	mutex_unlock(&tsg->lock);
}

/* Another thread may spend a TSG that the queue joins; it cannot do so with one that is new. */
static int nv_queue_join_and_start(struct nv_queue *q, const struct nv_engine *engine,
				   struct nv_channel_params *params)
{
	int ret;

	do {
		ret = nv_queue_join_tsg(q, engine);
		if (ret)
			return ret;
		params->parent = NV_RM_GROUP(q->tsg->id);
		params->method_buffer = &q->tsg->method_buffer;
		ret = nv_queue_start_channel(q, params);
		if (ret == -EAGAIN)
			nv_queue_leave_tsg(q);
	} while (ret == -EAGAIN);
	return ret;
}

/*
 * Programs can read the ring but not write it. They can write the page of sequence numbers, because
 * the channel writes it with the programs' own access rights; see nv_queue_consumed_seqno().
 */
static int nv_queue_alloc_ring(struct nv_queue *q)
{
	struct nv_vm *vm = nv_queue_group_vm(q->base.group);
	struct sov_account *account = vm->base.account;
	const struct nv_mmu_format *format = vm->mmu.format;
	const u64 bits = format->page | format->system | format->uncached;
	int ret;

	ret = nv_buffer_alloc(vm->nv, account, &q->ring_memory,
			      PAGE_ROUND(nv_ring_bytes(q->base.entries)));
	if (ret)
		return ret;
	ret = nv_buffer_alloc(vm->nv, account, &q->seqno, SZ_4K);
	if (ret)
		return ret;
	ret = nv_vm_map_kernel(vm, &q->ring_node, q->ring_memory.bus, q->ring_memory.bytes, SZ_4K,
			       bits | format->read_only);
	if (ret)
		return ret;
	ret = nv_vm_map_kernel(vm, &q->seqno_node, q->seqno.bus, SZ_4K, SZ_4K, bits);
	if (ret)
		return ret;
	nv_ring_init(&q->ring, q->ring_memory.cpu, q->ring_node.start, q->base.entries,
		     q->seqno_node.start);
	return 0;
}

/* Allocates the engine object, without which RM does not schedule the channel. */
static int nv_queue_alloc_object(struct nv_queue *q, const struct nv_engine *engine)
{
	struct nv_rm_client *client = &q->channel.vm->client;
	const struct nv_chip *chip = client->nv->chip;
	struct rm_copy_parameters copy = { .version = 1, .engine = engine->type };
	struct rm_preemption preemption = {
		.flags = RM_PREEMPTION_SET_COMPUTE,
		.channel = NV_RM_CHANNEL(q->channel.id),
		.compute = RM_PREEMPTION_BLOCK,
	};
	int ret;

	if (q->base.queue_class == DRM_SOVGPU_QUEUE_COPY)
		return nv_channel_alloc_object(&q->channel, chip->copy, &copy, sizeof(copy));
	ret = nv_channel_alloc_object(&q->channel, chip->compute, NULL, 0);
	if (ret)
		return ret;
	/* Without CTA preemption a running grid blocks all other TSGs (measured on an H200). */
	return nv_rm_control(client, NV_RM_SUBDEVICE, RM_CONTROL_PREEMPTION, &preemption,
			     sizeof(preemption));
}

static int nv_queue_schedule(struct nv_queue *q, const struct nv_engine *engine)
{
	struct nv_rm_client *client = &q->channel.vm->client;
	struct rm_bind bind = { .engine = engine->type };
	struct rm_schedule schedule = { .enable = 1 };
	int ret;

	ret = nv_rm_control(client, NV_RM_CHANNEL(q->channel.id), RM_CONTROL_BIND, &bind,
			    sizeof(bind));
	if (ret)
		return ret;
	return nv_rm_control(client, NV_RM_GROUP(q->tsg->id), RM_CONTROL_SCHEDULE, &schedule,
			     RM_SCHEDULE_BYTES_570);
}

/* Uses the ring and USERD of the process for a user queue; otherwise allocates a ring. */
static int nv_queue_setup_ring(struct nv_queue *q, struct nv_channel_params *params)
{
	struct sov_user_queue *user = &q->base.user;
	int ret;

	if (q->base.mode == DRM_SOVGPU_QUEUE_USER) {
		params->ring_va = user->ring_va;
		params->entries = q->base.entries;
		params->userd = sov_vram_address(&user->pointers->blocks, 0);
		user->put = NV_USERD_GP_PUT;
		user->get = NV_USERD_GP_GET;
		return 0;
	}
	ret = nv_queue_alloc_ring(q);
	params->ring_va = q->ring_node.start;
	params->entries = q->base.entries * NV_RING_ENTRIES_PER_JOB;
	return ret;
}

/* The TSG's first compute channel creates the context that all its channels share. */
static int nv_queue_init_context(struct nv_queue *q)
{
	struct nv_context *context = &q->tsg->context;
	int ret;

	if (q->base.queue_class != DRM_SOVGPU_QUEUE_COMPUTE || context->vm)
		return 0;
	ret = nv_context_init(context, q->channel.vm, NV_RM_CHANNEL(q->channel.id), false);
	if (ret) {
		nv_queue_stop_channel(q);
		nv_context_fini(context);
	}
	return ret;
}

/* On failure the caller stops and frees the channel. */
static int nv_queue_start(struct nv_queue *q)
{
	struct nv_vm *vm = nv_queue_group_vm(q->base.group);
	const struct nv_engine *engine = &vm->nv->engines[q->base.queue_class];
	struct nv_channel_params params = { .vm = vm, .engine = *engine };
	int ret;

	ret = nv_queue_setup_ring(q, &params);
	if (ret)
		return ret;
	ret = nv_channel_init(&q->channel, &params);
	if (ret)
		return ret;
	q->base.user.token = q->channel.doorbell;
	ret = nv_queue_join_and_start(q, engine, &params);
	if (ret)
		return ret;
	ret = nv_queue_init_context(q);
	if (ret)
		return ret;
	ret = nv_queue_alloc_object(q, engine);
	if (ret)
		return ret;
	return nv_queue_schedule(q, engine);
}

/**
 * nv_queue_init() - create a queue
 * @queue: The queue, in its group.
 *
 * Return: 0, or a negative errno after a log message, with everything undone.
 */
int nv_queue_init(struct sov_queue *queue)
{
	struct nv_queue *q = to_nv_queue(queue);
	int ret;

	ret = nv_queue_start(q);
	if (ret)
		goto err_stop;
	ret = xa_err(xa_store_irq(&q->channel.vm->nv->channels, q->channel.id, q, GFP_KERNEL));
	if (ret)
		goto err_stop;
	return 0;

err_stop:
	nv_queue_stop_channel(q);
	nv_queue_fini(queue);
	return ret;
}

static void nv_queue_add_to_halt(struct rm_disable_channels *p, struct nv_queue *q)
{
	p->clients[p->count] = q->channel.vm->client.handle;
	p->channels[p->count++] = NV_RM_CHANNEL(q->channel.id);
	q->halted = true;
}

/*
 * Stopping a channel that hangs takes seconds, but stopping many in one call takes no longer.
 * The first thread that stops a queue therefore halts with it all queues whose groups are about to
 * be stopped. A later nv_queue_stop() finds its queue halted, and freeing the channel is quick. The
 * caller holds halt_lock, so no queue leaves the xarray and none is freed.
 */
static void nv_queue_halt_pending(struct nv_device *nv, struct nv_queue *first)
{
	struct rm_disable_channels p = { .disable = 1 };
	struct nv_queue *q;
	unsigned long id;

	if (first->halted)
		return;
	nv_queue_add_to_halt(&p, first);
	xa_lock_irq(&nv->channels);
	xa_for_each(&nv->channels, id, q) {
		if (p.count == RM_DISABLE_CHANNELS)
			break;
		if (!q->halted && READ_ONCE(q->base.group->stop_pending))
			nv_queue_add_to_halt(&p, q);
	}
	xa_unlock_irq(&nv->channels);
	if (p.count > 1) /* freeing a channel also stops it */
		nv_rm_disable_channels(nv, &p);
}

/**
 * nv_queue_stop() - remove a queue from the hardware
 * @queue: The queue.
 */
void nv_queue_stop(struct sov_queue *queue)
{
	struct nv_queue *q = to_nv_queue(queue);
	struct nv_device *nv = q->channel.vm->nv;

	mutex_lock(&nv->halt_lock);
	nv_queue_halt_pending(nv, q);
	xa_erase_irq(&nv->channels, q->channel.id); /* events no longer find the queue */
	mutex_unlock(&nv->halt_lock);
	nv_queue_stop_channel(q);
}

/**
 * nv_queue_fini() - free the resources of a queue
 * @queue: The queue, stopped.
 */
void nv_queue_fini(struct sov_queue *queue)
{
	struct nv_queue *q = to_nv_queue(queue);
	struct nv_vm *vm = nv_queue_group_vm(queue->group);

	nv_queue_leave_tsg(q);
	nv_channel_fini(&q->channel);
	nv_vm_unmap_kernel(vm, &q->seqno_node);
	nv_vm_unmap_kernel(vm, &q->ring_node);
	nv_buffer_free(vm->nv, &q->seqno);
	nv_buffer_free(vm->nv, &q->ring_memory);
}

/**
 * nv_queue_push() - submit a job to the hardware
 * @queue: The queue, which has room.
 * @seqno: Sequence number of the job.
 * @va: GPU address of the command stream.
 * @size: Size of the command stream in bytes.
 */
void nv_queue_push(struct sov_queue *queue, u64 seqno, u64 va, u32 size)
{
	struct nv_queue *q = to_nv_queue(queue);

	nv_channel_kick(&q->channel, nv_ring_push(&q->ring, seqno, va, size));
}

/**
 * nv_queue_completed_seqno() - sequence number that the semaphore holds
 * @queue: The queue.
 *
 * Return: The sequence number of the last job that has released the semaphore. A program can forge
 * it.
 */
u64 nv_queue_completed_seqno(struct sov_queue *queue)
{
	u64 seqno = READ_ONCE(*(u64 *)to_nv_queue(queue)->seqno.cpu);

	dma_rmb(); /* order the sequence number before the job's results */
	return seqno;
}

/**
 * nv_queue_started_seqno() - last job that the channel has begun to fetch
 * @queue: The queue.
 *
 * A channel fetches nothing before the first time slice of its TSG.
 *
 * Return: The sequence number of the last job of which the host has fetched any entry.
 */
u64 nv_queue_started_seqno(struct sov_queue *queue)
{
	struct nv_queue *q = to_nv_queue(queue);
	u32 get = readl(q->channel.userd_io + NV_USERD_GP_GET);
	u64 unstarted = nv_ring_unstarted(&q->ring, get);

	return queue->pushed_seqno - min(queue->pushed_seqno, unstarted);
}

/**
 * nv_queue_consumed_seqno() - last job that the channel has fetched completely
 * @queue: The queue.
 *
 * The host fetches a job's last entry after the preceding entry has waited for idle (ring.h), so
 * the job has completed. A program cannot forge this: GP_GET lies in USERD, which no address space
 * maps.
 *
 * Return: The sequence number of the last job whose entries the host has all fetched.
 */
u64 nv_queue_consumed_seqno(struct sov_queue *queue)
{
	struct nv_queue *q = to_nv_queue(queue);
	u32 get = readl(q->channel.userd_io + NV_USERD_GP_GET);
	u64 incomplete = nv_ring_incomplete(&q->ring, get);

	return queue->pushed_seqno - min(queue->pushed_seqno, incomplete);
}
