// SPDX-License-Identifier: MIT
/* Attributes of kernels in cubins and objects; hw/nv/cubin.h lists them. */
#include "hw/nv/bank0.h"
#include "hw/nv/cubin.h"
#include "libsov/compiler/image/cubin_attributes.h"

static void add_attribute(struct bytes *b, uint8_t form, uint8_t code, uint32_t value,
			  const void *data)
{
	uint16_t half = (uint16_t)value;

	bytes_append(b, &form, 1);
	bytes_append(b, &code, 1);
	bytes_append(b, &half, 2);
	if (form == NV_INFO_SIZED)
		bytes_append(b, data, value);
}

void cubin_attribute_words(struct bytes *b, uint8_t code, const uint32_t *words, uint32_t count)
{
	add_attribute(b, NV_INFO_SIZED, code, count * 4, words);
}

void cubin_kernel_attributes(struct bytes *b, const struct cubin_kernel *k,
			     uint32_t constant_symbol, const uint32_t *externals,
			     uint32_t nexternals)
{
	bool large = k->param_bytes > NV_BANK0_SMALL_PARAMS;

	cubin_attribute_words(b, NV_INFO_API_VERSION, (uint32_t[]){NV_ELF_VERSION}, 1);
	for (uint32_t p = k->nparams; p-- > 0;) {
		const struct cubin_param *param = &k->params[p];

		cubin_attribute_words(b, large ? NV_INFO_KPARAM_LARGE : NV_INFO_KPARAM,
				      (uint32_t[]){0, p | param->offset << 16,
						   large ? param->size : NV_KPARAM(param->size)},
				      3);
	}
	if (k->explicit_cluster)
		add_attribute(b, NV_INFO_NONE, NV_INFO_EXPLICIT_CLUSTER, 0, NULL);
	if (k->cluster[0])
		cubin_attribute_words(b, NV_INFO_CLUSTER, k->cluster, 3);
	if (k->max_cluster)
		cubin_attribute_words(b, NV_INFO_MAX_CLUSTER, &k->max_cluster, 1);
	if (nexternals)
		cubin_attribute_words(b, NV_INFO_EXTERNALS, externals, nexternals);
	if (!k->function)
		add_attribute(b, NV_INFO_HALF, NV_INFO_MAX_REGISTERS,
			      k->moves_registers ? (uint16_t)k->registers : 0xff, NULL);
	if (k->independent_samplers)
		add_attribute(b, NV_INFO_NONE, NV_INFO_INDEPENDENT_SAMPLERS, 0, NULL);
	if (k->moves_registers)
		add_attribute(b, NV_INFO_NONE, NV_INFO_MOVES_REGISTERS, 0, NULL);
	if (!k->function || k->nexits)
		cubin_attribute_words(b, NV_INFO_EXITS, k->exits, k->nexits);
	for (uint32_t at = 0; at < k->nbranches; at += 3 + k->branches[at + 2])
		cubin_attribute_words(b, NV_INFO_BRANCH_TARGETS, k->branches + at,
				      3 + k->branches[at + 2]);
	if (k->max_threads[0])
		cubin_attribute_words(b, NV_INFO_MAX_THREADS, k->max_threads, 3);
	if (k->required_threads[0])
		cubin_attribute_words(b, NV_INFO_REQUIRED_THREADS, k->required_threads, 3);
	if (!k->param_bytes)
		return;
	add_attribute(b, NV_INFO_HALF, NV_INFO_PARAM_BYTES, k->param_bytes, NULL);
	cubin_attribute_words(b, NV_INFO_PARAM_CBANK,
			      (uint32_t[]){constant_symbol, k->param_base | k->param_bytes << 16},
			      2);
}
