// SPDX-License-Identifier: MIT
/*
 * The cache is a directory of files. The name of an entry is a SHA-256 of everything that the
 * compilation depends on: the text, the target, the options and the linker's build id of this
 * library, so that no entry is ever out of date. A compilation unit's entry is named by that hash
 * and the unit's number, so that the text is hashed once. An entry consists of a header, the image
 * and the messages; the header has a SHA-256 of both. An entry that does not match is removed and
 * ignored.
 *
 * Entries are written to a temporary file and renamed, so that readers see a complete entry or
 * none; of several writers of one entry the last wins, with the same bytes. Reading updates an
 * entry's time. When the directory exceeds its limit, the least recently read entries are removed
 * until a quarter of the limit is free. Several processes may do so simultaneously. Listing the
 * directory is slow, so each addition does it with a probability that amounts to once per sixteenth
 * of the limit added, over all processes.
 *
 * An entry becomes code that runs with this user's data, and names are removed from the directory.
 * So the directory must be this user's own and closed to writers; it is opened once per operation,
 * and files are reached only from its descriptor, so that a path that changes meanwhile has no
 * effect.
 */
#include "libsov/runtime/module/compile_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "libsov/runtime/base/log.h"
#include "libsov/runtime/base/sha256.h"

#define MAGIC         "sovcache"
#define FORMAT        3u
#define NAME_LENGTH   (2 * SHA256_BYTES)
#define TRIM_CHECKS   16   /* size checks per limit of added bytes */
#define STALE_SECONDS 3600 /* age at which a temporary file is garbage */

struct head {
	char magic[8];
	uint32_t format, head_bytes;
	uint64_t image_bytes, message_bytes;
	uint8_t key[SHA256_BYTES], content[SHA256_BYTES];
};

struct cache {
	char folder[PATH_MAX];
	uint64_t limit;
	uint8_t text
		[SHA256_BYTES]; /* hash of the text and everything else that entries depend on */
};

/* The name of an entry's file. */
struct entry_name {
	char text[NAME_LENGTH + 1];
	uint8_t key[SHA256_BYTES];
};

/* ---- directory and size ---- */

static bool read_size(const char *text, uint64_t *bytes)
{
	static const char units[] = "KMG";
	const char *unit;
	char *end;

	errno = 0;
	*bytes = strtoull(text, &end, 10);
	if (errno || end == text || *text == '-')
		return false;
	if (!*end)
		return true;
	unit = strchr(units, *end);
	if (!unit || end[1] || *bytes > UINT64_MAX >> 10 * (unit - units + 1))
		return false;
	*bytes <<= 10 * (unit - units + 1);
	return true;
}

static bool cache_find_directory(struct cache *c)
{
	static const struct {
		const char *variable, *below;
	} locations[] = {
		{"SOV_CACHE_DIR", ""}, {"XDG_CACHE_HOME", "/sov"}, {"HOME", "/.cache/sov"}};
	const char *size = secure_getenv("SOV_CACHE_SIZE");

	c->limit = CACHE_DEFAULT_BYTES;
	if (size && !read_size(size, &c->limit))
		return false;
	for (size_t k = 0; c->limit && k < sizeof(locations) / sizeof(locations[0]); k++) {
		const char *base = secure_getenv(locations[k].variable);

		if (base && *base)
			return snprintf(c->folder, sizeof(c->folder), "%s%s", base,
					locations[k].below) < PATH_MAX;
	}
	return false;
}

static void cache_make_directory(const char *folder)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s", folder);
	for (char *at = path + 1; *at; at++) {
		if (*at != '/')
			continue;
		*at = 0;
		mkdir(path, 0700);
		*at = '/';
	}
	mkdir(path, 0700);
}

