// SPDX-License-Identifier: MIT
/*
 * Reads SPIR-V binaries: byte order, header, instructions, strings. Every word comes through here,
 * so that no offset is used unchecked.
 */
#include <stdarg.h>
#include <string.h>
#include "libsov/compiler/spirv/front_end.h"
#include "libsov/compiler/spirv/spirv.h"

#define HEADER_WORDS 5

const struct spirv_grammar *spirv_grammar_find(uint32_t opcode)
{
	uint32_t low = 0, high = spirv_grammar_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (spirv_grammar[middle].opcode < opcode)
			low = middle + 1;
		else
			high = middle;
	}
	return low < spirv_grammar_count && spirv_grammar[low].opcode == opcode
		       ? &spirv_grammar[low]
		       : NULL;
}

/* "spirv: word 47: OpIAdd: … (at shader.comp:12:3)" */
void spirv_fail(struct spirv *s, const char *fmt, ...)
{
	struct text message = {.arena = s->arena};
	va_list ap;

	if (s->in.words)
		text_printf(&message, "word %u: ", s->in.at);
	if (s->in.words && s->in.grammar)
		text_printf(&message, "Op%s: ", s->in.grammar->name);
	va_start(ap, fmt);
	text_vprintf(&message, fmt, ap);
	va_end(ap);
	if (s->line_file)
		text_printf(&message, " (at %s:%u:%u)", s->ids[s->line_file].text, s->line,
			    s->column);
	diag_error(&s->job->diag, 0, 0, "%s", message.s);
	longjmp(s->failure, 1);
}

bool spirv_is(const void *data, size_t bytes)
{
	uint32_t magic = 0;

	if (bytes < sizeof(magic))
		return false;
	memcpy(&magic, data, sizeof(magic));
	return magic == SPIRV_MAGIC || magic == __builtin_bswap32(SPIRV_MAGIC);
}

void spirv_read_words(struct spirv *s, const char *data, size_t bytes)
{
	if (!spirv_is(data, bytes))
		spirv_fail(s, "the data does not begin with the magic number 0x%08x", SPIRV_MAGIC);
	if (bytes % 4)
		spirv_fail(s, "%zu bytes are no whole number of words of 4 bytes", bytes);
	if (bytes < 4 * HEADER_WORDS)
		spirv_fail(s, "%zu bytes are less than the header's %d", bytes, 4 * HEADER_WORDS);
	if (bytes > INT32_MAX)
		spirv_fail(s, "the module is longer than 2 GiB");
	s->nwords = (uint32_t)(bytes / 4);
	s->words = arena_array(s->arena, s->nwords, 4);
	memcpy(s->words, data, bytes);
	if (s->words[0] != SPIRV_MAGIC)
		for (uint32_t k = 0; k < s->nwords; k++)
			s->words[k] = __builtin_bswap32(s->words[k]);
	s->version = s->words[1];
	s->bound = s->words[3];
	if (s->version & 0xff0000ff || s->version >> 16 != 1 || (s->version >> 8 & 0xff) > 6)
		spirv_fail(s, "version word 0x%08x; known: SPIR-V 1.0 to 1.6", s->version);
	if (!s->bound || s->bound > SPIRV_MAX_ID)
		spirv_fail(s, "the bound of ids is %u; it must be 1 to %u", s->bound, SPIRV_MAX_ID);
	s->ids = arena_array(s->arena, s->bound, sizeof(*s->ids));
}

/* The words that the operands of an instruction have at least. */
static uint32_t least_words(const char *shape)
{
	uint32_t n = 1;

	for (; *shape; shape++) {
		bool optional = shape[1] == '?' || shape[1] == '*';

		if (!optional)
			n += *shape == 'L' || *shape == 'I' || *shape == 'J' ? 2 : 1;
		else
			shape++;
	}
	return n;
}

bool spirv_fetch(struct spirv *s, uint32_t at)
{
	struct spirv_inst *in = &s->in;

	if (at == s->nwords)
		return false;
	in->at = at;
	in->words = &s->words[at];
	in->opcode = in->words[0] & 0xffff;
	in->count = in->words[0] >> 16;
	in->grammar = spirv_grammar_find(in->opcode);
	if (!in->count || in->count > s->nwords - at)
		spirv_fail(s, "the instruction has %u words, and %u are left", in->count,
			   s->nwords - at);
	if (!in->grammar)
		spirv_fail(s, "unknown instruction %u", in->opcode);
	if (in->count < least_words(in->grammar->shape))
		spirv_fail(s, "the instruction has %u words; it needs at least %u", in->count,
			   least_words(in->grammar->shape));
	return true;
}

uint32_t spirv_word(struct spirv *s, uint32_t k)
{
	if (k >= s->in.count)
		spirv_fail(s, "word %u of the instruction is missing; it has %u", k, s->in.count);
	return s->in.words[k];
}

uint32_t spirv_optional(const struct spirv *s, uint32_t k, uint32_t otherwise)
{
	return k < s->in.count ? s->in.words[k] : otherwise;
}

const char *spirv_string(struct spirv *s, uint32_t k, uint32_t *next)
{
	struct text t = {.arena = s->arena};

	for (;; k++) {
		uint32_t word = spirv_word(s, k);

		for (int byte = 0; byte < 4; byte++, word >>= 8) {
			if (!(word & 0xff)) {
				if (next)
					*next = k + 1;
				return t.s ? t.s : "";
			}
			text_printf(&t, "%c", (int)(word & 0xff));
		}
	}
}

struct spirv_id *spirv_id_of(struct spirv *s, uint32_t id)
{
	if (!id || id >= s->bound)
		spirv_fail(s, "id %u is not below the bound %u", id, s->bound);
	return &s->ids[id];
}

const char *spirv_id_name(struct spirv *s, uint32_t id)
{
	const char *name = id < s->bound ? s->ids[id].name : NULL;

	return name && *name ? arena_printf(s->arena, "%%%u (%s)", id, name)
			     : arena_printf(s->arena, "%%%u", id);
}
