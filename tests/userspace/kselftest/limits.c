/* SPDX-License-Identifier: MIT */
/*
 * What a file may have: each limit is a parameter of the module, and whoever wants more gets the one error that
 * belongs to it. A row makes as many things as a small limit allows, one more, and one again when another is gone.
 */
#include <glob.h>

#include "tests/userspace/kselftest/queue.h"

enum { FEW = 4 };

/* Of the module; the value that was there before, or -1. */
static long long set_parameter(const char *name, unsigned long long value)
{
	long long before = -1;
	char path[128];

	snprintf(path, sizeof(path), "/sys/module/sovgpu/parameters/%s", name);
	FILE *f = fopen(path, "r+");

	if (!f)
		return -1;
	if (fscanf(f, "%lld", &before) != 1)
		before = -1;
	rewind(f);
	fprintf(f, "%llu\n", value);
	return fclose(f) ? -1 : before;
}

struct things {
	int fd;
	uint32_t vm, buffer, group, ids[FEW + 1];
};

static int make_vram(struct things *t, uint32_t i)
{
	return create(t->fd, VRAM, MIB, 0, &t->ids[i]);
}
static int make_system(struct things *t, uint32_t i)
{
	return create(t->fd, SYSTEM, MIB, 0, &t->ids[i]);
}
static int drop_buffer(struct things *t, uint32_t i)
{
	return forget(t->fd, t->ids[i]);
}
static int make_vm(struct things *t, uint32_t i)
{
	return vm_create(t->fd, &t->ids[i]);
}
static int drop_vm(struct things *t, uint32_t i)
{
	return vm_destroy(t->fd, t->ids[i]);
}
static int make_mapping(struct things *t, uint32_t i)
{
	return vm_map(t->fd, t->vm, t->buffer, 0, (2 + i) * GIB, MIB);
}
static int drop_mapping(struct things *t, uint32_t i)
{
	return vm_unmap(t->fd, t->vm, (2 + i) * GIB, MIB);
}
static int make_group(struct things *t, uint32_t i)
{
	return group_create(t->fd, t->vm, &t->ids[i]);
}
static int drop_group(struct things *t, uint32_t i)
{
	return group_destroy(t->fd, t->ids[i]);
}
static int make_queue(struct things *t, uint32_t i)
{
	return queue_create(t->fd, t->group, COPY, 4, LIMIT_MS, &t->ids[i]);
}
static int drop_queue(struct things *t, uint32_t i)
{
	return queue_destroy(t->fd, t->ids[i]);
}

static const struct row {
	const char *parameter, *key;
	int (*make)(struct things *t, uint32_t i), (*drop)(struct things *t, uint32_t i);
	uint32_t beside; /* what the limit allows but for the FEW */
	long long there; /* before the first is made, in the key's unit */
	long long each;  /* likewise */
	int error;
} rows[] = {
	{"max_vram_mib", "vram", make_vram, drop_buffer, 1, 4, 1024,
	 -ENOSPC}, /* 4 KiB: the address space's root */
	{"max_system_mib", "system", make_system, drop_buffer, 1, 1024, 1024, -ENOMEM},
	{"max_buffers", "buffers", make_vram, drop_buffer, 1, 1, 1, -ENOSPC},
	{"max_vms", "vms", make_vm, drop_vm, 1, 1, 1, -ENOSPC},
	{"max_mappings", "mappings", make_mapping, drop_mapping, 0, 0, 1, -ENOSPC},
	{"max_groups", "groups", make_group, drop_group, 1, 1, 1, -ENOSPC},
	{"max_queues", "queues", make_queue, drop_queue, 0, 0, 1, -ENOSPC},
};

static bool things_open(struct things *t)
{
	*t = (struct things){.fd = open_device()};
	return ok(t->fd >= 0 && !create(t->fd, SYSTEM, MIB, 0, &t->buffer) &&
			  !vm_create(t->fd, &t->vm) && !group_create(t->fd, t->vm, &t->group),
		  "there is a file with a few things");
}

