// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Groups and queues of the core, on channels. Channels of a channel group (TSG) share a runlist's
 * turn and a context, but all of one channel group run on the same engine. So a group of queues has
 * one for its compute queues and one for its copy queues, and the core sees to it that both die
 * when one does.
 */
#include <linux/slab.h>

#include "kmod/bo.h"
#include "kmod/nv/nv.h"

#define PAGES(bytes) ALIGN(bytes, SZ_4K)

static struct nv_group *to_nv_group(struct sov_group *group)
{
	return container_of(group, struct nv_group, base);
}

static struct nv_queue *to_nv_queue(struct sov_queue *queue)
{
	return container_of(queue, struct nv_queue, base);
}

static struct nv_vm *vm_of(struct sov_group *group)
{
	return to_nv_vm(group->vm);
}

/**
 * nv_group_init() - make a group of queues
 * @group: the group
 *
 * Return: 0: its channel groups come with queues.
 */
int nv_group_init(struct sov_group *group)
{
	return 0;
}

static int tune(struct nv_client *client, u32 tsg, const struct sov_group *group)
{
	struct rm_interleave interleave = { .level = group->priority ? 0 : 1 };
	struct rm_time_slice slice = { .us = group->time_slice_us };
	int ret;

	ret = nv_rm_control(client, NV_RM_GROUP(tsg), RM_CONTROL_INTERLEAVE, &interleave,
			    sizeof(interleave));
	if (!ret)
		ret = nv_rm_control(client, NV_RM_GROUP(tsg), RM_CONTROL_TIME_SLICE, &slice,
				    sizeof(slice));
	return ret;
}

static int tsg_init(struct nv_tsg *tsg, struct sov_group *group, const struct nv_engine *engine)
{
	struct rm_channel_group_parameters p = {
		.va_space = NV_RM_VA_SPACE,
		.engine = engine->type,
	};
	struct nv_client *client = &vm_of(group)->client;
	int id, ret;

	id = ida_alloc_range(&client->nv->tsgs, 1, NV_MAX_TSGS, GFP_KERNEL);
	if (id < 0)
		return id;
	ret = nv_rm_alloc(client, NV_RM_DEVICE, NV_RM_GROUP(id), RM_CLASS_CHANNEL_GROUP, &p,
			  sizeof(p));
	if (!ret) {
		ret = tune(client, id, group);
		if (ret)
			nv_rm_free(client, NV_RM_GROUP(id));
	}
	if (ret)
		ida_free(&client->nv->tsgs, id);
	else
		tsg->id = id;
	return ret;
}

/**
 * nv_group_fini() - give back what a group has
 * @group: the group, without queues
 */
void nv_group_fini(struct sov_group *group)
{
	struct nv_client *client = &vm_of(group)->client;
	int i;

	for (i = 0; i < SOV_QUEUE_CLASSES; i++) {
		struct nv_tsg *tsg = &to_nv_group(group)->tsgs[i];

		if (!tsg->id)
			continue;
		nv_rm_free(client, NV_RM_GROUP(tsg->id));
		nv_context_fini(&tsg->context);
		ida_free(&client->nv->tsgs, tsg->id);
		tsg->id = 0;
	}
}

/*
 * Programs may read the ring. The page for numbers they can write: the channel does, and it has no
 * rights but theirs. See nv_queue_passed().
 */
static int make_ring(struct nv_queue *q)
{
	struct nv_vm *vm = vm_of(q->base.group);
	struct sov_account *account = vm->base.account;
	const u64 bits = NV_MMU3_PTE_COHERENT | NV_MMU3_PCF_REGULAR;
	int ret;

	ret = nv_buffer_alloc(vm->nv, account, &q->memory, PAGES(nv_ring_bytes(q->base.entries)));
	if (!ret)
		ret = nv_buffer_alloc(vm->nv, account, &q->number, SZ_4K);
	if (!ret)
		ret = nv_vm_place(vm, &q->memory_place, q->memory.bus, q->memory.bytes, SZ_4K,
				  bits | NV_MMU3_PCF_READ_ONLY | NV_MMU3_PCF_NO_ATOMICS);
	if (!ret)
		ret = nv_vm_place(vm, &q->number_place, q->number.bus, SZ_4K, SZ_4K, bits);
	if (!ret)
		nv_ring_init(&q->ring, q->memory.cpu, q->memory_place.start, q->base.entries,
			     q->number_place.start);
	return ret;
}

