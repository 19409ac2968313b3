// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The GSP's logs: buffers in system memory into which its operating system (LOGINIT), its interrupt
 * handlers (LOGINTR) and RM (LOGRM) write while they run. The driver does not interpret them: a
 * record refers to format strings in the firmware image, which NVIDIA's tools decode. debugfs has a
 * file for each buffer in sovgpu/ADDRESS, ADDRESS being that of the PCI device. If the device fails
 * to start, a copy of the logs stays there until its next start or until the module is unloaded.
 */
#include <drm/drm_print.h>
#include <linux/debugfs.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "kmod/device.h"
#include "kmod/nv/device_types.h"
#include "kmod/nv/log.h"
#include "kmod/nv/memory.h"

const char *const nv_log_names[NV_GSP_LOGS] = { "LOGINIT", "LOGINTR", "LOGRM" };

/* The logs of a device that failed to start. */
struct nv_log_copy {
	struct list_head link;
	struct nv_log_files files;
	char device[32];
	u8 *data; /* vmalloc */
};

static DEFINE_MUTEX(nv_log_copies_lock);
static LIST_HEAD(nv_log_copies);

/* Debugfs is optional: a failure is not an error. */
static void nv_log_create_files(struct nv_log_files *files, const char *device)
{
	int i;

	files->folder = debugfs_create_dir(device, sov_debugfs_root);
	for (i = 0; i < NV_GSP_LOGS; i++)
		debugfs_create_blob(nv_log_names[i], 0400, files->folder, &files->blobs[i]);
}

/* Waits until no process reads the files. */
static void nv_log_remove_files(struct nv_log_files *files)
{
	debugfs_remove(files->folder);
	files->folder = NULL;
}

static void nv_log_drop_copy(struct nv_log_copy *copy)
{
	list_del(&copy->link);
	nv_log_remove_files(&copy->files);
	vfree(copy->data);
	kfree(copy);
}

static void nv_log_drop_copies(const char *device)
{
	struct nv_log_copy *copy, *next;

	mutex_lock(&nv_log_copies_lock);
	list_for_each_entry_safe(copy, next, &nv_log_copies, link)
		if (!device || !strcmp(copy->device, device))
			nv_log_drop_copy(copy);
	mutex_unlock(&nv_log_copies_lock);
}

/* A log begins with its fill level, followed by the addresses of its pages. */
static void nv_log_fill(struct nv_buffer *log)
{
	u64 *addresses = log->cpu;
	u32 i;

	for (i = 0; i < log->bytes / NV_GSP_PAGE; i++)
		addresses[1 + i] = log->bus + (u64)i * NV_GSP_PAGE;
}

/**
 * nv_log_alloc() - allocate the logs and create their files
 * @nv: The device; its GSP does not run. The copy of its last failed start is dropped.
 *
 * Return: 0 or -ENOMEM. On failure, too, the caller must call nv_log_free().
 */
int nv_log_alloc(struct nv_device *nv)
{
	const char *device = pci_name(sov_pci(&nv->base));
	struct nv_gsp *gsp = &nv->gsp;
	int ret, i;

	nv_log_drop_copies(device);
	for (i = 0; i < NV_GSP_LOGS; i++) {
		ret = nv_buffer_alloc(nv, NULL, &gsp->logs[i], NV_GSP_LOG_BYTES);
		if (ret)
			return ret;
		nv_log_fill(&gsp->logs[i]);
		gsp->log_files.blobs[i].data = gsp->logs[i].cpu;
		gsp->log_files.blobs[i].size = gsp->logs[i].bytes;
	}
	nv_log_create_files(&gsp->log_files, device);
	return 0;
}

/**
 * nv_log_free() - remove the files of the logs and free the logs
 * @nv: The device; its GSP can no longer access memory.
 */
void nv_log_free(struct nv_device *nv)
{
	struct nv_gsp *gsp = &nv->gsp;
	int i;

	nv_log_remove_files(&gsp->log_files);
	for (i = 0; i < NV_GSP_LOGS; i++)
		nv_buffer_free(nv, &gsp->logs[i]);
}

/**
 * nv_log_keep() - replace the files of the logs by files of a copy, which outlives the device
 * @nv: The device, which has failed to start, with its logs allocated.
 */
void nv_log_keep(struct nv_device *nv)
{
	struct nv_gsp *gsp = &nv->gsp;
	struct nv_log_copy *copy = kzalloc(sizeof(*copy), GFP_KERNEL);
	int i;

	if (!copy)
		return;
	copy->data = vmalloc(NV_GSP_LOGS * NV_GSP_LOG_BYTES);
	if (!copy->data) {
		kfree(copy);
		return;
	}
	for (i = 0; i < NV_GSP_LOGS; i++) {
		copy->files.blobs[i].data = copy->data + i * NV_GSP_LOG_BYTES;
		copy->files.blobs[i].size = NV_GSP_LOG_BYTES;
		memcpy(copy->files.blobs[i].data, gsp->logs[i].cpu, NV_GSP_LOG_BYTES);
	}
	strscpy(copy->device, pci_name(sov_pci(&nv->base)), sizeof(copy->device));
	nv_log_remove_files(&gsp->log_files);
	mutex_lock(&nv_log_copies_lock);
	nv_log_create_files(&copy->files, copy->device);
	list_add(&copy->link, &nv_log_copies);
	mutex_unlock(&nv_log_copies_lock);
}

/**
 * nv_log_exit() - drop all copies of logs when the module is unloaded
 */
void nv_log_exit(void)
{
	nv_log_drop_copies(NULL);
}

/**
 * nv_log_step() - record the step of the start that begins
 * @nv: The device.
 * @step: Name of the step, a string literal: docs/first-boot.md lists all of them.
 */
void nv_log_step(struct nv_device *nv, const char *step)
{
	nv->gsp.step = step;
	drm_dbg(&nv->base.drm, "start: %s\n", step);
}
