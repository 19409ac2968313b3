// SPDX-License-Identifier: MIT
/*
 * RM controls of the modelled GSP, a row each:
 *
 *   command   bytes  class           purpose
 *   20800137     4   subdevice       mask of GPCs
 *   20800138     8   subdevice       mask of a GPC's TPCs
 *   208001b0  1284   subdevice       falcons with contexts: none
 *   2080012b   560   subdevice       promotion of a channel's context buffers
 *   20800a32  1664   subdevice       sizes of context buffers
 *   20800a5c  2068   subdevice       interrupt vectors
 *   2080110b   536   subdevice       disable channels of any client together
 *   20801112  3212   subdevice       engines and their runlists
 *   20801206    40   subdevice       depth culling, for drivers that draw: none
 *   20801210    32   subdevice       preemption mode of a channel
 *   20802a08     4   subdevice       bytes of a channel's method buffer
 *   00801813    32   device          page directory of a VA space
 *   00801814     8   device          unsets the page directory
 *   90f10106   184   VA space        directories of a VA space that is not external
 *   a06c0101     2   channel group   schedule or stop
 *   a06c0103     8   channel group   time slice
 *   a06c0107     4   channel group   interleave level
 *   a06f0103     2   channel         schedule or stop
 *   a06f0104     4   channel         bind to its engine
 *   a06f0112     1   channel         stop
 *   c36f0108     4   channel         work submit token
 *
 * Settings without an effect on the software GPU (preemption, and time slices without a runlist
 * mode) are checked and ignored.
 */
#include <inttypes.h>
#include <string.h>

#include "hw/nv/host.h"
#include "hw/nv/mmu_ver3.h"
#include "model/card/card_internal.h"
#include "model/card/page_table.h"

/* An H200: 132 SMs in 66 TPCs of 8 GPCs with up to nine; which GPCs have nine is an assumption. */
#define GPCS 8
static const uint8_t tpcs[GPCS] = {9, 8, 8, 9, 8, 8, 8, 8};

static uint32_t get_gpcs(struct card *c, struct object *o, void *parameters)
{
	struct rm_gpcs *p = parameters;

	(void)c;
	(void)o;
	p->mask = (1u << GPCS) - 1;
	return 0;
}

static uint32_t get_tpcs(struct card *c, struct object *o, void *parameters)
{
	struct rm_tpcs *p = parameters;

	(void)o;
	if (p->gpc >= GPCS) {
		card_refuse(c, "GSP: TPCs of GPC %u; there are %u", p->gpc, GPCS);
		return NV_STATUS_INVALID_ARGUMENT;
	}
	p->mask = (1u << tpcs[p->gpc]) - 1;
	return 0;
}

/* The chip has none: returns zeros. */
static uint32_t get_none(struct card *c, struct object *o, void *parameters)
{
	(void)c;
	(void)o;
	(void)parameters;
	return 0;
}

static uint32_t get_context_buffers(struct card *c, struct object *o, void *parameters)
{
	(void)c;
	(void)o;
	context_sizes(parameters);
	return 0;
}

static uint32_t get_interrupts(struct card *c, struct object *o, void *parameters)
{
	struct rm_interrupts *p = parameters;

	(void)c;
	(void)o;
	p->list[p->count++] = (struct rm_interrupt){
		.unit = RM_UNIT_GSP, .stall = CARD_GSP_VECTOR, .non_stall = RM_VECTOR_NONE};
	for (uint32_t i = 0; i < card_engine_count; i++)
		p->list[p->count++] = (struct rm_interrupt){.unit = (uint16_t)card_engines[i].unit,
							    .stall = RM_VECTOR_NONE,
							    .non_stall = card_engines[i].non_stall};
	return 0;
}

static uint32_t get_engines(struct card *c, struct object *o, void *parameters)
{
	struct rm_engines *p = parameters;

	(void)o;
	if (p->first || p->count) {
		card_refuse(
			c,
			"GSP: engines from %u on are queried; all %u must be queried in one call",
			p->first, card_engine_count);
		return NV_STATUS_INVALID_ARGUMENT;
	}
	for (; p->count < card_engine_count; p->count++) {
		const struct card_engine *e = &card_engines[p->count];
		struct rm_engine_entry *to = &p->list[p->count];

		to->data[RM_ENGINE_DATA_TYPE] = e->type;
		to->data[RM_ENGINE_DATA_RUNLIST] = e->runlist;
		to->data[RM_ENGINE_DATA_RUNLIST_BASE] = 0x800000 + 0x400 * e->runlist;
		to->data[RM_ENGINE_DATA_HOST_DRIVEN] = 1;
		strcpy(to->name, e->name);
	}
	return 0;
}