/* The engine's object, without which the channel cannot be scheduled. */
static int make_object(struct nv_queue *q, const struct nv_engine *engine)
{
	struct nv_client *client = &q->channel.vm->client;
	const struct nv_chip *chip = client->nv->chip;
	struct rm_copy_parameters copy = { .version = 1, .engine = engine->type };
	struct rm_preemption preemption = {
		.flags = RM_PREEMPTION_SET_COMPUTE,
		.channel = NV_RM_CHANNEL(q->channel.id),
		.compute = RM_PREEMPTION_BLOCK,
	};
	int ret;

	if (q->base.queue_class == DRM_SOVGPU_QUEUE_COPY)
		return nv_channel_object(&q->channel, chip->copy, &copy, sizeof(copy));
	ret = nv_channel_object(&q->channel, chip->compute, NULL, 0);
	if (ret)
		return ret;
	/* Otherwise nobody else gets a turn while a grid runs (measured on an H200). */
	return nv_rm_control(client, NV_RM_SUBDEVICE, RM_CONTROL_PREEMPTION, &preemption,
			     sizeof(preemption));
}

static int schedule_channel(struct nv_queue *q, const struct nv_tsg *tsg,
			    const struct nv_engine *engine)
{
	struct nv_client *client = &q->channel.vm->client;
	struct rm_bind bind = { .engine = engine->type };
	struct rm_schedule schedule = { .enable = 1 };
	int ret;

	ret = nv_rm_control(client, NV_RM_CHANNEL(q->channel.id), RM_CONTROL_BIND, &bind,
			    sizeof(bind));
	if (ret)
		return ret;
	return nv_rm_control(client, NV_RM_GROUP(tsg->id), RM_CONTROL_SCHEDULE, &schedule,
			     RM_SCHEDULE_BYTES_570);
}

/* The process's ring and the ends that are mapped to it, or ours. */
static int find_ring(struct nv_queue *q, struct nv_channel_words *words)
{
	struct sov_user_queue *user = &q->base.user;
	int ret;

	if (q->base.mode == DRM_SOVGPU_QUEUE_USER) {
		words->ring_va = user->ring_va;
		words->entries = q->base.entries;
		words->userd = sov_vram_address(&user->pointers->blocks, 0);
		user->put = NV_USERD_GP_PUT;
		user->get = NV_USERD_GP_GET;
		return 0;
	}
	ret = make_ring(q);
	words->ring_va = q->memory_place.start;
	words->entries = q->base.entries * NV_RING_ENTRIES_PER_JOB;
	return ret;
}

static int start(struct nv_queue *q, struct nv_tsg *tsg)
{
	struct nv_vm *vm = vm_of(q->base.group);
	const struct nv_engine *engine = &vm->nv->engines[q->base.queue_class];
	struct nv_channel_words words = { .vm = vm, .engine = *engine };
	int ret = 0;

	if (!tsg->id)
		ret = tsg_init(tsg, q->base.group, engine);
	if (!ret)
		ret = find_ring(q, &words);
	if (ret)
		return ret;
	words.parent = NV_RM_GROUP(tsg->id);
	ret = nv_channel_init(&q->channel, &words);
	q->base.user.token = q->channel.doorbell;
	if (!ret && q->base.queue_class == DRM_SOVGPU_QUEUE_COMPUTE && !tsg->context.vm) {
		ret = nv_context_init(&tsg->context, vm, NV_RM_CHANNEL(q->channel.id), false);
		if (ret) {
			nv_channel_stop(&q->channel);
			nv_context_fini(&tsg->context);
		}
	}
	if (!ret)
		ret = make_object(q, engine);
	if (!ret)
		ret = schedule_channel(q, tsg, engine);
	return ret;
}

/**
 * nv_queue_init() - make a queue
 * @queue: the queue, in its group
 *
 * Return: 0 or a negative errno after a message, with everything undone but for the group's part.
 */
int nv_queue_init(struct sov_queue *queue)
{
	struct nv_tsg *tsg = &to_nv_group(queue->group)->tsgs[queue->queue_class];
	struct nv_queue *q = to_nv_queue(queue);
	int ret;

	ret = start(q, tsg);
	if (!ret)
		ret = xa_err(
			xa_store_irq(&q->channel.vm->nv->channels, q->channel.id, q, GFP_KERNEL));
	if (ret) {
		nv_channel_stop(&q->channel);
		nv_queue_fini(queue);
	}
	return ret;
}

