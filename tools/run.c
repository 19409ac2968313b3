// SPDX-License-Identifier: MIT
/*
 * sov run: launches one kernel once on any device, with arguments from the command line. Like a
 * user's program, it uses only sov.h.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/runtime/base/demangle.h"
#include "libsov/sov.h"
#include "tools/tool.h"

#define MAX_ARGUMENTS 64

struct request {
	const char *file, *kernel, *device;
	uint32_t grid[3], block[3], cluster[3], shared;
	uint64_t limit; /* ns, 0 = the library's default */
	bool time, json, serial, unoptimised;
	unsigned count;
	struct source_options source;
	struct argument arguments[MAX_ARGUMENTS];
};

struct state {
	const struct verb *verb;
	struct request *q;
	sov_device_properties device;
	sov_function_attributes attributes;
	sov_context context;
	sov_module module;
	sov_function function;
	sov_event start, end;
	uint64_t nanoseconds;
	void *data; /* the file */
	size_t size;
	/* Kernel arguments: a scalar's bits, or a buffer's address and size. */
	sov_buffer values[MAX_ARGUMENTS];
};

static bool failed(const struct state *s, sov_result r, const char *operation)
{
	sov_fault fault = SOV_INIT(sov_fault);

	if (!r)
		return false;
	report_sov_error(s->verb, r, operation);
	if (s->context && !sov_context_get_fault(s->context, &fault) && fault.pc != UINT64_MAX)
		report_error(s->verb, "fault in thread %u,%u,%u of block %u,%u,%u at pc 0x%llx: %s",
			     fault.thread[0], fault.thread[1], fault.thread[2], fault.block[0],
			     fault.block[1], fault.block[2], (unsigned long long)fault.pc,
			     fault.instruction);
	return true;
}

static bool open_device(struct state *s)
{
	sov_context_options options = SOV_INIT(sov_context_options);
	sov_device device;

	if (failed(s, device_open(s->q->device, &device), "opening the device"))
		return false;
	s->device = SOV_INIT(sov_device_properties);
	options.kernel_time_limit = s->q->limit;
	return !failed(s, sov_device_get_properties(device, &s->device), "querying the device") &&
	       !failed(s, sov_context_create(device, &options, &s->context), "creating a context");
}

static bool load_kernel(struct state *s)
{
	sov_module_options options = SOV_INIT(sov_module_options);

	if ((s->q->serial || s->q->unoptimised) && s->size >= 4 && !memcmp(s->data, "\177ELF", 4)) {
		report_error(s->verb, "'%s' is an image, which is run as it is; %s needs a source",
			     s->q->file, s->q->serial ? "--serial" : "--optimise 0");
		return false;
	}
	options.flags = (s->q->serial ? SOV_MODULE_SERIAL : 0) |
			(s->q->unoptimised ? SOV_MODULE_UNOPTIMISED : 0);
	struct progress *p = progress_start("compiling");
	sov_result r = sov_module_load(s->context, s->data, s->size, &options, &s->module);

	progress_end(p);
	print_source_messages(s->q->file, s->data, s->size, sov_module_messages());
	if (r == SOV_ERROR_INVALID_SOURCE && *sov_module_messages())
		report_error(s->verb, "could not compile '%s' for %s", s->q->file,
			     s->device.target);
	else if (r)
		report_sov_error(s->verb, r, s->q->file);
	if (r)
		return false;
	s->attributes = SOV_INIT(sov_function_attributes);
	r = s->q->kernel ? sov_module_get_function(s->module, s->q->kernel, &s->function)
			 : sov_module_get_function_at(s->module, 0, &s->function);
	/* The kernels of a large module are compiled when they are looked up. */
	if (r == SOV_ERROR_INVALID_SOURCE)
		print_source_messages(s->q->file, s->data, s->size, sov_module_messages());
	return !failed(s, r, "finding the kernel") &&
	       !failed(s, sov_function_get_attributes(s->function, &s->attributes),
		       "querying the kernel");
}

static bool fill_each_buffer(struct state *s)
{
	for (unsigned i = 0; i < s->q->count; i++) {
		struct argument *a = &s->q->arguments[i];
		uint64_t bytes = a->count * a->type->bytes;

		s->values[i] = (sov_buffer){a->scalar, bytes};
		if (!a->buffer)
			continue;
		if (!fill_argument(s->verb, i, a) ||
		    failed(s, sov_memory_alloc(s->context, bytes, &s->values[i].address),
			   "allocating a buffer") ||
		    failed(s,
			   sov_memory_copy(s->context, s->values[i].address, SOV_HOST(a->data),
					   bytes),
			   "filling a buffer"))
			return false;
	}
	return true;
}

static bool fill_buffers(struct state *s)
{
	struct progress *p = progress_start("filling buffers");
	bool good = fill_each_buffer(s);

	progress_end(p);
	return good;
}

