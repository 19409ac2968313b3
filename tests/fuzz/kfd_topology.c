// SPDX-License-Identifier: MIT
/* Arbitrary text as amdkfd's topology: a node's properties, a memory bank's, and a number. What is
 * accepted has the sizes that queues are created with. */
#include <assert.h>
#include "libsov/winsys/kfd/kfd.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct kfd_node n;
	struct kfd_bank b;
	char message[64] = "";
	uint64_t number;

	if (kfd_node_parse(text, size, &n, message, sizeof(message)) &&
	    kfd_node_check(&n, message, sizeof(message))) {
		assert(kfd_chip_find(n.gfx_version) && kfd_node_units(&n));
		assert(n.arrays / n.arrays_per_engine && n.eop_bytes);
		assert(n.control_stack_bytes && n.control_stack_bytes <= n.save_bytes);
		assert(n.save_bytes + n.debug_bytes <= UINT32_MAX);
	} else {
		assert(*message);
	}
	*message = 0;
	if (!kfd_bank_parse(text, size, &b, message, sizeof(message)))
		assert(*message);
	(void)kfd_number_parse(text, size, &number);
	return 0;
}
