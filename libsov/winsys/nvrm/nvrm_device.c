/* SPDX-License-Identifier: MIT */
/*
 * Finding GPUs that NVIDIA's kernel module drives. One client in the resource manager serves the
 * whole process; each GPU gets its device objects when it is found, and everything that costs more
 * when it is first used. Where there is no such module there are no devices and nothing is said;
 * where there is one that may not or cannot be used, the sentence names the file or the version.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/runtime/base/log.h"
#include "libsov/winsys/nvrm/nvrm.h"

#define WAY_OUT      "SOV_NVRM=0 leaves NVIDIA's GPUs out"
#define KIB          1024u
/* RM cannot add a channel to a group of which a block runs: after four seconds it gives up, and the
 * group with it (status 0x65, Xid 109; H200). */
#define SPARE_QUEUES 2

static struct {
	bool open;
	struct rm rm;
	struct rm_scope scope;
	struct winsys_device *devices[RM_MAX_CARDS];
	uint32_t count;
} nvrm;

/* ---- one GPU ---- */

static void device_close(struct winsys_device *d)
{
	nvrm_wait_stop(d);
	if (d->user)
		nvrm_os->unmap(d->user, RM_USER_BYTES);
	if (d->bell)
		nvrm_os->unmap(d->bell, RM_USER_BYTES);
	rm_unwind(&d->scope, 0);
	nvrm_os->close(d->file);
	pthread_cond_destroy(&d->woken);
	pthread_mutex_destroy(&d->lock);
	free(d);
}

static int make_objects(struct winsys_device *d, uint32_t gpu_id)
{
	struct rm_device_id id = {.gpu_id = gpu_id};
	struct rm_device_parameters device = {.client_share = d->rm->client};
	struct rm_subdevice_parameters subdevice = {0};
	int control = d->rm->file;
	/* Calls on the GPU's own file, such as pinning, are taken for the client's only then. */
	int error = rm_ioctl(d->file, RM_IOCTL_REGISTER_FILE, &control, sizeof(control),
			     "a GPU's file");

	if (!error)
		error = rm_control(d->rm, d->rm->client, RM_CONTROL_DEVICE_ID, &id, sizeof(id),
				   "a GPU's number");
	if (error)
		return error;
	device.instance = id.device_instance;
	subdevice.index = id.subdevice_instance;
	error = rm_alloc(&d->scope, d->rm->client, RM_CLASS_DEVICE, &device, sizeof(device),
			 &d->device, "a device");
	if (!error)
		error = rm_alloc(&d->scope, d->device, RM_CLASS_SUBDEVICE, &subdevice,
				 sizeof(subdevice), &d->subdevice, "a subdevice");
	return error;
}

static int memory_facts(struct winsys_device *d, struct rm_info *facts, uint32_t count)
{
	struct rm_fb_info f = {.count = count, .facts = (uintptr_t)facts};

	return rm_control(d->rm, d->subdevice, RM_CONTROL_FB_INFO, &f, sizeof(f),
			  "the size of video memory");
}