/* Bytes of an argument: a kernel of the Vulkan environment takes a buffer's size, too. */
static size_t argument_bytes(const struct state *s, unsigned i)
{
	uint32_t offset, size = 0;

	if (!s->q->arguments[i].buffer)
		return s->q->arguments[i].type->bytes;
	if (!sov_function_get_parameter(s->function, i, &offset, &size) &&
	    size == sizeof(sov_buffer))
		return size;
	return sizeof(sov_ptr);
}

static bool launch_and_wait(struct state *s)
{
	const void *pointers[MAX_ARGUMENTS];
	size_t sizes[MAX_ARGUMENTS];
	sov_launch l = SOV_INIT(sov_launch);

	for (unsigned i = 0; i < s->q->count; i++) {
		pointers[i] = &s->values[i]; /* little-endian host: low bytes first */
		sizes[i] = argument_bytes(s, i);
	}
	memcpy(l.grid, s->q->grid, sizeof(l.grid));
	memcpy(l.block, s->q->block, sizeof(l.block));
	memcpy(l.cluster, s->q->cluster, sizeof(l.cluster));
	l.shared_bytes = s->q->shared;
	l.arguments = pointers;
	l.argument_bytes = sizes;
	l.argument_count = s->q->count;
	if (s->q->time &&
	    (failed(s, sov_event_create(s->context, 0, &s->start), "creating an event") ||
	     failed(s, sov_event_create(s->context, 0, &s->end), "creating an event") ||
	     failed(s, sov_event_record(s->start, NULL), "recording an event")))
		return false;
	if (failed(s, sov_function_launch(s->function, &l), "launching") ||
	    (s->q->time && failed(s, sov_event_record(s->end, NULL), "recording an event")))
		return false;
	struct progress *p = progress_start("running");
	sov_result r = sov_context_wait(s->context, SOV_FOREVER);

	progress_end(p);
	return !failed(s, r, "running") &&
	       !(s->q->time &&
		 failed(s, sov_event_elapsed(s->start, s->end, &s->nanoseconds), "timing"));
}

static bool fetch_buffers(struct state *s)
{
	for (unsigned i = 0; i < s->q->count; i++) {
		struct argument *a = &s->q->arguments[i];
		uint64_t bytes = a->count * a->type->bytes;

		if (!a->buffer || (!a->print && !a->out))
			continue;
		if (failed(s,
			   sov_memory_copy(s->context, SOV_HOST(a->data), s->values[i].address,
					   bytes),
			   "reading a buffer back") ||
		    (a->out && !write_file(s->verb, a->out, a->data, bytes)))
			return false;
	}
	return true;
}

static void print_text(const struct state *s)
{
	const struct request *q = s->q;

	printf("%s on %s (%s, by %s), grid %u,%u,%u, block %u,%u,%u\n",
	       DEMANGLED(s->attributes.name), s->device.name, s->device.product, s->device.winsys,
	       q->grid[0], q->grid[1], q->grid[2], q->block[0], q->block[1], q->block[2]);
	if (q->time)
		printf("time: %.3f us\n", s->nanoseconds / 1e3);
	for (unsigned i = 0; i < q->count; i++) {
		const struct argument *a = &q->arguments[i];
		uint64_t n = a->print < a->count ? a->print : a->count;

		if (!a->buffer || !a->print)
			continue;
		printf("argument %u, %s[%llu]:", i, a->type->name, (unsigned long long)a->count);
		for (uint64_t e = 0; e < n; e++) {
			char text[ELEMENT_TEXT];

			print_element(a->type, (const char *)a->data + e * a->type->bytes, text);
			printf(" %s", text);
		}
		printf(n < a->count ? " ...\n" : "\n");
	}
}

static void print_json(const struct state *s)
{
	struct json j = {.out = stdout};

	json_object(&j, NULL);
	json_string(&j, "kernel", s->attributes.name);
	json_string(&j, "device", s->device.name);
	json_string(&j, "winsys", s->device.winsys);
	json_string(&j, "target", s->device.target);
	json_triple(&j, "grid", s->q->grid);
	json_triple(&j, "block", s->q->block);
	if (s->q->time)
		json_u64(&j, "nanoseconds", s->nanoseconds);
	json_array(&j, "arguments");
	for (unsigned i = 0; i < s->q->count; i++) {
		const struct argument *a = &s->q->arguments[i];

		if (!a->buffer || !a->print)
			continue;
		json_object(&j, NULL);
		json_u64(&j, "number", i);
		json_string(&j, "type", a->type->name);
		json_u64(&j, "count", a->count);
		json_array(&j, "values");
		for (uint64_t e = 0; e < a->count && e < a->print; e++) {
			char text[ELEMENT_TEXT];

			print_element(a->type, (const char *)a->data + e * a->type->bytes, text);
			if (strpbrk(text, "in")) /* JSON has no numbers for inf and nan */
				json_string(&j, NULL, text);
			else
				json_raw(&j, NULL, text);
		}
		json_end_array(&j);
		json_end_object(&j);
	}
	json_end_array(&j);
	json_end_object(&j);
}

