/* SPDX-License-Identifier: MIT */
/*
 * sov doctor has two halves: doctor_probe.c reads the machine's files into a snapshot, doctor.c
 * diagnoses the snapshot. All paths are below a root folder, so that tests can simulate machines.
 */
#ifndef TOOLS_DOCTOR_H
#define TOOLS_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "hw/chips.h"

#define DOCTOR_MAX_GPUS   32u
#define DOCTOR_MAX_GROUPS 64u
#define DOCTOR_PATH_BYTES 96u

/* A device file, and whether this user may read and write it. */
struct doctor_node {
	char path[DOCTOR_PATH_BYTES]; /* without the root; "": unknown */
	bool exists, accessible;
	char group[32]; /* group name, if the group has access; "": none or unnamed */
};

struct doctor_gpu {
	char address[32]; /* "0000:01:00.0" */
	uint32_t vendor, device;
	char driver[32]; /* "": not bound to a driver */
	bool iommu;
	/* The first file that sovgpu.ko needs for this chip and that is missing; "": none. */
	char missing_firmware[DOCTOR_PATH_BYTES];
	struct doctor_node render; /* DRM render node of sovgpu.ko or amdgpu */
	struct doctor_node nvidia; /* /dev/nvidiaN of NVIDIA's kernel module */
};

/* The state of the machine. Absent or malformed files leave zeros. */
struct doctor_snapshot {
	const char *root;
	char kernel[64];
	uint32_t uid, groups[DOCTOR_MAX_GROUPS], group_count;
	bool container;
	uint64_t memlock; /* RLIMIT_MEMLOCK in bytes; UINT64_MAX: unlimited or unknown */
	uint32_t gpu_count;
	struct doctor_gpu gpus[DOCTOR_MAX_GPUS];
	struct {
		bool installed, loaded;
	} sovgpu;
	struct {
		bool loaded, open;
		char version[64]; /* "": unknown */
		struct doctor_node control;
	} nvidia;
	struct {
		bool loaded;
		struct doctor_node kfd; /* /dev/kfd */
	} amdgpu;
};

/* Reads the files of the machine below root; "" is this machine. */
void doctor_probe(const char *root, struct doctor_snapshot *s);

/* first_boot.c: writes an archive with everything that a developer needs to know about a first boot
 * of sovgpu.ko. Returns the exit status. */
struct verb;
int first_boot_collect(const struct verb *v, const struct doctor_snapshot *s, const char *path);

#endif
