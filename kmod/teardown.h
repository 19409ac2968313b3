/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Stopping and reaping of queues and groups. */
#ifndef SOV_TEARDOWN_H
#define SOV_TEARDOWN_H

struct sov_device;
struct sov_group;
struct sov_queue;

void sov_queue_stop(struct sov_queue *queue);
void sov_group_init_teardown(struct sov_group *group);
void sov_group_reap(struct sov_group *group);
void sov_group_destroy(struct sov_group *group);
void sov_groups_stop(struct sov_device *sov);
void sov_groups_reap(struct sov_device *sov);

#endif
