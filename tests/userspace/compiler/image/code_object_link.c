// SPDX-License-Identifier: MIT
/*
 * The AMD linker's output is read back and run on the software GPU: references to variables and
 * functions, variables that hold addresses, hidden arguments, line tables; with variables next to
 * the code as any loader places them, at a separate address, or in another image.
 */
#include <elf.h>
#include "tests/tap.h"
#include "libsov/compiler/image/image_amd.h"
#include "model/amd/amd.h"
#include "tests/userspace/compiler/amd/_module.h"

#define CODE_VA 0x7f0000100000u
#define DATA_VA 0x120000000000u
#define OUT_VA  0x2000000u
#define ARGS_VA 0x3000000u

static struct hand_module module;
static char message[400];
static uint32_t out;
static uint8_t *parts[IMAGE_PARTS];
static uint64_t part_bytes[IMAGE_PARTS];
static uint8_t arguments[512];

static void *memory_at(void *context, uint64_t va, uint32_t bytes, bool write)
{
	const struct {
		uint64_t va;
		void *bytes;
		uint64_t size;
	} ranges[] = {{CODE_VA, parts[IMAGE_CODE], part_bytes[IMAGE_CODE]},
		      {DATA_VA, parts[IMAGE_DATA], part_bytes[IMAGE_DATA]},
		      {OUT_VA, &out, sizeof(out)},
		      {ARGS_VA, arguments, sizeof(arguments)}};

	(void)context;
	(void)write;
	for (uint32_t i = 0; i < 4; i++)
		if (ranges[i].bytes && va >= ranges[i].va &&
		    va + bytes <= ranges[i].va + ranges[i].size)
			return (uint8_t *)ranges[i].bytes + (va - ranges[i].va);
	return NULL;
}

static bool read_image(const struct compile_image *from, struct image *im)
{
	if (image_read(im, from->data, from->size, message, sizeof(message)))
		return true;
	diag("%s", message);
	image_free(im);
	return false;
}

static bool place_part(const struct image *im, enum image_part part)
{
	static const struct image_addresses addresses = {.base = {CODE_VA, DATA_VA}};

	free(parts[part]);
	part_bytes[part] = im->part_bytes[part];
	parts[part] = malloc(part_bytes[part] + 1);
	if (!parts[part])
		return false;
	image_load_part(im, part, &addresses, parts[part]);
	return true;
}

static const struct image_kernel *find_kernel(const struct image *im, const char *name)
{
	for (uint32_t k = 0; k < im->nkernels; k++)
		if (!strcmp(im->kernels[k].name, name))
			return &im->kernels[k];
	return NULL;
}

/* Returns the word that the kernel stores; 0 on error. */
static uint32_t run_kernel(const struct image *im, const char *name)
{
	static const struct amd_memory memory = {memory_at, NULL};
	const struct image_kernel *k = find_kernel(im, name);
	struct amd_launch l = {.memory = &memory,
			       .kernarg = ARGS_VA,
			       .groups = {3, 1, 1},
			       .threads = {32, 1, 1},
			       .hazard = true,
			       .limit = 1000};
	const struct image_amd_hidden *count;

	if (!k)
		return diag("no kernel %s", name), 0;
	l.entry = CODE_VA + k->code_offset;
	l.rsrc1 = image_amd_kernel(k)->descriptor.rsrc1;
	l.rsrc2 = image_amd_kernel(k)->descriptor.rsrc2;
	l.properties = image_amd_kernel(k)->descriptor.properties;
	count = &image_amd_kernel(k)->hidden[AMD_HIDDEN_BLOCK_COUNT_X];
	memset(arguments, 0xee, sizeof(arguments));
	memcpy(arguments + k->params[0].offset, &(uint64_t){OUT_VA}, 8);
	if (count->bytes)
		memcpy(arguments + count->offset, l.groups, count->bytes);
	out = 0;
	if (!amd_run(&l, message, sizeof(message)))
		diag("%s: %s", name, message);
	return out;
}

static bool all_run(const struct image *im)
{
	return run_kernel(im, "counter_kernel") == 42 && run_kernel(im, "table_kernel") == 7 &&
	       run_kernel(im, "constant_kernel") == 2003;
}

static bool kernels_as_made(const struct image *im)
{
	const struct image_kernel *c = find_kernel(im, "counter_kernel"),
				  *t = find_kernel(im, "table_kernel"),
				  *h = find_kernel(im, "constant_kernel");

	return im->nkernels == 3 && c && t && h && c->param_bytes == 8 && c->nparams == 1 &&
	       image_amd_kernel(c)->kernarg_bytes == 8 && t->shared_bytes == 64 &&
	       t->required_threads[0] == 32 && t->required_threads[2] == 1 &&
	       h->param_bytes == 12 && h->nparams == 2 && h->params[1].offset == 8 &&
	       h->params[1].size == 4 && image_amd_kernel(h)->kernarg_bytes == 24 &&
	       image_amd_kernel(h)->hidden[AMD_HIDDEN_BLOCK_COUNT_X].offset == 16 &&
	       c->registers == 2 && c->code_offset % 256 == 0 && t->code_offset % 256 == 0 &&
	       !c->calls && AMD_RSRC2_USER_SGPRS(image_amd_kernel(c)->descriptor.rsrc2) == 2 &&
	       AMD_RSRC1_VGPRS(image_amd_kernel(c)->descriptor.rsrc1) == 8 &&
	       AMD_RSRC1_FLOAT_MODE(image_amd_kernel(c)->descriptor.rsrc1) ==
		       AMD_FLOAT_MODE_DEFAULT;
}

