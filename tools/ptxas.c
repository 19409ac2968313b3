// SPDX-License-Identifier: MIT
/*
 * sov ptxas: takes the place of NVIDIA's ptxas in builds by nvcc, clang or Triton. It has that
 * program's command line, message format and exit status. Several inputs form one module.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/compiler/base/target.h"
#include "libsov/compiler/ptx/ptx.h"
#include "tools/ptxas.h"

/* The CUDA release that introduced the newest PTX version of the front end. */
#define CUDA_MAJOR 13
#define CUDA_MINOR 0
static_assert(PTX_VERSION_MAJOR == 9 && PTX_VERSION_MINOR == 0, "CUDA 13.0 has PTX 9.0");

#define MAX_REGISTERS 255
#define MIN_REGISTERS 24 /* lower bound of ptxas; the call ABI needs as many */

/* ---- the GPU ---- */

/* sm_90a differs from sm_90 only in instructions; the PTX front end checks those. */
static const char *const accelerated[] = {"sm_90a"};

static bool name_is(const char *name, const char *prefix, const char *rest)
{
	size_t n = strlen(prefix);

	return !strncmp(name, prefix, n) && !strcmp(name + n, rest);
}

/* Finds the target of a GPU name. compute_90 means: check the PTX only. */
static const struct target *find_target(const char *name, bool *check_only)
{
	const struct target *t;

	*check_only = !strncmp(name, "compute_", 8);
	for (uint32_t k = 0; (t = target_at(k)); k++) {
		char versions[2][16];
		bool has_accelerated = false;

		if (strcmp(t->family, "nv"))
			continue;
		snprintf(versions[0], sizeof(versions[0]), "%u", t->version);
		snprintf(versions[1], sizeof(versions[1]), "%ua", t->version);
		for (size_t a = 0; a < sizeof(accelerated) / sizeof(accelerated[0]); a++)
			has_accelerated |= name_is(accelerated[a], "sm_", versions[1]);
		for (int a = 0; a <= has_accelerated; a++)
			if (name_is(name, "sm_", versions[a]) ||
			    name_is(name, "compute_", versions[a]))
				return t;
	}
	return NULL;
}

static bool unknown_gpu(const char *name)
{
	char known[256] = "";
	const struct target *t;
	size_t n = 0;

	for (uint32_t k = 0; (t = target_at(k)); k++)
		if (!strcmp(t->family, "nv"))
			n += (size_t)snprintf(known + n, sizeof(known) - n, " %s", t->name);
	for (size_t a = 0; a < sizeof(accelerated) / sizeof(accelerated[0]); a++)
		n += (size_t)snprintf(known + n, sizeof(known) - n, " %s", accelerated[a]);
	return ptxas_fatal("Value '%s' is not defined for option 'gpu-name'; known:%s", name,
			   known);
}

/* ---- values ---- */

static bool parse_number(const char *option, const char *text, uint32_t *out)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || n > 1000000)
		return ptxas_fatal("Invalid value '%s' for option '%s'", text, option);
	*out = (uint32_t)n;
	return true;
}

static bool parse_bool(const char *text, bool *out)
{
	*out = !text || !strcmp(text, "true");
	return *out || !strcmp(text, "false") || ptxas_fatal("'%s': expected true or false", text);
}

static bool parse_registers(const struct ptxas_request *q, const char *arch, const char *option,
			    const char *text, uint32_t *out)
{
	if (!text || !strcmp(text, "archmax"))
		return true;
	if (!strcmp(text, "archmin")) {
		*out = MIN_REGISTERS;
		return true;
	}
	if (!parse_number(option, text, out))
		return false;
	if (*out > MAX_REGISTERS) {
		ptxas_warn(q, NULL, 0, "Too big %s value specified %u, will be ignored", option,
			   *out);
		*out = 0;
	} else if (*out && *out < MIN_REGISTERS) {
		if (!ptxas_warn(q, NULL, 0,
				"For profile %s adjusting per thread register count of %u to lower "
				"bound of %u",
				arch, *out, MIN_REGISTERS))
			return false;
		*out = MIN_REGISTERS;
	}
	return true;
}

/* As for ptxas, bounds above the limit of a block are that limit. */
static bool parse_threads(const char *text, uint32_t limit, uint32_t out[3])
{
	char *copy = text ? strdup(text) : NULL, *rest = copy, *word;
	uint64_t threads = 1;
	bool good = true;

	for (uint32_t axis = 0; good && axis < 3 && (word = strsep(&rest, ",")); axis++)
		good = parse_number("maxntid", word, &out[axis]);
	for (uint32_t axis = 1; out[0] && axis < 3; axis++)
		out[axis] = out[axis] ? out[axis] : 1;
	for (uint32_t axis = 0; axis < 3 && threads <= limit; axis++)
		threads *= out[axis];
	if (threads > limit)
		memcpy(out, (uint32_t[]){limit, 1, 1}, 3 * sizeof(*out));
	free(copy);
	return good;
}

