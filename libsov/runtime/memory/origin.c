// SPDX-License-Identifier: MIT
/* Who called the library: return addresses of the calling thread's stack, without the frames of the
 * library itself. In a program that contains the library, it is unknown which frames are the
 * library's, and a fixed number is left out. Names are those of exported symbols; "program+0x8f4"
 * is what addr2line takes. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unwind.h>
#include "libsov/runtime/memory/origin.h"

#define STATIC_FRAMES 5u /* of the library, in a program that contains it */
#define MAX_WALK      64u

struct walk {
	struct winsys_origin *origin;
	uint32_t walked;
	const void *library; /* where it is loaded; NULL: in the program */
};

static const void *load_address(void *address)
{
	Dl_info i;

	return dladdr(address, &i) ? i.dli_fbase : NULL;
}

static _Unwind_Reason_Code visit(struct _Unwind_Context *at, void *argument)
{
	struct walk *w = argument;
	void *frame = (void *)_Unwind_GetIP(at);
	bool own = w->library ? load_address(frame) == w->library : w->walked < STATIC_FRAMES;

	if (!frame || ++w->walked > MAX_WALK ||
	    w->origin->count == sizeof(w->origin->frames) / sizeof(w->origin->frames[0]))
		return _URC_END_OF_STACK;
	if (!own || w->origin->count)
		w->origin->frames[w->origin->count++] = frame;
	return _URC_NO_REASON;
}

void origin_here(struct winsys_origin *o)
{
	struct walk w = {.origin = o, .library = load_address((void *)(uintptr_t)origin_here)};

	memset(o, 0, sizeof(*o));
	_Unwind_Backtrace(visit, &w);
	if (o->count)
		return;
	w = (struct walk){.origin = o};
	_Unwind_Backtrace(visit, &w);
}

void origin_frame_name(void *frame, char *text, size_t bytes)
{
	/* The call is before the address to which it returns. */
	uint8_t *at = (uint8_t *)frame - 1;
	const char *file;
	Dl_info i;

	if (!dladdr(at, &i) || !i.dli_fname) {
		snprintf(text, bytes, "%p", (void *)at);
		return;
	}
	file = strrchr(i.dli_fname, '/');
	file = file ? file + 1 : i.dli_fname;
	if (i.dli_sname)
		snprintf(text, bytes, "%s+0x%zx (%s+0x%zx)", i.dli_sname,
			 (size_t)(at - (uint8_t *)i.dli_saddr), file,
			 (size_t)(at - (uint8_t *)i.dli_fbase));
	else
		snprintf(text, bytes, "%s+0x%zx", file, (size_t)(at - (uint8_t *)i.dli_fbase));
}