/* Opens the directory; -1: there is none that this user alone can change. */
static int cache_open_directory(const struct cache *c)
{
	int dir = open(c->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat s = {0};

	if (dir < 0) {
		if (errno != ENOENT)
			LOG(MODULE, INFO, "cache: '%s' is not used: %s", c->folder,
			    errno == ELOOP ? "it is a symbolic link" : strerror(errno));
		return -1;
	}
	if (!fstat(dir, &s) && s.st_uid == geteuid() && !(s.st_mode & (S_IWGRP | S_IWOTH)))
		return dir;
	LOG(MODULE, INFO,
	    "cache: '%s' is not used: it belongs to user %u with mode %04o; it must be "
	    "user %u's, and not writable by others",
	    c->folder, s.st_uid, s.st_mode & 07777, geteuid());
	close(dir);
	return -1;
}

/* ---- what a compilation depends on ---- */

struct build {
	uintptr_t here; /* an address inside this library */
	struct sha256 *hash;
	bool found;
};

static size_t aligned(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

static bool add_build_id(struct build *b, const uint8_t *notes, size_t bytes)
{
	while (bytes >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *note = (const void *)notes;
		size_t name = aligned(note->n_namesz),
		       all = sizeof(*note) + name + aligned(note->n_descsz);

		if (all > bytes)
			return false;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
		    !memcmp(note + 1, "GNU", 4)) {
			sha256_add(b->hash, (const uint8_t *)(note + 1) + name, note->n_descsz);
			return true;
		}
		notes += all;
		bytes -= all;
	}
	return false;
}

/* Finds the build id if this loaded object is our library. */
static int find_build_id(struct dl_phdr_info *info, size_t size, void *user)
{
	struct build *b = user;
	bool here = false;

	(void)size;
	for (int k = 0; k < info->dlpi_phnum; k++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[k];

		here |= p->p_type == PT_LOAD && b->here - info->dlpi_addr - p->p_vaddr < p->p_memsz;
	}
	for (int k = 0; here && !b->found && k < info->dlpi_phnum; k++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[k];

		if (p->p_type == PT_NOTE)
			b->found = add_build_id(b, (const uint8_t *)info->dlpi_addr + p->p_vaddr,
						p->p_memsz);
	}
	return here;
}

static void add_text(struct sha256 *hash, const char *text)
{
	sha256_add(hash, text, strlen(text) + 1);
}

/* The values of constants, not where they are. */
static void add_spirv_options(struct sha256 *hash, const struct spirv_options *o)
{
	static const struct spirv_options defaults;
	uint32_t numbers[5];

	o = o ? o : &defaults;
	numbers[0] = o->layout;
	numbers[1] = o->robust;
	numbers[2] = o->base_workgroup;
	numbers[3] = o->nconstants;
	numbers[4] = o->nbindings;
	sha256_add(hash, numbers, sizeof(numbers));
	add_text(hash, o->entry_point ? o->entry_point : "");
	for (uint32_t k = 0; k < o->nconstants; k++) {
		const struct spirv_specialisation *c = &o->constants[k];

		sha256_add(hash, (uint32_t[]){c->id, c->bytes}, 8);
		sha256_add(hash, c->data, c->bytes);
	}
	for (uint32_t k = 0; k < o->nbindings; k++) {
		const struct spirv_binding *b = &o->bindings[k];

		sha256_add(hash,
			   (uint32_t[]){b->set, b->binding, b->offset, b->stride, b->set_bytes,
					b->inline_data},
			   24);
	}
}

struct cache *cache_open(const char *text, size_t length, const struct compile_options *o)
{
	struct cache *c = malloc(sizeof(*c));
	struct sha256 hash;
	struct build b = {.here = (uintptr_t)&cache_open, .hash = &hash};
	uint32_t options[] = {FORMAT,        o->source,  o->unoptimised, o->serial,  o->spill,
			      o->keep_calls, o->library, o->no_uniform,  o->clusters};

	if (!c || o->print_pass || o->stats || !cache_find_directory(c)) {
		free(c);
		return NULL;
	}
	sha256_init(&hash);
	dl_iterate_phdr(find_build_id, &b);
	sha256_add(&hash, options, sizeof(options));
	add_text(&hash, o->target ? o->target : "");
	add_spirv_options(&hash, o->spirv);
	sha256_add(&hash, text, length);
	sha256_end(&hash, c->text);
	if (b.found)
		return c;
	free(c); /* without a build id, builds cannot be distinguished */
	return NULL;
}

void cache_close(struct cache *c)
{
	free(c);
}

static void entry_name_init(const struct cache *c, int64_t unit, struct entry_name *name)
{
	struct sha256 hash;

	sha256_init(&hash);
	sha256_add(&hash, c->text, sizeof(c->text));
	sha256_add(&hash, &unit, sizeof(unit));
	sha256_end(&hash, name->key);
	for (int k = 0; k < SHA256_BYTES; k++)
		snprintf(name->text + 2 * k, 3, "%02x", name->key[k]);
}

/* ---- entries ---- */

static void hash_content(const void *image, size_t image_bytes, const void *messages,
			 size_t message_bytes, uint8_t digest[SHA256_BYTES])
{
	struct sha256 hash;

	sha256_init(&hash);
	sha256_add(&hash, image, image_bytes);
	sha256_add(&hash, messages, message_bytes);
	sha256_end(&hash, digest);
}

static bool read_all(int fd, void *data, size_t bytes)
{
	char *at = data;

	while (bytes) {
		ssize_t n = read(fd, at, bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
		bytes -= (size_t)n;
	}
	return true;
}

static bool write_all(int fd, const void *data, size_t bytes)
{
	const char *at = data;

	while (bytes) {
		ssize_t n = write(fd, at, bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
		bytes -= (size_t)n;
	}
	return true;
}

static bool head_fits(const struct entry_name *name, const struct head *h, uint64_t file_bytes)
{
	return !memcmp(h->magic, MAGIC, sizeof(h->magic)) && h->format == FORMAT &&
	       h->head_bytes == sizeof(*h) && !memcmp(h->key, name->key, sizeof(h->key)) &&
	       h->image_bytes && h->image_bytes <= file_bytes && h->message_bytes <= file_bytes &&
	       sizeof(*h) + h->image_bytes + h->message_bytes == file_bytes;
}

static bool read_entry(const struct entry_name *name, int fd, struct compile_result *r)
{
	uint8_t content[SHA256_BYTES];
	struct stat s = {0};
	struct head h;

	/* Only regular files that this user alone can write. */
	if (fstat(fd, &s) || !S_ISREG(s.st_mode) || s.st_uid != geteuid() ||
	    s.st_mode & (S_IWGRP | S_IWOTH) || !read_all(fd, &h, sizeof(h)) ||
	    !head_fits(name, &h, (uint64_t)s.st_size))
		return false;
	r->image = malloc(h.image_bytes);
	r->messages = malloc(h.message_bytes + 1);
	if (r->image && r->messages && read_all(fd, r->image, h.image_bytes) &&
	    read_all(fd, r->messages, h.message_bytes)) {
		hash_content(r->image, h.image_bytes, r->messages, h.message_bytes, content);
		if (!memcmp(content, h.content, sizeof(content))) {
			r->messages[h.message_bytes] = 0;
			r->image_size = h.image_bytes;
			return true;
		}
	}
	compile_result_free(r);
	return false;
}

bool cache_find(const struct cache *c, int64_t unit, struct compile_result *r)
{
	int dir = c ? cache_open_directory(c) : -1, fd;
	struct entry_name name;
	bool good = false;

	*r = (struct compile_result){0};
	if (dir < 0)
		return false;
	entry_name_init(c, unit, &name);
	fd = openat(dir, name.text, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd >= 0) {
		good = read_entry(&name, fd, r);
		if (good)
			futimens(fd, NULL);
		else
			unlinkat(dir, name.text, 0);
		close(fd);
	}
	close(dir);
	return good;
}

/* ---- the limit ---- */

struct entry {
	char name[NAME_LENGTH + 1];
	uint64_t bytes;
	struct timespec read;
};

static int compare_age(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->read.tv_sec != y->read.tv_sec)
		return x->read.tv_sec < y->read.tv_sec ? -1 : 1;
	return (x->read.tv_nsec > y->read.tv_nsec) - (x->read.tv_nsec < y->read.tv_nsec);
}

static bool is_entry(const char *name)
{
	return strlen(name) == NAME_LENGTH && strspn(name, "0123456789abcdef") == NAME_LENGTH;
}

/* Lists all entries, malloc'ed; removes stale temporary files. */
static struct entry *list_entries(DIR *d, size_t *count, uint64_t *bytes)
{
	struct entry *list = NULL;
	size_t capacity = 0;
	struct dirent *e;
	struct stat s = {0};

	while ((e = readdir(d))) {
		if (fstatat(dirfd(d), e->d_name, &s, AT_SYMLINK_NOFOLLOW) || !S_ISREG(s.st_mode))
			continue;
		if (!strncmp(e->d_name, "new-", 4) && time(NULL) - s.st_mtime > STALE_SECONDS)
			unlinkat(dirfd(d), e->d_name, 0);
		if (!is_entry(e->d_name))
			continue;
		if (*count == capacity) {
			struct entry *more = realloc(list, (2 * capacity + 64) * sizeof(*list));

			if (!more)
				break;
			list = more;
			capacity = 2 * capacity + 64;
		}
		memcpy(list[*count].name, e->d_name, NAME_LENGTH + 1);
		list[*count].bytes = (uint64_t)s.st_size;
		list[(*count)++].read = s.st_mtim;
		*bytes += (uint64_t)s.st_size;
	}
	return list;
}

static void cache_trim(const struct cache *c, int dir)
{
	int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = copy < 0 ? NULL : fdopendir(copy);
	uint64_t bytes = 0;
	size_t count = 0;
	struct entry *list;

	if (!d) {
		if (copy >= 0)
			close(copy);
		return;
	}
	list = list_entries(d, &count, &bytes);
	if (bytes > c->limit) {
		qsort(list, count, sizeof(*list), compare_age);
		for (size_t k = 0; k < count && bytes > c->limit - c->limit / 4; k++) {
			unlinkat(dirfd(d), list[k].name, 0);
			bytes -= list[k].bytes;
		}
	}
	free(list);
	closedir(d);
}

static bool write_entry(int dir, const struct head *h, const struct entry_name *name,
			const struct compile_result *r, const struct timespec *now)
{
	static atomic_uint serial;
	char unfinished[64];
	bool good;
	int fd;

	/* Containers that share a directory may have equal process ids. */
	snprintf(unfinished, sizeof(unfinished), "new-%ld-%ld-%u", (long)getpid(), now->tv_nsec,
		 atomic_fetch_add(&serial, 1));
	fd = openat(dir, unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return false;
	good = write_all(fd, h, sizeof(*h)) && write_all(fd, r->image, h->image_bytes) &&
	       write_all(fd, r->messages, h->message_bytes);
	good = !close(fd) && good && !renameat(dir, unfinished, dir, name->text);
	if (!good)
		unlinkat(dir, unfinished, 0);
	return good;
}

void cache_add(const struct cache *c, int64_t unit, const struct compile_result *r)
{
	size_t message_bytes = strlen(r->messages);
	uint64_t bytes = sizeof(struct head) + r->image_size + message_bytes;
	struct head h = {.magic = MAGIC,
			 .format = FORMAT,
			 .head_bytes = sizeof(h),
			 .image_bytes = r->image_size,
			 .message_bytes = message_bytes};
	struct timespec now = {0};
	struct entry_name name;
	int dir;

	if (!c || bytes > c->limit / 4)
		return;
	cache_make_directory(c->folder);
	dir = cache_open_directory(c);
	if (dir < 0)
		return;
	entry_name_init(c, unit, &name);
	memcpy(h.key, name.key, sizeof(h.key));
	hash_content(r->image, r->image_size, r->messages, message_bytes, h.content);
	clock_gettime(CLOCK_REALTIME, &now);
	if (write_entry(dir, &h, &name, r, &now) &&
	    (uint64_t)now.tv_nsec % (c->limit / TRIM_CHECKS + 1) < bytes)
		cache_trim(c, dir);
	close(dir);
}