static void holds(const struct row *r)
{
	char used[64], most[64];
	struct things t;
	uint32_t made = 0;

	if (!things_open(&t))
		return;
	snprintf(used, sizeof(used), "sovgpu-%s", r->key);
	snprintf(most, sizeof(most), "sovgpu-max-%s", r->key);
	long long before = set_parameter(r->parameter, r->beside + FEW);

	ok(before >= 0, "%s can be set", r->parameter);
	ok(value_of(t.fd, most) == (r->beside + FEW) * r->each, "%s: fdinfo tells the limit",
	   r->key);
	while (made < FEW && !r->make(&t, made))
		made++;
	ok(made == FEW, "%s: as many as the limit allows", r->key);
	ok(value_of(t.fd, used) == r->there + FEW * r->each, "%s: fdinfo counts them", r->key);
	int got = r->make(&t, FEW);

	if (!ok(got == r->error, "%s: one more is refused", r->key))
		diag("got %d (%s), want %d", got, strerror(-got), r->error);
	ok(value_of(t.fd, used) == r->there + FEW * r->each, "%s: what was refused is not counted",
	   r->key);
	int other = open_device();
	struct things second = {.fd = other};

	ok(!create(other, SYSTEM, MIB, 0, &second.buffer) && !vm_create(other, &second.vm) &&
		   !group_create(other, second.vm, &second.group) && !r->make(&second, 0),
	   "%s: another file has its own", r->key);
	close(other);
	ok(!r->drop(&t, 1) && !r->make(&t, 1), "%s: there is room again when one is gone", r->key);
	for (uint32_t i = 0; i < FEW; i++)
		r->drop(&t, i);
	ok(value_of(t.fd, used) == r->there, "%s: what is gone is not counted", r->key);
	set_parameter(r->parameter, (unsigned long long)before);
	close(t.fd);
}

/* What an address space of this file takes in KiB: its root, and the way to a page of 64 KiB where nothing else is. */
enum { ROOT = 4, WAY = 20 };

/* Memory counts until it is gone, whatever became of its handle. */
static void without_handle(void)
{
	struct things t;
	uint32_t again;

	if (!things_open(&t))
		return;
	long long before = set_parameter("max_vram_mib", 2);

	ok(!make_vram(&t, 0) && !vm_map(t.fd, t.vm, t.ids[0], 0, 2 * GIB, MIB) &&
		   !drop_buffer(&t, 0),
	   "a buffer loses its handle, and is still mapped");
	ok(value_of(t.fd, "sovgpu-vram") == ROOT + WAY + 1024 &&
		   create(t.fd, VRAM, MIB, 0, &again) == -ENOSPC,
	   "it counts");
	ok(!vm_unmap(t.fd, t.vm, 2 * GIB, MIB) && value_of(t.fd, "sovgpu-vram") == ROOT &&
		   !create(t.fd, VRAM, MIB, 0, &again),
	   "until it is unmapped");
	int file = prime_export(t.fd, again), other = open_device();
	uint32_t theirs = 0;

	ok(file >= 0 && !prime_import(other, file, &theirs) && !value_of(other, "sovgpu-vram") &&
		   value_of(other, "sovgpu-buffers") == 1,
	   "who gets a buffer has its handle, and not its memory, on its account");
	close(file);
	ok(!forget(t.fd, again) && value_of(t.fd, "sovgpu-vram") == ROOT + 1024,
	   "who made it has that, also without a handle");
	ok(!forget(other, theirs) && value_of(t.fd, "sovgpu-vram") == ROOT, "until nobody has one");
	set_parameter("max_vram_mib", (unsigned long long)before);
	close(other);
	close(t.fd);
}

/* How often a buffer of 64 KiB is mapped, 256 GiB apart, until it is refused with @error. */
static uint32_t scatter(int fd, uint32_t vm, uint32_t buffer, uint32_t most, int *error)
{
	uint32_t made = 0;

	*error = 0;
	while (made < most &&
	       !(*error = vm_map(fd, vm, buffer, 0, GIB + ((uint64_t)made << 38), 64 * KIB)))
		made++;
	return made;
}

/*
 * A MiB of video memory is 64 KiB of a buffer, a root, the way to its first mapping, and three tables each for 78 more, to
 * the byte.
 */
