/* SPDX-License-Identifier: MIT */
/* Which software GPUs a test runs on. */
#ifndef TESTS_SOFT_H
#define TESTS_SOFT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The software GPUs of a test: a list for SOV_SOFT, and one of them by name. TEST_CHIP has another chip in
 * place of each: those of the first kind in the list count from 0, those of others go on behind them. */
__attribute__((unused)) static void soft_gpus(const char *list)
{
	const char *chip = getenv("TEST_CHIP");
	char text[512] = "";
	size_t n = 0;

	for (; chip && *list && n < sizeof(text) - 64;
	     list += strcspn(list, ",") + !!strchr(list, ','))
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s%.*s", n ? "," : "", chip,
				      (int)(strcspn(list, ",") - strcspn(list, ":,")),
				      list + strcspn(list, ":,"));
	setenv("SOV_SOFT", chip ? text : list, 1);
}

__attribute__((unused)) static const char *soft_name(const char *name)
{
	const char *chip = getenv("TEST_CHIP");
	static char text[64];

	if (!chip || !strncmp(name, chip, strlen(chip)))
		return name;
	snprintf(text, sizeof(text), "%s.%d", chip,
		 atoi(strchr(name, '.') + 1) + (strncmp(name, "gh100", 5) ? 1 : 0));
	return text;
}

/* What the first is compiled for. */
__attribute__((unused)) static const char *soft_target(void)
{
	const char *chip = getenv("TEST_CHIP");

	return chip && !strncmp(chip, "navi", 4) ? "gfx1030" : "sm_90";
}

/* How the chip calls what NVIDIA's disassembler calls so. */
__attribute__((unused)) static const char *soft_instruction(const char *name)
{
	static const char *const amd[][2] = {
		{"STG", "global_store"}, {"LDG", "global_load"}, {"BPT", "s_trap"}};
	const char *chip = getenv("TEST_CHIP");
	size_t i;

	for (i = 0; name && chip && !strncmp(chip, "navi", 4) && i < sizeof(amd) / sizeof(*amd);
	     i++)
		if (!strcmp(name, amd[i][0]))
			return amd[i][1];
	return name;
}

/* Memory of the host that GPUs with few bits of address reach, too: an arm64 host has more. */
__attribute__((unused)) static void *soft_mmap_hint(void)
{
	static size_t next = 0x500000000000;

	return getenv("TEST_CHIP") ? (void *)__atomic_add_fetch(&next, 64 << 20, __ATOMIC_RELAXED)
				   : NULL;
}

/* A sentence with the name of the first in it. */
__attribute__((unused)) static const char *soft_message(const char *sentence)
{
	static char text[512];
	const char *at = getenv("TEST_CHIP") ? strstr(sentence, "gh100.0") : NULL;

	if (!at)
		return sentence;
	snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - sentence), sentence,
		 soft_name("gh100.0"), at + strlen("gh100.0"));
	return text;
}

#endif
