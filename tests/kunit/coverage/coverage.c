// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Code coverage of the driver for kernels without KCOV, by -fsanitize-coverage=trace-pc. The
 * callback sets one byte of a map per instrumented site, in every task, interrupt and work item. A
 * program maps the bytes through debugfs, clears them and reads them after a run. KCOV covers the
 * whole kernel but one task, and defines the same callback.
 */
#include <linux/debugfs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/vmalloc.h>

#include "tests/kunit/coverage/coverage.h"

#define COVER_BYTES 65536 /* one byte per 4 bytes of code: 256 KiB without aliasing */

static u8 *cover_map;
static struct dentry *cover_file;

void __sanitizer_cov_trace_pc(void)
{
	unsigned long pc = (unsigned long)__builtin_return_address(0);

	WRITE_ONCE(cover_map[pc / 4 % COVER_BYTES], 1);
}
EXPORT_SYMBOL(__sanitizer_cov_trace_pc);

static int cover_mmap(struct file *f, struct vm_area_struct *vma)
{
	return remap_vmalloc_range(vma, cover_map, vma->vm_pgoff);
}

static const struct file_operations cover_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.mmap = cover_mmap,
};

static int __init cover_init(void)
{
	cover_map = vmalloc_user(COVER_BYTES);
	if (!cover_map)
		return -ENOMEM;
	cover_file = debugfs_create_file_unsafe("sovgpu_cover", 0600, NULL, NULL, &cover_fops);
	return 0;
}
module_init(cover_init);

static void __exit cover_exit(void)
{
	debugfs_remove(cover_file);
	vfree(cover_map);
}
module_exit(cover_exit);

MODULE_DESCRIPTION("Code coverage of sovgpu.ko");
MODULE_LICENSE("Dual MIT/GPL");