static void add_channel(struct rm_disable_channels *p, struct nv_queue *q)
{
	p->clients[p->count] = q->channel.vm->client.handle;
	p->channels[p->count++] = NV_RM_CHANNEL(q->channel.id);
	q->halted = true;
}

/*
 * To stop a channel that hangs takes seconds, and to stop many takes as long when they are stopped
 * together. So whoever stops one stops with it all whose groups will be stopped: each of these is
 * found halted when its turn comes, and freeing it is quick. Under the lock, without which none of
 * them leaves the list, and so none is freed.
 */
static void halt_condemned(struct nv_device *nv, struct nv_queue *first)
{
	struct rm_disable_channels p = { .disable = 1 };
	struct nv_queue *q;
	unsigned long id;

	if (first->halted)
		return;
	add_channel(&p, first);
	xa_lock_irq(&nv->channels);
	xa_for_each(&nv->channels, id, q) {
		if (p.count == RM_DISABLE_CHANNELS)
			break;
		if (!q->halted && READ_ONCE(q->base.group->stop_pending))
			add_channel(&p, q);
	}
	xa_unlock_irq(&nv->channels);
	if (p.count > 1) /* one alone is stopped by freeing it */
		nv_rm_halt(nv, &p);
}

/**
 * nv_queue_stop() - take a queue off the hardware
 * @queue: the queue
 */
void nv_queue_stop(struct sov_queue *queue)
{
	struct nv_queue *q = to_nv_queue(queue);

	struct nv_device *nv = q->channel.vm->nv;

	mutex_lock(&nv->halt_lock);
	halt_condemned(nv, q);
	xa_erase_irq(&nv->channels, q->channel.id); /* no event finds it now */
	mutex_unlock(&nv->halt_lock);
	nv_channel_stop(&q->channel);
}

/**
 * nv_queue_fini() - give back what a queue has
 * @queue: the queue, stopped
 */
void nv_queue_fini(struct sov_queue *queue)
{
	struct nv_queue *q = to_nv_queue(queue);
	struct nv_vm *vm = vm_of(queue->group);

	nv_channel_fini(&q->channel);
	nv_vm_remove(vm, &q->number_place);
	nv_vm_remove(vm, &q->memory_place);
	nv_buffer_free(vm->nv, &q->number);
	nv_buffer_free(vm->nv, &q->memory);
}

/**
 * nv_queue_push() - hand a job over
 * @queue: the queue, with room
 * @number: of the job
 * @va: its command stream
 * @size: bytes of that
 */
void nv_queue_push(struct sov_queue *queue, u64 number, u64 va, u32 size)
{
	struct nv_queue *q = to_nv_queue(queue);

	nv_channel_ring(&q->channel, nv_ring_push(&q->ring, number, va, size));
}

/**
 * nv_queue_done() - how far the hardware has come
 * @queue: the queue
 *
 * Return: number of the last job that is done.
 */
u64 nv_queue_done(struct sov_queue *queue)
{
	u64 done = READ_ONCE(*(u64 *)to_nv_queue(queue)->number.cpu);

	dma_rmb(); /* the number before what the job has written */
	return done;
}

/**
 * nv_queue_begun() - which jobs the channel has begun to fetch
 * @queue: the queue
 *
 * A channel fetches nothing before its group's first turn.
 *
 * Return: number of the last job of which it has fetched anything.
 */
u64 nv_queue_begun(struct sov_queue *queue)
{
	struct nv_queue *q = to_nv_queue(queue);
	u64 waiting = nv_ring_unstarted(&q->ring, readl(q->channel.ends + NV_USERD_GP_GET));

	return queue->pushed_seqno - min(queue->pushed_seqno, waiting);
}

/**
 * nv_queue_passed() - how far the channel has fetched its ring
 * @queue: the queue
 *
 * A job's last entry is fetched when the one before, which waits for the engine, is done (ring.h).
 * USERD, where the hardware says how far it has fetched, is mapped into no address space.
 *
 * Return: number of the last job that was fetched whole.
 */
u64 nv_queue_passed(struct sov_queue *queue)
{
	struct nv_queue *q = to_nv_queue(queue);
	u64 left = nv_ring_incomplete(&q->ring, readl(q->channel.ends + NV_USERD_GP_GET));

	return queue->pushed_seqno - min(queue->pushed_seqno, left);
}
