// SPDX-License-Identifier: MIT
/* The table of entry points: cuGetProcAddress, and the entry points that are not implemented. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include "libsov/cuda/driver/driver.h"

#define WORKS(symbol, name, version)
#define PARTLY(symbol, name, version, why)
#define MISSING(symbol, name, version) \
	CUresult symbol(void); \
	API symbol(void) \
	{ \
		return cuda_missing(#symbol, NULL); \
	}
#include "libsov/cuda/driver/entries.def"
#undef WORKS
#undef PARTLY
#undef MISSING

struct entry {
	const char *symbol, *name;
	int version;
	bool implemented;
};
static const struct entry entries[] = {
#define WORKS(symbol, name, version)       {#symbol, name, version, true},
#define PARTLY(symbol, name, version, why) {#symbol, name, version, true},
#define MISSING(symbol, name, version)     {#symbol, name, version, false},
#include "libsov/cuda/driver/entries.def"
};

enum { FOUND = 0, NO_SUCH_NAME = 1, NEWER_VERSION = 2 };
enum { FLAG_LEGACY = 1, FLAG_PER_THREAD = 2 };

static bool is_per_thread(const struct entry *e)
{
	size_t n = strlen(e->symbol);

	return n > 5 &&
	       (!strcmp(e->symbol + n - 5, "_ptsz") || !strcmp(e->symbol + n - 5, "_ptds"));
}

/* The newest form that the version has; of those, the per-thread one where it is asked for. */
static const struct entry *find(const char *name, int version, bool per_thread, unsigned *status)
{
	const struct entry *best = NULL;

	*status = NO_SUCH_NAME;
	for (size_t k = 0; k < sizeof(entries) / sizeof(entries[0]); k++) {
		const struct entry *e = &entries[k];

		if (strcmp(e->name, name) || (is_per_thread(e) && !per_thread))
			continue;
		if (e->version > version) {
			*status = best ? *status : NEWER_VERSION;
			continue;
		}
		if (!best || e->version > best->version ||
		    (e->version == best->version && is_per_thread(e) >= is_per_thread(best)))
			best = e;
		*status = FOUND;
	}
	return best;
}

API cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t flags, unsigned *status)
{
	const struct entry *e;
	unsigned found;

	if (!name || !out || flags & ~UINT64_C(3))
		return CUDA_ERROR_INVALID_VALUE;
	*out = NULL;
	e = find(name, version, flags & FLAG_PER_THREAD, &found);
	if (status)
		*status = found;
	if (!e)
		return status ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
	*out = dlsym(RTLD_DEFAULT, e->symbol);
	if (!*out) {
		/* The library is loaded with RTLD_LOCAL. */
		Dl_info info;
		void *self = dladdr((void *)(uintptr_t)&find, &info)
				     ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
				     : NULL;

		*out = self ? dlsym(self, e->symbol) : NULL;
		if (self)
			dlclose(self);
	}
	return *out ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

API cuGetProcAddress(const char *name, void **out, int version, uint64_t flags)
{
	return cuGetProcAddress_v2(name, out, version, flags, NULL);
}

/* Private tables of NVIDIA's own libraries, which these libraries do not imitate. */
API cuGetExportTable(const void **table, const CUuuid *id)
{
	(void)id;
	if (table)
		*table = NULL;
	cuda_log("cuGetExportTable: a statically linked CUDA runtime asks for NVIDIA's private "
		 "tables; build the program with nvcc -cudart shared");
	return CUDA_ERROR_NOT_FOUND;
}

API cuProfilerStart(void)
{
	return CUDA_SUCCESS;
}

API cuProfilerStop(void)
{
	return CUDA_SUCCESS;
}