/* What is asked is checked: a wrong answer would later be a wrong size or shift. */
static int learn(struct winsys_device *d)
{
	enum { TPCS, SM_VERSION, WARPS, SMS_PER_TPC };
	struct rm_info facts[] = {
		[TPCS] = {.index = RM_INFO_TPCS},
		[SM_VERSION] = {.index = RM_INFO_SM_VERSION},
		[WARPS] = {.index = RM_INFO_WARPS_PER_SM},
		[SMS_PER_TPC] = {.index = RM_INFO_SMS_PER_TPC},
	};
	struct rm_info heap = {.index = RM_INFO_HEAP_KIB};
	struct rm_gr_info g = {.count = 4, .facts = (uintptr_t)facts};
	struct rm_chip chip = {0};
	struct rm_name name = {0};
	struct winsys_info *i = &d->info;
	uint32_t sm;
	int error = rm_control(d->rm, d->subdevice, RM_CONTROL_CHIP, &chip, sizeof(chip),
			       "the chip's number");

	if (!error)
		error = rm_control(d->rm, d->subdevice, RM_CONTROL_GR_INFO, &g, sizeof(g),
				   "the chip's size");
	if (!error)
		error = memory_facts(d, &heap, 1);
	if (!error)
		error = rm_control(d->rm, d->subdevice, RM_CONTROL_NAME, &name, sizeof(name),
				   "the product's name");
	if (error)
		return error;
	d->chip = winsys_nv_chip_find(chip.architecture | chip.implementation);
	sm = (facts[SM_VERSION].value >> 8) * 10 + (facts[SM_VERSION].value & 15);
	if (!d->chip || d->chip->sm != sm) {
		winsys_set_error("%s: chip 0x%x:0x%x, sm_%u, is not known", d->path, chip.architecture,
			   chip.implementation, sm);
		return -ENOTSUP;
	}
	if (!facts[TPCS].value || facts[TPCS].value > 4096 || !facts[WARPS].value ||
	    facts[WARPS].value > 64 || !facts[SMS_PER_TPC].value || facts[SMS_PER_TPC].value > 4) {
		winsys_set_error("%s: %u TPCs of %u SMs with %u warps make no sense", d->path,
			   facts[TPCS].value, facts[SMS_PER_TPC].value, facts[WARPS].value);
		return -EPROTO;
	}
	winsys_nv_chip_describe(d->chip, i);
	i->multiprocessors = facts[TPCS].value * facts[SMS_PER_TPC].value;
	i->warps_per_multiprocessor = facts[WARPS].value;
	i->sms_per_tpc = facts[SMS_PER_TPC].value;
	i->tpcs = facts[TPCS].value;
	i->page_bytes = NVRM_PAGE_BYTES;
	i->large_page_bytes = NVRM_LARGE_PAGE_BYTES;
	i->import_page_bytes = NVRM_HOST_PAGE_BYTES;
	i->memory_bytes = (uint64_t)heap.value * KIB;
	i->copy_queues = true;
	i->spare_queues = SPARE_QUEUES;
	i->min_priority = NVRM_MIN_PRIORITY;
	i->max_priority = NVRM_MIN_PRIORITY + NVRM_PRIORITIES - 1;
	snprintf(i->product, sizeof(i->product), "%.63s", name.text);
	snprintf(i->driver, sizeof(i->driver), "NVIDIA's kernel module %.32s", d->rm->version);
	return 0;
}

static int device_open(struct rm *rm, const struct rm_card *card, struct winsys_device **out)
{
	struct winsys_device *d = calloc(1, sizeof(*d));
	int error;

	if (!d)
		return -ENOMEM;
	d->rm = d->scope.rm = rm;
	snprintf(d->path, sizeof(d->path), "/dev/nvidia%u", card->minor);
	d->file = nvrm_os->open(d->path);
	if (d->file < 0) {
		error = -errno;
		winsys_set_error("%s: %s", d->path, strerror(errno));
		free(d);
		return error;
	}
	pthread_mutex_init(&d->lock, NULL);
	pthread_cond_init(&d->woken, NULL);
	error = make_objects(d, card->gpu_id);
	if (!error)
		error = learn(d);
	if (error)
		device_close(d);
	else
		*out = d;
	return error;
}

/* ---- all of them ---- */

void nvrm_forget(void)
{
	while (nvrm.count)
		device_close(nvrm.devices[--nvrm.count]);
	rm_unwind(&nvrm.scope, 0);
	if (nvrm.open)
		nvrm_os->close(nvrm.rm.file);
	nvrm.open = false;
	nvrm.rm.client = 0;
}

static int check_version(char *message, size_t bytes)
{
	const char *any = getenv("SOV_NVRM_ANY");
	struct rm_version v = {.command = RM_VERSION_QUERY};
	uint32_t major;
	int error = rm_ioctl(nvrm.rm.file, RM_IOCTL_VERSION, &v, sizeof(v), "the module's version");

	if (error) {
		snprintf(message, bytes, "%s; " WAY_OUT, winsys_take_error());
		return error;
	}
	v.text[sizeof(v.text) - 1] = 0;
	nvrm.rm.release = v.reply == RM_VERSION_REPLY ? nvrm_release_find(v.text, &major) : NULL;
	if (!nvrm.rm.release) {
		snprintf(message, bytes,
			 "NVIDIA's kernel module says it has version '%s', which is not "
			 "understood; " WAY_OUT,
			 v.text);
		return -ENOTSUP;
	}
	LOG(DEVICE, INFO, "NVIDIA's kernel module, version %s", v.text);
	memcpy(nvrm.rm.version, v.text, sizeof(nvrm.rm.version));
	if (nvrm.rm.release->tried || (any && !strcmp(any, "1")))
		return 0;
	snprintf(message, bytes,
		 "NVIDIA's kernel module has version %s; known are 570 and 580. SOV_NVRM_ANY=1 "
		 "tries "
		 "it nevertheless, " WAY_OUT,
		 v.text);
	return -ENOTSUP;
}

