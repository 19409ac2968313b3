// SPDX-License-Identifier: MIT
/*
 * Limits per file, user and device: each is a module parameter, and exceeding it returns its own
 * errno. A row creates as many objects as a small limit allows, one more, and one again after
 * another is destroyed.
 */
#include <glob.h>
#include <sys/stat.h>

#include "tests/userspace/kselftest/queue.h"

enum { COUNT_ALLOWED = 4 };

/* Sets a module parameter; returns its previous value, or -1. */
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

struct objects {
	int fd;
	uint32_t vm, buffer, group, ids[COUNT_ALLOWED + 1];
};

static int create_vram(struct objects *t, uint32_t i)
{
	return bo_create(t->fd, VRAM, MIB, 0, &t->ids[i]);
}
static int create_system(struct objects *t, uint32_t i)
{
	return bo_create(t->fd, SYSTEM, MIB, 0, &t->ids[i]);
}
static int destroy_buffer(struct objects *t, uint32_t i)
{
	return bo_close(t->fd, t->ids[i]);
}
static int create_vm(struct objects *t, uint32_t i)
{
	return vm_create(t->fd, &t->ids[i]);
}
static int destroy_vm(struct objects *t, uint32_t i)
{
	return vm_destroy(t->fd, t->ids[i]);
}
static int create_mapping(struct objects *t, uint32_t i)
{
	return vm_map(t->fd, t->vm, t->buffer, 0, (2 + i) * GIB, MIB);
}
static int destroy_mapping(struct objects *t, uint32_t i)
{
	return vm_unmap(t->fd, t->vm, (2 + i) * GIB, MIB);
}
static int create_group(struct objects *t, uint32_t i)
{
	return group_create(t->fd, t->vm, &t->ids[i]);
}
static int destroy_group(struct objects *t, uint32_t i)
{
	return group_destroy(t->fd, t->ids[i]);
}
static int create_queue(struct objects *t, uint32_t i)
{
	return queue_create(t->fd, t->group, COPY, 4, LIMIT_MS, &t->ids[i]);
}
static int destroy_queue(struct objects *t, uint32_t i)
{
	return queue_destroy(t->fd, t->ids[i]);
}

static const struct row {
	const char *parameter, *key;
	int (*create)(struct objects *t, uint32_t i), (*destroy)(struct objects *t, uint32_t i);
	uint32_t preexisting;    /* objects that exist before the test's own */
	long long used_at_start; /* usage before the first object, in the key's unit */
	long long unit;          /* per object, in the key's unit */
	int error;
} rows[] = {
	{"max_vram_mib", "vram", create_vram, destroy_buffer, 1, 4, 1024,
	 -ENOSPC}, /* 4 KiB: the root page table */
	{"max_system_mib", "system", create_system, destroy_buffer, 1, 1024, 1024, -ENOMEM},
	{"max_buffers", "buffers", create_vram, destroy_buffer, 1, 1, 1, -ENOSPC},
	{"max_vms", "vms", create_vm, destroy_vm, 1, 1, 1, -ENOSPC},
	{"max_mappings", "mappings", create_mapping, destroy_mapping, 0, 0, 1, -ENOSPC},
	{"max_groups", "groups", create_group, destroy_group, 1, 1, 1, -ENOSPC},
	{"max_queues", "queues", create_queue, destroy_queue, 0, 0, 1, -ENOSPC},
};

static bool objects_open(struct objects *t)
{
	*t = (struct objects){.fd = open_device()};
	return ok(t->fd >= 0 && !bo_create(t->fd, SYSTEM, MIB, 0, &t->buffer) &&
			  !vm_create(t->fd, &t->vm) && !group_create(t->fd, t->vm, &t->group),
		  "a file with a buffer, an address space and a group is set up");
}

