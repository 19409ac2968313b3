// SPDX-License-Identifier: MIT
/* Channels of the card. The driver names their memory by address, and the firmware verifies all of
 * it. Once scheduled, a channel is a channel of the software GPU, whose ring, method streams and
 * kernels are reached through the driver's page tables. When one fails, a recovery thread of the
 * firmware stops its group, fills the notifiers and sends the driver an event. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hw/nv/copy.h"
#include "hw/nv/host.h"
#include "model/card/card_internal.h"

struct card_channel {
	struct card_channel *next;
	struct card *card;
	struct card_space *space;
	const struct card_engine *engine;
	struct rm_channel_parameters parameters;
	uint32_t id, group; /* handle of the group; 0: none */
	uint8_t *userd;
	struct nv_notification *notifier; /* or NULL */
	bool bound, stopped;              /* over: stopped for good */
	uint32_t slice_us;
	struct model_channel *running;
	atomic_bool failed;
};

uint8_t *rm_memory_pointer(struct card *c, const struct rm_memory_description *m, uint64_t bytes,
			   const char *what)
{
	uint64_t end = c->gsp.heap_outside;

	if (m->bytes < bytes)
		card_refuse(c, "GSP: %s has %" PRIu64 " bytes instead of %" PRIu64, what, m->bytes,
			    bytes);
	else if (m->space == RM_SPACE_SYSTEM)
		return card_dma(c, m->base, m->bytes, true, what);
	else if (m->space != RM_SPACE_VRAM)
		card_refuse(c, "GSP: %s lies in space %u; known: %u system, %u video memory", what,
			    m->space, RM_SPACE_SYSTEM, RM_SPACE_VRAM);
	else if (m->base >= end || m->bytes > end - m->base)
		card_refuse(c, "GSP: %s at 0x%" PRIx64 " of video memory, which ends at 0x%" PRIx64,
			    what, m->base, end);
	else
		return c->vram + m->base;
	return NULL;
}

static struct card_channel *find_channel(struct card *c, uint32_t runlist, uint32_t id)
{
	struct card_channel *ch = c->channels;

	while (ch && (ch->engine->runlist != runlist || ch->id != id))
		ch = ch->next;
	return ch;
}

static const char *check_parameters(struct card *c, const struct card_channel *ch)
{
	const struct rm_channel_parameters *p = &ch->parameters;

	if (!(p->flags & RM_CHANNEL_ID_GIVEN) || ch->id < RM_FIRST_CHANNEL || ch->id >= RM_CHANNELS)
		return "its id is missing or reserved";
	if (find_channel(c, ch->engine->runlist, ch->id))
		return "its id is in use";
	if (!!(p->flags & RM_CHANNEL_PRIVILEGED) != !!(p->internal_flags & 3))
		return "its two privilege flags differ";
	if (!p->ring_entries || p->ring_entries & (p->ring_entries - 1) ||
	    p->ring % NV_GP_ENTRY_BYTES)
		return "its ring size is not a power of two, or its address is not aligned";
	if (p->instance.base % RM_INSTANCE_BYTES || p->instance.space != RM_SPACE_VRAM)
		return "its instance block is not a page of video memory";
	if (p->ramfc.base != p->instance.base || p->ramfc.space != RM_SPACE_VRAM ||
	    p->ramfc.bytes != RM_RAMFC_BYTES)
		return "its RAMFC is not the start of its instance block";
	if (p->userd.base % NV_USERD_BYTES)
		return "its USERD is not aligned";
	return NULL;
}

struct card_channel *channel_create(struct card *c, struct card_space *s,
				    const struct rm_channel_parameters *p, uint32_t group,
				    uint32_t *status)
{
	struct card_channel *ch = calloc(1, sizeof(*ch));
	const char *wrong = NULL;

	*status = NV_STATUS_INVALID_ARGUMENT;
	if (!ch)
		return NULL;
	*ch = (struct card_channel){.card = c,
				    .space = s,
				    .engine = engine_find(p->engine),
				    .parameters = *p,
				    .id = RM_CHANNEL_ID_OF(p->flags),
				    .group = group};
	if (!ch->engine)
		wrong = "there is no such engine";
	else
		wrong = check_parameters(c, ch);
	if (wrong)
		card_refuse(c, "GSP: channel %u on engine %u: %s", ch->id, p->engine, wrong);
	else if (rm_memory_pointer(c, &p->instance, RM_INSTANCE_BYTES, "a channel's instance"))
		ch->userd = rm_memory_pointer(c, &p->userd, NV_USERD_BYTES, "a channel's USERD");
	bool notified = (p->internal_flags >> 2 & 3) == 3;

	if (ch->userd && notified)
		ch->notifier = (void *)rm_memory_pointer(
			c, &p->notifier_memory, sizeof(*ch->notifier), "a channel's notifier");
	if (!ch->userd || (notified && !ch->notifier)) {
		free(ch);
		return NULL;
	}
	*status = 0;
	ch->next = c->channels;
	c->channels = ch;
	return ch;
}

