// SPDX-License-Identifier: MIT
/* sov disasm for NVIDIA's machine code, in the syntax of NVIDIA's own disassembler. */
#include <string.h>
#include "libsov/isa/nv/sass.h"
#include "tools/disasm.h"

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

static bool take(const struct image *im, const struct image_function *f, uint32_t at,
		 struct sass_inst *in)
{
	struct sass_word w;

	memcpy(&w, f->code + at, sizeof(w)); /* little-endian host */
	return sass_decode(image_nv_sm(im), w, in);
}

static void decode(const struct image *im, const struct image_function *f, uint32_t at,
		   struct disasm_line *out)
{
	struct sass_inst in;
	int n;

	out->bytes = sizeof(struct sass_word);
	out->known = take(im, f, at, &in);
	if (!out->known)
		return;
	n = sass_print(image_nv_sm(im), &in, at, out->text, sizeof(out->text) - 2);
	if (n >= 0 && (size_t)n < sizeof(out->text) - 2)
		strcpy(out->text + n, " ;");
	print_control(&in, out->control);
}

static void add_json(const struct image *im, const struct image_function *f, uint32_t at,
		     struct json *j)
{
	struct sass_inst in;

	if (!take(im, f, at, &in))
		return;
	json_u64(j, "stall", in.stall);
	json_bool(j, "yield", in.yield);
	json_u64(j, "wait", in.wait);
	if (in.read_barrier != SASS_NO_SB)
		json_u64(j, "read_barrier", in.read_barrier);
	if (in.write_barrier != SASS_NO_SB)
		json_u64(j, "write_barrier", in.write_barrier);
	json_u64(j, "reuse", in.reuse);
}

const struct disasm_isa disasm_nv = {8, decode, add_json};
