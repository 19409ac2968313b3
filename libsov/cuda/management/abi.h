/* SPDX-License-Identifier: MIT */
/*
 * The binary interface of NVIDIA's management library (NVML), as far as libnvidia-ml.so.1
 * implements it: the values and layouts that compiled programs use, under NVML's names.
 * tests/oracles/nvml_abi.sh compares them with NVIDIA's header.
 */
#ifndef SOV_NVML_ABI_H
#define SOV_NVML_ABI_H

#include <stddef.h>
#include <stdint.h>

#define NVML_EXPORT __attribute__((visibility("default")))

typedef struct nvmlDevice_st *nvmlDevice_t;

/* NAME, value, sentence. */
#define NVML_RESULTS(R) \
	R(SUCCESS, 0, "Success") \
	R(ERROR_UNINITIALIZED, 1, "Uninitialized") \
	R(ERROR_INVALID_ARGUMENT, 2, "Invalid Argument") \
	R(ERROR_NOT_SUPPORTED, 3, "Not Supported") \
	R(ERROR_NO_PERMISSION, 4, "Insufficient Permissions") \
	R(ERROR_ALREADY_INITIALIZED, 5, "Already Initialized") \
	R(ERROR_NOT_FOUND, 6, "Not Found") \
	R(ERROR_INSUFFICIENT_SIZE, 7, "Insufficient Size") \
	R(ERROR_INSUFFICIENT_POWER, 8, "Insufficient External Power") \
	R(ERROR_DRIVER_NOT_LOADED, 9, "Driver Not Loaded") \
	R(ERROR_TIMEOUT, 10, "Timeout") \
	R(ERROR_IRQ_ISSUE, 11, "Interrupt Request Issue") \
	R(ERROR_LIBRARY_NOT_FOUND, 12, "NVML Shared Library Not Found") \
	R(ERROR_FUNCTION_NOT_FOUND, 13, "Function Not Found") \
	R(ERROR_CORRUPTED_INFOROM, 14, "Corrupted infoROM") \
	R(ERROR_GPU_IS_LOST, 15, "GPU is lost") \
	R(ERROR_RESET_REQUIRED, 16, "GPU requires reset") \
	R(ERROR_OPERATING_SYSTEM, 17, "GPU access blocked by the operating system") \
	R(ERROR_LIB_RM_VERSION_MISMATCH, 18, "Driver/library version mismatch") \
	R(ERROR_IN_USE, 19, "In use by another client") \
	R(ERROR_MEMORY, 20, "Insufficient Memory") \
	R(ERROR_NO_DATA, 21, "No data") \
	R(ERROR_VGPU_ECC_NOT_SUPPORTED, 22, "vGPU with ECC is not supported") \
	R(ERROR_INSUFFICIENT_RESOURCES, 23, "Insufficient Resources") \
	R(ERROR_FREQ_NOT_SUPPORTED, 24, "Frequency is not supported") \
	R(ERROR_ARGUMENT_VERSION_MISMATCH, 25, "Version of an argument is not known") \
	R(ERROR_DEPRECATED, 26, "Deprecated") \
	R(ERROR_NOT_READY, 27, "Not ready") \
	R(ERROR_GPU_NOT_FOUND, 28, "GPU not found") \
	R(ERROR_INVALID_STATE, 29, "Invalid state") \
	R(ERROR_UNKNOWN, 999, "Unknown Error")

typedef enum {
#define R(name, value, text) NVML_##name = (value),
	NVML_RESULTS(R)
#undef R
} nvmlReturn_t;

enum { NVML_INIT_FLAG_NO_GPUS = 1, NVML_INIT_FLAG_NO_ATTACH = 2 };

enum {
	NVML_DEVICE_ARCH_VOLTA = 5,
	NVML_DEVICE_ARCH_TURING = 6,
	NVML_DEVICE_ARCH_AMPERE = 7,
	NVML_DEVICE_ARCH_ADA = 8,
	NVML_DEVICE_ARCH_HOPPER = 9,
};
#define NVML_DEVICE_ARCH_UNKNOWN 0xffffffffu

enum {
	NVML_BUS_TYPE_UNKNOWN = 0,
	NVML_BUS_TYPE_PCIE = 2,
	NVML_CLOCK_GRAPHICS = 0,
	NVML_CLOCK_SM = 1,
	NVML_CLOCK_MEM = 2,
	NVML_CLOCK_VIDEO = 3,
	NVML_CLOCK_COUNT = 4,
	NVML_CLOCK_ID_CURRENT = 0,
	NVML_TEMPERATURE_GPU = 0,
	NVML_COMPUTEMODE_DEFAULT = 0,
	NVML_TOPOLOGY_INTERNAL = 0,
	NVML_TOPOLOGY_SINGLE = 10,
	NVML_TOPOLOGY_MULTIPLE = 20,
	NVML_TOPOLOGY_HOSTBRIDGE = 30,
	NVML_TOPOLOGY_NODE = 40,
	NVML_TOPOLOGY_SYSTEM = 50,
	NVML_P2P_STATUS_NOT_SUPPORTED = 5,
	NVML_UUID_TYPE_ASCII = 1,
	NVML_UUID_TYPE_BINARY = 2,
};

typedef struct {
	char busIdLegacy[16];
	unsigned domain, bus, device;
	unsigned pciDeviceId; /* device << 16 | vendor */
	unsigned pciSubSystemId;
	char busId[32]; /* not in the forms without _v3 */
} nvmlPciInfo_t;

typedef struct {
	unsigned version, domain, bus, device, pciDeviceId, pciSubSystemId, baseClass, subClass;
	char busId[32];
} nvmlPciInfoExt_v1_t;

typedef struct {
	unsigned version, type;
	union {
		char str[41];
		unsigned char bytes[16];
	} value;
} nvmlUUID_v1_t;

typedef struct {
	unsigned long long total, free, used;
} nvmlMemory_t;

typedef struct {
	unsigned version;
	unsigned long long total, reserved, free, used;
} nvmlMemory_v2_t;

typedef struct {
	unsigned gpu, memory; /* percent */
} nvmlUtilization_t;

typedef struct {
	unsigned version, sensorType;
	int temperature;
} nvmlTemperature_v1_t;

typedef struct {
	unsigned pid;
	unsigned long long usedGpuMemory;
} nvmlProcessInfo_v1_t;

typedef struct {
	unsigned pid;
	unsigned long long usedGpuMemory;
	unsigned gpuInstanceId, computeInstanceId; /* all bits set: none */
} nvmlProcessInfo_v2_t;

typedef struct {
	unsigned fieldId, scopeId;
	long long timestamp, latencyUsec;
	unsigned valueType;
	nvmlReturn_t nvmlReturn;
	union {
		double dVal;
		unsigned long long ullVal;
	} value;
} nvmlFieldValue_t;

/* The member version of a structure with one. */
#define NVML_STRUCT_VERSION(type, version) ((unsigned)sizeof(type) | (unsigned)(version) << 24)

#endif
