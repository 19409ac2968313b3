/* SPDX-License-Identifier: MIT */
/* Selects the software GPUs that a test runs on; TEST_CHIP replaces the chip, TEST_WEAK adds weak
 * memory mode with this seed, TEST_WINSYS=kfd puts them behind a fake of amdgpu's interface. */
#ifndef TESTS_SOFT_H
#define TESTS_SOFT_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "libsov/winsys/soft/soft.h"
#include "model/kfd/model_kfd.h"

/* Default of SOV_SOFT's list for the fake. */
#define SOFT_KFD_VRAM (UINT64_C(2) << 30)

static void soft_check_kfd(void)
{
	if (!model_kfd.wrong)
		return;
	printf("not ok - calls of amdgpu's interface with wrong arguments: %s\n", model_kfd.why);
	fflush(stdout);
	_exit(1);
}

static void soft_use_winsys(const char *list)
{
	const char *winsys = getenv("TEST_WINSYS");
	struct model_config gpus[SOFT_MAX_DEVICES];
	char message[256];
	uint32_t count, i;

	if (!winsys)
		return;
	if (strcmp(winsys, "kfd") ||
	    !soft_list_parse(list, gpus, &count, message, sizeof(message))) {
		fprintf(stderr, "TEST_WINSYS is '%s', the GPUs are '%s'\n", winsys, list);
		exit(1);
	}
	for (i = 0; i < count; i++)
		if (!gpus[i].vram_bytes)
			gpus[i].vram_bytes = SOFT_KFD_VRAM;
	if (model_kfd_install(gpus, count)) {
		fprintf(stderr, "the fake of amdgpu cannot have %u GPUs\n", count);
		exit(1);
	}
	setenv("SOV_SOFT", "none", 1);
	atexit(soft_check_kfd);
}

/*
 * Sets SOV_SOFT to a list of GPUs. With TEST_CHIP each GPU in the list becomes that chip.
 * soft_name() translates a device name in the same way: GPUs of the first kind in the list count
 * from 0, those of other kinds follow.
 */
__attribute__((unused)) static void soft_gpus(const char *list)
{
	const char *chip = getenv("TEST_CHIP"), *seed = getenv("TEST_WEAK");
	char text[1024] = "";
	size_t n = 0;

	for (; *list && n < sizeof(text) - 96; list += strcspn(list, ",") + !!strchr(list, ',')) {
		size_t name = strcspn(list, ":,"), whole = strcspn(list, ",");

		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%.*s%.*s%s%s", n ? "," : "",
				      chip ? (int)strlen(chip) : (int)name, chip ? chip : list,
				      (int)(whole - name), list + name, seed ? ":weak=" : "",
				      seed ? seed : "");
	}
	setenv("SOV_SOFT", text, 1);
	soft_use_winsys(text);
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

/* Compiler target of the first GPU. */
__attribute__((unused)) static const char *soft_target(void)
{
	const char *chip = getenv("TEST_CHIP");

	return chip && !strncmp(chip, "navi", 4) ? "gfx1030" : "sm_90";
}

/* Translates an NVIDIA mnemonic to the chip's instruction set. */
__attribute__((unused)) static const char *soft_instruction(const char *name)
{
	static const char *const amd[][2] = {
		{"STG", "global_store"}, {"LDG", "global_load"}, {"BPT", "global_store_dword"}};
	const char *chip = getenv("TEST_CHIP");
	size_t i;

	for (i = 0; name && chip && !strncmp(chip, "navi", 4) && i < sizeof(amd) / sizeof(*amd);
	     i++)
		if (!strcmp(name, amd[i][0]))
			return amd[i][1];
	return name;
}

/* Host memory that the GPU under test reaches. Some GPUs reach addresses below 2^47, an arm64 host
 * has wider ones, and a sanitizer may have reserved terabytes at any address. */
__attribute__((unused)) static void *soft_mmap(size_t bytes)
{
	static size_t next = 0x500000000000;
	bool any = !getenv("TEST_CHIP");
	void *p = MAP_FAILED;
	int tries;

	for (tries = 0; tries < 256; tries++) {
		size_t hint = any ? 0 : __atomic_add_fetch(&next, 64 << 20, __ATOMIC_RELAXED);

		p = mmap((void *)(hint % ((size_t)1 << 47)), bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (any || p == MAP_FAILED || (size_t)p + bytes <= (size_t)1 << 47)
			break;
		munmap(p, bytes);
		__atomic_add_fetch(&next, (size_t)1 << 40, __ATOMIC_RELAXED);
	}
	return p;
}

/* Replaces the first GPU's name in an expected message. */
__attribute__((unused)) static const char *soft_message(const char *message)
{
	static char text[512];
	const char *at = getenv("TEST_CHIP") ? strstr(message, "gh100.0") : NULL;

	if (!at)
		return message;
	snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - message), message, soft_name("gh100.0"),
		 at + strlen("gh100.0"));
	return text;
}

#endif
