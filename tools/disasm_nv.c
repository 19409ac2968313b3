// SPDX-License-Identifier: MIT
/* sov disasm for NVIDIA's machine code, in the syntax of nvdisasm. */
#include <string.h>
#include "libsov/compiler/image/image_nv.h"
#include "libsov/isa/nv/sass.h"
#include "tools/disasm.h"

/* Control fields, similar to CuAssembler's listings: wait mask, read scoreboard, write scoreboard,
 * yield, stall count. */
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

static bool nv_decode_inst(const struct image *im, const struct image_function *f, uint32_t at,
			   struct sass_inst *in)
{
	struct sass_word w;

	memcpy(&w, f->code + at, sizeof(w)); /* little-endian host */
	return sass_decode(image_nv_sm(im), w, in);
}

static void nv_decode_line(const struct image *im, const struct image_function *f, uint32_t at,
			   struct disasm_line *out)
{
	struct sass_inst in;
	int n;

	out->bytes = sizeof(struct sass_word);
	out->known = nv_decode_inst(im, f, at, &in);
	if (!out->known)
		return;
	n = sass_print(image_nv_sm(im), &in, at, out->text, sizeof(out->text) - 2);
	if (n >= 0 && (size_t)n < sizeof(out->text) - 2)
		strcpy(out->text + n, " ;");
	print_control(&in, out->control);
}

static void nv_add_control_json(const struct image *im, const struct image_function *f, uint32_t at,
				struct json *j)
{
	struct sass_inst in;

	if (!nv_decode_inst(im, f, at, &in))
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

const struct disasm_isa disasm_nv = {8, nv_decode_line, nv_add_control_json};
