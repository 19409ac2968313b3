// SPDX-License-Identifier: MIT
/*
 * Error reports and stopping. When a channel fails, RM writes the Xid to the group's error
 * notifier; the details go only to the kernel log. An SM debugger object that is allocated
 * afterwards still reports the address of an MMU fault and, per SM, the warp error and its PC.
 *
 * MMU fault types: open-gpu-doc, manuals/turing/tu104/dev_mmu_fault.ref.txt. Warp errors: nouveau's
 * names for SM_HWW_WARP_ESR; 0x9, 0xe, 0xf and 0x20 were seen on an H200.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "libsov/runtime/base/log.h"
#include "libsov/winsys/nvrm/nvrm.h"
#include "libsov/winsys/nv_xid.h"

struct name {
	uint32_t number;
	const char *text;
};
#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static const struct name fault_types[] = {
	{0x0, "it is not mapped"},
	{0x1, "its page table has the wrong size"},
	{0x2, "it is not mapped"},
	{0x3, "it lies beyond the address space"},
	{0x4, "the channel has no address space"},
	{0x5, "it is privileged"},
	{0x6, "it is read-only"},
	{0x7, "it is write-only"},
	{0xe, "its memory is poisoned"},
	{0xf, "it does not support atomics"},
};

static const struct name accesses[] = {
	{0, "read"}, {1, "write"}, {2, "atomic"}, {3, "prefetch"}, {4, "atomic"},
};
static const enum winsys_access access_kinds[] = {
	WINSYS_READ, WINSYS_WRITE, WINSYS_ATOMIC, WINSYS_UNKNOWN_ACCESS, WINSYS_ATOMIC,
};

static const struct name warp_errors[] = {
	{0x01, "a call stack error"},
	{0x02, "a call stack error"},
	{0x03, "a return without a call"},
	{0x04, "the program counter wrapped"},
	{0x05, "a misaligned program counter"},
	{0x06, "the program counter left the code"},
	{0x07, "a misaligned constant address"},
	{0x08, "a misaligned register"},
	{0x09, "an illegal instruction or trap"},
	{0x0a, "an illegal combination of instructions"},
	{0x0b, "an illegal instruction parameter"},
	{0x0c, "an invalid constant address"},
	{0x0d, "a register out of range"},
	{0x0e, "an address outside of the block's shared or the thread's local memory"},
	{0x0f, "an address that is not aligned to its size"},
	{0x10, "an invalid address space"},
	{0x11, "an illegal instruction parameter"},
	{0x12, "an invalid constant address"},
	{0x20, "an address that cannot be accessed"},
};

#define WARP_OUT_OF_RANGE 0x0e /* these two report the exact address */
#define WARP_MISALIGNED   0x0f
#define WARP_MMU_NACK     0x20 /* precedes the MMU's report: Xid 13, then 31 */

static const char *find_name(const struct name *names, size_t count, uint32_t number)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (names[i].number == number)
			return names[i].text;
	return NULL;
}

static void describe_mmu_fault(const struct rm_mmu_faults *f, struct winsys_error *out)
{
	const char *access = find_name(accesses, COUNT(accesses), f->list[0].access);
	const char *why = find_name(fault_types, COUNT(fault_types), f->list[0].type);

	out->memory = true;
	if (f->list[0].access < COUNT(access_kinds))
		out->access = access_kinds[f->list[0].access];
	out->address = f->list[0].address;
	snprintf(out->text, sizeof(out->text), "invalid %s in the page at 0x%llx: %s",
		 access ? access : "access", (unsigned long long)out->address,
		 why ? why : "the MMU rejected it");
}

