// SPDX-License-Identifier: MIT
/* The modelled GSP, part two: RPC queues and calls. Every element is verified as a whole (length,
 * sequence number, checksum, headers) before its call is decoded; a call without a row, or of
 * another size, is rejected. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/card/card_internal.h"

#define ELEMENT_BYTES (NV_GSP_ELEMENT_PAGES * NV_GSP_PAGE)

/* An RPC as received; the reply's payload replaces the payload. */
struct call {
	struct nv_gsp_rpc *rpc;
	uint8_t *payload;
	uint32_t bytes;
};

static struct nv_gsp_queue *queue_at(struct card *c, uint32_t page)
{
	return card_dma(c, c->gsp.pages[page], sizeof(struct nv_gsp_queue), true,
			"a queue's header");
}

static uint8_t *element_page(struct card *c, uint32_t queue, uint32_t index)
{
	return card_dma(c, c->gsp.pages[queue + 1 + index % NV_GSP_QUEUE_ELEMENTS], NV_GSP_PAGE,
			true, "a page of a queue");
}

/* The XOR of an element's words of 64 bits, folded to 32, from its header to the end of its RPC.
 * Bytes behind the RPC in the last word are zero; those behind that word are in no sum. */
static uint32_t element_checksum(const uint8_t *element, uint32_t rpc_bytes)
{
	uint32_t bytes = ((uint32_t)sizeof(struct nv_gsp_element) + rpc_bytes + 7) / 8 * 8;
	uint32_t sum = 0, word;

	for (uint32_t i = 0; i < bytes; i += 4) {
		memcpy(&word, element + i, 4);
		sum ^= word;
	}
	return sum;
}

/* RM's sender reuses its staging area, so that parts of earlier messages follow an RPC. Here it is
 * noise: a driver that sums it sees the error in every message. */
static void dirty_tail(uint8_t *element, uint32_t rpc_bytes, uint32_t seed)
{
	uint32_t end = (uint32_t)sizeof(struct nv_gsp_element) + rpc_bytes;

	for (uint32_t i = (end + 7) / 8 * 8; i < ELEMENT_BYTES; i++) {
		seed = seed * 1664525u + 1013904223u;
		element[i] = (uint8_t)(seed >> 24);
	}
}

/* An interrupt is not raised again while its bit is set. */
static void raise_gsp_interrupt(struct card *c, uint32_t bit)
{
	if (!(c->gsp.interrupt & bit))
		interrupt_raise(c, CARD_GSP_VECTOR);
	c->gsp.interrupt |= bit;
}

void gsp_halt(struct card *c)
{
	c->gsp.unresponsive = true;
	raise_gsp_interrupt(c, NV_PGSP_IRQ_HALT);
}

uint32_t gsp_read_interrupt(struct card *c)
{
	return c->gsp.interrupt;
}

void gsp_clear_interrupt(struct card *c, uint32_t bits)
{
	c->gsp.interrupt &= ~bits;
}

void gsp_retrigger(struct card *c, uint32_t value)
{
	if (value && c->gsp.interrupt)
		interrupt_raise(c, CARD_GSP_VECTOR);
}

void gsp_publish(struct card *c, uint32_t put)
{
	struct nv_gsp_queue *status = queue_at(c, c->gsp.status);

	if (!status)
		return;
	__atomic_store_n(&status->put, put, __ATOMIC_RELEASE);
	gsp_write_log(c, LOG_INTERRUPT, "message up to %u", put);
	raise_gsp_interrupt(c, NV_PGSP_IRQ_SWGEN0);
}

/* Free pages of the status queue. */
static uint32_t status_queue_room(const struct gsp *g, const struct nv_gsp_queue *command)
{
	uint32_t get = __atomic_load_n(&command->get, __ATOMIC_ACQUIRE) % NV_GSP_QUEUE_ELEMENTS;

	return (get + NV_GSP_QUEUE_ELEMENTS - g->put - 1) % NV_GSP_QUEUE_ELEMENTS;
}

uint32_t gsp_room(struct card *c)
{
	const struct nv_gsp_queue *command = queue_at(c, c->gsp.command);

	return command ? status_queue_room(&c->gsp, command) : 0;
}

