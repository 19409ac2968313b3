// SPDX-License-Identifier: MIT
/*
 * Enumeration of the GPUs that NVIDIA's kernel module drives. The process has one RM client. Each
 * GPU gets its RM device and subdevice when it is enumerated; costlier objects follow on first use.
 * A missing module means no devices and no message. If the module exists but is inaccessible or
 * unsupported, the message names the file or the version.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/runtime/base/log.h"
#include "libsov/winsys/nvrm/nvrm.h"

#define REMEDY                "SOV_NVRM=0 disables the GPUs of NVIDIA's kernel module"
#define KIB                   1024u
/* RM cannot add a channel to a channel group while one of its blocks runs: after four seconds it
 * gives up and fails the group (status 0x65, Xid 109; H200). */
#define SPARE_QUEUES          2
/* Half of the time that RM waits before it gives up and fails the group. */
#define QUEUE_CREATE_PATIENCE UINT64_C(2000000000)
/* RM reserves 512 MiB from 4 GiB on in every VA space (SPLIT_VAS_SERVER_RM_MANAGED_VA_START; seen
 * on an H200). */
#define DRIVER_VA             (UINT64_C(4) << 30)
#define DRIVER_VA_BYTES       (UINT64_C(512) << 20)

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
	nvrm_events_destroy(d);
	nvrm_samples_destroy(d);
	if (d->usermode)
		nvrm_os->unmap(d->usermode, RM_USER_BYTES);
	if (d->bar1_usermode)
		nvrm_os->unmap(d->bar1_usermode, RM_USER_BYTES);
	rm_unwind(&d->scope, 0);
	nvrm_os->close(d->file);
	pthread_cond_destroy(&d->poll_done);
	pthread_mutex_destroy(&d->lock);
	free(d);
}

static int device_alloc_objects(struct winsys_device *d, uint32_t gpu_id)
{
	struct rm_device_id id = {.gpu_id = gpu_id};
	struct rm_device_parameters device = {.client_share = d->rm->client};
	struct rm_subdevice_parameters subdevice = {0};
	int control = d->rm->file;
	/* Lets calls on the GPU's file, such as pinning, act for the client. */
	int error = rm_ioctl(d->file, RM_IOCTL_REGISTER_FILE, &control, sizeof(control),
			     "a GPU's file");

	if (!error)
		error = rm_control(d->rm, d->rm->client, RM_CONTROL_DEVICE_ID, &id, sizeof(id),
				   "a GPU's instance number");
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

static int query_fb_info(struct winsys_device *d, struct rm_info *facts, uint32_t count)
{
	struct rm_fb_info f = {.count = count, .facts = (uintptr_t)facts};

	return rm_control(d->rm, d->subdevice, RM_CONTROL_FB_INFO, &f, sizeof(f),
			  "the size of video memory");
}

/* Validates the answers: the runtime computes sizes and shifts from them. */
static int device_query(struct winsys_device *d)
{
	enum { TPCS, SM_VERSION, WARPS, SMS_PER_TPC };
	struct rm_info facts[] = {
		[TPCS] = {.index = RM_INFO_TPCS},
		[SM_VERSION] = {.index = RM_INFO_SM_VERSION},
		[WARPS] = {.index = RM_INFO_WARPS_PER_SM},
		[SMS_PER_TPC] = {.index = RM_INFO_SMS_PER_TPC},
	};
	struct rm_info heap = {.index = RM_INFO_HEAP_KIB}, l2 = {.index = RM_INFO_L2_BYTES};
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
		error = query_fb_info(d, &heap, 1);
	if (!error)
		error = rm_control(d->rm, d->subdevice, RM_CONTROL_NAME, &name, sizeof(name),
				   "the product's name");
	if (error)
		return error;
	d->chip = winsys_nv_chip_find(chip.architecture | chip.implementation);
	sm = (facts[SM_VERSION].value >> 8) * 10 + (facts[SM_VERSION].value & 15);
	if (!d->chip || d->chip->sm != sm) {
		winsys_set_error("%s: unknown chip 0x%x:0x%x, sm_%u", d->path, chip.architecture,
				 chip.implementation, sm);
		return -ENOTSUP;
	}
	if (!facts[TPCS].value || facts[TPCS].value > 4096 || !facts[WARPS].value ||
	    facts[WARPS].value > 64 || !facts[SMS_PER_TPC].value || facts[SMS_PER_TPC].value > 4) {
		winsys_set_error("%s: implausible chip: %u TPCs of %u SMs with %u warps", d->path,
				 facts[TPCS].value, facts[SMS_PER_TPC].value, facts[WARPS].value);
		return -EPROTO;
	}
	winsys_nv_chip_describe(d->chip, i);
	if (query_fb_info(d, &l2, 1))
		(void)winsys_take_error(); /* only a fact for people: 0 says that it is not known */
	else
		i->l2_bytes = l2.value;
	i->multiprocessors = facts[TPCS].value * facts[SMS_PER_TPC].value;
	i->warps_per_multiprocessor = facts[WARPS].value;
	i->nv.sms_per_tpc = facts[SMS_PER_TPC].value;
	i->nv.tpcs = facts[TPCS].value;
	i->page_bytes = NVRM_PAGE_BYTES;
	i->large_page_bytes = NVRM_LARGE_PAGE_BYTES;
	i->import_page_bytes = NVRM_HOST_PAGE_BYTES;
	i->memory_bytes = (uint64_t)heap.value * KIB;
	i->copy_queues = true;
	i->spare_queues = SPARE_QUEUES;
	i->queue_create_patience = QUEUE_CREATE_PATIENCE;
	i->driver_va = DRIVER_VA;
	i->driver_va_bytes = DRIVER_VA_BYTES;
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
	d->rm = d->scope.rm = d->samples_scope.rm = rm;
	snprintf(d->path, sizeof(d->path), "/dev/nvidia%u", card->minor);
	d->file = nvrm_os->open(d->path);
	if (d->file < 0) {
		error = -errno;
		winsys_set_error("%s: %s", d->path, strerror(errno));
		free(d);
		return error;
	}
	pthread_mutex_init(&d->lock, NULL);
	pthread_cond_init(&d->poll_done, NULL);
	error = device_alloc_objects(d, card->gpu_id);
	if (!error)
		error = device_query(d);
	if (!error)
		nvrm_identify(d, card);
	if (error)
		device_close(d);
	else
		*out = d;
	return error;
}

/* ---- enumeration ---- */

void nvrm_close(void)
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
	const char *any = secure_getenv("SOV_NVRM_ANY");
	struct rm_version v = {.command = RM_VERSION_QUERY};
	uint32_t major;
	int error = rm_ioctl(nvrm.rm.file, RM_IOCTL_VERSION, &v, sizeof(v), "the module's version");

	if (error) {
		snprintf(message, bytes, "%s; " REMEDY, winsys_take_error());
		return error;
	}
	v.text[sizeof(v.text) - 1] = 0;
	nvrm.rm.release = v.reply == RM_VERSION_REPLY ? nvrm_release_find(v.text, &major) : NULL;
	if (!nvrm.rm.release) {
		snprintf(message, bytes,
			 "NVIDIA's kernel module reports version '%s', which is not "
			 "understood; " REMEDY,
			 v.text);
		return -ENOTSUP;
	}
	LOG(DEVICE, INFO, "NVIDIA's kernel module, version %s", v.text);
	memcpy(nvrm.rm.version, v.text, sizeof(nvrm.rm.version));
	if (nvrm.rm.release->tested || (any && !strcmp(any, "1")))
		return 0;
	snprintf(message, bytes,
		 "NVIDIA's kernel module has version %s; supported are 570 and 580. SOV_NVRM_ANY=1 "
		 "tries it nevertheless, " REMEDY,
		 v.text);
	return -ENOTSUP;
}