void nvrm_describe_error(uint32_t xid, const struct rm_mmu_faults *faults,
			 const struct rm_sm_errors *errors, struct winsys_error *out)
{
	const char *text = nv_xid_text(xid), *warp = NULL;
	uint32_t i, number = 0;

	*out = (struct winsys_error){.vendor_code = xid};
	for (i = 0; errors && i < errors->count && !warp; i++) {
		number = errors->sm[i].warp & 0xff;
		if (!number)
			continue;
		out->pc = errors->sm[i].pc;
		out->memory = out->misaligned = number == WARP_MISALIGNED;
		if (out->memory || number == WARP_OUT_OF_RANGE)
			out->address = errors->sm[i].address;
		warp = find_name(warp_errors, COUNT(warp_errors), number);
		if (!warp)
			warp = "an unknown warp error";
	}
	if ((xid == NV_XID_MMU_FAULT || number == WARP_MMU_NACK) && faults && faults->count) {
		describe_mmu_fault(faults, out);
		return;
	}
	if (warp && out->address)
		snprintf(out->text, sizeof(out->text), "%s: 0x%llx", warp,
			 (unsigned long long)out->address);
	else if (warp)
		snprintf(out->text, sizeof(out->text), "%s", warp);
	else
		snprintf(out->text, sizeof(out->text), "%s (Xid %u)",
			 text ? text : "the channel failed", xid);
}

/* ---- the SM debugger ---- */

static void log_errors(const struct rm_mmu_faults *f, const struct rm_sm_errors *e)
{
	uint32_t i;

	for (i = 0; f && i < f->count && i < RM_MMU_FAULTS; i++)
		LOG(DEVICE, INFO, "MMU fault at 0x%llx, type %u, access %u",
		    (unsigned long long)f->list[i].address, f->list[i].type, f->list[i].access);
	for (i = 0; e && i < e->count && i < RM_SM_ERRORS; i++)
		if (e->sm[i].warp || e->sm[i].global)
			LOG(DEVICE, INFO,
			    "SM %u: global 0x%x, warp 0x%x, pc 0x%llx (0x%x), address 0x%llx",
			    e->first + i, e->sm[i].global, e->sm[i].warp,
			    (unsigned long long)e->sm[i].pc, e->sm[i].pc32,
			    (unsigned long long)e->sm[i].address);
}

static bool has_error(const struct rm_sm_errors *e)
{
	uint32_t i;

	for (i = 0; i < e->count; i++)
		if (e->sm[i].warp & 0xff)
			return true;
	return false;
}

/* Reads the SMs in batches up to the first batch with an error. */
static bool read_sm_errors(struct winsys_device *d, uint32_t debugger, uint32_t channel,
			   struct rm_sm_errors *e)
{
	uint32_t first, left;

	for (first = 0; first < d->info.multiprocessors; first += RM_SM_ERRORS) {
		left = d->info.multiprocessors - first;
		memset(e, 0, sizeof(*e));
		e->channel = channel;
		e->first = first;
		e->count = left < RM_SM_ERRORS ? left : RM_SM_ERRORS;
		if (rm_control(d->rm, debugger, RM_CONTROL_SM_ERRORS, e, sizeof(*e), "SM errors"))
			return false;
		if (e->count > RM_SM_ERRORS)
			e->count = RM_SM_ERRORS;
		if (has_error(e))
			return true;
	}
	return false;
}

/* Allocates a debugger for the compute channels of one priority, which share their context. The
 * caller holds the group's lock and unwinds the scope. channel: one of the channels. */
static bool debugger_create(struct winsys_group *g, int32_t priority, struct rm_scope *scope,
			    uint32_t *debugger, uint32_t *channel)
{
	struct winsys_device *d = g->device;
	struct rm_debugger_parameters p = {.client = d->rm->client};
	const struct winsys_queue *q = g->queues;

	while (q && (q->engine != WINSYS_COMPUTE || q->priority != priority))
		q = q->next;
	if (!q)
		return false;
	scope->rm = d->rm;
	p.compute = q->engine_object;
	*channel = q->channel;
	return !rm_alloc(scope, d->device, RM_CLASS_DEBUGGER, &p, sizeof(p), debugger,
			 "an SM debugger");
}

struct error_state {
	struct rm_mmu_faults faults;
	struct rm_sm_errors errors;
	bool have_faults, have_errors;
};

/* Returns false if RM reports nothing for the channels of this priority. */
static bool query_errors(struct winsys_group *g, int32_t priority, struct error_state *f)
{
	struct winsys_device *d = g->device;
	struct rm_scope scope = {0};
	uint32_t debugger, channel;

	memset(f, 0, sizeof(*f));
	if (debugger_create(g, priority, &scope, &debugger, &channel)) {
		f->have_faults = !rm_control(d->rm, debugger, RM_CONTROL_MMU_FAULTS, &f->faults,
					     sizeof(f->faults), "MMU faults");
		f->have_errors = read_sm_errors(d, debugger, channel, &f->errors);
	}
	rm_unwind(&scope, 0);
	return f->have_errors || (f->have_faults && f->faults.count);
}

