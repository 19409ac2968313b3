/* SPDX-License-Identifier: MIT */
#ifndef SOV_LAUNCH_H
#define SOV_LAUNCH_H

#include "libsov/runtime/module/function.h"

/* The launch, or a copy of it with what it leaves out: the block that the kernel requires, and 1 in
 * y and z. */
const sov_launch *launch_complete(const struct function *f, const sov_launch *l, sov_launch *copy);
/* Validates a launch. */
sov_result function_check(const struct function *f, const sov_launch *l);
void function_set_cluster(const struct function *f, const sov_launch *l, uint32_t cluster[3]);
/* Validates and submits a launch without the lock; the caller rings the doorbell. */
sov_result function_submit(struct function *f, const sov_launch *l, struct stream *s,
			   uint64_t *seqno, struct doorbell *doorbell);

#endif
