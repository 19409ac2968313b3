/* SPDX-License-Identifier: MIT */
/*
 * sov doctor in two halves: doctor_probe.c gathers what the machine's files say and judges nothing,
 * doctor.c judges and looks at nothing. All files are below a root, so that tests can make
 * machines.
 */
#ifndef TOOLS_DOCTOR_H
#define TOOLS_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "hw/chips.h"

#define DOCTOR_GPUS   32u
#define DOCTOR_GROUPS 64u
#define DOCTOR_PATH   96u

/* A device file, and whether this user may read and write it. */
struct doctor_node {
	char path[DOCTOR_PATH]; /* as on the machine; "": not known */
	bool there, allowed;
	char group[32]; /* its own; "": nobody's name */
};

struct doctor_gpu {
	char address[32]; /* "0000:01:00.0" */
	uint32_t vendor, device;
	char driver[32]; /* "": none has it */
	bool iommu;
	struct doctor_node render; /* of sovgpu.ko */
	struct doctor_node nvidia; /* of NVIDIA's module */
};

struct doctor_snapshot {
	const char *root;
	char kernel[64];
	uint32_t user, groups[DOCTOR_GROUPS], group_count;
	bool container;
	uint64_t memlock; /* bytes; UINT64_MAX: no limit, or not known */
	uint32_t gpu_count;
	struct doctor_gpu gpus[DOCTOR_GPUS];
	struct {
		bool installed, loaded;
		char missing[DOCTOR_PATH]; /* firmware; "": all is there */
	} sovgpu;
	struct {
		bool loaded, open;
		char version[64]; /* "": not known */
		struct doctor_node control;
	} nvidia;
};

void doctor_probe(const char *root, struct doctor_snapshot *s);

#endif
