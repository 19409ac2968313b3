// SPDX-License-Identifier: MIT
#include <stdio.h>
#include "model/kfd/model_kfd.h"
#include "model/kfd/topology.h"

/* Linux tells the size of the save area since 6.12; those of the debug area and of the buffer for
 * ends of pipes are known to user space. */
int model_kfd_properties(const struct model_config *gpu, uint32_t index, char *text, size_t bytes)
{
	uint32_t units = gpu->chip->sm_count;
	int n;

	if (model_kfd.properties)
		return snprintf(text, bytes, "%s", model_kfd.properties);
	n = snprintf(text, bytes,
		     "cpu_cores_count 0\nsimd_count %u\nmem_banks_count 1\nmax_waves_per_simd 16\n"
		     "lds_size_in_kb 64\ngds_size_in_kb 0\nwave_front_size 32\narray_count 8\n"
		     "simd_arrays_per_engine 2\ncu_per_simd_array 10\nsimd_per_cu 2\n"
		     "max_slots_scratch_cu 32\ngfx_target_version %u\nvendor_id 4098\n"
		     "device_id 29631\nlocation_id %u\ndomain 0\ndrm_render_minor %u\n"
		     "num_sdma_engines %u\nnum_sdma_queues_per_engine 8\nnum_cp_queues 8\n"
		     "num_xcc 1\nunique_id 12345678901234567890\n",
		     2 * units, model_kfd.gfx_version ? model_kfd.gfx_version : 100300,
		     (3 + index) << 8, FIRST_MINOR + index, model_kfd.no_sdma ? 0 : 2);
	if (model_kfd.sizes_in_topology)
		n += snprintf(text + n, bytes - (size_t)n, "cwsr_size %u\nctl_stack_size %u\n",
			      SAVE_BYTES, STACK_BYTES);
	return n;
}