static bool send_message(struct card *c, uint32_t function, const void *payload, uint32_t bytes,
			 uint32_t result)
{
	struct gsp *g = &c->gsp;
	struct nv_gsp_queue *status = queue_at(c, g->status), *command = queue_at(c, g->command);
	uint8_t *element = calloc(1, ELEMENT_BYTES);
	struct nv_gsp_element e = {.sequence = g->sequence_out};
	struct nv_gsp_rpc rpc = {.version = NV_GSP_RPC_VERSION,
				 .signature = NV_GSP_RPC_SIGNATURE,
				 .bytes = (uint32_t)sizeof(rpc) + bytes,
				 .function = function,
				 .result = result};
	bool good = status && command && element && bytes <= NV_GSP_MAX_PAYLOAD;

	if (good) {
		e.pages = (uint32_t)((NV_GSP_HEADERS + bytes + NV_GSP_PAGE - 1) / NV_GSP_PAGE);
		good = status_queue_room(g, command) >= e.pages;
		if (!good)
			card_refuse(c,
				    "GSP: the status queue is full, the driver has read up to %u",
				    command->get);
	}
	uint32_t pages = e.pages;

	if (good) {
		uint32_t whole = rpc.bytes;
		bool wrong = fault_corrupt(c, &e, &rpc);

		memcpy(element, &e, sizeof(e));
		memcpy(element + sizeof(e), &rpc, sizeof(rpc));
		if (bytes) /* payload may be NULL */
			memcpy(element + NV_GSP_HEADERS, payload, bytes);
		dirty_tail(element, whole, g->sequence_out);
		e.checksum =
			element_checksum(element, rpc.bytes < whole ? rpc.bytes : whole) ^ wrong;
		memcpy(element, &e, sizeof(e));
	}
	for (uint32_t i = 0; good && i < pages; i++) {
		uint8_t *to = element_page(c, g->status, g->put + i);

		good = to;
		if (good)
			memcpy(to, element + i * NV_GSP_PAGE, NV_GSP_PAGE);
	}
	if (good) {
		g->sequence_out++;
		g->put = (g->put + pages) % NV_GSP_QUEUE_ELEMENTS;
		fault_publish(c, g->put);
	}
	free(element);
	return good;
}

void gsp_send_event(struct card *c, uint32_t event, const void *payload, uint32_t bytes)
{
	if (c->gsp.running)
		send_message(c, event, payload, bytes, 0);
}

/* RPC handlers. Each returns a status for the driver and replaces the payload by that of the
 * reply. */

static uint32_t set_system_info(struct card *c, struct call *call)
{
	struct nv_gsp_system_info info;

	memcpy(&info, call->payload, sizeof(info));
	const struct card_chip *chip = c->chip;

	if (info.bar0 != config_bar_address(c, chip->registers_bar) ||
	    info.bar1 != config_bar_address(c, chip->vram_bar) ||
	    info.bar2 != config_bar_address(c, chip->instance_bar) ||
	    info.pci_device != ((uint32_t)chip->device << 16 | NV_PCI_VENDOR) ||
	    info.pci_subsystem != ((uint32_t)chip->subsystem << 16 | NV_PCI_VENDOR) ||
	    info.pci_revision != NV_PCI_H200_REVISION ||
	    info.config_mirror != chip->config_mirror || !info.max_user_va) {
		card_refuse(c,
			    "GSP: system info does not fit this card: BARs 0x%" PRIx64 " 0x%" PRIx64
			    " 0x%" PRIx64 ", device 0x%08x",
			    info.bar0, info.bar1, info.bar2, info.pci_device);
		return NV_STATUS_INVALID_ARGUMENT;
	}
	return 0;
}

static uint32_t set_registry(struct card *c, struct call *call)
{
	struct nv_gsp_registry table;
	struct nv_gsp_registry_entry e;

	memcpy(&table, call->payload, sizeof(table));
	if (table.bytes > call->bytes || table.count > (call->bytes - sizeof(table)) / sizeof(e)) {
		card_refuse(c, "GSP: registry of %u bytes, %u entries in %u", table.bytes,
			    table.count, call->bytes);
		return NV_STATUS_INVALID_ARGUMENT;
	}
	for (uint32_t i = 0; i < table.count; i++) {
		memcpy(&e, call->payload + sizeof(table) + i * sizeof(e), sizeof(e));
		if (e.type != NV_GSP_REGISTRY_DWORD || e.bytes != 4 ||
		    e.name_offset >= table.bytes ||
		    !memchr(call->payload + e.name_offset, 0, table.bytes - e.name_offset)) {
			card_refuse(c, "GSP: registry entry %u: type %u, %u bytes, name at %u", i,
				    e.type, e.bytes, e.name_offset);
			return NV_STATUS_INVALID_ARGUMENT;
		}
	}
	return 0;
}