static uint32_t get_method_buffer(struct card *c, struct object *o, void *parameters)
{
	struct rm_method_buffer *p = parameters;

	(void)c;
	(void)o;
	p->bytes = CARD_METHOD_BUFFER_BYTES;
	return 0;
}

/* Finds an object that the parameters name. */
static struct object *find_named(struct card *c, const struct object *o, uint32_t handle,
				 uint32_t class, const char *what)
{
	struct object *found = object_find(c, o->client->handle, handle, class);

	if (!found)
		card_refuse(c, "GSP: %s of 0x%x of client 0x%x: no such object", what, handle,
			    o->client->handle);
	return found;
}

static uint32_t promote_context(struct card *c, struct object *o, void *parameters)
{
	const struct rm_promote *p = parameters;
	struct object *channel =
		find_named(c, o, p->object, NV_CLASS_HOPPER_CHANNEL, "promotion of the channel");

	if (!channel)
		return NV_STATUS_INVALID_OBJECT_HANDLE;
	if (p->channel_client != o->client->handle || p->virtual_memory || p->virtual_address ||
	    p->virtual_bytes) {
		card_refuse(
			c,
			"GSP: promotion of 0x%x for client 0x%x: buffers must be listed, and the "
			"client must be the caller",
			p->object, p->channel_client);
		return NV_STATUS_INVALID_ARGUMENT;
	}
	return context_promote(c, object_context(channel), channel_space(channel->channel), p);
}

static uint32_t set_preemption(struct card *c, struct object *o, void *parameters)
{
	const struct rm_preemption *p = parameters;

	if (p->flags != RM_PREEMPTION_SET_COMPUTE || p->compute > 2 || p->graphics || p->route[0] ||
	    p->route[1]) {
		card_refuse(c, "GSP: preemption mode %u, flags 0x%x", p->compute, p->flags);
		return NV_STATUS_INVALID_ARGUMENT;
	}
	if (!object_find(c, o->client->handle, p->channel, RM_CLASS_CHANNEL_GROUP) &&
	    !find_named(c, o, p->channel, NV_CLASS_HOPPER_CHANNEL,
			"preemption mode of the channel"))
		return NV_STATUS_INVALID_OBJECT_HANDLE;
	return 0;
}

/* Page directories. */

static uint32_t set_directory(struct card *c, struct object *o, void *parameters)
{
	const struct rm_set_directory *p = parameters;
	struct object *s =
		find_named(c, o, p->va_space, RM_CLASS_VA_SPACE, "page directory of the VA space");

	if (!s)
		return NV_STATUS_INVALID_OBJECT_HANDLE;
	if (!s->external || space_root(s->space) || s->users ||
	    p->entries != mmu_root_entries(c->chip->mmu) || p->flags || p->channel ||
	    p->subdevice || p->pasid || !space_set_root(s->space, p->address)) {
		card_refuse(c,
			    "GSP: page directory at 0x%" PRIx64
			    ", %u entries, flags 0x%x, for VA space 0x%x, which is %s%s",
			    p->address, p->entries, p->flags, s->handle,
			    s->external ? "external" : "not external",
			    space_root(s->space) ? " and already has one" : "");
		return NV_STATUS_INVALID_ARGUMENT;
	}
	return 0;
}

static uint32_t unset_directory(struct card *c, struct object *o, void *parameters)
{
	const struct rm_unset_directory *p = parameters;
	struct object *s =
		find_named(c, o, p->va_space, RM_CLASS_VA_SPACE, "page directory of the VA space");

	if (!s)
		return NV_STATUS_INVALID_OBJECT_HANDLE;
	if (!s->external || !space_root(s->space) || s->users || p->subdevice) {
		card_refuse(c, "GSP: VA space 0x%x: page directory unset, but %s", s->handle,
			    s->users ? "channels use it" : "none is set");
		return NV_STATUS_INVALID_STATE;
	}
	space_set_root(s->space, 0);
	return 0;
}

/* Verifies the directories above the firmware's range, from the root down. Real firmware adds
 * entries there. */