static bool permission_denied(int error)
{
	return error == -EACCES || error == -EPERM;
}

/* Returns the card with the lowest minor number from minor on, or NULL. */
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
		snprintf(message, bytes, "%s; " REMEDY, winsys_take_error());
		return error;
	}
	/* Skip GPUs that cannot be used (unknown, broken, outside of this container). The failure
	 * is an error only if no GPU is left and the reason is neither an unknown chip nor a
	 * missing file. */
	for (minor = 0; (card = next_card(cards, minor)); minor = card->minor + 1) {
		error = device_open(&nvrm.rm, card, &nvrm.devices[nvrm.count]);
		if (!error) {
			nvrm.count++;
			continue;
		}
		snprintf(message, bytes, "%s", winsys_take_error());
		LOG(DEVICE, INFO, "skipped: %s", message);
	}
	if (nvrm.count || !error || error == -ENOTSUP || error == -ENOENT)
		return 0;
	snprintf(message + strlen(message), bytes - strlen(message), "; %s" REMEDY,
		 permission_denied(error) ? "its owner or group may open it, " : "");
	return error;
}

/* Returns 1 if SOV_NVRM enables this back end, 0 if not, or -EINVAL. */
static int nvrm_enabled(char *message, size_t bytes)
{
	const char *text = secure_getenv("SOV_NVRM");

	if (!text || !strcmp(text, "1"))
		return 1;
	if (!strcmp(text, "0"))
		return 0;
	snprintf(message, bytes, "SOV_NVRM is '%s'; it must be 0 or 1", text);
	return -EINVAL;
}

