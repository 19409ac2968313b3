/* SPDX-License-Identifier: MIT */
/*
 * sov disasm: the machine code of an image as text, in the syntax of its vendor's own tools.
 * Words that are no instruction of the table are shown as such, and make the exit status 1. Where the
 * image knows which line of a source file code comes from, that stands before it.
 */
#include <stdlib.h>
#include <string.h>
#include "tools/disasm.h"

struct request {
	bool control, raw, json;
};

/* The words of an instruction, as text. */
static const char *word_text(const struct disasm_isa *isa, const uint8_t *code, uint32_t index,
			     char text[24])
{
	uint64_t word = 0;

	memcpy(&word, code + index * isa->word_bytes, isa->word_bytes); /* little-endian host */
	snprintf(text, 24, "0x%0*llx", (int)(2 * isa->word_bytes), (unsigned long long)word);
	return text;
}

static void line_text(const struct request *q, const struct disasm_isa *isa, uint32_t address,
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

static void line_json(struct json *j, const struct disasm_isa *isa, const struct image *im,
		      const struct image_function *f, uint32_t address,
		      const struct disasm_line *line, const char *source)
{
	char word[24];

	json_object(j, NULL);
	json_u64(j, "address", address);
	json_array(j, "words"); /* strings: a JSON number is a double to many readers */
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

/* A kernel's code or a function's, with its lines. Returns the number of words that are no known
 * instruction. */
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
			line_json(j, isa, im, f, at, &out, source);
		else
			line_text(q, isa, at, f->code + at, &out);
	}
	if (q->json) {
		json_end_array(j);
		json_end_object(j);
	}
	return unknown;
}

static void kernel_head_json(struct json *j, const struct image *im, const struct image_kernel *k)
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

/* What has code: a kernel or a function, by its number among its kind. */
struct piece {
	struct image_function code;
	const struct image_kernel *kernel; /* NULL: it is a function */
	uint32_t index;
};

static int by_place(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	return x->code.code_offset < y->code.code_offset
		       ? -1
		       : x->code.code_offset > y->code.code_offset;
}

/* In the order of memory; those of this name, or all. To be freed; NULL: no memory. */
static struct piece *gather(const struct image *im, const char *only, uint32_t *count)
{
	struct piece *all = calloc((size_t)im->nkernels + im->nfunctions + 1, sizeof(*all));
	uint32_t n = 0;

	for (uint32_t i = 0; all && i < im->nkernels; i++) {
		const struct image_kernel *k = &im->kernels[i];

		if (!only || !strcmp(k->name, only))
			all[n++] = (struct piece){
				{k->name, k->code, k->code_bytes, k->code_offset, false}, k, i};
	}
	for (uint32_t i = 0; all && i < im->nfunctions; i++)
		if (!only || !strcmp(im->functions[i].name, only))
			all[n++] = (struct piece){im->functions[i], NULL, i};
	if (all)
		qsort(all, n, sizeof(*all), by_place);
	*count = n;
	return all;
}

static void print_head(const struct request *q, struct json *j, const struct image *im,
		       const struct piece *p)
{
	const struct image_kernel *k = p->kernel;

	if (q->json && k) {
		kernel_head_json(j, im, k);
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
		       p->code.data ? "data" : "a function");
	}
}

static uint32_t print_piece(const struct request *q, struct json *j, const struct image *im,
			    const struct piece *p)
{
	uint32_t count, unknown;
	struct image_line *lines = p->kernel ? image_lines(im, p->index, &count)
					     : image_function_lines(im, p->index, &count);

	print_head(q, j, im, p);
	unknown = print_code(q, j, im, &p->code, lines, count);
	free(lines);
	return unknown;
}

/* Kernels and functions each have an array. */
static uint32_t print_json(const struct request *q, const struct image *im,
			   const struct piece *pieces, uint32_t count)
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
			if ((pieces[i].kernel != NULL) == kernels)
				unknown += print_piece(q, &j, im, &pieces[i]);
		json_end_array(&j);
	}
	json_end_object(&j);
	return unknown;
}

static int print_image(const struct verb *v, const struct request *q, const struct image *im,
		       const char *only)
{
	uint32_t unknown = 0, count;
	struct piece *pieces = gather(im, only, &count);

	if (!pieces || (only && !count)) {
		if (pieces)
			complain(v, "there is no kernel or function '%s' in the file", only);
		else
			complain(v, "out of memory");
		free(pieces);
		return EXIT_FAILED;
	}
	if (q->json)
		unknown = print_json(q, im, pieces, count);
	for (uint32_t i = 0; !q->json && i < count; i++)
		unknown += print_piece(q, NULL, im, &pieces[i]);
	free(pieces);
	if (unknown)
		complain(v, "%u words are no instruction known here", unknown);
	return unknown ? EXIT_FAILED : EXIT_DONE;
}

static int run(const struct verb *v, int argc, char **argv)
{
	struct request q = {0};
	const struct option options[] = {
		{"control", 'c', NULL,
		 "show [wait:read:write:yield:stall] before each instruction (NVIDIA)", &q.control,
		 NULL},
		{"raw", 'r', NULL, "show the words, low first, after each", &q.raw, NULL},
		{"json", 0, NULL, "print JSON, with all of that", &q.json, NULL},
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
		return usage_error(v, "no file");
	if (operands > 2)
		return usage_error(v, "unexpected operand '%s'", argv[2]);
	if (!read_file(v, argv[0], &file, &size))
		return EXIT_FAILED;
	if (image_read(&im, file, size, message, sizeof(message))) {
		status = print_image(v, &q, &im, operands > 1 ? argv[1] : NULL);
	} else {
		complain(v, "'%s': %s", argv[0], message);
		status = EXIT_FAILED;
	}
	image_free(&im);
	free(file);
	return status;
}

const struct verb verb_disasm = {
	.name = "disasm",
	.summary = "Show the machine code of an image.",
	.usage = "[OPTION]... FILE [KERNEL]",
	.details = "FILE is a cubin, or an AMD code object. KERNEL may also be a function that "
		   "kernels of a\ncode object call. Without it all of them are shown.\n",
	.run = run,
};
