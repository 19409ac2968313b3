/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Execution of jobs on kernel queues; queue.h defines the structures. */
#ifndef SOV_JOB_H
#define SOV_JOB_H

#include <linux/types.h>

struct sov_device;
struct sov_job;
struct sov_queue;

struct sov_job *sov_job_alloc(struct sov_queue *queue, u64 va, u32 size);
void sov_job_free(struct sov_job *job);
void sov_queue_init(struct sov_queue *queue);
void sov_queue_advance(struct sov_queue *queue);
void sov_queue_cancel(struct sov_queue *queue);
void sov_queue_settle(struct sov_queue *queue);
void sov_queues_retire(struct sov_device *sov);

#endif