static void test_limit(const struct row *r)
{
	char used[64], limit[64];
	struct objects t;
	uint32_t created = 0;

	if (!objects_open(&t))
		return;
	snprintf(used, sizeof(used), "sovgpu-%s", r->key);
	snprintf(limit, sizeof(limit), "sovgpu-max-%s", r->key);
	long long before = set_parameter(r->parameter, r->preexisting + COUNT_ALLOWED);

	ok(before >= 0, "module parameter %s can be set", r->parameter);
	ok(fdinfo_value(t.fd, limit) == (r->preexisting + COUNT_ALLOWED) * r->unit,
	   "%s: fdinfo reports the limit", r->key);
	while (created < COUNT_ALLOWED && !r->create(&t, created))
		created++;
	ok(created == COUNT_ALLOWED, "%s: as many as the limit allows are created", r->key);
	ok(fdinfo_value(t.fd, used) == r->used_at_start + COUNT_ALLOWED * r->unit,
	   "%s: fdinfo reports the usage", r->key);
	int got = r->create(&t, COUNT_ALLOWED);

	if (!ok(got == r->error, "%s: one more than the limit is refused", r->key))
		diag("got %d (%s), want %d", got, strerror(-got), r->error);
	ok(fdinfo_value(t.fd, used) == r->used_at_start + COUNT_ALLOWED * r->unit,
	   "%s: a refused object is not counted", r->key);
	int other = open_device();
	struct objects second = {.fd = other};

	ok(!bo_create(other, SYSTEM, MIB, 0, &second.buffer) && !vm_create(other, &second.vm) &&
		   !group_create(other, second.vm, &second.group) && !r->create(&second, 0),
	   "%s: another file has a separate limit", r->key);
	close(other);
	ok(!r->destroy(&t, 1) && !r->create(&t, 1),
	   "%s: an object can be created after another is destroyed", r->key);
	for (uint32_t i = 0; i < COUNT_ALLOWED; i++)
		r->destroy(&t, i);
	ok(fdinfo_value(t.fd, used) == r->used_at_start, "%s: destroyed objects are not counted",
	   r->key);
	set_parameter(r->parameter, (unsigned long long)before);
	close(t.fd);
}

enum { OTHER_USER = 1000 };

/* Opens the device as another user. */
static bool objects_open_as(struct objects *t, uid_t user)
{
	if (seteuid(user))
		return false;
	bool opened = objects_open(t);

	return !seteuid(0) && opened;
}

/* Sets the limit of a scope to `more` objects above a usage; returns the previous value, or -1. */
static long long limit_scope(const struct row *r, const char *scope, long long used, int more)
{
	char name[64];

	snprintf(name, sizeof(name), "max_%s%s", scope, r->parameter + strlen("max_"));
	return set_parameter(name, (unsigned long long)((used + r->unit - 1) / r->unit + more));
}

/* Two files of one user share the limit of the user, and all files share that of the device. */
static void test_scopes(const struct row *r)
{
	char used[64], limit[64], user[64], device[64];
	struct objects t, same, other;

	snprintf(used, sizeof(used), "sovgpu-user-%s", r->key);
	snprintf(limit, sizeof(limit), "sovgpu-max-user-%s", r->key);
	snprintf(user, sizeof(user), "max_user_%s", r->parameter + strlen("max_"));
	snprintf(device, sizeof(device), "max_device_%s", r->parameter + strlen("max_"));
	if (!objects_open(&t) || !objects_open(&same))
		return;
	if (!objects_open_as(&other, OTHER_USER)) {
		ok(false, "%s: another user opens the device", r->key);
		return;
	}
	long long at_start = fdinfo_value(t.fd, used), theirs = fdinfo_value(other.fd, used);
	long long user_before = limit_scope(r, "user_", at_start, 2);

	ok(user_before >= 0 && fdinfo_value(t.fd, limit) == fdinfo_value(same.fd, limit) &&
		   fdinfo_value(t.fd, limit) >= at_start + 2 * r->unit &&
		   fdinfo_value(t.fd, limit) < at_start + 3 * r->unit,
	   "%s: fdinfo reports the limit of the user", r->key);
	ok(!r->create(&t, 0) && !r->create(&same, 0) &&
		   fdinfo_value(t.fd, used) == at_start + 2 * r->unit &&
		   fdinfo_value(same.fd, used) == at_start + 2 * r->unit,
	   "%s: the usage of a user is the sum of that of the user's files", r->key);
	ok(r->create(&t, 1) == r->error && r->create(&same, 1) == r->error,
	   "%s: at the limit of a user, both files are refused", r->key);
	ok(!r->create(&other, 0) && fdinfo_value(other.fd, used) == theirs + r->unit,
	   "%s: another user has a separate limit", r->key);
	ok(!r->destroy(&t, 0) && !r->create(&same, 1),
	   "%s: what one file frees, another file of the user can take", r->key);
	set_parameter(user, (unsigned long long)user_before);

	long long all = fdinfo_value(t.fd, used) + fdinfo_value(other.fd, used);
	long long device_before = limit_scope(r, "device_", all, 1);

	ok(device_before >= 0 && !r->create(&other, 1) && r->create(&other, 2) == r->error &&
		   r->create(&t, 0) == r->error,
	   "%s: at the limit of the device, the files of all users are refused", r->key);
	set_parameter(device, (unsigned long long)device_before);
	ok(!r->create(&t, 0), "%s: objects can be created again after the limit is raised", r->key);
	close(other.fd);
	close(same.fd);
	snprintf(limit, sizeof(limit), "sovgpu-%s", r->key);
	ok(fdinfo_value(t.fd, used) == fdinfo_value(t.fd, limit),
	   "%s: closed files do not count for their user", r->key);
	close(t.fd);
}

