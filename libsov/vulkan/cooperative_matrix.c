// SPDX-License-Identifier: MIT
/*
 * The products of cooperative matrices that a device has (docs/spirv.md). A device without matrix
 * units lists none: its compiler makes shuffles and multiply-adds of them, which are slower than
 * what a program does without cooperative matrices.
 */
#include "libsov/vulkan/driver.h"

#define F16 VK_COMPONENT_TYPE_FLOAT16_KHR
#define F32 VK_COMPONENT_TYPE_FLOAT32_KHR
#define S8  VK_COMPONENT_TYPE_SINT8_KHR
#define U8  VK_COMPONENT_TYPE_UINT8_KHR
#define S32 VK_COMPONENT_TYPE_SINT32_KHR
#define U32 VK_COMPONENT_TYPE_UINT32_KHR

static const struct product {
	uint8_t n, k;
	VkComponentTypeKHR factors, sums;
	bool saturating;
} products[] = {
	{16, 16, F16, F16, false}, {16, 16, F16, F32, false}, {8, 16, F16, F16, false},
	{8, 16, F16, F32, false},  {16, 8, F16, F16, false},  {16, 8, F16, F32, false},
	{16, 32, S8, S32, false},  {16, 32, S8, S32, true},   {16, 32, U8, U32, false},
	{8, 32, S8, S32, false},   {8, 32, S8, S32, true},    {8, 32, U8, U32, false},
	{16, 16, S8, S32, false},  {16, 16, S8, S32, true},   {16, 16, U8, U32, false},
};

/* The header of the caller's structure stays. */
static void product_out(const struct product *p, VkCooperativeMatrixPropertiesKHR *out)
{
	out->MSize = 16;
	out->NSize = p->n;
	out->KSize = p->k;
	out->AType = out->BType = p->factors;
	out->CType = out->ResultType = p->sums;
	out->saturatingAccumulation = p->saturating;
	out->scope = VK_SCOPE_SUBGROUP_KHR;
}

VKAPI_ATTR VkResult VKAPI_CALL vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR(
	VkPhysicalDevice p, uint32_t *count, VkCooperativeMatrixPropertiesKHR *out)
{
	uint32_t available = has_matrix_units(p) ? COUNT(products) : 0, n = available;

	if (!out) {
		*count = available;
		return VK_SUCCESS;
	}
	if (n > *count)
		n = *count;
	for (uint32_t i = 0; i < n; i++)
		product_out(&products[i], &out[i]);
	*count = n;
	return n < available ? VK_INCOMPLETE : VK_SUCCESS;
}
