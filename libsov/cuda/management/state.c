// SPDX-License-Identifier: MIT
/* What a device does now. A value that the way to the device does not report is not supported. */
#include "libsov/cuda/management/management.h"

static nvmlReturn_t read_state(nvmlDevice_t device, const void *out, unsigned needed,
			       sov_device_state *state)
{
	nvmlReturn_t e = nvml_check(device, out);

	*state = SOV_INIT(sov_device_state);
	if (!e)
		e = nvml_result(sov_device_get_state(device->sov, state));
	if (!e && !(state->known & needed))
		e = NVML_ERROR_NOT_SUPPORTED;
	return e;
}

/* ---- memory ---- */

API nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory)
{
	sov_device_state s;
	nvmlReturn_t e = read_state(device, memory, SOV_STATE_MEMORY, &s);

	if (!e)
		*memory = (nvmlMemory_t){s.memory_bytes, s.memory_free,
					 s.memory_bytes - s.memory_free};
	return e;
}

/* What the firmware reserves is not part of the total. */
API nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t *memory)
{
	sov_device_state s;
	nvmlReturn_t e = read_state(device, memory, SOV_STATE_MEMORY, &s);

	if (e)
		return e;
	if (memory->version != NVML_STRUCT_VERSION(nvmlMemory_v2_t, 2))
		return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
	memory->total = s.memory_bytes;
	memory->reserved = 0;
	memory->free = s.memory_free;
	memory->used = s.memory_bytes - s.memory_free;
	return NVML_SUCCESS;
}

/* ---- utilization, temperature, power, clocks ---- */

API nvmlDeviceGetUtilizationRates(nvmlDevice_t device, nvmlUtilization_t *utilization)
{
	sov_device_state s;
	nvmlReturn_t e = read_state(device, utilization, SOV_STATE_UTILIZATION, &s);

	if (!e)
		*utilization = (nvmlUtilization_t){s.busy_percent, s.memory_percent};
	return e;
}

API nvmlDeviceGetTemperature(nvmlDevice_t device, unsigned sensor, unsigned *temperature)
{
	sov_device_state s;
	nvmlReturn_t e;

	if (sensor != NVML_TEMPERATURE_GPU)
		return NVML_ERROR_INVALID_ARGUMENT;
	e = read_state(device, temperature, SOV_STATE_TEMPERATURE, &s);
	if (!e)
		*temperature = s.temperature > 0 ? (unsigned)s.temperature / 1000 : 0;
	return e;
}

API nvmlDeviceGetTemperatureV(nvmlDevice_t device, nvmlTemperature_v1_t *temperature)
{
	nvmlReturn_t e = nvml_check(device, temperature);
	unsigned degrees;

	if (e)
		return e;
	if (temperature->version != NVML_STRUCT_VERSION(nvmlTemperature_v1_t, 1))
		return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
	e = nvmlDeviceGetTemperature(device, temperature->sensorType, &degrees);
	if (!e)
		temperature->temperature = (int)degrees;
	return e;
}

API nvmlDeviceGetPowerUsage(nvmlDevice_t device, unsigned *milliwatts)
{
	sov_device_state s;
	nvmlReturn_t e = read_state(device, milliwatts, SOV_STATE_POWER, &s);

	if (!e)
		*milliwatts = s.power;
	return e;
}

API nvmlDeviceGetEnforcedPowerLimit(nvmlDevice_t device, unsigned *milliwatts)
{
	sov_device_state s;
	nvmlReturn_t e = read_state(device, milliwatts, SOV_STATE_POWER_LIMIT, &s);

	if (!e)
		*milliwatts = s.power_limit;
	return e;
}

API nvmlDeviceGetPowerManagementLimit(nvmlDevice_t device, unsigned *milliwatts)
{
	return nvmlDeviceGetEnforcedPowerLimit(device, milliwatts);
}

API nvmlDeviceGetClockInfo(nvmlDevice_t device, unsigned type, unsigned *mhz)
{
	sov_device_state s;
	nvmlReturn_t e;

	if (type >= NVML_CLOCK_COUNT)
		return NVML_ERROR_INVALID_ARGUMENT;
	e = read_state(device, mhz, SOV_STATE_CLOCKS, &s);
	if (e || type == NVML_CLOCK_VIDEO)
		return e ? e : NVML_ERROR_NOT_SUPPORTED;
	*mhz = type == NVML_CLOCK_MEM  ? s.memory_mhz
	       : type == NVML_CLOCK_SM ? s.multiprocessor_mhz
				       : s.core_mhz;
	return NVML_SUCCESS;
}

API nvmlDeviceGetClock(nvmlDevice_t device, unsigned type, unsigned which, unsigned *mhz)
{
	nvmlReturn_t e = nvml_check(device, mhz);

	if (e)
		return e;
	return which == NVML_CLOCK_ID_CURRENT ? nvmlDeviceGetClockInfo(device, type, mhz)
					      : NVML_ERROR_NOT_SUPPORTED;
}