int nvrm_enumerate(uint32_t devices_before, struct winsys_device ***devices, uint32_t *count,
		   char *message, size_t message_bytes)
{
	int error = nvrm_enabled(message, message_bytes);

	(void)devices_before;
	*devices = nvrm.devices;
	*count = nvrm.count;
	if (error <= 0 || nvrm.open)
		return error < 0 ? error : 0;
	nvrm.rm.file = nvrm_os->open(NVRM_CONTROL_FILE);
	if (nvrm.rm.file < 0) {
		error = -errno;
		if (!permission_denied(error))
			return 0; /* no module, or no GPU */
		snprintf(message, message_bytes,
			 NVRM_CONTROL_FILE ": %s; its owner or group may open it, " REMEDY,
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
		nvrm_close();
	return error;
}

static void nvrm_forget(void)
{
	memset(&nvrm, 0, sizeof(nvrm));
}

void nvrm_info(struct winsys_device *d, struct winsys_info *out)
{
	*out = d->info;
}

void nvrm_memory_info(struct winsys_device *d, uint64_t *free_bytes, uint64_t *total_bytes)
{
	struct rm_info heap = {.index = RM_INFO_HEAP_FREE_KIB};

	*total_bytes = d->info.memory_bytes;
	*free_bytes = query_fb_info(d, &heap, 1) ? 0 : (uint64_t)heap.value * KIB;
}

/* ---- created on first use ---- */

static int map_usermode_page(struct winsys_device *d, void *parameters, uint32_t bytes,
			     uint8_t **out)
{
	uint32_t user, before = d->scope.count;
	void *page;
	int error = rm_alloc(&d->scope, d->subdevice, d->chip->user_class, parameters, bytes, &user,
			     "a usermode page");

	if (!error)
		error = rm_map_cpu(d->rm, d->device, user, RM_USER_BYTES, 0, d->path, &page);
	if (error)
		rm_unwind(&d->scope, before);
	else
		__atomic_store_n(out, page, __ATOMIC_RELEASE);
	return error;
}

/*
 * PUT lies in video memory behind BAR1, the doorbell register behind BAR0. A BAR0 write can pass an
 * earlier BAR1 write, and the GPU then reads the old PUT and does not look again until the next
 * doorbell (seen on an H200 about once in 20,000 submissions under heavy memory traffic). Hopper
 * maps the usermode page behind BAR1 as well, where the doorbell stays ordered after PUT; the timer
 * is not readable there. On other chips the runtime reads PUT back before it rings.
 */
int nvrm_map_usermode(struct winsys_device *d)
{
	struct rm_user_parameters bar1 = {.bar1_mapping = 1};
	int error = 0;

	pthread_mutex_lock(&d->lock);
	if (!d->usermode)
		error = map_usermode_page(d, NULL, 0, &d->usermode);
	if (!error && !d->bar1_usermode && d->chip->user_class == RM_CLASS_HOPPER_USER)
		error = map_usermode_page(d, &bar1, sizeof(bar1), &d->bar1_usermode);
	pthread_mutex_unlock(&d->lock);
	return error;
}

static uint32_t usermode_read(const struct winsys_device *d, uint32_t offset)
{
	return __atomic_load_n((const uint32_t *)(d->usermode + offset), __ATOMIC_ACQUIRE);
}

uint64_t nvrm_gpu_time(struct winsys_device *d)
{
	uint32_t high, low;

	if (!__atomic_load_n(&d->usermode, __ATOMIC_ACQUIRE) && nvrm_map_usermode(d))
		return 0;
	do {
		high = usermode_read(d, RM_USER_TIME_HIGH);
		low = usermode_read(d, RM_USER_TIME_LOW);
	} while (high != usermode_read(d, RM_USER_TIME_HIGH));
	return (uint64_t)high << 32 | low;
}

/* Chooses the copy engine with the most physical copy engines (PCEs) that is not a GRCE, which
 * shares its runlist with the graphics engine. On an H200 it copies at 52 GB/s, the others at
 * 40. */
int nvrm_choose_copy_engine(struct winsys_device *d, uint32_t *engine)
{
	uint32_t i, best = 0, units = 0;
	int error = 0;

	pthread_mutex_lock(&d->lock);
	for (i = 0; !d->copy_engine && i < RM_COPY_ENGINES; i++) {
		struct rm_copy_caps caps = {.engine = RM_ENGINE_COPY0 + i};
		struct rm_copy_units u = {.engine = RM_ENGINE_COPY0 + i};

		/* RM rejects the numbers of engines that the chip lacks. */
		if (rm_control(d->rm, d->subdevice, RM_CONTROL_COPY_CAPS, &caps, sizeof(caps),
			       "a copy engine's capabilities") ||
		    caps.caps[0] & RM_COPY_CAPS_GRAPHICS ||
		    rm_control(d->rm, d->subdevice, RM_CONTROL_COPY_UNITS, &u, sizeof(u),
			       "a copy engine's PCE mask"))
			continue;
		if ((uint32_t)__builtin_popcount(u.mask) > units) {
			units = (uint32_t)__builtin_popcount(u.mask);
			best = caps.engine;
		}
	}
	(void)winsys_take_error(); /* of engines that do not exist */
	if (best)
		d->copy_engine = best;
	*engine = d->copy_engine;
	if (!*engine) {
		winsys_set_error("%s has no asynchronous copy engine", d->path);
		error = -ENODEV;
	}
	pthread_mutex_unlock(&d->lock);
	return error;
}

const struct winsys winsys_nvrm = {
	.name = "nvrm",
	.enumerate = nvrm_enumerate,
	.forget = nvrm_forget,
	.info = nvrm_info,
	.gpu_time = nvrm_gpu_time,
	.state = nvrm_state,
	.processes = nvrm_processes,
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