static uint32_t copy_directories(struct card *c, struct object *o, void *parameters)
{
	const struct rm_copy_directories *p = parameters;
	const struct mmu_version *v = c->chip->mmu;
	bool good = !o->external && !space_root(o->space) && p->first == RM_RESERVED_VA &&
		    p->last == RM_RESERVED_VA + RM_RESERVED_BYTES - 1 &&
		    p->page_bytes == RM_RESERVED_BYTES && p->levels == mmu_levels(v) - 1 &&
		    !p->subdevice && !p->subdevice_id;

	for (uint32_t i = 0; good && i < p->levels; i++)
		good = p->list[i].aperture == RM_DIRECTORY_VRAM &&
		       p->list[i].shift == mmu_shift(v, i) &&
		       p->list[i].address % NV_MMU3_TABLE_BYTES == 0 &&
		       p->list[i].address < c->gsp.heap_outside;
	if (!good || !space_set_root(o->space, p->list[0].address)) {
		card_refuse(c,
			    "GSP: directories of VA space 0x%x for 0x%" PRIx64 " to 0x%" PRIx64
			    ", %u levels",
			    o->handle, p->first, p->last, p->levels);
		return NV_STATUS_INVALID_ARGUMENT;
	}
	return 0;
}

/* Channels. */

static uint32_t schedule_one(struct object *o, const struct rm_schedule *p)
{
	if (p->enable)
		return channel_schedule(o->channel);
	channel_stop(o->channel);
	return 0;
}

static uint32_t schedule_channel(struct card *c, struct object *o, void *parameters)
{
	(void)c;
	return schedule_one(o, parameters);
}

/* A group that gets another channel is scheduled again: running channels continue (nvrm does so on
 * an H200). */
static uint32_t schedule_group(struct card *c, struct object *o, void *parameters)
{
	const struct rm_schedule *p = parameters;
	uint32_t status = 0, count = 0;

	for (struct object *other = c->gsp.objects; other && !status; other = other->next)
		if (other->parent == o && other->class->class == NV_CLASS_HOPPER_CHANNEL) {
			if (!p->enable || !channel_runs(other->channel))
				status = schedule_one(other, p);
			count++;
		}
	if (!count) {
		card_refuse(c, "GSP: group 0x%x is scheduled without a channel", o->handle);
		return NV_STATUS_INVALID_STATE;
	}
	return status;
}

static uint32_t bind_channel(struct card *c, struct object *o, void *parameters)
{
	const struct rm_bind *p = parameters;

	(void)c;
	return channel_bind(o->channel, p->engine);
}

static uint32_t stop_channel(struct card *c, struct object *o, void *parameters)
{
	(void)c;
	(void)parameters;
	channel_stop(o->channel);
	return 0;
}

static uint32_t disable_channels(struct card *c, struct object *o, void *parameters)
{
	const struct rm_disable_channels *p = parameters;
	struct card_channel *list[RM_DISABLE_CHANNELS];

	(void)o;
	if (!p->disable || !p->count || p->count > RM_DISABLE_CHANNELS || p->only_scheduling ||
	    p->rewind || p->event) {
		card_refuse(c, "GSP: %u channels are to be %s; modelled is to disable up to %u",
			    p->count, p->disable ? "disabled" : "enabled", RM_DISABLE_CHANNELS);
		return NV_STATUS_INVALID_ARGUMENT;
	}
	for (uint32_t i = 0; i < p->count; i++) {
		struct object *channel =
			object_find(c, p->clients[i], p->channels[i], NV_CLASS_HOPPER_CHANNEL);

		if (!channel) {
			card_refuse(c,
				    "GSP: channel 0x%x of client 0x%x is to be disabled: no such "
				    "channel",
				    p->channels[i], p->clients[i]);
			return NV_STATUS_INVALID_OBJECT_HANDLE;
		}
		list[i] = channel->channel;
	}
	channels_wait(c, list, p->count);
	for (uint32_t i = 0; i < p->count; i++)
		channel_stop(list[i]);
	return 0;
}

static uint32_t get_token(struct card *c, struct object *o, void *parameters)
{
	struct rm_token *p = parameters;

	(void)c;
	p->token = channel_id(o->channel);
	return 0;
}

static uint32_t set_time_slice(struct card *c, struct object *o, void *parameters)
{
	const struct rm_time_slice *p = parameters;

	if (!p->us) {
		card_refuse(c, "GSP: group 0x%x: time slice of 0", o->handle);
		return NV_STATUS_INVALID_ARGUMENT;
	}
	o->slice_us = p->us > UINT32_MAX ? UINT32_MAX : (uint32_t)p->us;
	return 0;
}

static uint32_t set_interleave(struct card *c, struct object *o, void *parameters)
{
	const struct rm_interleave *p = parameters;

	if (p->level > 2) {
		card_refuse(c, "GSP: group 0x%x: interleave level %u", o->handle, p->level);
		return NV_STATUS_INVALID_ARGUMENT;
	}
	return 0;
}