static uint32_t get_static_info(struct card *c, struct call *call)
{
	struct gsp *g = &c->gsp;
	struct nv_gsp_static_info info = {
		.fb_regions = 3,
		.fb =
			{
				{.limit = g->heap_outside - 1, .compressed = 1, .iso = 1},
				{.base = g->heap_outside,
				 .limit = c->vram_bytes - 1,
				 .reserved = c->vram_bytes - g->heap_outside,
				 .is_protected = 1},
				/* What the usable size leaves out. */
				{.base = c->vram_bytes,
				 .limit = c->vram_bytes + (16 << 20) - 1,
				 .reserved = 16 << 20,
				 .is_protected = 1},
			},
		.bar1_directory = window_bar1_root(c),
		.bar2_directory = window_bar2_root(c),
		.client = RM_INTERNAL_CLIENT,
		.device = RM_INTERNAL_DEVICE,
		.subdevice = RM_INTERNAL_SUBDEVICE,
		.heap_outside = g->heap_outside,
		.frts = g->frts,
	};

	memcpy(call->payload, &info, sizeof(info));
	return 0;
}

static uint32_t update_bar(struct card *c, struct call *call)
{
	struct nv_gsp_update_bar u;

	memcpy(&u, call->payload, sizeof(u));
	return window_update(c, &u);
}

/* RM objects. Their status is in their own structure; the RPC itself always succeeds. */

static bool parameters_fit(struct card *c, const struct call *call, uint32_t header, uint32_t bytes)
{
	if (bytes == call->bytes - header)
		return true;
	card_refuse(c, "GSP: call %u announces %u bytes of parameters, but has %u",
		    call->rpc->function, bytes, call->bytes - header);
	return false;
}

static uint32_t call_alloc(struct card *c, struct call *call)
{
	struct nv_gsp_rm_alloc *a = (void *)call->payload;

	a->status = parameters_fit(c, call, sizeof(*a), a->parameter_bytes)
			    ? object_create(c, a, a + 1)
			    : NV_STATUS_INVALID_PARAM_STRUCT;
	return 0;
}

static uint32_t call_control(struct card *c, struct call *call)
{
	struct nv_gsp_rm_control *r = (void *)call->payload;

	r->status = parameters_fit(c, call, sizeof(*r), r->parameter_bytes)
			    ? object_command(c, r, r + 1)
			    : NV_STATUS_INVALID_PARAM_STRUCT;
	return 0;
}

static uint32_t call_free(struct card *c, struct call *call)
{
	struct nv_gsp_rm_free *f = (void *)call->payload;
	bool faulty = c->fault.kind == FAULT_STUBBORN || c->fault.kind == FAULT_DEAF;

	if (faulty && object_is_users_channel(c, f->client, f->object)) {
		f->status = NV_STATUS_INVALID_STATE;
		c->gsp.unresponsive = c->fault.kind == FAULT_DEAF;
		c->fault.happened = true;
	} else {
		f->status = object_free(c, f);
	}
	return 0;
}

static uint32_t unloading_guest_driver(struct card *c, struct call *call)
{
	struct nv_gsp_unloading u;

	/* Accesses to a mapped window are not trapped, so a driver that never set the BAR mode is
	 * detected here. */
	if (c->gsp.window_virtual && !c->trap)
		card_refuse(c, "GSP: BAR 2 was left on the GSP's page tables");
	memcpy(&u, call->payload, sizeof(u));
	if (u.in_pm_transition || u.gc6_entering || u.new_level) {
		card_refuse(c, "GSP: unloading into power state %u", u.new_level);
		return NV_STATUS_INVALID_ARGUMENT;
	}
	return 0;
}

static const struct row {
	uint32_t function, bytes;
	bool exact; /* otherwise the minimum */
	bool answer;
	uint32_t (*run)(struct card *c, struct call *call);
} rows[] = {
	{NV_GSP_RM_FREE, sizeof(struct nv_gsp_rm_free), true, true, call_free},
	{NV_GSP_UNLOADING_GUEST_DRIVER, sizeof(struct nv_gsp_unloading), true, true,
	 unloading_guest_driver},
	{NV_GSP_GET_STATIC_INFO, sizeof(struct nv_gsp_static_info), true, true, get_static_info},
	{NV_GSP_UPDATE_BAR_PDE, sizeof(struct nv_gsp_update_bar), true, true, update_bar},
	{NV_GSP_SET_SYSTEM_INFO, sizeof(struct nv_gsp_system_info), true, false, set_system_info},
	{NV_GSP_SET_REGISTRY, sizeof(struct nv_gsp_registry), false, false, set_registry},
	{NV_GSP_RM_CONTROL, sizeof(struct nv_gsp_rm_control), false, true, call_control},
	{NV_GSP_RM_ALLOC, sizeof(struct nv_gsp_rm_alloc), false, true, call_alloc},
};

