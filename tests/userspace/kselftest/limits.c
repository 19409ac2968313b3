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
	uint32_t there; /* before the first is made */
	long long each; /* in the key's unit */
	int error;
} rows[] = {
	{"max_vram_mib", "vram", make_vram, drop_buffer, 0, 1024, -ENOSPC},
	{"max_system_mib", "system", make_system, drop_buffer, 1, 1024, -ENOMEM},
	{"max_buffers", "buffers", make_vram, drop_buffer, 1, 1, -ENOSPC},
	{"max_vms", "vms", make_vm, drop_vm, 1, 1, -ENOSPC},
	{"max_mappings", "mappings", make_mapping, drop_mapping, 0, 1, -ENOSPC},
	{"max_groups", "groups", make_group, drop_group, 1, 1, -ENOSPC},
	{"max_queues", "queues", make_queue, drop_queue, 0, 1, -ENOSPC},
};

static bool things_open(struct things *t)
{
	*t = (struct things){.fd = open_device()};
	return ok(t->fd >= 0 && !create(t->fd, SYSTEM, MIB, 0, &t->buffer) && !vm_create(t->fd, &t->vm) &&
		  !group_create(t->fd, t->vm, &t->group), "there is a file with a few things");
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
	long long before = set_parameter(r->parameter, r->there + FEW);

	ok(before >= 0, "%s can be set", r->parameter);
	ok(value_of(t.fd, most) == (r->there + FEW) * r->each, "%s: fdinfo tells the limit", r->key);
	while (made < FEW && !r->make(&t, made))
		made++;
	ok(made == FEW, "%s: as many as the limit allows", r->key);
	ok(value_of(t.fd, used) == (r->there + FEW) * r->each, "%s: fdinfo counts them", r->key);
	int got = r->make(&t, FEW);

	if (!ok(got == r->error, "%s: one more is refused", r->key))
		diag("got %d (%s), want %d", got, strerror(-got), r->error);
	ok(value_of(t.fd, used) == (r->there + FEW) * r->each, "%s: what was refused is not counted", r->key);
	int other = open_device();
	struct things second = {.fd = other};

	ok(!create(other, SYSTEM, MIB, 0, &second.buffer) && !vm_create(other, &second.vm) &&
	   !group_create(other, second.vm, &second.group) && !r->make(&second, 0), "%s: another file has its own", r->key);
	close(other);
	ok(!r->drop(&t, 1) && !r->make(&t, 1), "%s: there is room again when one is gone", r->key);
	for (uint32_t i = 0; i < FEW; i++)
		r->drop(&t, i);
	ok(value_of(t.fd, used) == r->there * r->each, "%s: what is gone is not counted", r->key);
	set_parameter(r->parameter, (unsigned long long)before);
	close(t.fd);
}

/* Memory counts until it is gone, whatever became of its handle. */
static void without_handle(void)
{
	struct things t;
	uint32_t again;

	if (!things_open(&t))
		return;
	long long before = set_parameter("max_vram_mib", 1);

	ok(!make_vram(&t, 0) && !vm_map(t.fd, t.vm, t.ids[0], 0, 2 * GIB, MIB) && !drop_buffer(&t, 0),
	   "a buffer loses its handle, and is still mapped");
	ok(value_of(t.fd, "sovgpu-vram") == 1024 && create(t.fd, VRAM, MIB, 0, &again) == -ENOSPC, "it counts");
	ok(!vm_unmap(t.fd, t.vm, 2 * GIB, MIB) && !value_of(t.fd, "sovgpu-vram") && !create(t.fd, VRAM, MIB, 0, &again),
	   "until it is unmapped");
	int file = prime_export(t.fd, again), other = open_device();
	uint32_t theirs = 0;

	ok(file >= 0 && !prime_import(other, file, &theirs) && !value_of(other, "sovgpu-vram") &&
	   value_of(other, "sovgpu-buffers") == 1, "who gets a buffer has its handle, and not its memory, on its account");
	close(file);
	ok(!forget(t.fd, again) && value_of(t.fd, "sovgpu-vram") == 1024, "who made it has that, also without a handle");
	ok(!forget(other, theirs) && !value_of(t.fd, "sovgpu-vram"), "until nobody has one");
	set_parameter("max_vram_mib", (unsigned long long)before);
	close(other);
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
	   vm_mapped(t.fd, t.vm) == MIB - 2 * page, "it can lose its ends");
	set_parameter("max_mappings", 2);
	ok(!vm_unmap(t.fd, t.vm, at + 4 * page, page) && value_of(t.fd, "sovgpu-mappings") == 2, "two are allowed: now it can");
	set_parameter("max_mappings", 1);
	ok(!vm_unmap(t.fd, t.vm, at + page, page) && !vm_unmap(t.fd, t.vm, at + MIB - 2 * page, page) &&
	   value_of(t.fd, "sovgpu-mappings") == 2, "who has more than a new limit allows can still give back a part");
	ok(!vm_unmap(t.fd, t.vm, at, MIB) && !value_of(t.fd, "sovgpu-mappings"), "both go");
	ok(!vm_map(t.fd, t.vm, t.buffer, 0, at, MIB) && !vm_destroy(t.fd, t.vm) && !group_destroy(t.fd, t.group) &&
	   !value_of(t.fd, "sovgpu-mappings") && !value_of(t.fd, "sovgpu-vms"), "with their address space all go");
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
	diag("%u buffers of 32 MiB, %llu ms", made, (unsigned long long)(now_ns() - start) / 1000000);
	while (made)
		forget(fd, handles[--made]);
	ok(!value_of(fd, "sovgpu-system") && !create(fd, SYSTEM, 32 * MIB, 0, &last), "afterwards there is memory again");
	ok(!set_parameter("max_system_mib", 0) || before >= 0, "the limit is the driver's own choice again");
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

		most = most || !strncmp(line, "most\t", 5);
		if (sscanf(line, "%llu %llu %llu %llu %llu %llu %llu %llu", &c, &v, &s, &b, &vms, &m, &groups, &queues) == 8)
			found = found || (c == (unsigned long long)value_of(t.fd, "drm-client-id") && v == 3 * MIB &&
					  s == MIB && b == 2 && vms == 1 && !m && groups == 1 && !queues);
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
	split();
	pressure();
	listed();
	return tap_done();
}
