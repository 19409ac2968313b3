// SPDX-License-Identifier: MIT
/* Interrupt storms (faults "spurious" and "storm"): a thread raises interrupts without a cause, or
 * has the GSP send meaningless events, as fast as it can, from boot to unload. The card works
 * otherwise, so refusals count against the driver. */
#include <inttypes.h>
#include <time.h>

#include "model/card/card_internal.h"

#define PAUSE_NS 20000
#define NO_EVENT 0x10ff
/* Pages of the queue that are left for replies. */
#define ROOM     (2 * NV_GSP_ELEMENT_PAGES)

static void send_event(struct card *c)
{
	static const struct nv_gsp_error line = {.type = 13, .text = "nothing is wrong"};
	static const struct nv_gsp_rc rc = {.channel = UINT32_MAX, .type = 31};

	if (gsp_room(c) < ROOM)
		return;
	switch (c->storm.sent++ % 3) {
	case 0:
		gsp_send_event(c, NV_GSP_EVENT_OS_ERROR_LOG, &line, sizeof(line));
		break;
	case 1:
		gsp_send_event(c, NV_GSP_EVENT_RC_TRIGGERED, &rc, sizeof(rc));
		break;
	default:
		gsp_send_event(c, NO_EVENT, NULL, 0);
		break;
	}
}

static void *storm_main(void *argument)
{
	struct card *c = argument;

	while (!c->storm.end) {
		nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
		pthread_mutex_lock(&c->lock);
		if (c->gsp.running && c->fault.kind == FAULT_STORM) {
			send_event(c);
		} else if (c->gsp.running) {
			interrupt_raise_spurious(c);
			c->storm.sent++;
		}
		pthread_mutex_unlock(&c->lock);
	}
	return NULL;
}

bool storm_start(struct card *c)
{
	if (c->fault.kind == FAULT_SPURIOUS || c->fault.kind == FAULT_STORM)
		c->storm.on = !pthread_create(&c->storm.thread, NULL, storm_main, c);
	else
		return true;
	return c->storm.on;
}

void storm_end(struct card *c)
{
	if (!c->storm.on)
		return;
	c->storm.end = true;
	pthread_join(c->storm.thread, NULL);
	c->storm.on = false;
	card_log(c, "%" PRIu64 " %s without a cause", c->storm.sent,
		 c->fault.kind == FAULT_STORM ? "messages of the GSP" : "interrupts");
}