/*
 * Page table memory of an address space in KiB: the root table, and the tables below it for a first
 * 64 KiB page.
 */
enum { ROOT_TABLE = 4, TABLE_CHAIN = 20 };

/* Memory counts until it is freed, with or without a handle. */
static void test_buffer_without_handle(void)
{
	struct objects t;
	uint32_t again;

	if (!objects_open(&t))
		return;
	long long before = set_parameter("max_vram_mib", 2);

	ok(!create_vram(&t, 0) && !vm_map(t.fd, t.vm, t.ids[0], 0, 2 * GIB, MIB) &&
		   !destroy_buffer(&t, 0),
	   "the handle of a mapped buffer is closed");
	ok(fdinfo_value(t.fd, "sovgpu-vram") == ROOT_TABLE + TABLE_CHAIN + 1024 &&
		   bo_create(t.fd, VRAM, MIB, 0, &again) == -ENOSPC,
	   "a mapped buffer without a handle counts towards the limit");
	ok(!vm_unmap(t.fd, t.vm, 2 * GIB, MIB) && fdinfo_value(t.fd, "sovgpu-vram") == ROOT_TABLE &&
		   !bo_create(t.fd, VRAM, MIB, 0, &again),
	   "a buffer without a handle stops counting when it is unmapped");
	int file = prime_export(t.fd, again), other = open_device();
	uint32_t theirs = 0;

	ok(file >= 0 && !prime_import(other, file, &theirs) &&
		   !fdinfo_value(other, "sovgpu-vram") &&
		   fdinfo_value(other, "sovgpu-buffers") == 1,
	   "an imported buffer counts as a buffer of the importer, but not its memory");
	close(file);
	ok(!bo_close(t.fd, again) && fdinfo_value(t.fd, "sovgpu-vram") == ROOT_TABLE + 1024,
	   "exported memory counts for its creator, also without a handle");
	ok(!bo_close(other, theirs) && fdinfo_value(t.fd, "sovgpu-vram") == ROOT_TABLE,
	   "exported memory stops counting when its last handle is closed");
	set_parameter("max_vram_mib", (unsigned long long)before);
	close(other);
	close(t.fd);
}

/*
 * Maps a buffer of 64 KiB at steps of 256 GiB until it is refused with *error; returns the count.
 */
static uint32_t map_scattered(int fd, uint32_t vm, uint32_t buffer, uint32_t max, int *error)
{
	uint32_t created = 0;

	*error = 0;
	while (created < max &&
	       !(*error = vm_map(fd, vm, buffer, 0, GIB + ((uint64_t)created << 38), 64 * KIB)))
		created++;
	return created;
}

/*
 * A limit of 1 MiB holds a buffer of 64 KiB, the root table, the tables of the first mapping, and
 * three tables each for 78 more mappings, exactly.
 */