static void tables(void)
{
	const uint32_t all = 1 + (1024 - 64 - ROOT - WAY) / 12;
	uint32_t vm, other, buffer, made;
	int fd = open_device(), got;
	long long before = set_parameter("max_vram_mib", 1);

	ok(!vm_create(fd, &vm) && value_of(fd, "sovgpu-vram") == ROOT,
	   "an empty address space counts as its root");
	ok(!create(fd, VRAM, 64 * KIB, 0, &buffer), "with a buffer of 64 KiB");
	made = scatter(fd, vm, buffer, 1, &got);
	ok(made == 1 && value_of(fd, "sovgpu-vram") == 64 + ROOT + WAY, "page tables count");
	ok(!vm_unmap(fd, vm, GIB, 64 * KIB) && value_of(fd, "sovgpu-vram") == 64 + ROOT,
	   "what a mapping takes goes, and is given back with it");
	made = scatter(fd, vm, buffer, 1000, &got);
	ok(made == all && got == -ENOSPC && value_of(fd, "sovgpu-vram") == 1024,
	   "mapped far and wide, %u tables fill the limit to the byte, then ENOSPC", all * 3 + 3);
	diag("%u mappings, %d, %lld KiB", made, got, value_of(fd, "sovgpu-vram"));
	ok(vm_mapped(fd, vm) == all * 64 * KIB && value_of(fd, "sovgpu-mappings") == all,
	   "what was refused is not mapped");
	ok(vm_create(fd, &other) == -ENOSPC && create(fd, VRAM, 64 * KIB, 0, &other) == -ENOSPC,
	   "neither an address space nor a buffer is to be had");
	ok(!vm_map(fd, vm, buffer, 0, GIB + 64 * KIB, 64 * KIB), "what needs no table is mapped");
	ok(!vm_unmap(fd, vm, GIB + (1ull << 38), 64 * KIB) &&
		   value_of(fd, "sovgpu-vram") == 1024 - 12 &&
		   !vm_map(fd, vm, buffer, 0, GIB + (7ull << 42), 64 * KIB) &&
		   value_of(fd, "sovgpu-vram") == 1024,
	   "one that goes makes room for one elsewhere");
	struct drm_sovgpu_vm_bind_op move[] = {
		{.type = DRM_SOVGPU_VM_BIND_OP_UNMAP, .va = GIB + (7ull << 42), .size = 64 * KIB},
		{.handle = buffer, .va = GIB + (1ull << 38), .size = 64 * KIB},
	};

	ok(!vm_bind(fd, vm, move, COUNT(move), NULL) && value_of(fd, "sovgpu-vram") == 1024,
	   "also in the same call");
	ok(!vm_unmap(fd, vm, GIB, (1ull << 48)) && value_of(fd, "sovgpu-vram") == 64 + ROOT,
	   "all go at once");
	scatter(fd, vm, buffer, 1000, &got);
	ok(!vm_destroy(fd, vm) && value_of(fd, "sovgpu-vram") == 64,
	   "with their address space all go");
	ok(!vm_create(fd, &vm) && scatter(fd, vm, buffer, 1000, &got) == all && got == -ENOSPC,
	   "it is the same in the next");
	close(fd);
	set_parameter("max_vram_mib", (unsigned long long)before);
}

/* At its limit, a file gives back the middle of a page of 2 MiB, for which it needs a table more than it may have. */
static void part_at_limit(void)
{
	uint32_t vm, large, small, vms[11], made = 0;
	const uint64_t at = 4 * GIB;
	int fd = open_device();
	long long before = set_parameter("max_vram_mib", 3);

	ok(!vm_create(fd, &vm) && !create(fd, VRAM, 2 * MIB, 0, &large) &&
		   !create(fd, VRAM, 960 * KIB, 0, &small) &&
		   !vm_map(fd, vm, large, 0, at, 2 * MIB) &&
		   value_of(fd, "sovgpu-vram") == 3072 - 44,
	   "a large page needs no table");
	while (made < COUNT(vms) && !vm_create(fd, &vms[made]))
		made++;
	ok(made == COUNT(vms) && value_of(fd, "sovgpu-vram") == 3072,
	   "the file has what it may have");
	ok(vm_map(fd, vm, small, 0, at + 2 * MIB, 64 * KIB) == -ENOSPC &&
		   value_of(fd, "sovgpu-vram") == 3072,
	   "a table for another mapping is refused");
	ok(!vm_unmap(fd, vm, at + MIB, 64 * KIB) && vm_mapped(fd, vm) == 2 * MIB - 64 * KIB &&
		   value_of(fd, "sovgpu-vram") == 3076,
	   "a part of a large page can be given back, and the table for it counts");
	ok(vm_map(fd, vm, small, 0, at + 2 * MIB, 64 * KIB) == -ENOSPC,
	   "who has more than it may have gets no more");
	ok(!vm_unmap(fd, vm, at, 2 * MIB) && value_of(fd, "sovgpu-vram") == 3076 - WAY,
	   "and can give back all");
	ok(vm_map(fd, vm, small, 0, at, 64 * KIB) == -ENOSPC &&
		   value_of(fd, "sovgpu-vram") == 3076 - WAY,
	   "four tables of five leave nothing behind when the fifth is refused");
	ok(!vm_destroy(fd, vms[0]) && !vm_map(fd, vm, small, 0, at, 64 * KIB) &&
		   value_of(fd, "sovgpu-vram") == 3072,
	   "with one page more it is mapped, and the limit is reached again");
	close(fd);
	set_parameter("max_vram_mib", (unsigned long long)before);
}