#define DEFAULT_SLICE_US 2000 /* default time slice of a group */

void channel_set_slice(struct card_channel *ch, uint32_t us)
{
	ch->slice_us = us ? us : DEFAULT_SLICE_US;
}

void channels_wait(struct card *c, struct card_channel *const *list, uint32_t count)
{
	struct timespec t = {c->stop_ms / 1000, c->stop_ms % 1000 * 1000000};
	bool busy = false;

	for (uint32_t i = 0; i < count; i++)
		busy = busy || (list[i]->running && model_channel_busy(list[i]->running));
	if (busy && c->stop_ms)
		nanosleep(&t, NULL);
}

void channel_stop(struct card_channel *ch)
{
	model_channel_destroy(ch->running);
	ch->running = NULL;
	ch->stopped = true;
}

void channel_destroy(struct card_channel *ch)
{
	struct card_channel **at = &ch->card->channels;

	channel_stop(ch);
	while (*at != ch)
		at = &(*at)->next;
	*at = ch->next;
	free(ch);
}

uint32_t channel_id(const struct card_channel *ch)
{
	return ch->id;
}
const struct card_engine *channel_engine(const struct card_channel *ch)
{
	return ch->engine;
}
struct card_space *channel_space(const struct card_channel *ch)
{
	return ch->space;
}

/* Called when the machine unmaps memory on reset or disconnect: channels that use it stop. */
void channel_memory_unmapped(struct card *c, const uint8_t *host, uint64_t bytes)
{
	for (struct card_channel *ch = c->channels; ch; ch = ch->next) {
		const uint8_t *parts[] = {ch->userd, (const uint8_t *)ch->notifier};

		for (uint32_t i = 0; !ch->stopped && i < 2; i++)
			if (parts[i] >= host && parts[i] < host + bytes) {
				card_log(c, "channel %u of %s: its memory was unmapped", ch->id,
					 ch->engine->name);
				channel_stop(ch);
			}
	}
}

uint32_t channel_bind(struct card_channel *ch, uint32_t engine)
{
	if (engine != ch->engine->type || ch->bound) {
		card_refuse(ch->card, "GSP: channel %u of engine %u is bound to %u%s", ch->id,
			    ch->engine->type, engine, ch->bound ? " again" : "");
		return NV_STATUS_INVALID_ARGUMENT;
	}
	ch->bound = true;
	return 0;
}

/* Called by engine threads. */
static void channel_interrupt_raised(void *argument, bool failed)
{
	struct card_channel *ch = argument;
	struct recovery *r = &ch->card->recovery;

	if (!failed) {
		interrupt_raise(ch->card, ch->engine->non_stall);
		return;
	}
	atomic_store(&ch->failed, true);
	pthread_mutex_lock(&r->lock);
	r->failed = true;
	pthread_cond_signal(&r->wake);
	pthread_mutex_unlock(&r->lock);
}

/* Privileged channels may copy by physical address unless created with DENY_PHYSICAL_MODE_CE. */
static uint8_t *resolve_physical(void *argument, uint32_t target, uint64_t address)
{
	struct card_channel *ch = argument;
	struct card *c = ch->card;

	if (target == NV_COPY_TARGET_VRAM)
		return address < c->gsp.heap_outside ? c->vram + address : NULL;
	return target == NV_COPY_TARGET_PEER ? NULL
					     : card_dma(c, address, 1, true, "a physical copy");
}

/* Does not check that the ring is mapped: another thread of the process may have unmapped it
 * before this call, which is not the driver's mistake. Reading the ring faults then. */
static const char *check_schedule(struct card_channel *ch)
{
	const struct rm_channel_parameters *p = &ch->parameters;

	if (ch->running)
		return "it is already running";
	if (!ch->bound)
		return "it is bound to no engine";
	if (!space_root(ch->space))
		return "its address space has no page tables";
	if (!rm_memory_pointer(ch->card, &p->method_buffer, CARD_METHOD_BUFFER_BYTES,
			       "a channel's method buffer"))
		return "its method buffer cannot be accessed";
	return NULL;
}

bool channel_runs(const struct card_channel *ch)
{
	return ch->running && !ch->stopped;
}

