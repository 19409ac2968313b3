// SPDX-License-Identifier: MIT
/* sov link: links PTX files and relocatable objects to one image. */
#include <stdlib.h>
#include <string.h>
#include "libsov/compiler/base/target.h"
#include "libsov/compiler/driver/compiler.h"
#include "tools/tool.h"

static int link_files(const struct verb *v, char **paths, int count, const char *target,
		      const char *out)
{
	struct link_input *inputs = calloc((size_t)count, sizeof(*inputs));
	void **data = calloc((size_t)count, sizeof(*data));
	struct compile_options o = {.target = target};
	struct compile_result r = {0};
	int status = EXIT_FAILED, n = 0;

	while (inputs && data && n < count && read_file(v, paths[n], &data[n], &inputs[n].bytes)) {
		inputs[n].name = paths[n];
		inputs[n].data = data[n];
		n++;
	}
	if (inputs && data && n == count) {
		struct progress *p = progress_start("linking");
		bool good = compile_link(inputs, (uint32_t)count, &o, &r);

		progress_end(p);
		if (r.messages)
			fputs(r.messages, stderr);
		if (good && write_file(v, out, r.image, r.image_size))
			status = EXIT_DONE;
	}
	while (n > 0)
		free(data[--n]);
	compile_result_free(&r);
	free(data);
	free(inputs);
	return status;
}

static int link_run(const struct verb *v, int argc, char **argv)
{
	const char *target = "sm_90", *out = NULL;
	const struct option options[] = {
		{"target", 't', "TARGET", "target of the PTX files (default sm_90)", NULL, &target},
		{"output", 'o', "FILE", "write the image to FILE", NULL, &out},
		{0},
	};
	int operands, status;

	if (!parse_options(v, options, argc, argv, &operands, &status))
		return status;
	if (!operands)
		return usage_error(v, "missing operand: FILE");
	if (!out)
		return usage_error(v, "nothing to do: give -o FILE");
	if (!target_find(target))
		return usage_error(v, "unknown target '%s'", target);
	return link_files(v, argv, operands, target, out);
}

const struct verb verb_link = {
	.name = "link",
	.summary = "Link PTX files and relocatable objects.",
	.usage = "[--target TARGET] -o FILE FILE...",
	.details = "A relocatable object is a file that ptxas -c writes. NVIDIA targets only.\n",
	.run = link_run,
};