/* Takes video memory until so many KiB of the limit are left, which is one of whole MiB: a buffer, and roots. */
struct filling {
	uint32_t buffer, vms[16], count;
};

static bool fill(int fd, struct filling *f, long long limit, long long left)
{
	long long more = limit - left - value_of(fd, "sovgpu-vram");

	*f = (struct filling){0};
	if (more >= 64 && create(fd, VRAM, (uint64_t)more / 64 * 64 * KIB, 0, &f->buffer))
		return false;
	while (f->count < more % 64 / ROOT && !vm_create(fd, &f->vms[f->count]))
		f->count++;
	return limit - value_of(fd, "sovgpu-vram") == left;
}
static void empty(int fd, struct filling *f)
{
	if (f->buffer)
		forget(fd, f->buffer);
	while (f->count)
		vm_destroy(fd, f->vms[--f->count]);
}

/* What the driver needs for queues is the file's; all of it comes back, also when there is not enough. */
static void queue_memory(uint32_t class)
{
	struct things t;
	uint32_t queue, tries = 0;

	if (!things_open(&t))
		return;
	long long vram = value_of(t.fd, "sovgpu-vram"), system = value_of(t.fd, "sovgpu-system");

	ok(!queue_create(t.fd, t.group, class, 4, LIMIT_MS, &queue) &&
		   value_of(t.fd, "sovgpu-vram") > vram && value_of(t.fd, "sovgpu-system") > system,
	   "a queue takes memory of both kinds");
	long long needs = value_of(t.fd, "sovgpu-vram") - vram, limit = (needs / 1024 + 2) * 1024;

	diag("class %u: %lld KiB of video memory, %lld KiB of system memory", class, needs,
	     value_of(t.fd, "sovgpu-system") - system);
	ok(!queue_destroy(t.fd, queue) && !group_destroy(t.fd, t.group), "it goes with its group");
	ok(value_of(t.fd, "sovgpu-vram") == vram,
	   "then the file has of video memory what it had before");
	ok(value_of(t.fd, "sovgpu-system") == system, "and of system memory what it had before");

	long long before = set_parameter("max_vram_mib", (unsigned long long)limit / 1024);
	bool good = true;

	for (long long left = 0; good && left <= needs;
	     left += left + 4 >= needs ? 4 : (needs / 12 / 4 + 1) * 4, tries++) {
		struct filling f;

		if (left < needs && left + (needs / 12 / 4 + 1) * 4 > needs)
			left = needs - 4; /* one page too few */
		good = fill(t.fd, &f, limit, left) && !group_create(t.fd, t.vm, &t.group);
		int got = queue_create(t.fd, t.group, class, 4, LIMIT_MS, &queue);

		good = good && got == (left < needs ? -ENOSPC : 0) &&
		       (got || !queue_destroy(t.fd, queue)) && !group_destroy(t.fd, t.group) &&
		       value_of(t.fd, "sovgpu-vram") == limit - left &&
		       value_of(t.fd, "sovgpu-system") == system;
		if (!good)
			diag("with %lld of %lld KiB: %d, then %lld KiB are left", left, needs, got,
			     limit - value_of(t.fd, "sovgpu-vram"));
		empty(t.fd, &f);
	}
	ok(good && tries > 2, "with less than that it is ENOSPC, %u times, and nothing of it stays",
	   tries - 1);
	set_parameter("max_vram_mib", (unsigned long long)before);

	before = set_parameter("max_system_mib", 1); /* there is a buffer of that size */
	ok(!group_create(t.fd, t.vm, &t.group) &&
		   queue_create(t.fd, t.group, class, 4, LIMIT_MS, &queue) == -ENOMEM &&
		   value_of(t.fd, "sovgpu-system") == system && !group_destroy(t.fd, t.group) &&
		   value_of(t.fd, "sovgpu-vram") == vram,
	   "without system memory it is ENOMEM, and nothing of it stays");
	set_parameter("max_system_mib", (unsigned long long)before);
	close(t.fd);
}

