// SPDX-License-Identifier: MIT
/*
 * The table of entry points, and how the loader gets at it (the loader's LoaderDriverInterface.md,
 * interface version 7). An entry point of an extension exists for an instance or device that has
 * enabled the extension.
 */
#include "libsov/vulkan/driver.h"

#define MAX_INTERFACE_VERSION 7

enum scope {
	GLOBAL = 1, /* without an instance */
	INSTANCE = 2,
	PHYSICAL = 4,
	DEVICE = 8,
	ALWAYS = GLOBAL | INSTANCE
};

static const struct entry_point {
	const char *name;
	PFN_vkVoidFunction function;
	enum scope scope;
	const char *extension; /* NULL: core */
} entry_points[] = {
#define CORE(scope, name) {"vk" #name, (PFN_vkVoidFunction)vk##name, scope, NULL},
#define EXTENSION(scope, name, extension) \
	{"vk" #name, (PFN_vkVoidFunction)vk##name, scope, VK_##extension##_EXTENSION_NAME},
#define ALIAS(scope, name, extension, target) \
	{"vk" #name, (PFN_vkVoidFunction)vk##target, scope, VK_##extension##_EXTENSION_NAME},
#include "libsov/vulkan/entry_points.h"
};

static const struct entry_point *entry_point_find(const char *name)
{
	uint32_t i;

	for (i = 0; i < COUNT(entry_points); i++)
		if (!strcmp(entry_points[i].name, name))
			return &entry_points[i];
	return NULL;
}

uint64_t extensions_enabled(const VkExtensionProperties *list, uint32_t count,
			    const char *const *names, uint32_t name_count)
{
	uint64_t mask = 0;
	uint32_t i, k;

	for (i = 0; i < count; i++)
		for (k = 0; k < name_count; k++)
			if (!strcmp(list[i].extensionName, names[k]))
				mask |= UINT64_C(1) << i;
	return mask;
}

static bool extension_in(const VkExtensionProperties *list, uint32_t count, uint64_t enabled,
			 const char *name)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		if (enabled >> i & 1 && !strcmp(list[i].extensionName, name))
			return true;
	return false;
}

/* An instance gives out device functions for any of its devices, whose extensions are not known. */
static bool instance_has(VkInstance i, const struct entry_point *e)
{
	if (!e->extension || extension_in(instance_extensions, instance_extension_count,
					  i->extensions, e->extension))
		return true;
	return extension_known(device_extensions, device_extension_count, e->extension);
}

static bool device_has(VkDevice d, const struct entry_point *e)
{
	return !e->extension ||
	       extension_in(device_extensions, device_extension_count, d->extensions,
			    e->extension) ||
	       extension_in(instance_extensions, instance_extension_count,
			    d->physical->instance->extensions, e->extension);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkGetDeviceProcAddr(VkDevice d, const char *name)
{
	const struct entry_point *e = entry_point_find(name);

	return e && e->scope == DEVICE && device_has(d, e) ? e->function : NULL;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr(VkInstance i, const char *name)
{
	const struct entry_point *e = entry_point_find(name);

	if (!e)
		return NULL;
	if (!i)
		return e->scope & GLOBAL ? e->function : NULL;
	return e->scope != GLOBAL && instance_has(i, e) ? e->function : NULL;
}

/* ---- what the loader looks up in the library ---- */

EXPORTED VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetPhysicalDeviceProcAddr(VkInstance i,
										  const char *name);
EXPORTED VKAPI_ATTR VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version);
EXPORTED VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance i,
									    const char *name);

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetPhysicalDeviceProcAddr(VkInstance i,
									 const char *name)
{
	const struct entry_point *e = entry_point_find(name);

	return e && e->scope == PHYSICAL && (!i || instance_has(i, e)) ? e->function : NULL;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version)
{
	if (*version > MAX_INTERFACE_VERSION)
		*version = MAX_INTERFACE_VERSION;
	return VK_SUCCESS;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance i, const char *name)
{
	static const struct entry_point interface[] = {
		{"vk_icdGetInstanceProcAddr", (PFN_vkVoidFunction)vk_icdGetInstanceProcAddr, GLOBAL,
		 NULL},
		{"vk_icdGetPhysicalDeviceProcAddr",
		 (PFN_vkVoidFunction)vk_icdGetPhysicalDeviceProcAddr, GLOBAL, NULL},
		{"vk_icdNegotiateLoaderICDInterfaceVersion",
		 (PFN_vkVoidFunction)vk_icdNegotiateLoaderICDInterfaceVersion, GLOBAL, NULL},
	};
	uint32_t k;

	for (k = 0; k < COUNT(interface); k++)
		if (!strcmp(interface[k].name, name))
			return interface[k].function;
	return vkGetInstanceProcAddr(i, name);
}
