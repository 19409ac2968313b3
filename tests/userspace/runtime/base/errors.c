/* SPDX-License-Identifier: MIT */
/* Every result has a name and a sentence, and every refusal says what to do next: its own words, or
 * those for its result. */
#include "libsov/sov.h"
#include "libsov/runtime/runtime.h"
#include "tests/tap.h"

/* Results whose refusals say the way out in words of their own: tests/userspace/source/errors.sh
 * sees to that. */
static const sov_result own_words[] = {
	SOV_ERROR_INVALID_ARGUMENT,
	SOV_ERROR_NOT_FOUND,
	SOV_ERROR_INVALID_LAUNCH,
	SOV_ERROR_UNSUPPORTED,
};

static bool has_own_words(sov_result r)
{
	for (size_t i = 0; i < sizeof(own_words) / sizeof(*own_words); i++)
		if (own_words[i] == r)
			return true;
	return false;
}

static void one(sov_result r)
{
	const char *name = sov_result_name(r), *sentence = sov_result_string(r);
	char first[1024];
	bool general, again;

	ok(!strncmp(name, "SOV_ERROR_", 10) && strlen(sentence) > 10 &&
		   sentence[strlen(sentence) - 1] == '.',
	   "result %d has a name and a sentence", r);
	refuse(r, "something is wrong");
	snprintf(first, sizeof(first), "%s", sov_last_error());
	general = !strncmp(first, "something is wrong; ", 20) && strlen(first) > 30;
	ok(has_own_words(r) ? !strcmp(first, "something is wrong") : general, "%s: %s", name,
	   first);
	refuse(r, "%s", first);
	again = !strcmp(first, sov_last_error());
	ok(again, "%s: told again it is not said twice", name);
	refuse(r, "the pool is full; free something");
	ok(!strcmp(sov_last_error(), "the pool is full; free something") ||
		   strstr(sov_last_error(), "; sov_context_reset"),
	   "%s: own words for the way out are enough, but for errors that stick", name);
}

int main(void)
{
	int r;

	for (r = SOV_ERROR_INVALID_ARGUMENT; strcmp(sov_result_name(r), "unknown result"); r++)
		one(r);
	ok(r == SOV_ERROR_ASSERT + 1, "that is all of them");
	return tap_done();
}
