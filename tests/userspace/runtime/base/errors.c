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

/* A structure of a later version is accepted while the members that are not known are 0. */
static void later_structures(void)
{
	struct {
		uint32_t size, member;
		uint8_t later[8];
	} theirs = {sizeof(theirs), 7, {0}};
	struct {
		uint32_t size, member;
	} ours;

	ok(!struct_in("sov_test", &ours, sizeof(ours), &theirs) && ours.member == 7,
	   "a longer structure whose unknown members are 0 is accepted");
	theirs.later[7] = 1;
	ok(struct_in("sov_test", &ours, sizeof(ours), &theirs) == SOV_ERROR_UNSUPPORTED &&
		   strstr(sov_last_error(), "sets members after byte 8"),
	   "a structure that sets its last unknown byte is rejected");
	theirs.size = 3;
	ok(struct_in("sov_test", &ours, sizeof(ours), &theirs) == SOV_ERROR_INVALID_ARGUMENT,
	   "a structure that is shorter than its size member is rejected");
}

int main(void)
{
	int r;

	later_structures();

	for (r = SOV_ERROR_INVALID_ARGUMENT; strcmp(sov_result_name(r), "unknown result"); r++)
		one(r);
	ok(r == SOV_ERROR_ASSERT + 1, "the loop covers every result");
	return tap_done();
}
