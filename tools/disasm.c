/* SPDX-License-Identifier: MIT */
/*
 * sov disasm: the machine code of an image as text, in the syntax of NVIDIA's own disassembler.
 * Words that are no instruction of the table are shown as such, and make the exit status 1. Where the
 * image knows which line of a source file code comes from, that stands before it.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/compiler/image.h"
#include "libsov/isa/sass.h"
#include "tools/tool.h"

struct request {
	bool control, raw, json;
};

/* One letter or digit per item, as people who schedule by hand write it: scoreboards waited for,
 * scoreboard of the sources, of the results, yield, stall. */
static void print_control(const struct sass_inst *in, char text[32])
{
	char wait[7];

	for (int i = 0; i < 6; i++)
		wait[i] = in->wait & 1u << i ? '0' + i : '-';
	wait[6] = 0;
	snprintf(text, 32, "[%s:R%c:W%c:%c:S%02u]", wait,
		 in->read_barrier == SASS_NO_SB ? '-' : '0' + in->read_barrier,
		 in->write_barrier == SASS_NO_SB ? '-' : '0' + in->write_barrier,
		 in->yield ? 'Y' : '-', in->stall);
}

static void line_text(const struct request *q, uint32_t address, struct sass_word w,
		      const struct sass_inst *in, const char *text)
{
	char control[32] = "";

	if (q->control && in)
		print_control(in, control);
	printf("        /*%04x*/  ", address);
	if (q->control)
		printf("%-22s ", control);
	if (q->raw)
		printf("%-56s /* 0x%016llx 0x%016llx */\n", text, (unsigned long long)w.lo,
		       (unsigned long long)w.hi);
	else
		printf("%s\n", text);
}

static void line_json(struct json *j, uint32_t address, struct sass_word w, const struct sass_inst *in,
		      const char *text, const char *source)
{
	char word[2][19];

	snprintf(word[0], sizeof(word[0]), "0x%016llx", (unsigned long long)w.lo);
	snprintf(word[1], sizeof(word[1]), "0x%016llx", (unsigned long long)w.hi);
	json_object(j, NULL);
	json_u64(j, "address", address);
	json_array(j, "words"); /* strings: a JSON number is a double to many readers */
	json_string(j, NULL, word[0]);
	json_string(j, NULL, word[1]);
	json_end_array(j);
	json_bool(j, "known", in);
	if (in) {
		json_string(j, "text", text);
		json_u64(j, "stall", in->stall);
		json_bool(j, "yield", in->yield);
		json_u64(j, "wait", in->wait);
		if (in->read_barrier != SASS_NO_SB)
			json_u64(j, "read_barrier", in->read_barrier);
		if (in->write_barrier != SASS_NO_SB)
			json_u64(j, "write_barrier", in->write_barrier);
		json_u64(j, "reuse", in->reuse);
	}
	if (*source)
		json_string(j, "source", source);
	json_end_object(j);
}

/* Returns the number of words that are no known instruction. */
static uint32_t print_kernel(const struct request *q, struct json *j, const struct image *im,
			     uint32_t kernel)
{
	const struct image_kernel *k = &im->kernels[kernel];
	const struct image_line *line, *before = NULL;
	uint32_t unknown = 0, count, sm = im->sm;
	struct image_line *lines = image_lines(im, kernel, &count);

	for (uint32_t at = 0; at + sizeof(struct sass_word) <= k->code_bytes; at += sizeof(struct sass_word)) {
		struct sass_word w;
		struct sass_inst in;
		char text[256] = "(unknown instruction)", source[512] = "";

		memcpy(&w, k->code + at, sizeof(w)); /* little-endian host */
		bool known = sass_decode(sm, w, &in);
		int n = known ? sass_print(sm, &in, at, text, sizeof(text) - 2) : 0;

		if (known && n >= 0 && (size_t)n < sizeof(text) - 2)
			strcpy(text + n, " ;");
		unknown += !known;
		line = image_line_at(lines, count, at);
		if (line)
			image_line_print(line, source, sizeof(source));
		if (!q->json && line && line != before)
			printf("        // %s\n", source);
		before = line;
		if (q->json)
			line_json(j, at, w, known ? &in : NULL, text, source);
		else
			line_text(q, at, w, known ? &in : NULL, text);
	}
	free(lines);
	return unknown;
}

static void kernel_head_json(struct json *j, const struct image_kernel *k)
{
	json_object(j, NULL);
	json_string(j, "name", k->name);
	json_u64(j, "registers", k->registers);
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
		json_u64(&j, "sm", im->sm);
		json_array(&j, "kernels");
	}
	for (uint32_t i = 0; i < im->nkernels; i++) {
		const struct image_kernel *k = &im->kernels[i];

		if (only && strcmp(k->name, only))
			continue;
		if (q->json)
			kernel_head_json(&j, k);
		else
			printf("%s:  // sm_%u, %u registers, %u bytes of shared memory, %u bytes of parameters\n",
			       k->name, im->sm, k->registers, k->shared_bytes, k->param_bytes);
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
		{"control", 'c', NULL, "show [wait:read:write:yield:stall] before each instruction", &q.control, NULL},
		{"raw", 'r', NULL, "show the two 64-bit words, low first, after each", &q.raw, NULL},
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
	.details = "FILE is a cubin. Without KERNEL all of its kernels are shown.\n",
	.run = run,
};