static bool check_cache(const char *what, const char *modifier, const char *known)
{
	char padded[16];

	if (!modifier)
		return true;
	snprintf(padded, sizeof(padded), " %.8s ", modifier);
	return strstr(known, padded) != NULL ||
	       ptxas_fatal("Invalid default cache modifier on %s specified: %s; known:%s", what,
			   modifier, known);
}

static bool make_options(const struct ptxas_request *q, const char *arch, const struct target *t,
			 struct compile_options *o)
{
	uint32_t level = 3, functions = 0;
	bool fmad;

	if (q->machine && strcmp(q->machine, "64"))
		return ptxas_fatal("Value '%s' is not defined for option 'machine'", q->machine);
	*o = (struct compile_options){.target = t->name, .kernels = q->entries.word};
	o->stats = true;
	o->relocatable = q->compile_only;
	o->override_directives = q->override_directives;
	if ((q->level && !parse_number("opt-level", q->level, &level)) ||
	    (q->threads && !parse_number("split-compile", q->threads, &o->threads)) ||
	    (q->min_ctas && !parse_number("minnctapersm", q->min_ctas, &o->min_ctas)) ||
	    !parse_bool(q->fmad, &fmad) ||
	    !parse_threads(q->max_threads, t->max_threads, o->max_threads) ||
	    !parse_registers(q, arch, "maxrregcount", q->max_registers, &o->max_registers) ||
	    !parse_registers(q, arch, "device-function-maxrregcount", q->function_max_registers,
			     &functions) ||
	    !check_cache("load", q->load_cache, " ca cg cs lu cv ") ||
	    !check_cache("store", q->store_cache, " wb cg cs wt "))
		return false;
	o->no_contraction = !fmad;
	o->unoptimised = !level || q->debug;
	o->no_lines = !(q->lines || q->debug) || q->no_debug_info;
	return true;
}

/* ---- inputs ---- */

/* The inputs one after the other, each ended by a newline. */
struct input {
	char *text;
	size_t size;
	const char **names;  /* by input */
	uint32_t *last_line; /* by input: number of its last line in the text */
	uint32_t count;
};

static bool append_input(struct input *in, const char *name, const char *text, size_t size)
{
	uint32_t line = in->count ? in->last_line[in->count - 1] : 0;
	char *grown = realloc(in->text, in->size + size + 2);

	if (!grown)
		return ptxas_fatal("out of memory");
	in->text = grown;
	memcpy(in->text + in->size, text, size);
	for (size_t k = 0; k < size; k++)
		line += text[k] == '\n';
	in->size += size;
	in->text[in->size++] = '\n';
	in->text[in->size] = 0;
	in->names[in->count] = name;
	in->last_line[in->count++] = line + 1;
	return true;
}

static bool append_file(struct input *in, const char *path)
{
	bool good;
	void *text;
	size_t size;

	if (!strcmp(path, "-"))
		path = "/dev/stdin";
	if (!read_file(&verb_ptxas, path, &text, &size))
		return ptxas_fatal("Input file '%s' could not be opened", path);
	good = append_input(in, path, text, size);
	free(text);
	return good;
}

static bool read_inputs(const struct ptxas_request *q, struct input *in)
{
	uint32_t count = q->files.count + q->strings.count;
	bool good = true;

	in->names = calloc(count, sizeof(*in->names));
	in->last_line = calloc(count, sizeof(*in->last_line));
	if (!in->names || !in->last_line)
		return ptxas_fatal("out of memory");
	for (uint32_t k = 0; good && k < q->files.count; k++)
		good = append_file(in, q->files.word[k]);
	for (uint32_t k = 0; good && k < q->strings.count; k++)
		good = append_input(in, "<string>", q->strings.word[k], strlen(q->strings.word[k]));
	return good;
}

static const char *locate(const struct input *in, uint32_t *line)
{
	uint32_t k = 0, before;

	while (k + 1 < in->count && *line > in->last_line[k])
		k++;
	before = k ? in->last_line[k - 1] : 0;
	*line -= before;
	return in->names[k];
}

/* The compiler's messages are "ptx: LINE:COLUMN: TEXT" or "compile: TEXT". */
static void print_messages(const struct input *in, char *messages)
{
	char *line;

	while ((line = strsep(&messages, "\n"))) {
		uint32_t number, column;
		int length = 0;

		if (!*line)
			continue;
		if (sscanf(line, "ptx: %u:%u: %n", &number, &column, &length) == 2 && length) {
			const char *name = locate(in, &number);

			fprintf(stderr, "ptxas %s, line %u; error   : %s\n", name, number,
				line + length);
		} else {
			ptxas_message(PTXAS_ERROR, "%s", line);
		}
	}
}

