// SPDX-License-Identifier: MIT
/* The table of functions of the winsys back end for sovgpu.ko. */
#include "libsov/winsys/kmod/kmod.h"

const struct winsys winsys_kmod = {
	.name = "kmod",
	.enumerate = kmod_enumerate,
	.forget = kmod_forget,
	.info = kmod_info,
	.gpu_time = kmod_gpu_time,
	.buffer_create = kmod_buffer_create,
	.buffer_import = kmod_buffer_import,
	.buffer_destroy = kmod_buffer_destroy,
	.buffer_map = kmod_buffer_map,
	.memory_info = kmod_memory_info,
	.group_create = kmod_group_create,
	.group_stop = kmod_group_stop,
	.group_destroy = kmod_group_destroy,
	.bind = kmod_bind,
	.unbind = kmod_unbind,
	.group_error = kmod_group_error,
	.wait = kmod_wait,
	.queue_create = kmod_queue_create,
	.queue_destroy = kmod_queue_destroy,
	.queue_memory = kmod_queue_memory,
	.ring_doorbell = kmod_ring_doorbell,
};