static void test_page_tables(void)
{
	const uint32_t all = 1 + (1024 - 64 - ROOT_TABLE - TABLE_CHAIN) / 12;
	uint32_t vm, other, buffer, created;
	int fd = open_device(), got;
	long long before = set_parameter("max_vram_mib", 1);

	ok(!vm_create(fd, &vm) && fdinfo_value(fd, "sovgpu-vram") == ROOT_TABLE,
	   "an empty address space counts its root page table");
	ok(!bo_create(fd, VRAM, 64 * KIB, 0, &buffer), "a buffer of 64 KiB is created");
	created = map_scattered(fd, vm, buffer, 1, &got);
	ok(created == 1 && fdinfo_value(fd, "sovgpu-vram") == 64 + ROOT_TABLE + TABLE_CHAIN,
	   "page tables count towards the VRAM limit");
	ok(!vm_unmap(fd, vm, GIB, 64 * KIB) && fdinfo_value(fd, "sovgpu-vram") == 64 + ROOT_TABLE,
	   "the page tables of a mapping are freed when it is unmapped");
	created = map_scattered(fd, vm, buffer, 1000, &got);
	ok(created == all && got == -ENOSPC && fdinfo_value(fd, "sovgpu-vram") == 1024,
	   "scattered mappings fill the VRAM limit with %u page tables, then VM_BIND is ENOSPC",
	   all * 3 + 3);
	diag("%u mappings, %d, %lld KiB", created, got, fdinfo_value(fd, "sovgpu-vram"));
	ok(vm_mapped(fd, vm) == all * 64 * KIB && fdinfo_value(fd, "sovgpu-mappings") == all,
	   "a mapping refused for its page tables is not mapped");
	ok(vm_create(fd, &other) == -ENOSPC && bo_create(fd, VRAM, 64 * KIB, 0, &other) == -ENOSPC,
	   "at the VRAM limit VM_CREATE and BO_CREATE are ENOSPC");
	ok(!vm_map(fd, vm, buffer, 0, GIB + 64 * KIB, 64 * KIB),
	   "a mapping that needs no new page table succeeds at the VRAM limit");
	ok(!vm_unmap(fd, vm, GIB + (1ull << 38), 64 * KIB) &&
		   fdinfo_value(fd, "sovgpu-vram") == 1024 - 12 &&
		   !vm_map(fd, vm, buffer, 0, GIB + (7ull << 42), 64 * KIB) &&
		   fdinfo_value(fd, "sovgpu-vram") == 1024,
	   "unmapping frees page tables for a mapping elsewhere");
	struct drm_sovgpu_vm_bind_op move[] = {
		{.type = DRM_SOVGPU_VM_BIND_OP_UNMAP, .va = GIB + (7ull << 42), .size = 64 * KIB},
		{.handle = buffer, .va = GIB + (1ull << 38), .size = 64 * KIB},
	};

	ok(!vm_bind(fd, vm, move, COUNT(move), NULL) && fdinfo_value(fd, "sovgpu-vram") == 1024,
	   "page tables freed by an unmap serve a map in the same VM_BIND");
	ok(!vm_unmap(fd, vm, GIB, (1ull << 48)) &&
		   fdinfo_value(fd, "sovgpu-vram") == 64 + ROOT_TABLE,
	   "one unmap frees the page tables of every mapping");
	map_scattered(fd, vm, buffer, 1000, &got);
	ok(!vm_destroy(fd, vm) && fdinfo_value(fd, "sovgpu-vram") == 64,
	   "VM_DESTROY frees the page tables of every mapping");
	ok(!vm_create(fd, &vm) && map_scattered(fd, vm, buffer, 1000, &got) == all &&
		   got == -ENOSPC,
	   "a new address space reaches the same page table limit");
	close(fd);
	set_parameter("max_vram_mib", (unsigned long long)before);
}

/*
 * At its limit, a file unmaps the middle of a 2 MiB page, which needs one table more than it may
 * have.
 */
