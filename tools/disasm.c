// SPDX-License-Identifier: MIT
/*
 * sov disasm: disassembles an image in the syntax of the vendor's own tools. A word that decodes to
 * no instruction is shown as unknown and makes the exit status 1. If the image has line
 * information, the source line precedes its instructions.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/compiler/image/image_nv.h"
#include "tools/disasm.h"

struct request {
	bool control, raw, json;
};

/* Word number index of the code, in hexadecimal. */
static const char *word_text(const struct disasm_isa *isa, const uint8_t *code, uint32_t index,
			     char text[24])
{
	uint64_t word = 0;

	memcpy(&word, code + index * isa->word_bytes, isa->word_bytes); /* little-endian host */
	snprintf(text, 24, "0x%0*llx", (int)(2 * isa->word_bytes), (unsigned long long)word);
	return text;
}

static void print_line_text(const struct request *q, const struct disasm_isa *isa, uint32_t address,
			    const uint8_t *code, const struct disasm_line *line)
{
	char word[24];

	printf("        /*%04x*/  ", address);
	if (q->control && isa->json)
		printf("%-22s ", line->control);
	if (!q->raw) {
		printf("%s\n", line->text);
		return;
	}
	printf("%-56s /*", line->text);
	for (uint32_t i = 0; i < line->bytes / isa->word_bytes; i++)
		printf(" %s", word_text(isa, code, i, word));
	printf(" */\n");
}

static void print_line_json(struct json *j, const struct disasm_isa *isa, const struct image *im,
			    const struct image_function *f, uint32_t address,
			    const struct disasm_line *line, const char *source)
{
	char word[24];

	json_object(j, NULL);
	json_u64(j, "address", address);
	json_array(j, "words"); /* strings: many parsers read JSON numbers as doubles */
	for (uint32_t i = 0; i < line->bytes / isa->word_bytes; i++)
		json_string(j, NULL, word_text(isa, f->code + address, i, word));
	json_end_array(j);
	json_bool(j, "known", line->known);
	if (line->known) {
		json_string(j, "text", line->text);
		if (isa->json)
			isa->json(im, f, address, j);
	}
	if (*source)
		json_string(j, "source", source);
	json_end_object(j);
}

/* Prints the code of a kernel or function, with source lines. Returns the number of unknown
 * instructions. */
static uint32_t print_code(const struct request *q, struct json *j, const struct image *im,
			   const struct image_function *f, const struct image_line *lines,
			   uint32_t count)
{
	const struct disasm_isa *isa = im->format == &image_code_object ? &disasm_amd : &disasm_nv;
	const struct image_line *line, *before = NULL;
	uint32_t unknown = 0, bytes;

	if (q->json)
		json_array(j, "instructions");
	for (uint32_t at = 0; at + isa->word_bytes <= f->code_bytes; at += bytes) {
		struct disasm_line out = {.text = "(unknown instruction)"};
		char source[512] = "";

		isa->decode(im, f, at, &out);
		bytes = out.bytes;
		unknown += !out.known;
		line = image_line_at(lines, count, at);
		if (line)
			image_line_print(line, source, sizeof(source));
		if (!q->json && line && line != before)
			printf("        // %s\n", source);
		before = line;
		if (q->json)
			print_line_json(j, isa, im, f, at, &out, source);
		else
			print_line_text(q, isa, at, f->code + at, &out);
	}
	if (q->json) {
		json_end_array(j);
		json_end_object(j);
	}
	return unknown;
}

static void print_kernel_header_json(struct json *j, const struct image *im,
				     const struct image_kernel *k)
{
	json_object(j, NULL);
	json_string(j, "name", k->name);
	json_u64(j, "registers", k->registers);
	if (im->format == &image_cubin)
		json_u64(j, "barriers", image_nv_kernel(k)->barriers);
	json_u64(j, "shared_bytes", k->shared_bytes);
	json_u64(j, "stack_bytes", k->stack_bytes);
	json_u64(j, "parameter_bytes", k->param_bytes);
	json_u64(j, "code_bytes", k->code_bytes);
}

/* A kernel or a function of the image. */
struct code_symbol {
	struct image_function code;
	const struct image_kernel *kernel; /* NULL: a function */
	uint32_t index;                    /* among the image's kernels or functions */
};

static int compare_code_offsets(const void *a, const void *b)
{
	const struct code_symbol *x = a, *y = b;

	return x->code.code_offset < y->code.code_offset
		       ? -1
		       : x->code.code_offset > y->code.code_offset;
}

/* Returns the symbols named `only`, or all, sorted by code offset. The caller frees the array;
 * NULL: out of memory. */