/* Called with the group's lock held. Details that RM does not report are omitted. */
static void describe_failure(struct winsys_group *g, uint32_t xid)
{
	struct error_state *f = calloc(1, sizeof(*f));
	int32_t i;

	for (i = 0; f && i < NVRM_PRIORITIES; i++)
		if (query_errors(g, NVRM_MIN_PRIORITY + i, f))
			break;
	(void)winsys_take_error();
	log_errors(f && f->have_faults ? &f->faults : NULL,
		   f && f->have_errors ? &f->errors : NULL);
	nvrm_describe_error(xid, f && f->have_faults ? &f->faults : NULL,
			    f && f->have_errors ? &f->errors : NULL, &g->description);
	/* Stopped warps fault at address 0; a fault elsewhere happened before the stop. */
	g->description.stopped = g->stopped && !(g->description.memory && g->description.address);
	free(f);
}

static bool has_failed(const struct winsys_group *g)
{
	return __atomic_load_n(&g->error->status, __ATOMIC_ACQUIRE) == NV_NOTIFICATION_ERROR;
}

bool nvrm_group_error(struct winsys_group *g, struct winsys_error *out)
{
	if (!has_failed(g))
		return false;
	pthread_mutex_lock(&g->lock);
	if (!g->described)
		describe_failure(g, __atomic_load_n(&g->error->info32, __ATOMIC_ACQUIRE));
	g->described = true;
	*out = g->description;
	pthread_mutex_unlock(&g->lock);
	return true;
}

/*
 * RM cannot preempt a block that does not end, and waits five seconds before it tears the channel
 * down. The SM debugger is faster: in debug mode, stopped warps jump to the trap handler. There is
 * none, so they fault at address 0, the group fails, and its channels are free after 0.1 s (H200).
 */
#define STOP_MS 500

static void wait_for_failure(const struct winsys_group *g)
{
	struct timespec t = {.tv_nsec = 1000000};
	uint32_t i;

	for (i = 0; i < STOP_MS && !has_failed(g); i++)
		nanosleep(&t, NULL);
}

/* Stops the channels of one priority. Returns whether a failure of the group is to be expected. */
static bool stop_sms(struct winsys_group *g, int32_t priority)
{
	struct rm *rm = g->device->rm;
	struct rm_stop_sm all = {.sm = RM_STOP_ALL_SMS, .stop = 1};
	struct rm_scope scope = {0};
	uint32_t debugger, channel;
	bool stopping = false;

	if (debugger_create(g, priority, &scope, &debugger, &channel)) {
		g->stopped = true;
		stopping =
			!rm_control(rm, debugger, RM_CONTROL_DEBUG_MODE, NULL, 0, "debug mode") &&
			!rm_control(rm, debugger, RM_CONTROL_STOP_SM, &all, sizeof(all),
				    "the stop of all SMs");
		rm_unwind(&scope, 0);
	}
	return stopping;
}

void nvrm_group_stop(struct winsys_group *g)
{
	const struct winsys_queue *q;
	bool stopping = false;
	int32_t i;

	pthread_mutex_lock(&g->lock);
	for (q = g->queues; q; q = q->next)
		LOG(DEVICE, INFO, "stopping: queue %u of engine %d: PUT %u, GET %u", q->userd_slot,
		    q->engine, __atomic_load_n(q->memory.put, __ATOMIC_RELAXED),
		    __atomic_load_n(q->memory.get, __ATOMIC_RELAXED));
	for (i = 0; i < NVRM_PRIORITIES && !has_failed(g); i++)
		stopping |= stop_sms(g, NVRM_MIN_PRIORITY + i);
	if (stopping)
		wait_for_failure(g);
	(void)winsys_take_error(); /* RM then tears the channels down, which takes longer */
	pthread_mutex_unlock(&g->lock);
}
