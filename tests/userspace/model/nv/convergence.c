// SPDX-License-Identifier: MIT
/*
 * The kernels of tests/silicon/convergence.c on a software GPU: what each group of lanes records at
 * convergence barriers. Without arguments checks the rules that the model has; with one, prints all
 * records as tests/silicon/convergence.sh does, for comparison with a GPU.
 */
#include "libsov/sov.h"
#include "tests/silicon/convergence_cases.h"
#include "tests/tap.h"

#define ENDS UINT32_MAX /* in place of a record: the group ends, or does not */

static struct patched_image image;
static uint32_t words[32 * CONV_WORDS];

/* Runs a case in a new context and copies what it recorded; returns whether it could be run. */
static bool run_case(const struct conv_case *k)
{
	sov_launch l = SOV_INIT(sov_launch);
	const void *arguments[1];
	sov_context c = 0;
	void *memory = NULL;
	sov_function f;
	sov_device d;
	sov_module m;
	sov_ptr at;
	sov_result r;

	arguments[0] = &at;
	l.grid[0] = l.grid[1] = l.grid[2] = l.block[1] = l.block[2] = 1;
	l.block[0] = CONV_THREADS;
	l.arguments = arguments;
	l.argument_count = 1;
	r = conv_patch(&image, k, CONV_SPIN) ? sov_device_open_name("gh100.0", &d)
					     : SOV_ERROR_INVALID_ARGUMENT;
	r = r ? r : sov_context_create(d, NULL, &c);
	r = r ? r : sov_module_load(c, image.bytes, image.size, NULL, &m);
	r = r ? r : sov_module_get_function(m, PATCHED_KERNEL, &f);
	r = r ? r : sov_host_alloc(c, sizeof(words), &memory);
	at = SOV_HOST(memory);
	r = r ? r : sov_function_launch(f, &l);
	if (r)
		diag("%s: %s", k->name, sov_last_error());
	else
		sov_context_wait(c, SOV_FOREVER); /* fails if the watchdog ends the kernel */
	if (!r)
		memcpy(words, memory, sizeof(words));
	if (c)
		sov_context_destroy(c);
	return !r;
}

/* Words that a group records, by number from 1 on; those of the common sequence start at 12. */
static const struct {
	const char *name;
	char group;
	uint32_t record, word;
	const char *rule;
} rules[] = {
	{"complete", 'A', 12, 0xffffffff, "lanes continue together after a complete BSYNC"},
	{"complete", 'D', 13, 0, "a complete BSYNC clears its barrier"},
	{"again", 'A', 12, 0x000000ff, "BSYNC does not block lanes after a complete one"},
	{"again elsewhere", 'A', ENDS, 1, "nor do they wait for lanes at another barrier"},
	{"not a member", 'C', 2, 0x00ff0000, "BSYNC does not block lanes outside its barrier"},
	{"not a member", 'B', 1, 0x0000ffff, "and does not change it"},
	{"exited before", 'B', 12, 0xffffff00, "exited lanes are not waited for"},
	{"exit releases", 'B', 12, 0xffffff00, "the exit of a lane releases those that wait"},
	{"two sites", 'A', 1, 0x000000ff, "lanes at several BSYNCs release each other"},
	{"BREAK", 'B', 2, 0x0000ff00, "BSYNC does not block lanes after BREAK"},
	{"BREAK releases", 'A', 1, 0x000000ff, "BREAK releases lanes that wait"},
	{"BREAK, then another", 'B', 12, 0xffffffff, "and the next BSYNC waits for them"},
	{"exclusive", 'A', 12, 0x0000ffff, "WARPSYNC.EXCLUSIVE waits for members that come later"},
	{"deadlock", 'A', ENDS, 0, "lanes that wait for each other at two barriers do not end"},
};

static void check_rule(uint32_t i)
{
	const struct conv_case *k = conv_cases;
	const uint32_t *lane = words + (uint32_t)(rules[i].group - 'A') * CONV_LANES * CONV_WORDS;

	while (strcmp(k->name, rules[i].name))
		k++;
	ok(run_case(k) && lane[rules[i].record == ENDS ? CONV_WORDS - 2 : 2 * rules[i].record] ==
				  rules[i].word,
	   "%s: %s", k->name, rules[i].rule);
}

int main(int argc, char **argv)
{
	(void)argv;
	setenv("SOV_SOFT", "gh100:vram=64M:threads=1", 1);
	unsetenv("SOV_VISIBLE_DEVICES");
	if (!ok(open_patched_image(&image), "the kernel that the cases replace compiles"))
		return tap_done();
	for (uint32_t i = 0; argc > 1 && i < CONV_CASES; i++) {
		printf("%s: %s\n", conv_cases[i].name, conv_cases[i].question);
		if (run_case(&conv_cases[i]))
			conv_print(&conv_cases[i], words);
	}
	for (uint32_t i = 0; argc < 2 && i < sizeof(rules) / sizeof(rules[0]); i++)
		check_rule(i);
	return tap_done();
}