static struct code_symbol *collect_symbols(const struct image *im, const char *only,
					   uint32_t *count)
{
	struct code_symbol *all = calloc((size_t)im->nkernels + im->nfunctions + 1, sizeof(*all));
	uint32_t n = 0;

	for (uint32_t i = 0; all && i < im->nkernels; i++) {
		const struct image_kernel *k = &im->kernels[i];

		if (!only || !strcmp(k->name, only))
			all[n++] = (struct code_symbol){
				{k->name, k->code, k->code_bytes, k->code_offset, false}, k, i};
	}
	for (uint32_t i = 0; all && i < im->nfunctions; i++)
		if (!only || !strcmp(im->functions[i].name, only))
			all[n++] = (struct code_symbol){im->functions[i], NULL, i};
	if (all)
		qsort(all, n, sizeof(*all), compare_code_offsets);
	*count = n;
	return all;
}

static void print_header(const struct request *q, struct json *j, const struct image *im,
			 const struct code_symbol *p)
{
	const struct image_kernel *k = p->kernel;

	if (q->json && k) {
		print_kernel_header_json(j, im, k);
	} else if (q->json) {
		json_object(j, NULL);
		json_string(j, "name", p->code.name);
		json_u64(j, "code_bytes", p->code.code_bytes);
	} else if (k) {
		printf("%s:  // %s, %u registers, %u bytes of shared memory, %u bytes of "
		       "parameters\n",
		       k->name, im->target, k->registers, k->shared_bytes, k->param_bytes);
	} else {
		printf("%s:  // %s, %s\n", p->code.name, im->target,
		       p->code.data ? "data" : "function");
	}
}

static uint32_t print_symbol(const struct request *q, struct json *j, const struct image *im,
			     const struct code_symbol *p)
{
	uint32_t count, unknown;
	struct image_line *lines = p->kernel ? image_lines(im, p->index, &count)
					     : image_function_lines(im, p->index, &count);

	print_header(q, j, im, p);
	unknown = print_code(q, j, im, &p->code, lines, count);
	free(lines);
	return unknown;
}

/* Kernels and functions go into separate arrays. */
static uint32_t print_json(const struct request *q, const struct image *im,
			   const struct code_symbol *symbols, uint32_t count)
{
	struct json j = {.out = stdout};
	uint32_t unknown = 0;

	json_object(&j, NULL);
	if (im->format == &image_cubin)
		json_u64(&j, "sm", image_nv_sm(im));
	json_string(&j, "target", im->target);
	for (int kernels = 1; kernels >= 0; kernels--) {
		json_array(&j, kernels ? "kernels" : "functions");
		for (uint32_t i = 0; i < count; i++)
			if ((symbols[i].kernel != NULL) == kernels)
				unknown += print_symbol(q, &j, im, &symbols[i]);
		json_end_array(&j);
	}
	json_end_object(&j);
	return unknown;
}

static int print_image(const struct verb *v, const struct request *q, const struct image *im,
		       const char *only)
{
	uint32_t unknown = 0, count;
	struct code_symbol *symbols = collect_symbols(im, only, &count);

	if (!symbols || (only && !count)) {
		if (symbols)
			report_error(v, "the file has no kernel or function '%s'", only);
		else
			report_error(v, "out of memory");
		free(symbols);
		return EXIT_FAILED;
	}
	if (q->json)
		unknown = print_json(q, im, symbols, count);
	for (uint32_t i = 0; !q->json && i < count; i++)
		unknown += print_symbol(q, NULL, im, &symbols[i]);
	free(symbols);
	if (unknown)
		report_error(v, "%u unknown instructions", unknown);
	return unknown ? EXIT_FAILED : EXIT_DONE;
}

static int disasm_run(const struct verb *v, int argc, char **argv)
{
	struct request q = {0};
	const struct option options[] = {
		{"control", 'c', NULL,
		 "print [wait:read:write:yield:stall] before each instruction (NVIDIA)", &q.control,
		 NULL},
		{"raw", 'r', NULL, "print the encoding after each instruction, low word first",
		 &q.raw, NULL},
		{"json", 0, NULL, "print JSON, including encoding and control fields", &q.json,
		 NULL},
		{0},
	};
	char message[256];
	struct image im;
	void *file;
	size_t size;
	int operands, status;

	if (!parse_options(v, options, argc, argv, &operands, &status))
		return status;
	if (operands < 1)
		return usage_error(v, "missing operand: FILE");
	if (operands > 2)
		return usage_error(v, "unexpected operand '%s'", argv[2]);
	if (!read_file(v, argv[0], &file, &size))
		return EXIT_FAILED;
	if (image_read(&im, file, size, message, sizeof(message))) {
		status = print_image(v, &q, &im, operands > 1 ? argv[1] : NULL);
	} else {
		report_error(v, "'%s': %s", argv[0], message);
		status = EXIT_FAILED;
	}
	image_free(&im);
	free(file);
	return status;
}

const struct verb verb_disasm = {
	.name = "disasm",
	.summary = "Disassemble an image.",
	.usage = "[OPTION]... FILE [KERNEL]",
	.details = "FILE is a cubin or an AMD code object. KERNEL is a kernel or a function of the "
		   "file;\nthe default is all of them.\n",
	.run = disasm_run,
};