static void test_partial_unmap_at_limit(void)
{
	uint32_t vm, large, small, vms[11], created = 0;
	const uint64_t at = 4 * GIB;
	int fd = open_device();
	long long before = set_parameter("max_vram_mib", 3);

	ok(!vm_create(fd, &vm) && !bo_create(fd, VRAM, 2 * MIB, 0, &large) &&
		   !bo_create(fd, VRAM, 960 * KIB, 0, &small) &&
		   !vm_map(fd, vm, large, 0, at, 2 * MIB) &&
		   fdinfo_value(fd, "sovgpu-vram") == 3072 - 44,
	   "a 2 MiB page needs no lowest-level page table");
	while (created < COUNT(vms) && !vm_create(fd, &vms[created]))
		created++;
	ok(created == COUNT(vms) && fdinfo_value(fd, "sovgpu-vram") == 3072,
	   "address spaces fill the file's VRAM limit");
	ok(vm_map(fd, vm, small, 0, at + 2 * MIB, 64 * KIB) == -ENOSPC &&
		   fdinfo_value(fd, "sovgpu-vram") == 3072,
	   "a page table above the VRAM limit is refused");
	ok(!vm_unmap(fd, vm, at + MIB, 64 * KIB) && vm_mapped(fd, vm) == 2 * MIB - 64 * KIB &&
		   fdinfo_value(fd, "sovgpu-vram") == 3076,
	   "part of a large page can be unmapped at the limit, and the new page table counts");
	ok(vm_map(fd, vm, small, 0, at + 2 * MIB, 64 * KIB) == -ENOSPC,
	   "a file above its VRAM limit gets no more page tables");
	ok(!vm_unmap(fd, vm, at, 2 * MIB) && fdinfo_value(fd, "sovgpu-vram") == 3076 - TABLE_CHAIN,
	   "a file above its VRAM limit can unmap everything");
	ok(vm_map(fd, vm, small, 0, at, 64 * KIB) == -ENOSPC &&
		   fdinfo_value(fd, "sovgpu-vram") == 3076 - TABLE_CHAIN,
	   "when the fifth of five page tables is refused, the other four are freed");
	ok(!vm_destroy(fd, vms[0]) && !vm_map(fd, vm, small, 0, at, 64 * KIB) &&
		   fdinfo_value(fd, "sovgpu-vram") == 3072,
	   "a mapping succeeds after one page is freed, and reaches the limit again");
	close(fd);
	set_parameter("max_vram_mib", (unsigned long long)before);
}

/* Takes VRAM until `left` KiB of the limit remain: a buffer, and root page tables. */
struct filling {
	uint32_t buffer, vms[16], count;
};

static bool fill_to_limit(int fd, struct filling *f, long long limit, long long left)
{
	long long more = limit - left - fdinfo_value(fd, "sovgpu-vram");

	*f = (struct filling){0};
	if (more >= 64 && bo_create(fd, VRAM, (uint64_t)more / 64 * 64 * KIB, 0, &f->buffer))
		return false;
	while (f->count < more % 64 / ROOT_TABLE && !vm_create(fd, &f->vms[f->count]))
		f->count++;
	return limit - fdinfo_value(fd, "sovgpu-vram") == left;
}
static void release_filling(int fd, struct filling *f)
{
	if (f->buffer)
		bo_close(fd, f->buffer);
	while (f->count)
		vm_destroy(fd, f->vms[--f->count]);
}

/*
 * The driver's memory for queues counts for the file; all of it is freed, also when QUEUE_CREATE
 * fails for lack of it.
 */
