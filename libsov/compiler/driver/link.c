// SPDX-License-Identifier: MIT
/*
 * Linking of several inputs to one image: source text is compiled to relocatable objects, which the
 * back end links with the given ones.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/compiler/driver/compiler.h"

struct link {
	struct link_input *objects;      /* by input */
	struct compile_result *compiled; /* by input; empty for an object */
	char *messages;
	size_t length;
	bool fault;
};

static bool is_object(const struct link_input *in)
{
	return in->bytes >= 4 && !memcmp(in->data, "\177ELF", 4);
}

/* Appends messages, each line after the name of its input. */
static void append_messages(struct link *l, const char *name, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n"), size = strlen(name) + n + 4;
		char *grown = realloc(l->messages, l->length + size);

		if (!grown)
			return;
		l->messages = grown;
		l->length +=
			(size_t)snprintf(grown + l->length, size, "%s: %.*s\n", name, (int)n, text);
		text += n + (text[n] == '\n');
	}
}

static bool compile_input(struct link *l, uint32_t k, const struct link_input *in,
			  const struct compile_options *o)
{
	struct compile_result *r = &l->compiled[k];
	bool good;

	l->objects[k] = *in;
	if (is_object(in))
		return true;
	good = compile(in->data, in->bytes, o, r);
	if (r->messages)
		append_messages(l, in->name, r->messages);
	l->fault |= r->fault;
	l->objects[k].data = r->image;
	l->objects[k].bytes = r->image_size;
	return good;
}

static void link_objects(struct link *l, uint32_t count, const struct compile_options *o,
			 struct compile_result *r)
{
	const struct target *t = o->target ? target_find(o->target) : NULL;
	char message[512] = "link: the target has no linker; compile one input at a time";

	if (t && t->backend && t->backend->link_objects)
		r->image = t->backend->link_objects(l->objects, count, &r->image_size, message,
						    sizeof(message));
	if (!r->image) {
		free(l->messages);
		l->messages = NULL;
		l->length = 0;
		append_messages(l, "link", message + strlen("link: "));
	}
}

bool compile_link(const struct link_input *inputs, uint32_t count, const struct compile_options *o,
		  struct compile_result *r)
{
	struct link l = {.objects = calloc(count + 1, sizeof(*l.objects)),
			 .compiled = calloc(count + 1, sizeof(*l.compiled))};
	struct compile_options each = *o;
	bool good = l.objects && l.compiled;

	*r = (struct compile_result){0};
	each.relocatable = true;
	for (uint32_t k = 0; l.objects && l.compiled && k < count; k++)
		good &= compile_input(&l, k, &inputs[k], &each);
	if (good)
		link_objects(&l, count, o, r);
	for (uint32_t k = 0; l.compiled && k < count; k++)
		compile_result_free(&l.compiled[k]);
	free(l.objects);
	free(l.compiled);
	r->messages = l.messages ? l.messages : strdup("");
	r->fault = l.fault;
	return r->image != NULL;
}