static bool denied(int error)
{
	return error == -EACCES || error == -EPERM;
}

/* The lowest card not below the minor number; NULL: none. */
static const struct rm_card *next_card(const struct rm_card *cards, uint32_t minor)
{
	const struct rm_card *best = NULL;
	uint32_t i;

	for (i = 0; i < RM_MAX_CARDS; i++)
		if (cards[i].valid && cards[i].minor >= minor &&
		    (!best || cards[i].minor < best->minor))
			best = &cards[i];
	return best;
}

static int find_devices(char *message, size_t bytes)
{
	struct rm_card cards[RM_MAX_CARDS] = {{0}};
	const struct rm_card *card;
	uint32_t minor;
	int error =
		rm_ioctl(nvrm.rm.file, RM_IOCTL_CARDS, cards, sizeof(cards), "the list of GPUs");

	if (!error)
		error = rm_alloc(&nvrm.scope, 0, RM_CLASS_CLIENT, NULL, 0, &nvrm.rm.client,
				 "a client");
	if (error) {
		snprintf(message, bytes, "%s; " WAY_OUT, winsys_take_error());
		return error;
	}
	/* A GPU that cannot be used (not known, broken, not this container's) leaves the others;
	 * only when there are no others it is an error, unless this version is to blame. */
	for (minor = 0; (card = next_card(cards, minor)); minor = card->minor + 1) {
		error = device_open(&nvrm.rm, card, &nvrm.devices[nvrm.count]);
		if (!error) {
			nvrm.count++;
			continue;
		}
		snprintf(message, bytes, "%s", winsys_take_error());
		LOG(DEVICE, INFO, "left out: %s", message);
	}
	if (nvrm.count || !error || error == -ENOTSUP || error == -ENOENT)
		return 0;
	snprintf(message + strlen(message), bytes - strlen(message), "; %s" WAY_OUT,
		 denied(error) ? "its owner or group may open it, " : "");
	return error;
}

/* 0: none are wanted; 1: they are; otherwise -EINVAL. */
static int wanted(char *message, size_t bytes)
{
	const char *text = getenv("SOV_NVRM");

	if (!text || !strcmp(text, "1"))
		return 1;
	if (!strcmp(text, "0"))
		return 0;
	snprintf(message, bytes, "SOV_NVRM is '%s'; it must be 0 or 1", text);
	return -EINVAL;
}

int nvrm_enumerate(uint32_t already, struct winsys_device ***devices, uint32_t *count,
		   char *message, size_t message_bytes)
{
	int error = wanted(message, message_bytes);

	(void)already;
	*devices = nvrm.devices;
	*count = nvrm.count;
	if (error <= 0 || nvrm.open)
		return error < 0 ? error : 0;
	nvrm.rm.file = nvrm_os->open(NVRM_CONTROL_FILE);
	if (nvrm.rm.file < 0) {
		error = -errno;
		if (!denied(error))
			return 0; /* no such module, or no GPU behind it */
		snprintf(message, message_bytes,
			 NVRM_CONTROL_FILE ": %s; its owner or group may open it, " WAY_OUT,
			 strerror(-error));
		return error;
	}
	nvrm.open = true;
	nvrm.scope.rm = &nvrm.rm;
	error = check_version(message, message_bytes);
	if (!error)
		error = find_devices(message, message_bytes);
	*count = nvrm.count;
	if (error)
		nvrm_forget();
	return error;
}

void nvrm_info(struct winsys_device *d, struct winsys_info *out)
{
	*out = d->info;
}

void nvrm_memory_info(struct winsys_device *d, uint64_t *free_bytes, uint64_t *total_bytes)
{
	struct rm_info heap = {.index = RM_INFO_HEAP_FREE_KIB};

	*total_bytes = d->info.memory_bytes;
	*free_bytes = memory_facts(d, &heap, 1) ? 0 : (uint64_t)heap.value * KIB;
}

/* ---- at first use ---- */

