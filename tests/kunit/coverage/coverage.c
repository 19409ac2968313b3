// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Which code of the driver was run: a byte for every place that the compiler marks (-fsanitize-coverage=trace-pc), of all
 * processes, interrupts and work together. A program maps the bytes through debugfs, clears them and looks later. That
 * is what KCOV does for the whole of a kernel and one task; this needs no kernel of its own. Kernels that have KCOV have
 * the function already.
 */
#include <linux/debugfs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/vmalloc.h>

#define COVER_BYTES 65536 /* for 256 KiB of code: a place is a word of it */

static u8 *map;
static struct dentry *file;

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
	unsigned long pc = (unsigned long)__builtin_return_address(0);

	WRITE_ONCE(map[pc / 4 % COVER_BYTES], 1);
}
EXPORT_SYMBOL(__sanitizer_cov_trace_pc);

static int cover_mmap(struct file *f, struct vm_area_struct *vma)
{
	return remap_vmalloc_range(vma, map, vma->vm_pgoff);
}

static const struct file_operations cover_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.mmap = cover_mmap,
};

static int __init cover_init(void)
{
	map = vmalloc_user(COVER_BYTES);
	if (!map)
		return -ENOMEM;
	file = debugfs_create_file_unsafe("sovgpu_cover", 0600, NULL, NULL, &cover_fops);
	return 0;
}
module_init(cover_init);

static void __exit cover_exit(void)
{
	debugfs_remove(file);
	vfree(map);
}
module_exit(cover_exit);

MODULE_DESCRIPTION("Which code of sovgpu was run");
MODULE_LICENSE("Dual MIT/GPL");