static const struct image_variable *find_variable(const struct image *im, const char *name)
{
	for (uint32_t k = 0; k < im->nvariables; k++)
		if (!strcmp(im->variables[k].name, name))
			return &im->variables[k];
	return NULL;
}

static bool variables_as_made(const struct image *im)
{
	static const uint32_t words[4] = {3, 5, 7, 9};
	const struct image_variable *w = find_variable(im, "words"),
				    *z = find_variable(im, "zeros"),
				    *t = find_variable(im, "table"),
				    *c = find_variable(im, "constants");
	uint64_t address;

	if (im->nvariables != 5 || !w || !z || !t || !c || z->bytes != 100 || z->offset % 16 ||
	    w->part != IMAGE_DATA || z->part != IMAGE_DATA || c->bytes != 8)
		return false;
	memcpy(&address, parts[IMAGE_DATA] + t->offset, 8);
	if (address != DATA_VA + z->offset)
		return diag("0x%llx", (unsigned long long)address), false;
	for (uint32_t k = 0; k < 100; k++)
		if (parts[IMAGE_DATA][z->offset + k])
			return false;
	return !memcmp(parts[IMAGE_DATA] + w->offset, words, sizeof(words));
}

/* Loads all segments at the file's distances, as a loader that ignores image parts does. */
static bool at_distances(const struct compile_image *from)
{
	uint8_t *stripped = malloc(from->size);
	struct image im;
	Elf64_Ehdr e;
	bool good;

	memcpy(stripped, from->data, from->size);
	memcpy(&e, stripped, sizeof(e));
	for (uint32_t i = 0; i < e.e_shnum; i++) { /* remove the list of code references */
		Elf64_Shdr s;
		uint8_t *header = stripped + e.e_shoff + i * sizeof(s);

		memcpy(&s, header, sizeof(s));
		if (s.sh_type == SHT_RELA && !(s.sh_flags & SHF_ALLOC))
			memset(header, 0, sizeof(s));
	}
	good = image_read(&im, stripped, from->size, message, sizeof(message)) &&
	       !im.part_bytes[IMAGE_DATA] && place_part(&im, IMAGE_CODE) && all_run(&im) &&
	       find_variable(&im, "words")->part == IMAGE_CODE;
	image_free(&im);
	free(stripped);
	return good;
}

static bool lines_of(const struct image *im, const char *name, const char *want)
{
	char all[200] = "", one[80];
	struct image_line *lines;
	uint32_t count, n = 0;

	lines = image_lines(im, (uint32_t)(find_kernel(im, name) - im->kernels), &count);
	for (uint32_t i = 0; i < count; i++) {
		image_line_print(&lines[i], one, sizeof(one));
		n += (uint32_t)snprintf(all + n, sizeof(all) - n, "%u %s,", lines[i].offset, one);
	}
	free(lines);
	if (strcmp(all, want))
		diag("%s: %s", name, all);
	return !strcmp(all, want);
}

/* Exactly one function, with its line, and no kernels. */
static bool functions_as_made(const struct image *im)
{
	const struct image_function *f = im->functions;
	struct image_line *lines;
	uint32_t count = 0;
	bool good;

	if (im->nfunctions != 1)
		return diag("%u functions", im->nfunctions), false;
	lines = image_function_lines(im, 0, &count);
	good = count == 1 && lines[0].offset == 0 && lines[0].line == 40;
	free(lines);
	return good && !strcmp(f->name, "twice") && !f->data &&
	       f->code_bytes == module.hands[3].bytes &&
	       !memcmp(f->code, module.hands[3].code, f->code_bytes) &&
	       im->sections[0].part == IMAGE_CODE &&
	       f->code_offset > find_kernel(im, "constant_kernel")->code_offset;
}

