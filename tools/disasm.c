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
		      const struct image_kernel *k, uint32_t address, const struct disasm_line *line,
		      const char *source)
{
	char word[24];

	json_object(j, NULL);
	json_u64(j, "address", address);
	json_array(j, "words"); /* strings: a JSON number is a double to many readers */
	for (uint32_t i = 0; i < line->bytes / isa->word_bytes; i++)
		json_string(j, NULL, word_text(isa, k->code + address, i, word));
	json_end_array(j);
	json_bool(j, "known", line->known);
	if (line->known) {
		json_string(j, "text", line->text);
		if (isa->json)
			isa->json(im, k, address, j);
	}
	if (*source)
		json_string(j, "source", source);
	json_end_object(j);
}

/* Returns the number of words that are no known instruction. */
static uint32_t print_kernel(const struct request *q, struct json *j, const struct image *im,
			     uint32_t kernel)
{
	const struct disasm_isa *isa = im->format == &image_code_object ? &disasm_amd : &disasm_nv;
	const struct image_kernel *k = &im->kernels[kernel];
	const struct image_line *line, *before = NULL;
	uint32_t unknown = 0, count, bytes;
	struct image_line *lines = image_lines(im, kernel, &count);

	for (uint32_t at = 0; at + isa->word_bytes <= k->code_bytes; at += bytes) {
		struct disasm_line out = {.text = "(unknown instruction)"};
		char source[512] = "";

		isa->decode(im, k, at, &out);
		bytes = out.bytes;
		unknown += !out.known;
		line = image_line_at(lines, count, at);
		if (line)
			image_line_print(line, source, sizeof(source));
		if (!q->json && line && line != before)
			printf("        // %s\n", source);
		before = line;
		if (q->json)
			line_json(j, isa, im, k, at, &out, source);
		else
			line_text(q, isa, at, k->code + at, &out);
	}
	free(lines);
	return unknown;
}

static void kernel_head_json(struct json *j, const struct image *im, const struct image_kernel *k)
{
	json_object(j, NULL);
	json_string(j, "name", k->name);
	json_u64(j, "registers", k->registers);
	if (im->format == &image_cubin)
		json_u64(j, "barriers", k->barriers);
	json_u64(j, "shared_bytes", k->shared_bytes);
	json_u64(j, "stack_bytes", k->stack_bytes);
	json_u64(j, "parameter_bytes", k->param_bytes);
	json_u64(j, "code_bytes", k->code_bytes);
	json_array(j, "instructions");
}

static int print_image(const struct verb *v, const struct request *q, const struct image *im,
		       const char *only)
{
	struct json j = {.out = stdout};
	uint32_t unknown = 0, shown = 0;

	for (uint32_t i = 0; only && i < im->nkernels; i++)
		shown += !strcmp(im->kernels[i].name, only);
	if (only && !shown) {
		complain(v, "there is no kernel '%s' in the file", only);
		return EXIT_FAILED;
	}
	if (q->json) {
		json_object(&j, NULL);
		if (im->format == &image_cubin)
			json_u64(&j, "sm", im->sm);
		json_string(&j, "target", im->target);
		json_array(&j, "kernels");
	}
	for (uint32_t i = 0; i < im->nkernels; i++) {
		const struct image_kernel *k = &im->kernels[i];

		if (only && strcmp(k->name, only))
			continue;
		if (q->json)
			kernel_head_json(&j, im, k);
		else
			printf("%s:  // %s, %u registers, %u bytes of shared memory, %u bytes of parameters\n",
			       k->name, im->target, k->registers, k->shared_bytes, k->param_bytes);
		unknown += print_kernel(q, &j, im, i);
		if (q->json) {
			json_end_array(&j);
			json_end_object(&j);
		}
	}
	if (q->json) {
		json_end_array(&j);
		json_end_object(&j);
	}
	if (unknown)
		complain(v, "%u words are no instruction known here", unknown);
	return unknown ? EXIT_FAILED : EXIT_DONE;
}

static int run(const struct verb *v, int argc, char **argv)
{
	struct request q = {0};
	const struct option options[] = {
		{"control", 'c', NULL, "show [wait:read:write:yield:stall] before each instruction (NVIDIA)", &q.control, NULL},
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
	.details = "FILE is a cubin, or an AMD code object. Without KERNEL all of its kernels are shown.\n",
	.run = run,
};