static void execute_call(struct card *c, struct call *call)
{
	const struct row *r = NULL;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].function == call->rpc->function)
			r = &rows[i];
	if (!r || call->bytes < r->bytes || (r->exact && call->bytes != r->bytes)) {
		card_refuse(c, "GSP: call %u with %u bytes: %s", call->rpc->function, call->bytes,
			    r ? "of another size" : "unknown");
		send_message(c, call->rpc->function, call->payload, call->bytes,
			     r ? NV_STATUS_INVALID_ARGUMENT : NV_STATUS_NOT_SUPPORTED);
		return;
	}
	gsp_write_log(c, LOG_RM, "call %u", call->rpc->function);
	uint32_t result = r->run(c, call);

	if (r->answer && !c->gsp.unresponsive)
		send_message(c, r->function, call->payload, call->bytes, result);
	if (r->run == unloading_guest_driver && !result)
		gsp_unload(c);
}

/* Copies one element out of the queue. Returns NULL, or what is wrong with it. */
static const char *receive_element(struct card *c, uint32_t there, uint8_t *element,
				   struct nv_gsp_element *e)
{
	struct gsp *g = &c->gsp;
	const uint8_t *first = element_page(c, g->command, g->get);
	struct nv_gsp_rpc rpc;

	if (!first)
		return "it cannot be read";
	memcpy(e, first, sizeof(*e));
	if (!e->pages || e->pages > NV_GSP_ELEMENT_PAGES || e->pages > there)
		return "it has more pages than the queue holds";
	for (uint32_t i = 0; i < e->pages; i++) {
		const uint8_t *from = element_page(c, g->command, g->get + i);

		if (!from)
			return "it cannot be read";
		memcpy(element + i * NV_GSP_PAGE, from, NV_GSP_PAGE);
	}
	if (e->sequence != g->sequence_in)
		return "its sequence number is not the next";
	memcpy(&rpc, element + sizeof(*e), sizeof(rpc));
	if (rpc.bytes < sizeof(rpc) || rpc.bytes > e->pages * NV_GSP_PAGE - sizeof(*e))
		return "its call does not fit into the element";
	if (element_checksum(element, rpc.bytes))
		return "its checksum is wrong";
	if (rpc.version != NV_GSP_RPC_VERSION || rpc.signature != NV_GSP_RPC_SIGNATURE)
		return "its header is invalid";
	if (rpc.result != NV_GSP_RPC_PENDING)
		return "it already has a result";
	return NULL;
}

void gsp_commands(struct card *c)
{
	struct gsp *g = &c->gsp;
	uint8_t *element = malloc(ELEMENT_BYTES);

	while (element && g->running && !g->unresponsive) {
		struct nv_gsp_queue *command = queue_at(c, g->command),
				    *status = queue_at(c, g->status);
		uint32_t put = command ? __atomic_load_n(&command->put, __ATOMIC_ACQUIRE) : g->get;
		struct nv_gsp_element e;

		if (!status || put == g->get)
			break;
		if (put >= NV_GSP_QUEUE_ELEMENTS) {
			card_refuse(c, "GSP: PUT of the command queue is %u of %u", put,
				    NV_GSP_QUEUE_ELEMENTS);
			break;
		}
		const char *wrong = receive_element(
			c, (put + NV_GSP_QUEUE_ELEMENTS - g->get) % NV_GSP_QUEUE_ELEMENTS, element,
			&e);

		if (wrong) {
			card_refuse(c, "GSP: command element %u at %u: %s", g->sequence_in, g->get,
				    wrong);
			break;
		}
		struct nv_gsp_rpc *rpc = (void *)(element + sizeof(e));
		struct call call = {rpc, element + NV_GSP_HEADERS,
				    rpc->bytes - (uint32_t)sizeof(*rpc)};

		g->sequence_in++;
		g->get = (g->get + e.pages) % NV_GSP_QUEUE_ELEMENTS;
		__atomic_store_n(&status->get, g->get, __ATOMIC_RELEASE);
		execute_call(c, &call);
	}
	free(element);
}

/* The driver has created the command queue; this creates the status queue. */
void gsp_open(struct card *c)
{
	struct gsp *g = &c->gsp;
	struct nv_gsp_queue *command = queue_at(c, g->command), *status = queue_at(c, g->status);

	if (!command || !status)
		return;
	if (command->version || command->bytes != NV_GSP_QUEUE_BYTES ||
	    command->element_bytes != NV_GSP_PAGE || command->elements != NV_GSP_QUEUE_ELEMENTS ||
	    command->flags != 1 || command->get_offset != NV_GSP_QUEUE_GET ||
	    command->elements_offset != NV_GSP_PAGE || command->get) {
		card_refuse(c, "GSP: header of the command queue: %u bytes, %u elements of %u",
			    command->bytes, command->elements, command->element_bytes);
		return;
	}
	struct nv_gsp_queue fresh = *command;

	fresh.put = fresh.get = 0;
	*status = fresh;
	objects_open(c);
	window_open(c);
	gsp_commands(c);
	send_message(c, NV_GSP_EVENT_INIT_DONE, NULL, 0, 0);
}