static void test_queue_memory(uint32_t class)
{
	struct objects t;
	uint32_t queue, tries = 0;

	if (!objects_open(&t))
		return;
	long long vram = fdinfo_value(t.fd, "sovgpu-vram"),
		  system = fdinfo_value(t.fd, "sovgpu-system");

	ok(!queue_create(t.fd, t.group, class, 4, LIMIT_MS, &queue) &&
		   fdinfo_value(t.fd, "sovgpu-vram") > vram &&
		   fdinfo_value(t.fd, "sovgpu-system") > system,
	   "a queue takes VRAM and system memory");
	long long needs = fdinfo_value(t.fd, "sovgpu-vram") - vram,
		  limit = (needs / 1024 + 2) * 1024;

	diag("class %u: %lld KiB of VRAM, %lld KiB of system memory", class, needs,
	     fdinfo_value(t.fd, "sovgpu-system") - system);
	ok(!queue_destroy(t.fd, queue) && !group_destroy(t.fd, t.group),
	   "a queue and its group are destroyed");
	ok(fdinfo_value(t.fd, "sovgpu-vram") == vram,
	   "destroying a queue and its group restores the file's VRAM usage");
	ok(fdinfo_value(t.fd, "sovgpu-system") == system,
	   "destroying a queue and its group restores the file's system memory usage");

	long long before = set_parameter("max_vram_mib", (unsigned long long)limit / 1024);
	bool good = true;

	for (long long left = 0; good && left <= needs;
	     left += left + 4 >= needs ? 4 : (needs / 12 / 4 + 1) * 4, tries++) {
		struct filling f;

		if (left < needs && left + (needs / 12 / 4 + 1) * 4 > needs)
			left = needs - 4; /* one page too little */
		good = fill_to_limit(t.fd, &f, limit, left) && !group_create(t.fd, t.vm, &t.group);
		int got = queue_create(t.fd, t.group, class, 4, LIMIT_MS, &queue);

		good = good && got == (left < needs ? -ENOSPC : 0) &&
		       (got || !queue_destroy(t.fd, queue)) && !group_destroy(t.fd, t.group) &&
		       fdinfo_value(t.fd, "sovgpu-vram") == limit - left &&
		       fdinfo_value(t.fd, "sovgpu-system") == system;
		if (!good)
			diag("with %lld of %lld KiB: got %d, %lld KiB left afterwards", left, needs,
			     got, limit - fdinfo_value(t.fd, "sovgpu-vram"));
		release_filling(t.fd, &f);
	}
	ok(good && tries > 2,
	   "QUEUE_CREATE with too little VRAM is ENOSPC and keeps no memory, at %u amounts",
	   tries - 1);
	set_parameter("max_vram_mib", (unsigned long long)before);

	before = set_parameter("max_system_mib", 1); /* the existing buffer uses all of it */
	ok(!group_create(t.fd, t.vm, &t.group) &&
		   queue_create(t.fd, t.group, class, 4, LIMIT_MS, &queue) == -ENOMEM &&
		   fdinfo_value(t.fd, "sovgpu-system") == system && !group_destroy(t.fd, t.group) &&
		   fdinfo_value(t.fd, "sovgpu-vram") == vram,
	   "QUEUE_CREATE without system memory is ENOMEM and keeps no memory");
	set_parameter("max_system_mib", (unsigned long long)before);
	close(t.fd);
}

/* Unmapping the middle of a mapping makes two of it; unmapping an end does not. */
static void test_split_mapping(void)
{
	const uint64_t at = 2 * GIB, page = 64 * KIB;
	struct objects t;

	if (!objects_open(&t))
		return;
	long long before = set_parameter("max_mappings", 1);

	ok(!vm_map(t.fd, t.vm, t.buffer, 0, at, MIB),
	   "one mapping is created at the mapping limit");
	ok(vm_unmap(t.fd, t.vm, at + 4 * page, page) == -ENOSPC && vm_mapped(t.fd, t.vm) == MIB,
	   "splitting a mapping at the mapping limit is ENOSPC");
	ok(!vm_unmap(t.fd, t.vm, at, page) && !vm_unmap(t.fd, t.vm, at + MIB - page, page) &&
		   vm_mapped(t.fd, t.vm) == MIB - 2 * page,
	   "unmapping the ends of a mapping succeeds at the mapping limit");
	set_parameter("max_mappings", 2);
	ok(!vm_unmap(t.fd, t.vm, at + 4 * page, page) && fdinfo_value(t.fd, "sovgpu-mappings") == 2,
	   "splitting a mapping succeeds when the limit allows two");
	set_parameter("max_mappings", 1);
	ok(!vm_unmap(t.fd, t.vm, at + page, page) &&
		   !vm_unmap(t.fd, t.vm, at + MIB - 2 * page, page) &&
		   fdinfo_value(t.fd, "sovgpu-mappings") == 2,
	   "a file above a lowered mapping limit can unmap parts of mappings");
	ok(!vm_unmap(t.fd, t.vm, at, MIB) && !fdinfo_value(t.fd, "sovgpu-mappings"),
	   "one unmap removes both parts of a split mapping");
	ok(!vm_map(t.fd, t.vm, t.buffer, 0, at, MIB) && !vm_destroy(t.fd, t.vm) &&
		   !group_destroy(t.fd, t.group) && !fdinfo_value(t.fd, "sovgpu-mappings") &&
		   !fdinfo_value(t.fd, "sovgpu-vms"),
	   "VM_DESTROY removes mappings and address space from the accounting");
	set_parameter("max_mappings", (unsigned long long)before);
	close(t.fd);
}

