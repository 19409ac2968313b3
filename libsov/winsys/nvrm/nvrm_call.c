// SPDX-License-Identifier: MIT
/*
 * Calls to NVIDIA's resource manager (RM). RM reports a failure as an errno of the ioctl or as a
 * status in its argument; the functions below map both to one errno and one message. Each
 * allocated object goes into a scope that is unwound in reverse order, so that error paths and
 * destructors share their code. SOV_LOG=device=debug logs each call with its duration.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "libsov/runtime/base/log.h"
#include "libsov/winsys/nvrm/nvrm.h"

/* ---- system calls ---- */

static int os_open(const char *path)
{
	return open(path, O_RDWR | O_CLOEXEC);
}

static int os_ioctl(int file, unsigned long request, void *argument)
{
	return ioctl(file, request, argument);
}

static void *os_map(size_t bytes, int file, bool writable)
{
	return mmap(NULL, bytes, PROT_READ | (writable ? PROT_WRITE : 0), MAP_SHARED, file, 0);
}

static int os_poll(int file, uint64_t nanoseconds)
{
	struct pollfd p = {.fd = file, .events = POLLIN | POLLPRI};
	struct timespec t = {(time_t)(nanoseconds / 1000000000), (long)(nanoseconds % 1000000000)};

	return ppoll(&p, 1, &t, NULL);
}

static const struct nvrm_os linux_os = {
	.open = os_open,
	.close = close,
	.ioctl = os_ioctl,
	.map = os_map,
	.unmap = munmap,
	.poll = os_poll,
};
const struct nvrm_os *nvrm_os = &linux_os;

/* ---- status codes ---- */

static const struct {
	uint32_t status;
	int error;
	const char *text;
} statuses[] = {
	{RM_GPU_LOST, ENODEV, "the GPU has fallen off the bus"},
	{RM_INSUFFICIENT_RESOURCES, ENOMEM, "a resource is exhausted"},
	{RM_INSUFFICIENT_PERMISSIONS, EACCES, "not permitted"},
	{RM_INVALID_ADDRESS, EFAULT, "invalid address"},
	{RM_NO_FREE_CHANNELS, ENOSPC, "all channels are in use"},
	{RM_NO_MEMORY, ENOMEM, "out of memory"},
	{RM_RESET_REQUIRED, ENODEV, "the GPU must be reset"},
	{RM_TIMEOUT, ETIMEDOUT, "the GPU did not answer in time"},
};

static int rm_status_error(uint32_t status, const char *verb, const char *what)
{
	uint32_t i, n = sizeof(statuses) / sizeof(*statuses);

	for (i = 0; i < n && statuses[i].status != status; i++)
		;
	winsys_set_error("NVIDIA's kernel module failed to %s %s: status 0x%x%s%s", verb, what,
			 status, i < n ? ", " : "", i < n ? statuses[i].text : "");
	return i < n ? -statuses[i].error : -EIO;
}

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/* Sets no error message. */
static int rm_transact(int file, uint32_t number, void *argument, uint32_t bytes, const char *what)
{
	unsigned long request = _IOC(_IOC_READ | _IOC_WRITE, RM_IOCTL_TYPE, number, bytes);
	uint64_t start = log_wanted(LOG_DEVICE, LOG_DEBUG) ? now_us() : 0;
	int r, error;

	do
		r = nvrm_os->ioctl(file, request, argument);
	while (r < 0 && errno == EINTR);
	error = r < 0 ? errno : 0;
	LOG(DEVICE, DEBUG, "ioctl 0x%02x, %s: %s, %llu us", number, what,
	    error ? strerror(error) : "done", (unsigned long long)(now_us() - start));
	return -error;
}

int rm_ioctl(int file, uint32_t number, void *argument, uint32_t bytes, const char *what)
{
	int error = rm_transact(file, number, argument, bytes, what);

	if (error)
		winsys_set_error("NVIDIA's kernel module: ioctl 0x%02x for %s: %s", number, what,
				 strerror(-error));
	return error;
}

/* Checks the status as well as the errno. */
static int rm_call(int file, uint32_t number, void *argument, uint32_t bytes,
		   const uint32_t *status, const char *verb, const char *what)
{
	int error = rm_ioctl(file, number, argument, bytes, what);

	if (error || *status == RM_OK)
		return error;
	error = rm_status_error(*status, verb, what);
	LOG(DEVICE, DEBUG, "  %s %s: status 0x%x", verb, what, *status);
	return error;
}

/* ---- objects ---- */

static int scope_add(struct rm_scope *s, uint32_t parent, uint32_t handle)
{
	s->objects[s->count].parent = parent;
	s->objects[s->count++].handle = handle;
	return 0;
}

static int scope_full(const char *what)
{
	winsys_set_error("internal error: the scope has no room for %s", what);
	return -ENOSPC;
}