uint32_t channel_schedule(struct card_channel *ch)
{
	const char *wrong = ch->stopped ? NULL : check_schedule(ch);
	const bool privileged = ch->parameters.flags & RM_CHANNEL_PRIVILEGED;
	const struct model_channel_config config = {
		.ring_va = ch->parameters.ring,
		.ring_entries = ch->parameters.ring_entries,
		.userd = ch->userd,
		.notifier = ch->notifier,
		.copy_only = ch->engine->type != RM_ENGINE_GRAPHICS,
		.privileged = privileged,
		.runlist = engine_runlist(ch->card, ch->engine),
		.group = ch->group ? ch->group : (uint64_t)1 << 32 | ch->id,
		.slice_us = ch->slice_us,
		.interrupt = channel_interrupt_raised,
		.physical = privileged && !(ch->parameters.flags & RM_CHANNEL_NO_PHYSICAL_COPIES)
				    ? resolve_physical
				    : NULL,
		.argument = ch,
	};

	/* Its group has just failed, which the driver may not know yet: not a mistake of the
	 * driver. */
	if (ch->stopped) {
		card_log(ch->card, "channel %u of %s: cannot be scheduled, its group has failed",
			 ch->id, ch->engine->name);
		return NV_STATUS_INVALID_STATE;
	}
	if (!wrong &&
	    model_channel_create(ch->card->model, space_engines(ch->space), &config, &ch->running))
		wrong = "the host is out of memory";
	if (wrong) {
		card_refuse(ch->card, "GSP: channel %u is scheduled, but %s", ch->id, wrong);
		return NV_STATUS_INVALID_STATE;
	}
	/* The doorbell may have rung before. */
	model_doorbell(ch->card->model, model_channel_token(ch->running));
	return 0;
}

/* Any process that maps the page can write any token, so an unknown one is not the driver's
 * mistake. */
void channel_doorbell(struct card *c, uint32_t token)
{
	struct card_channel *ch = find_channel(c, token >> 16, token & 0xffff);

	if (ch && ch->running)
		model_doorbell(c->model, model_channel_token(ch->running));
}

/* Recovery. */

static void report_error(struct card_channel *ch, const struct model_error *e)
{
	struct card *c = ch->card;
	struct nv_gsp_error line = {
		.type = e->xid, .runlist = ch->engine->runlist, .channel = ch->id};
	struct nv_gsp_rc rc = {.engine = ch->engine->type,
			       .channel = ch->id,
			       .type = e->xid,
			       .scope = ch->group ? NV_GSP_RC_GROUP : NV_GSP_RC_CHANNEL};

	if (e->fault == MODEL_FAULT_MMU) {
		rc.fault_low = (uint32_t)e->address;
		rc.fault_high = (uint32_t)(e->address >> 32);
		rc.fault_type = space_fault_type(ch->space, e->address);
	}
	snprintf(line.text, sizeof(line.text), "Ch %08x, %.200s", ch->id, e->text);
	card_log(c, "channel %u of %s: Xid %u, %s", ch->id, ch->engine->name, e->xid, e->text);
	if (e->fault == MODEL_FAULT_MMU)
		gsp_send_event(c, NV_GSP_EVENT_MMU_FAULT_QUEUED, NULL, 0);
	gsp_send_event(c, NV_GSP_EVENT_OS_ERROR_LOG, &line, sizeof(line));
	gsp_send_event(c, NV_GSP_EVENT_RC_TRIGGERED, &rc, sizeof(rc));
}

/* A failure of one channel stops its whole group. */
static void stop_group(struct card_channel *failed, uint32_t xid)
{
	for (struct card_channel *ch = failed->card->channels; ch; ch = ch->next) {
		if (ch != failed && (!failed->group || ch->group != failed->group))
			continue;
		if (ch != failed && ch->notifier && !ch->stopped) {
			ch->notifier->time_ns = model_nanoseconds();
			ch->notifier->info32 = xid;
			ch->notifier->info16 = 1;
			__atomic_store_n(&ch->notifier->status, NV_NOTIFICATION_ERROR,
					 __ATOMIC_RELEASE);
		}
		channel_stop(ch);
	}
}

static void recover_channels(struct card *c)
{
	struct model_error e;

	pthread_mutex_lock(&c->lock);
	for (struct card_channel *ch = c->channels; ch; ch = ch->next) {
		if (!atomic_exchange(&ch->failed, false) || !ch->running ||
		    !model_channel_error(ch->running, &e))
			continue;
		stop_group(ch, e.xid);
		report_error(ch, &e);
	}
	pthread_mutex_unlock(&c->lock);
}

static void *recovery_main(void *argument)
{
	struct card *c = argument;
	struct recovery *r = &c->recovery;

	pthread_mutex_lock(&r->lock);
	while (!r->end) {
		if (!r->failed) {
			pthread_cond_wait(&r->wake, &r->lock);
			continue;
		}
		r->failed = false;
		pthread_mutex_unlock(&r->lock);
		recover_channels(c);
		pthread_mutex_lock(&r->lock);
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

bool recovery_start(struct card *c)
{
	pthread_mutex_init(&c->recovery.lock, NULL);
	pthread_cond_init(&c->recovery.wake, NULL);
	return !pthread_create(&c->recovery.thread, NULL, recovery_main, c);
}

void recovery_end(struct card *c)
{
	struct recovery *r = &c->recovery;

	pthread_mutex_lock(&r->lock);
	r->end = true;
	pthread_cond_signal(&r->wake);
	pthread_mutex_unlock(&r->lock);
	pthread_join(r->thread, NULL);
	pthread_cond_destroy(&r->wake);
	pthread_mutex_destroy(&r->lock);
}
