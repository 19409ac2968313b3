/* SPDX-License-Identifier: MIT */
/* The IP discovery table that the firmware of a card leaves in video memory, 64 KiB below its end:
 * which blocks the chip has, their versions and register bases. Source: Linux,
 * drivers/gpu/drm/amd/include/discovery.h and soc15_hw_ip.h, amdgpu/amdgpu_discovery.[ch]. */
#ifndef HW_AMD_DISCOVERY_H
#define HW_AMD_DISCOVERY_H

#include <assert.h>
#include <stdint.h>

#define DISCOVERY_FROM_END  (64u << 10)
#define DISCOVERY_BYTES     (10u << 10)
#define DISCOVERY_SIGNATURE 0x28211407u
#define DISCOVERY_IP        0x53445049u /* "IPDS" */
#define DISCOVERY_GC        0x4347u     /* "GC" */
#define DISCOVERY_HARVEST   0x56524148u /* "HARV" */
#define DISCOVERY_TABLES    6
#define DISCOVERY_DIES      16
#define DISCOVERY_MAX_BASES 5

struct discovery_table {
	uint16_t offset, checksum, size, padding;
};
struct discovery_header {
	uint32_t signature;
	uint16_t major, minor;
	uint16_t checksum; /* sum of all bytes after this field */
	uint16_t size;     /* with this header */
	struct discovery_table tables[DISCOVERY_TABLES];
};
struct discovery_ip_header {
	uint32_t signature;
	uint16_t version, size;
	uint32_t id;
	uint16_t die_count;
	struct {
		uint16_t id, offset; /* from the start of the whole table */
	} dies[DISCOVERY_DIES];
	uint16_t padding;
};
struct discovery_die {
	uint16_t id, ip_count;
};
struct discovery_ip { /* bases follow */
	uint16_t hardware_id;
	uint8_t instance, base_count;
	uint8_t major, minor, revision, harvest;
};
struct discovery_gc { /* version 1.0 */
	uint32_t id;
	uint16_t major, minor;
	uint32_t size;
	uint32_t shader_engines, wgp0_per_sa, wgp1_per_sa, rb_per_se, gl2c, gprs, gs_threads;
	uint32_t gs_table_depth, gs_primitive_depth, parameter_cache_depth, double_offchip_lds;
	uint32_t wave_size, waves_per_simd, scratch_slots_per_cu, lds_size, sc_per_se, sa_per_se;
	uint32_t packers_per_sc, gl2a;
};
struct discovery_harvest { /* blocks that are disabled; unused entries are 0 */
	uint32_t signature, version;
	struct {
		uint16_t hardware_id;
		uint8_t instance, reserved;
	} list[32];
};
static_assert(sizeof(struct discovery_harvest) == 136, "");
static_assert(sizeof(struct discovery_header) == 60, "");
static_assert(sizeof(struct discovery_ip_header) == 80, "");
static_assert(sizeof(struct discovery_ip) == 8, "");
static_assert(sizeof(struct discovery_gc) == 88, "");

enum discovery_hardware {
	DISCOVERY_HW_MP1 = 1,
	DISCOVERY_HW_THM = 3,
	DISCOVERY_HW_SMUIO = 4,
	DISCOVERY_HW_CLK = 6,
	DISCOVERY_HW_GC = 11,
	DISCOVERY_HW_VCN = 12,
	DISCOVERY_HW_MMHUB = 34,
	DISCOVERY_HW_ATHUB = 35,
	DISCOVERY_HW_OSSSYS = 40,
	DISCOVERY_HW_HDP = 41,
	DISCOVERY_HW_SDMA0 = 42,
	DISCOVERY_HW_SDMA1 = 43,
	DISCOVERY_HW_DF = 46,
	DISCOVERY_HW_SDMA2 = 68,
	DISCOVERY_HW_SDMA3 = 69,
	DISCOVERY_HW_NBIF = 108,
	DISCOVERY_HW_UMC = 150,
	DISCOVERY_HW_MP0 = 255,
};

#endif
