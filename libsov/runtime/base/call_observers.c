// SPDX-License-Identifier: MIT
#include "libsov/runtime/base/call_observers.h"

uint8_t call_observers = CALL_OBSERVER_UNKNOWN;
