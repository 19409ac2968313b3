// SPDX-License-Identifier: MIT
/* Every result has a name and a description, and every error message says what to do: its own
 * advice, or that of its result. */
#include "libsov/sov.h"
#include "libsov/runtime/base/error.h"
#include "tests/tap.h"

/* Results whose messages contain their own advice: tests/userspace/source/errors.sh checks that. */
static const sov_result own_advice[] = {
	SOV_ERROR_INVALID_ARGUMENT,
	SOV_ERROR_NOT_FOUND,
	SOV_ERROR_INVALID_LAUNCH,
	SOV_ERROR_UNSUPPORTED,
};

static bool has_own_advice(sov_result r)
{
	for (size_t i = 0; i < sizeof(own_advice) / sizeof(*own_advice); i++)
		if (own_advice[i] == r)
			return true;
	return false;
}

static void one(sov_result r)
{
	const char *name = sov_result_name(r), *description = sov_result_string(r);
	char first[1024];
	bool general, again;

	ok(!strncmp(name, "SOV_ERROR_", 10) && strlen(description) > 10 &&
		   description[strlen(description) - 1] == '.',
	   "result %d has a name and a description", r);
	set_error(r, "something is wrong");
	snprintf(first, sizeof(first), "%s", sov_last_error());
	general = !strncmp(first, "something is wrong; ", 20) && strlen(first) > 30;
	ok(has_own_advice(r) ? !strcmp(first, "something is wrong") : general, "%s: %s", name,
	   first);
	set_error(r, "%s", first);
	again = !strcmp(first, sov_last_error());
	ok(again, "%s: a repeated message does not repeat the advice", name);
	set_error(r, "the pool is full; free something");
	ok(!strcmp(sov_last_error(), "the pool is full; free something") ||
		   strstr(sov_last_error(), "; sov_context_reset"),
	   "%s: a message with its own advice gets none, except for sticky errors", name);
}

int main(void)
{
	int r;

	for (r = SOV_ERROR_INVALID_ARGUMENT; strcmp(sov_result_name(r), "unknown result"); r++)
		one(r);
	ok(r == SOV_ERROR_ASSERT + 1, "the loop covers every result");
	return tap_done();
}