static int map_user(struct winsys_device *d, void *parameters, uint32_t bytes, uint8_t **out)
{
	uint32_t user, before = d->scope.count;
	void *page;
	int error = rm_alloc(&d->scope, d->subdevice, d->chip->user_class, parameters, bytes, &user,
			     "a doorbell");

	if (!error)
		error = rm_map_cpu(d->rm, d->device, user, RM_USER_BYTES, 0, d->path, &page);
	if (error)
		rm_unwind(&d->scope, before);
	else
		__atomic_store_n(out, page, __ATOMIC_RELEASE);
	return error;
}

/*
 * Put lies in video memory, and what is written there may take longer than what is written to a register: a
 * bell that is rung there can be heard before put is seen, and nobody looks again until the next one (an H200, about once
 * in 20,000 times while much memory is moved). So the bell is rung through memory's window, where it
 * stays behind put; the time cannot be read there. Where there is no such bell, put is read back first.
 */
int nvrm_device_start(struct winsys_device *d)
{
	struct rm_user_parameters bell = {.bar1_mapping = 1};
	int error = 0;

	pthread_mutex_lock(&d->lock);
	if (!d->user)
		error = map_user(d, NULL, 0, &d->user);
	if (!error && !d->bell && d->chip->user_class == RM_CLASS_HOPPER_USER)
		error = map_user(d, &bell, sizeof(bell), &d->bell);
	pthread_mutex_unlock(&d->lock);
	return error;
}

static uint32_t user_read(const struct winsys_device *d, uint32_t offset)
{
	return __atomic_load_n((const uint32_t *)(d->user + offset), __ATOMIC_ACQUIRE);
}

uint64_t nvrm_gpu_time(struct winsys_device *d)
{
	uint32_t high, low;

	if (!__atomic_load_n(&d->user, __ATOMIC_ACQUIRE) && nvrm_device_start(d))
		return 0;
	do {
		high = user_read(d, RM_USER_TIME_HIGH);
		low = user_read(d, RM_USER_TIME_LOW);
	} while (high != user_read(d, RM_USER_TIME_HIGH));
	return (uint64_t)high << 32 | low;
}

/* The engine with the most hardware behind it, not one that shares with the compute engine. On an
 * H200 it copies at 52 GB/s where the others do 40. */
int nvrm_copy_engine(struct winsys_device *d, uint32_t *engine)
{
	uint32_t i, best = 0, units = 0;
	int error = 0;

	pthread_mutex_lock(&d->lock);
	for (i = 0; !d->copy_engine && i < RM_COPY_ENGINES; i++) {
		struct rm_copy_caps caps = {.engine = RM_ENGINE_COPY0 + i};
		struct rm_copy_units u = {.engine = RM_ENGINE_COPY0 + i};

		/* Chips have fewer than there are numbers: what is not there is refused. */
		if (rm_control(d->rm, d->subdevice, RM_CONTROL_COPY_CAPS, &caps, sizeof(caps),
			       "a copy engine's abilities") ||
		    caps.caps[0] & RM_COPY_CAPS_GRAPHICS ||
		    rm_control(d->rm, d->subdevice, RM_CONTROL_COPY_UNITS, &u, sizeof(u),
			       "a copy engine's size"))
			continue;
		if ((uint32_t)__builtin_popcount(u.mask) > units) {
			units = (uint32_t)__builtin_popcount(u.mask);
			best = caps.engine;
		}
	}
	(void)winsys_take_error(); /* about those that are not there */
	if (best)
		d->copy_engine = best;
	*engine = d->copy_engine;
	if (!*engine) {
		winsys_set_error("%s has no copy engine of its own", d->path);
		error = -ENODEV;
	}
	pthread_mutex_unlock(&d->lock);
	return error;
}

const struct winsys winsys_nvrm = {
	.name = "nvrm",
	.enumerate = nvrm_enumerate,
	.info = nvrm_info,
	.gpu_time = nvrm_gpu_time,
	.buffer_create = nvrm_buffer_create,
	.buffer_import = nvrm_buffer_import,
	.buffer_destroy = nvrm_buffer_destroy,
	.buffer_map = nvrm_buffer_map,
	.memory_info = nvrm_memory_info,
	.group_create = nvrm_group_create,
	.group_stop = nvrm_group_stop,
	.group_destroy = nvrm_group_destroy,
	.bind = nvrm_bind,
	.unbind = nvrm_unbind,
	.group_error = nvrm_group_error,
	.wait = nvrm_wait,
	.queue_create = nvrm_queue_create,
	.queue_destroy = nvrm_queue_destroy,
	.queue_memory = nvrm_queue_memory,
};