API nvmlDeviceGetPerformanceState(nvmlDevice_t device, unsigned *state)
{
	sov_device_state s;
	nvmlReturn_t e = read_state(device, state, SOV_STATE_PERFORMANCE, &s);

	if (!e)
		*state = s.performance;
	return e;
}

API nvmlDeviceGetPowerState(nvmlDevice_t device, unsigned *state)
{
	return nvmlDeviceGetPerformanceState(device, state);
}

/* NVIDIA's kernel module may restrict contexts, and does not say so here. */
API nvmlDeviceGetComputeMode(nvmlDevice_t device, unsigned *mode)
{
	nvmlReturn_t e = nvml_check(device, mode);

	if (e)
		return e;
	if (!(device->properties.features & SOV_FEATURE_SOFTWARE))
		return NVML_ERROR_NOT_SUPPORTED;
	*mode = NVML_COMPUTEMODE_DEFAULT;
	return NVML_SUCCESS;
}

/* Each field answers for itself; none is known. */
API nvmlDeviceGetFieldValues(nvmlDevice_t device, int count, nvmlFieldValue_t *values)
{
	nvmlReturn_t e = nvml_check(device, values);

	if (e || count < 1)
		return e ? e : NVML_ERROR_INVALID_ARGUMENT;
	for (int k = 0; k < count; k++)
		values[k].nvmlReturn = NVML_ERROR_NOT_SUPPORTED;
	return NVML_SUCCESS;
}

/* ---- processes ---- */

#define MAX_PROCESSES 1024
#define NO_INSTANCE   0xffffffffu

/* Puts process k into the caller's array. */
typedef void put_process(void *array, unsigned k, const sov_device_process *p);

static void put_v1(void *array, unsigned k, const sov_device_process *p)
{
	((nvmlProcessInfo_v1_t *)array)[k] = (nvmlProcessInfo_v1_t){p->pid, p->memory_bytes};
}

static void put_v2(void *array, unsigned k, const sov_device_process *p)
{
	((nvmlProcessInfo_v2_t *)array)[k] =
		(nvmlProcessInfo_v2_t){p->pid, p->memory_bytes, NO_INSTANCE, NO_INSTANCE};
}

static nvmlReturn_t list_processes(nvmlDevice_t device, unsigned *count, void *array,
				   put_process *put)
{
	sov_device_process list[MAX_PROCESSES];
	nvmlReturn_t e = nvml_check(device, count);
	uint32_t n = 0;
	unsigned room;

	if (e || (*count && !array))
		return e ? e : NVML_ERROR_INVALID_ARGUMENT;
	e = nvml_result(sov_device_get_processes(device->sov, MAX_PROCESSES, list, &n));
	if (e)
		return e;
	if (n > MAX_PROCESSES)
		n = MAX_PROCESSES;
	room = *count;
	*count = n;
	if (n > room)
		return NVML_ERROR_INSUFFICIENT_SIZE;
	for (unsigned k = 0; k < n; k++)
		put(array, k, &list[k]);
	return NVML_SUCCESS;
}

API nvmlDeviceGetComputeRunningProcesses(nvmlDevice_t device, unsigned *count, void *processes)
{
	return list_processes(device, count, processes, put_v1);
}

API nvmlDeviceGetComputeRunningProcesses_v2(nvmlDevice_t device, unsigned *count, void *processes)
{
	return list_processes(device, count, processes, put_v2);
}

API nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device, unsigned *count, void *processes)
{
	return list_processes(device, count, processes, put_v2);
}

/* A software GPU has no graphics and no MPS; those of a card are not known. */
static nvmlReturn_t no_processes(nvmlDevice_t device, unsigned *count)
{
	nvmlReturn_t e = nvml_check(device, count);

	if (e)
		return e;
	if (!(device->properties.features & SOV_FEATURE_SOFTWARE))
		return NVML_ERROR_NOT_SUPPORTED;
	*count = 0;
	return NVML_SUCCESS;
}

#define NO_PROCESSES(name) \
	API name(nvmlDevice_t device, unsigned *count, void *processes) \
	{ \
		(void)processes; \
		return no_processes(device, count); \
	}
NO_PROCESSES(nvmlDeviceGetGraphicsRunningProcesses)
NO_PROCESSES(nvmlDeviceGetGraphicsRunningProcesses_v2)
NO_PROCESSES(nvmlDeviceGetGraphicsRunningProcesses_v3)
NO_PROCESSES(nvmlDeviceGetMPSComputeRunningProcesses)
NO_PROCESSES(nvmlDeviceGetMPSComputeRunningProcesses_v2)
NO_PROCESSES(nvmlDeviceGetMPSComputeRunningProcesses_v3)
