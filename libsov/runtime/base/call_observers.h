/* SPDX-License-Identifier: MIT */
/*
 * Which observers want to see API calls. While none does, an API call tests one byte and jumps to
 * its implementation.
 */
#ifndef SOV_CALL_OBSERVERS_H
#define SOV_CALL_OBSERVERS_H

#include <stdbool.h>
#include <stdint.h>

enum call_observer {
	/* SOV_LOG and SOV_TRACE have not been read: the first call that needs a device reads them,
	 * and that call is logged and traced too. */
	CALL_OBSERVER_UNKNOWN = 1,
	CALL_OBSERVER_LOG = 2,
	CALL_OBSERVER_TRACE = 4,
};

extern uint8_t call_observers;

static inline bool calls_observed(void)
{
	return __builtin_expect(__atomic_load_n(&call_observers, __ATOMIC_RELAXED), 0);
}

static inline void call_observer_add(enum call_observer o)
{
	__atomic_fetch_or(&call_observers, (uint8_t)o, __ATOMIC_RELAXED);
}

static inline void call_observer_remove(enum call_observer o)
{
	__atomic_fetch_and(&call_observers, (uint8_t)~o, __ATOMIC_RELAXED);
}

#endif
