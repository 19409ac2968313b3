// SPDX-License-Identifier: MIT
/*
 * What a GPU is and does: its UUID, the processes that compute on it, and the samples of clocks,
 * temperature, power and utilization that RM writes to a page which every process may map.
 */
#include <string.h>
#include <time.h>
#include "libsov/sov.h"
#include "libsov/winsys/nvrm/nvrm.h"

#define FIRST_SAMPLE_NS UINT64_C(1000000000) /* RM samples at least that often */
#define SLEEP_NS        10000000
#define READ_ATTEMPTS   10
#define SAMPLES_POLLED  (RM_POLL_CLOCK | RM_POLL_PERFORMANCE | RM_POLL_POWER | RM_POLL_TEMPERATURE)

void nvrm_identify(struct winsys_device *d, const struct rm_card *card)
{
	struct winsys_identity *i = &d->info.identity;
	struct rm_gid gid = {.flags = RM_GID_BINARY};

	*i = (struct winsys_identity){
		.known = SOV_IDENTITY_PCI | SOV_IDENTITY_FILE,
		.pci_domain = card->domain,
		.pci_bus = card->bus,
		.pci_device = card->slot,
		.pci_function = card->function,
		.pci_vendor_id = card->vendor,
		.pci_device_id = card->device,
		.file_number = card->minor,
	};
	if (rm_control(d->rm, d->subdevice, RM_CONTROL_GID, &gid, sizeof(gid), "a GPU's UUID") ||
	    gid.bytes < RM_GID_BYTES) {
		(void)winsys_take_error(); /* the runtime derives one */
		return;
	}
	memcpy(i->uuid, gid.data, sizeof(i->uuid));
	i->known |= SOV_IDENTITY_UUID;
}

/* ---- samples ---- */

/* Called with the device's lock held. */
static int samples_map(struct winsys_device *d)
{
	struct rm_shared_data_parameters p = {.polled = SAMPLES_POLLED};
	uint32_t bytes = d->rm->release->samples.bytes, object;
	void *page;
	int error;

	if (d->samples)
		return 0;
	error = rm_alloc(&d->samples_scope, d->subdevice, RM_CLASS_SHARED_DATA, &p, sizeof(p),
			 &object, "a page of samples");
	if (!error)
		error = rm_map_cpu(d->rm, d->device, object, bytes, RM_MAP_CPU_READ_ONLY,
				   NVRM_CONTROL_FILE, &page);
	if (error)
		rm_unwind(&d->samples_scope, 0);
	else
		d->samples = page;
	return error;
}

void nvrm_samples_destroy(struct winsys_device *d)
{
	if (d->samples)
		nvrm_os->unmap(d->samples, d->rm->release->samples.bytes);
	d->samples = NULL;
	rm_unwind(&d->samples_scope, 0);
}

/* Copies a part of the page, which begins with its time. False: it has no sample. */
static bool sample_read(const struct winsys_device *d, uint32_t offset, void *out, size_t bytes)
{
	const uint64_t *time = (const uint64_t *)(d->samples + offset);

	for (int k = 0; k < READ_ATTEMPTS; k++) {
		uint64_t before = __atomic_load_n(time, __ATOMIC_ACQUIRE);

		if (!before)
			return false;
		memcpy(out, d->samples + offset, bytes);
		winsys_read_barrier();
		if (before != UINT64_MAX && before == __atomic_load_n(time, __ATOMIC_RELAXED))
			return true;
	}
	return false;
}

