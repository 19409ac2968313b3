/* SPDX-License-Identifier: MIT */
/*
 * Cards that never hold their tongue (fault.c's spurious and storm): a thread that interrupts without a reason, or lets the
 * GSP speak of nothing, as often as it comes to it, from boot to unload. Nothing else is wrong with such a card, so what a
 * driver does is judged as ever.
 */
#include <inttypes.h>
#include <time.h>

#include "model/card/card_internal.h"

#define PAUSE_NS 20000
#define NO_EVENT 0x10ff
/* Pages of the queue that it leaves to answers. */
#define ROOM     (2 * NV_GSP_ELEMENT_PAGES)

static void speak(struct card *c)
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
			speak(c);
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
	card_log(c, "%" PRIu64 " %s without a reason", c->storm.sent,
		 c->fault.kind == FAULT_STORM ? "messages of the GSP" : "interrupts");
}