/* A mapping that loses its middle becomes two; one that loses an end stays one. */
static void split(void)
{
	const uint64_t at = 2 * GIB, page = 64 * KIB;
	struct things t;

	if (!things_open(&t))
		return;
	long long before = set_parameter("max_mappings", 1);

	ok(!vm_map(t.fd, t.vm, t.buffer, 0, at, MIB), "one mapping");
	ok(vm_unmap(t.fd, t.vm, at + 4 * page, page) == -ENOSPC && vm_mapped(t.fd, t.vm) == MIB,
	   "it cannot become two when only one is allowed");
	ok(!vm_unmap(t.fd, t.vm, at, page) && !vm_unmap(t.fd, t.vm, at + MIB - page, page) &&
		   vm_mapped(t.fd, t.vm) == MIB - 2 * page,
	   "it can lose its ends");
	set_parameter("max_mappings", 2);
	ok(!vm_unmap(t.fd, t.vm, at + 4 * page, page) && value_of(t.fd, "sovgpu-mappings") == 2,
	   "two are allowed: now it can");
	set_parameter("max_mappings", 1);
	ok(!vm_unmap(t.fd, t.vm, at + page, page) &&
		   !vm_unmap(t.fd, t.vm, at + MIB - 2 * page, page) &&
		   value_of(t.fd, "sovgpu-mappings") == 2,
	   "who has more than a new limit allows can still give back a part");
	ok(!vm_unmap(t.fd, t.vm, at, MIB) && !value_of(t.fd, "sovgpu-mappings"), "both go");
	ok(!vm_map(t.fd, t.vm, t.buffer, 0, at, MIB) && !vm_destroy(t.fd, t.vm) &&
		   !group_destroy(t.fd, t.group) && !value_of(t.fd, "sovgpu-mappings") &&
		   !value_of(t.fd, "sovgpu-vms"),
	   "with their address space all go");
	set_parameter("max_mappings", (unsigned long long)before);
	close(t.fd);
}

/* More than the machine has: an error, and neither a hang nor a process that is killed. */
static void pressure(void)
{
	uint32_t handles[256], made = 0, last;
	int fd = open_device(), got = 0;
	long long before = set_parameter("max_system_mib", 1 << 20);
	uint64_t start = now_ns();

	while (made < COUNT(handles) && !(got = create(fd, SYSTEM, 32 * MIB, 0, &handles[made])))
		made++;
	ok(made && got == -ENOMEM, "more memory than the machine has is ENOMEM");
	diag("%u buffers of 32 MiB, %llu ms", made,
	     (unsigned long long)(now_ns() - start) / 1000000);
	while (made)
		forget(fd, handles[--made]);
	ok(!value_of(fd, "sovgpu-system") && !create(fd, SYSTEM, 32 * MIB, 0, &last),
	   "afterwards there is memory again");
	ok(!set_parameter("max_system_mib", 0) || before >= 0,
	   "the limit is the driver's own choice again");
	ok(value_of(fd, "sovgpu-max-system") > 0, "which is a part of the machine's memory");
	close(fd);
}

/* debugfs has a row for each file. */
static void listed(void)
{
	struct things t;
	char line[256];
	bool found = false, most = false;
	glob_t g;

	if (!things_open(&t))
		return;
	uint32_t vram;

	create(t.fd, VRAM, 3 * MIB, 0, &vram);
	if (glob("/sys/kernel/debug/dri/*/limits", 0, NULL, &g) || !g.gl_pathc) {
		ok(false, "debugfs has a list of limits");
		return;
	}
	FILE *f = fopen(g.gl_pathv[0], "r");

	while (f && fgets(line, sizeof(line), f)) {
		unsigned long long c, v, s, b, vms, m, groups, queues;

		most = most || !strncmp(line, "max\t", 4);
		if (sscanf(line, "%llu %llu %llu %llu %llu %llu %llu %llu", &c, &v, &s, &b, &vms,
			   &m, &groups, &queues) == 8)
			found = found ||
				(c == (unsigned long long)value_of(t.fd, "drm-client-id") &&
				 v == 3 * MIB + ROOT * KIB && s == MIB && b == 2 && vms == 1 &&
				 !m && groups == 1 && !queues);
	}
	if (f)
		fclose(f);
	globfree(&g);
	ok(most, "debugfs tells the limits");
	ok(found, "and has a row with what this file has");
	close(t.fd);
}

int main(void)
{
	for (size_t i = 0; i < COUNT(rows); i++)
		holds(&rows[i]);
	without_handle();
	tables();
	part_at_limit();
	queue_memory(COMPUTE);
	queue_memory(COPY);
	split();
	pressure();
	listed();
	return tap_done();
}