/* An instruction, not a directive, that names the type .f64. */
static bool is_double_instruction(const char *line, size_t length)
{
	size_t at = 0;

	while (at < length && (line[at] == ' ' || line[at] == '\t'))
		at++;
	if (at < length && line[at] == '@')
		while (at < length && line[at] != ' ' && line[at] != '\t')
			at++;
	while (at < length && (line[at] == ' ' || line[at] == '\t'))
		at++;
	for (size_t k = at; k + 4 <= length; k++) {
		if (k == at && (line[k] == '.' || line[k] == '/'))
			return false;
		if (line[k] == ' ' || line[k] == '\t')
			return false;
		if (!memcmp(line + k, ".f64", 4))
			return true;
	}
	return false;
}

static bool warn_about_doubles(const struct ptxas_request *q, const struct input *in)
{
	const char *line = in->text, *end;
	bool good = true;

	for (uint32_t number = 1; *line; number++, line = end + 1) {
		uint32_t own = number;

		end = strchrnul(line, '\n');
		if (is_double_instruction(line, (size_t)(end - line))) {
			const char *name = locate(in, &own);

			good &= ptxas_warn(q, name, own,
					   "Program is doing double precision computations.");
		}
		if (!*end)
			break;
	}
	return good;
}

/* ---- */

static bool compile_input(const struct ptxas_request *q, const char *arch, bool check_only,
			  const struct compile_options *o, const struct input *in)
{
	struct compile_result r = {0};
	bool good = !q->warn_double || warn_about_doubles(q, in);

	struct progress *p = progress_start("compiling");

	good = good && compile(in->text, in->size, o, &r);
	progress_end(p);
	if (r.messages)
		print_messages(in, r.messages);
	good = good && (check_only || ptxas_report(q, arch, &r));
	if (good && !check_only)
		good = write_file(&verb_ptxas, q->out ? q->out : "elf.o", r.image, r.image_size);
	else if (!good)
		ptxas_fatal("Ptx assembly aborted due to errors");
	compile_result_free(&r);
	return good;
}

static int assemble(const struct ptxas_request *q)
{
	const char *arch = q->arch ? q->arch : "sm_90";
	struct compile_options o;
	struct input in = {0};
	bool check_only, good;
	const struct target *t = find_target(arch, &check_only);

	if (!t) {
		unknown_gpu(arch);
		return PTXAS_FAILED;
	}
	if (!make_options(q, arch, t, &o))
		return PTXAS_FAILED;
	if (q->debug && q->lines)
		ptxas_warn(q, NULL, 0,
			   "Conflicting options --device-debug and --generate-line-info specified, "
			   "ignoring --generate-line-info option");
	good = read_inputs(q, &in) && compile_input(q, arch, check_only, &o, &in);
	free(in.text);
	free(in.names);
	free(in.last_line);
	return good ? EXIT_DONE : PTXAS_FAILED;
}

/* "release MAJOR.MINOR" names the CUDA release whose PTX version is the newest that the front end
 * knows; Triton and others choose the version that they emit by it. */
static void print_version(void)
{
	printf("ptxas: sov PTX optimizing assembler, in the place of NVIDIA's\n"
	       "sov %u.%u\n"
	       "Cuda compilation tools, release %d.%d, V%d.%d.0\n",
	       sov_version() >> 16, sov_version() & 0xffff, CUDA_MAJOR, CUDA_MINOR, CUDA_MAJOR,
	       CUDA_MINOR);
}

/* The PTX versions that exist (PTX ISA 9.0, release notes). */
static void print_ptx_versions(void)
{
	static const uint8_t minor_max[] = {0, 5, 3, 2, 3, 1, 5, 8, 8, 0};

	for (int major = 1; major <= PTX_VERSION_MAJOR; major++)
		for (int minor = 0; minor <= minor_max[major]; minor++)
			if (major < PTX_VERSION_MAJOR || minor <= PTX_VERSION_MINOR)
				printf("%d.%d\n", major, minor);
}

static int ptxas_run(const struct verb *v, int argc, char **argv)
{
	struct ptxas_request q = {0};
	int status = EXIT_DONE;

	(void)v;
	if (!ptxas_parse(&q, argc, argv))
		status = PTXAS_FAILED;
	else if (q.help || (!argc && !q.version))
		ptxas_print_help();
	else if (q.version)
		print_version();
	else if (q.list_version)
		print_ptx_versions();
	else if (!q.files.count && !q.strings.count)
		status = ptxas_fatal("No input file specified") ? EXIT_DONE : PTXAS_FAILED;
	else
		status = assemble(&q);
	ptxas_free(&q);
	return status;
}

const struct verb verb_ptxas = {
	.name = "ptxas",
	.summary = "Compile PTX with the command line of NVIDIA's ptxas.",
	.usage = "[OPTION]... FILE...",
	.error_prefix = "ptxas fatal   : ",
	.run = ptxas_run,
};