static void read_samples(const struct winsys_device *d, struct winsys_state *out)
{
	const struct nvrm_samples *at = &d->rm->release->samples;
	struct rm_shared_clocks clocks;
	struct rm_shared_utilization utilization;
	struct rm_shared_performance performance;
	struct rm_shared_power_limit limit;
	struct rm_shared_temperature temperature;
	struct rm_shared_power power;

	*out = (struct winsys_state){0};
	if (sample_read(d, at->clocks, &clocks, sizeof(clocks))) {
		out->known |= SOV_STATE_CLOCKS;
		out->core_mhz = clocks.graphics;
		out->multiprocessor_mhz = clocks.sm;
		out->memory_mhz = clocks.memory;
	}
	if (sample_read(d, at->utilization, &utilization, sizeof(utilization))) {
		out->known |= SOV_STATE_UTILIZATION;
		out->busy_percent = utilization.gpu;
		out->memory_percent = utilization.memory;
	}
	if (sample_read(d, at->performance, &performance, sizeof(performance)) &&
	    performance.state) {
		out->known |= SOV_STATE_PERFORMANCE;
		out->performance = (uint32_t)__builtin_ctz(performance.state);
	}
	if (sample_read(d, at->power_limit, &limit, sizeof(limit))) {
		out->known |= SOV_STATE_POWER_LIMIT;
		out->power_limit = limit.enforced;
	}
	if (sample_read(d, at->temperature, &temperature, sizeof(temperature))) {
		out->known |= SOV_STATE_TEMPERATURE;
		out->temperature = (int32_t)((int64_t)temperature.temperature * 1000 / 256);
	}
	if (sample_read(d, at->power, &power, sizeof(power))) {
		out->known |= SOV_STATE_POWER;
		out->power = power.gpu;
	}
}

#define SAMPLES_AWAITED (SOV_STATE_CLOCKS | SOV_STATE_UTILIZATION | SOV_STATE_TEMPERATURE)

void nvrm_state(struct winsys_device *d, struct winsys_state *out)
{
	const struct timespec pause = {0, SLEEP_NS};
	uint64_t waited = 0;

	*out = (struct winsys_state){0};
	pthread_mutex_lock(&d->lock);
	if (d->rm->release->samples.bytes && !d->samples_failed) {
		d->samples_failed = samples_map(d);
		if (d->samples_failed)
			(void)winsys_take_error();
	}
	if (d->samples) {
		read_samples(d, out);
		for (; !d->sampled && waited < FIRST_SAMPLE_NS &&
		       (out->known & SAMPLES_AWAITED) != SAMPLES_AWAITED;
		     waited += SLEEP_NS) {
			nanosleep(&pause, NULL);
			read_samples(d, out);
		}
		d->sampled = true;
	}
	pthread_mutex_unlock(&d->lock);
}

/* ---- processes ---- */

/* Fills in the video memory of up to RM_PID_INFOS processes. */
static int memory_of_processes(struct winsys_device *d, struct winsys_process *list, uint32_t count)
{
	struct rm_pid_info info = {.count = count};
	int error;

	for (uint32_t k = 0; k < count; k++)
		info.list[k].pid = list[k].pid;
	error = rm_control(d->rm, d->subdevice, RM_CONTROL_PID_INFO, &info, sizeof(info),
			   "the memory of processes");
	for (uint32_t k = 0; !error && k < count; k++)
		if (!info.list[k].result)
			list[k].memory_bytes = info.list[k].private + info.list[k].shared_owned;
	return error;
}

int nvrm_processes(struct winsys_device *d, struct winsys_process *out, uint32_t capacity,
		   uint32_t *count)
{
	struct rm_pids pids = {.class = d->chip->compute_class};
	uint32_t most = sizeof(pids.list) / sizeof(pids.list[0]), k, n;
	int error = rm_control(d->rm, d->subdevice, RM_CONTROL_PIDS, &pids, sizeof(pids),
			       "the list of processes");

	if (error)
		return error;
	*count = pids.count < most ? pids.count : most;
	n = *count < capacity ? *count : capacity;
	for (k = 0; k < n; k++)
		out[k] = (struct winsys_process){pids.list[k], UINT64_MAX};
	for (k = 0; !error && k < n; k += RM_PID_INFOS)
		error = memory_of_processes(d, out + k,
					    n - k < RM_PID_INFOS ? n - k : RM_PID_INFOS);
	return error;
}