int rm_alloc(struct rm_scope *s, uint32_t parent, uint32_t class, void *parameters, uint32_t bytes,
	     uint32_t *handle, const char *what)
{
	struct rm_alloc a = {
		.client = s->rm->client,
		.parent = parent,
		.class = class,
		.parameters = bytes ? (uintptr_t)parameters : 0,
		.parameter_bytes = bytes,
	};
	int error;

	if (s->count == RM_SCOPE_OBJECTS)
		return scope_full(what);
	error = rm_call(s->rm->file, RM_IOCTL_ALLOC, &a, sizeof(a), &a.status, "allocate", what);
	if (error)
		return error;
	*handle = a.handle;
	return scope_add(s, parent, a.handle);
}

void rm_unwind(struct rm_scope *s, uint32_t keep)
{
	while (s->count > keep) {
		struct rm_free f = {
			.client = s->rm->client,
			.parent = s->objects[--s->count].parent,
			.handle = s->objects[s->count].handle,
		};

		/* RM frees the rest when the process ends. Keep the error message that
		 * explains why the caller unwinds. */
		if (rm_transact(s->rm->file, RM_IOCTL_FREE, &f, sizeof(f), "free") || f.status)
			LOG(DEVICE, ERROR, "failed to free object 0x%x: status 0x%x", f.handle,
			    f.status);
	}
}

int rm_control(struct rm *rm, uint32_t object, uint32_t command, void *parameters, uint32_t bytes,
	       const char *what)
{
	struct rm_control c = {
		.client = rm->client,
		.object = object,
		.command = command,
		.parameters = (uintptr_t)parameters,
		.parameter_bytes = bytes,
	};

	return rm_call(rm->file, RM_IOCTL_CONTROL, &c, sizeof(c), &c.status, "query or set", what);
}

/* ---- mappings ---- */

int rm_map_cpu(struct rm *rm, uint32_t device, uint32_t memory, uint64_t bytes, uint32_t flags,
	       const char *path, void **address)
{
	struct rm_map_cpu m = {
		.client = rm->client,
		.device = device,
		.memory = memory,
		.bytes = bytes,
		.flags = flags,
	};
	int error;

	/* Each mapping needs a separate open file, which may be closed after the mmap. */
	m.file = nvrm_os->open(path);
	if (m.file < 0) {
		error = -errno;
		winsys_set_error("%s: %s", path, strerror(errno));
		return error;
	}
	error = rm_call(rm->file, RM_IOCTL_MAP_CPU, &m, sizeof(m), &m.status, "map",
			"memory into the CPU's address space");
	if (!error) {
		*address = nvrm_os->map(bytes, m.file, !(flags & RM_MAP_CPU_READ_ONLY));
		if (*address == MAP_FAILED) {
			error = -errno;
			winsys_set_error("mapping %llu bytes of %s: %s", (unsigned long long)bytes,
					 path, strerror(errno));
		}
	}
	nvrm_os->close(m.file);
	return error;
}

int rm_map_gpu(struct rm *rm, uint32_t device, uint32_t va_range, uint32_t memory, uint64_t bytes,
	       uint32_t flags, uint64_t address)
{
	struct rm_map_gpu_570 old = {
		.client = rm->client,
		.device = device,
		.range = va_range,
		.memory = memory,
		.bytes = bytes,
		.flags = flags,
		.address = address,
	};
	struct rm_map_gpu_580 m = {
		.client = rm->client,
		.device = device,
		.range = va_range,
		.memory = memory,
		.bytes = bytes,
		.flags = flags,
		.address = address,
	};
	const char *what = "memory into the GPU's address space";

	if (rm->release->map_gpu_bytes == sizeof(old))
		return rm_call(rm->file, RM_IOCTL_MAP_GPU, &old, sizeof(old), &old.status, "map",
			       what);
	return rm_call(rm->file, RM_IOCTL_MAP_GPU, &m, sizeof(m), &m.status, "map", what);
}

int rm_unmap_gpu(struct rm *rm, uint32_t device, uint32_t va_range, uint32_t memory, uint64_t bytes,
		 uint64_t address)
{
	struct rm_unmap_gpu u = {
		.client = rm->client,
		.device = device,
		.range = va_range,
		.memory = memory,
		.address = address,
		.bytes = bytes,
	};

	return rm_call(rm->file, RM_IOCTL_UNMAP_GPU, &u, sizeof(u), &u.status, "unmap",
		       "memory from the GPU's address space");
}

int rm_pin(struct rm_scope *s, int file, uint32_t device, void *memory, uint64_t bytes,
	   uint32_t *handle)
{
	/* This ioctl needs a handle from the caller; the handles that RM chooses begin with
	 * 0xcaf. */
	static uint32_t counter;
	struct rm_pin p = {
		.client = s->rm->client,
		.parent = device,
		.handle = 0x50000000 |
			  (__atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED) & 0x0fffffff),
		.class = RM_CLASS_MEMORY_PINNED,
		.flags = RM_PIN_SCATTERED | RM_PIN_CACHED | RM_PIN_NO_MAP,
		.memory = (uintptr_t)memory,
		.limit = bytes - 1,
		.file = -1,
	};
	int error;

	if (s->count == RM_SCOPE_OBJECTS)
		return scope_full("pinned memory");
	error = rm_call(file, RM_IOCTL_PIN, &p, sizeof(p), &p.status, "pin", "host memory");
	if (error)
		return error;
	*handle = p.handle;
	return scope_add(s, device, p.handle);
}