/* Reads the image with one field of the function's symbol changed. */
static bool function_damaged(const struct compile_image *from, uint32_t field, uint32_t bytes,
			     uint64_t value, const char *says)
{
	uint8_t *file = malloc(from->size);
	struct image im;
	Elf64_Ehdr e;
	bool good;

	memcpy(file, from->data, from->size);
	memcpy(&e, file, sizeof(e));
	for (uint32_t i = 0; i < e.e_shnum; i++) {
		Elf64_Shdr s;

		memcpy(&s, file + e.e_shoff + i * sizeof(s), sizeof(s));
		if (s.sh_type == SHT_SYMTAB) /* the first symbol after the null symbol */
			memcpy(file + s.sh_offset + sizeof(Elf64_Sym) + field, &value, bytes);
	}
	good = image_read(&im, file, from->size, message, sizeof(message));
	if (good)
		snprintf(message, sizeof(message), "%u functions%s, %u variables", im.nfunctions,
			 im.nfunctions && im.functions[0].data ? " of data" : "", im.nvariables);
	image_free(&im);
	free(file);
	if (strncmp(message, says, strlen(says)))
		diag("%s", message);
	return !strncmp(message, says, strlen(says));
}

#define FIELD(name) offsetof(Elf64_Sym, name), sizeof(((Elf64_Sym *)0)->name)

static bool functions_checked(const struct compile_image *from)
{
	static const char refused[] = "code object: function 'twice': 0x";

	return function_damaged(from, FIELD(st_size), 8, "1 functions, 5 ") &&
	       function_damaged(from, FIELD(st_size), 7, refused) &&
	       function_damaged(from, FIELD(st_size), 1 << 20, refused) &&
	       function_damaged(from, FIELD(st_size), 1ull << 32, refused) &&
	       function_damaged(from, FIELD(st_value), 0, refused) &&
	       function_damaged(from, FIELD(st_value), 1ull << 40, refused) &&
	       function_damaged(from, FIELD(st_size), 0, "0 functions, 5 ") &&
	       function_damaged(from, FIELD(st_info), STT_NOTYPE, "0 functions, 5 ") &&
	       function_damaged(from, FIELD(st_info), STT_OBJECT, "1 functions of data, 5 ");
}

static void test_whole_image(void)
{
	struct compile_image made;
	struct image im;

	hand_link(&module, IMAGE_WHOLE, &made);
	if (!ok(read_image(&made, &im),
		"the reader accepts the code object that the AMD linker wrote"))
		return;
	ok(kernels_as_made(&im), "kernels read back have the parameters, hidden arguments and "
				 "resources they were linked with");
	ok(place_part(&im, IMAGE_CODE) && place_part(&im, IMAGE_DATA) && all_run(&im),
	   "with code and variables at separate addresses, kernels reach variables, a function and "
	   "a constant");
	ok(variables_as_made(&im),
	   "loaded variables have their initial bytes, with relocated addresses among them");
	ok(lines_of(&im, "counter_kernel", "0 /src/hand.cu:10,8 /src/hand.cu:13,") &&
		   lines_of(&im, "table_kernel", "0 /src/hand.cu:20,8 /src/hand.cu:23,"),
	   "each linked kernel has its own line table");
	ok(functions_as_made(&im),
	   "a called function is read back with its name, code and source line");
	ok(functions_checked(&made), "function symbols outside of .text are rejected, and data in "
				     ".text is not listed as a variable");
	image_free(&im);
	ok(at_distances(&made), "loaded in one piece at the file's segment distances, the kernels "
				"give the same results");
}

/* Variables in one image, code in another. */
static void test_split_images(void)
{
	struct compile_image head_made, unit_made;
	struct image head, unit;

	hand_link(&module, IMAGE_HEAD, &head_made);
	hand_link(&module, IMAGE_UNIT, &unit_made);
	if (!ok(read_image(&head_made, &head),
		"the reader accepts an AMD image with variables only"))
		return;
	ok(head.ndeclared == 3 && !head.nkernels &&
		   !strcmp(head.declared[1].name, "table_kernel") && head.declared[2].unit == 0,
	   "an AMD image with variables only declares all kernels");
	if (!ok(read_image(&unit_made, &unit), "the reader accepts an AMD image with code only"))
		return;
	ok(unit.nkernels == 3 && !unit.ndeclared &&
		   unit.part_bytes[IMAGE_DATA] == head.part_bytes[IMAGE_DATA],
	   "an AMD image with code only reserves the same size for variables");
	ok(place_part(&unit, IMAGE_CODE) && place_part(&head, IMAGE_DATA) && all_run(&unit) &&
		   variables_as_made(&head),
	   "kernels of a code-only image reach the variables of the other image");
	image_free(&head);
	image_free(&unit);
}

static void test_deterministic(void)
{
	struct compile_image first, second;

	hand_link(&module, IMAGE_WHOLE, &first);
	hand_link(&module, IMAGE_WHOLE, &second);
	ok(first.size == second.size && !memcmp(first.data, second.data, first.size),
	   "linking the same kernels twice gives identical code objects");
}

int main(void)
{
	if (ok(hand_build(&module), "module layout of a hand-written AMD module succeeds")) {
		test_whole_image();
		test_split_images();
		test_deterministic();
	} else {
		diag("%s", module.job.diag.text);
	}
	arena_free(&module.job.arena);
	for (uint32_t p = 0; p < IMAGE_PARTS; p++)
		free(parts[p]);
	return tap_done();
}