static int run_kernel(const struct verb *v, struct request *q)
{
	struct state s = {.verb = v, .q = q};
	bool good = read_source(v, q->file, &q->source, &s.data, &s.size) && open_device(&s) &&
		    load_kernel(&s) && fill_buffers(&s) && launch_and_wait(&s) && fetch_buffers(&s);

	if (good && q->json)
		print_json(&s);
	else if (good)
		print_text(&s);
	if (s.context)
		sov_context_destroy(s.context);
	free(s.data);
	return good ? EXIT_DONE : EXIT_FAILED;
}

/* X, X,Y or X,Y,Z; missing dimensions are 1. */
static bool parse_triple(const struct verb *v, const char *what, const char *text, uint32_t out[3])
{
	char copy[64], *rest = copy;

	out[0] = out[1] = out[2] = 1;
	snprintf(copy, sizeof(copy), "%s", text);
	for (int i = 0; i < 3 && rest; i++) {
		uint64_t value;

		if (!parse_u64(v, what, strsep(&rest, ","), 1, UINT32_MAX, &value))
			return false;
		out[i] = value;
	}
	if (rest)
		usage_error(v, "%s '%s' is not X, X,Y or X,Y,Z", what, text);
	return !rest;
}

static int run_run(const struct verb *v, int argc, char **argv)
{
	struct request q = {.source = SOURCE_OPTIONS};
	const char *grid = "1", *block = NULL, *cluster = NULL, *shared = "0", *limit = NULL,
		   *level = "3";
	const struct option options[] = {
		{"kernel", 'k', "NAME", "kernel to launch (default: the first one)", NULL,
		 &q.kernel},
		{"grid", 'g', "X[,Y[,Z]]", "grid dimensions in blocks (default 1)", NULL, &grid},
		{"block", 'b', "X[,Y[,Z]]", "block dimensions in threads (required)", NULL, &block},
		{"cluster", 0, "X[,Y[,Z]]", "cluster dimensions in blocks (default: the kernel's)",
		 NULL, &cluster},
		{"shared", 0, "BYTES", "dynamic shared memory per block (default 0)", NULL,
		 &shared},
		{"device", 'd', "NAME|N", "device to run on (default 0); see sov devices", NULL,
		 &q.device},
		{"limit", 0, "SECONDS", "kernel time limit (default: none, software GPU 600)", NULL,
		 &limit},
		{"optimise", 'O', "LEVEL", "optimisation level, 0 or 3 (default 3)", NULL, &level},
		{"serial", 0, NULL, "serialise the instructions of PTX kernels", &q.serial, NULL},
		{"time", 0, NULL, "print the kernel's run time by the device clock", &q.time, NULL},
		{"json", 0, NULL, "print JSON", &q.json, NULL},
		SOURCE_OPTION_ROWS(q.source),
		{0},
	};
	uint64_t number = 0;
	int operands, status;

	if (!parse_options(v, options, argc, argv, &operands, &status))
		return status;
	if (!operands)
		return usage_error(v, "missing operand: FILE");
	if (operands - 1 > MAX_ARGUMENTS)
		return usage_error(v, "more than %u arguments", MAX_ARGUMENTS);
	if (strcmp(level, "0") && strcmp(level, "3"))
		return usage_error(v, "unknown optimisation level '%s'; known: 0 3", level);
	q.unoptimised = !strcmp(level, "0");
	if (!block)
		return usage_error(v, "missing option: --block X[,Y[,Z]]");
	if (!parse_source_options(v, &q.source))
		return EXIT_USAGE;
	if (limit && !parse_u64(v, "limit", limit, 1, UINT64_MAX / 1000000000, &number))
		return EXIT_USAGE;
	q.limit = number * 1000000000;
	if (!parse_triple(v, "grid", grid, q.grid) || !parse_triple(v, "block", block, q.block) ||
	    (cluster && !parse_triple(v, "cluster", cluster, q.cluster)) ||
	    !parse_u64(v, "shared memory", shared, 0, UINT32_MAX, &number))
		return EXIT_USAGE;
	q.shared = number;
	q.file = argv[0];
	status = EXIT_DONE;
	while (q.count < (unsigned)operands - 1 && status == EXIT_DONE) {
		if (parse_argument(v, q.count, argv[q.count + 1], &q.arguments[q.count]))
			q.count++;
		else
			status = EXIT_USAGE;
	}
	if (status == EXIT_DONE)
		status = run_kernel(v, &q);
	for (unsigned i = 0; i < q.count; i++)
		free_argument(&q.arguments[i]);
	return status;
}

const struct verb verb_run = {
	.name = "run",
	.summary = "Launch a kernel from a source file or an image once.",
	.usage = "--block X[,Y[,Z]] [OPTION]... FILE [ARGUMENT]...",
	.details = SOURCE_HELP ARGUMENT_HELP,
	.run = run_run,
};