#define CHANNEL NV_CLASS_HOPPER_CHANNEL
#define GROUP   RM_CLASS_CHANNEL_GROUP

static const struct object_command commands[] = {
	{RM_CONTROL_GPCS, RM_CLASS_SUBDEVICE, sizeof(struct rm_gpcs), "GPU_GET_FERMI_GPC_INFO",
	 true, get_gpcs},
	{RM_CONTROL_TPCS, RM_CLASS_SUBDEVICE, sizeof(struct rm_tpcs), "GPU_GET_FERMI_TPC_INFO",
	 false, get_tpcs},
	{RM_CONTROL_FALCONS, RM_CLASS_SUBDEVICE, sizeof(struct rm_falcons),
	 "GPU_GET_CONSTRUCTED_FALCON_INFO", true, get_none},
	{RM_CONTROL_PROMOTE, RM_CLASS_SUBDEVICE, sizeof(struct rm_promote), "GPU_PROMOTE_CTX",
	 false, promote_context},
	{RM_CONTROL_CONTEXT_BUFFERS, RM_CLASS_SUBDEVICE, sizeof(struct rm_context_buffers),
	 "INTERNAL_STATIC_KGR_GET_CONTEXT_BUFFERS_INFO", true, get_context_buffers},
	{RM_CONTROL_INTERRUPTS, RM_CLASS_SUBDEVICE, sizeof(struct rm_interrupts),
	 "INTERNAL_INTR_GET_KERNEL_TABLE", true, get_interrupts},
	{RM_CONTROL_DISABLE_CHANNELS, RM_CLASS_SUBDEVICE, sizeof(struct rm_disable_channels),
	 "FIFO_DISABLE_CHANNELS", false, disable_channels},
	{RM_CONTROL_ENGINES, RM_CLASS_SUBDEVICE, sizeof(struct rm_engines),
	 "FIFO_GET_DEVICE_INFO_TABLE", false, get_engines},
	{RM_CONTROL_ZCULL, RM_CLASS_SUBDEVICE, sizeof(struct rm_zcull), "GR_GET_ZCULL_INFO", true,
	 get_none},
	{RM_CONTROL_PREEMPTION, RM_CLASS_SUBDEVICE, sizeof(struct rm_preemption),
	 "GR_SET_CTXSW_PREEMPTION_MODE", false, set_preemption},
	{RM_CONTROL_METHOD_BUFFER, RM_CLASS_SUBDEVICE, sizeof(struct rm_method_buffer),
	 "CE_GET_FAULT_METHOD_BUFFER_SIZE", true, get_method_buffer},
	{RM_CONTROL_SET_DIRECTORY, RM_CLASS_DEVICE, sizeof(struct rm_set_directory),
	 "DMA_SET_PAGE_DIRECTORY", false, set_directory},
	{RM_CONTROL_UNSET_DIRECTORY, RM_CLASS_DEVICE, sizeof(struct rm_unset_directory),
	 "DMA_UNSET_PAGE_DIRECTORY", false, unset_directory},
	{RM_CONTROL_COPY_DIRECTORIES, RM_CLASS_VA_SPACE, sizeof(struct rm_copy_directories),
	 "VASPACE_COPY_SERVER_RESERVED_PDES", false, copy_directories},
	{RM_CONTROL_SCHEDULE, GROUP, RM_SCHEDULE_BYTES_570, "GPFIFO_SCHEDULE of a group", false,
	 schedule_group},
	{RM_CONTROL_TIME_SLICE, GROUP, sizeof(struct rm_time_slice), "SET_TIMESLICE", false,
	 set_time_slice},
	{RM_CONTROL_INTERLEAVE, GROUP, sizeof(struct rm_interleave), "SET_INTERLEAVE_LEVEL", false,
	 set_interleave},
	{RM_CONTROL_SCHEDULE_CHANNEL, CHANNEL, RM_SCHEDULE_BYTES_570, "GPFIFO_SCHEDULE", false,
	 schedule_channel},
	{RM_CONTROL_BIND, CHANNEL, sizeof(struct rm_bind), "BIND", false, bind_channel},
	{RM_CONTROL_STOP, CHANNEL, sizeof(struct rm_stop), "STOP_CHANNEL", false, stop_channel},
	{RM_CONTROL_TOKEN, CHANNEL, sizeof(struct rm_token), "GPFIFO_GET_WORK_SUBMIT_TOKEN", true,
	 get_token},
};

const struct object_command *command_find(uint32_t command, uint32_t class)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (commands[i].command == command && commands[i].class == class)
			return &commands[i];
	return NULL;
}