/* More memory than the system has is an error; it must neither hang nor get a process killed. */
static void test_memory_pressure(void)
{
	uint32_t handles[256], created = 0, last;
	int fd = open_device(), got = 0;
	long long before = set_parameter("max_system_mib", 1 << 20),
		  device = set_parameter("max_device_system_mib", 1 << 20);
	uint64_t start = now_ns();

	while (created < COUNT(handles) &&
	       !(got = bo_create(fd, SYSTEM, 32 * MIB, 0, &handles[created])))
		created++;
	ok(created && got == -ENOMEM, "allocating more system memory than exists is ENOMEM");
	diag("%u buffers of 32 MiB, %llu ms", created,
	     (unsigned long long)(now_ns() - start) / 1000000);
	while (created)
		bo_close(fd, handles[--created]);
	ok(!fdinfo_value(fd, "sovgpu-system") && !bo_create(fd, SYSTEM, 32 * MIB, 0, &last),
	   "system memory can be allocated after the buffers are closed");
	set_parameter("max_device_system_mib", (unsigned long long)device);
	ok(!set_parameter("max_system_mib", 0) || before >= 0,
	   "max_system_mib is reset to the driver's default");
	ok(fdinfo_value(fd, "sovgpu-max-system") > 0,
	   "the default system memory limit is not zero");
	close(fd);
}

/* debugfs lists the usage of every file. */
static void test_debugfs(void)
{
	struct objects t;
	char line[256];
	bool found = false, has_limits = false, has_user = false, has_device = false;
	glob_t g;

	if (!objects_open(&t))
		return;
	uint32_t vram;

	bo_create(t.fd, VRAM, 3 * MIB, 0, &vram);
	if (glob("/sys/kernel/debug/dri/*/limits", 0, NULL, &g) || !g.gl_pathc) {
		ok(false, "debugfs has a file with the limits");
		return;
	}
	FILE *f = fopen(g.gl_pathv[0], "r");

	while (f && fgets(line, sizeof(line), f)) {
		unsigned long long c, v, s, b, vms, m, groups, queues;

		has_limits = has_limits || !strncmp(line, "max\t", 4);
		has_user = has_user || (sscanf(line, "user-0 %llu", &v) == 1 &&
					v == 3 * MIB + ROOT_TABLE * KIB);
		has_device = has_device || (sscanf(line, "device %llu", &v) == 1 &&
					    v == 3 * MIB + ROOT_TABLE * KIB);
		if (sscanf(line, "%llu %llu %llu %llu %llu %llu %llu %llu", &c, &v, &s, &b, &vms,
			   &m, &groups, &queues) == 8)
			found = found ||
				(c == (unsigned long long)fdinfo_value(t.fd, "drm-client-id") &&
				 v == 3 * MIB + ROOT_TABLE * KIB && s == MIB && b == 2 &&
				 vms == 1 && !m && groups == 1 && !queues);
	}
	if (f)
		fclose(f);
	globfree(&g);
	ok(has_limits, "debugfs lists the limits");
	ok(found, "debugfs lists the usage of this file");
	ok(has_user && has_device, "debugfs lists the usage of this user and of the device");
	close(t.fd);
}

int main(void)
{
	for (size_t i = 0; i < COUNT(rows); i++)
		test_limit(&rows[i]);
	/* The node belongs to root in a virtual machine without udev. */
	const char *node = getenv("RENDER_NODE") ? getenv("RENDER_NODE") : RENDER_NODE;
	struct stat st;

	ok(!stat(node, &st) && !chmod(node, 0666), "every user may open the render node");
	for (size_t i = 0; i < COUNT(rows); i++)
		test_scopes(&rows[i]);
	chmod(node, st.st_mode & 0777);
	test_buffer_without_handle();
	test_page_tables();
	test_partial_unmap_at_limit();
	test_queue_memory(COMPUTE);
	test_queue_memory(COPY);
	test_split_mapping();
	test_memory_pressure();
	test_debugfs();
	return tap_done();
}
