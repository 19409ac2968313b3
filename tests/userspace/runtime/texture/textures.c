// SPDX-License-Identifier: MIT
/*
 * Textures through the public API: memory of the program and of the texture, the same handle for
 * textures and surfaces, what is refused, and faults. One-instruction tests cover what kernels read
 * (tests/userspace/compiler/ptx/soft_instructions.c).
 */
#include "tests/userspace/runtime/_api.h"

#define WIDTH  5u
#define HEIGHT 3u
#define PITCH  64u

static const char ptx[] =
	".version 8.0\n.target sm_75\n.address_size 64\n"
	/* out[y * WIDTH + x] = texel; then 1 is added to it through a surface */
	".visible .entry read(.param .u64 t, .param .u64 o) {\n"
	"	.reg .b64 %t, %o;\n	.reg .b32 %x, %y, %b, %r<4>;\n"
	"	ld.param.u64 %t, [t];\n	ld.param.u64 %o, [o];\n"
	"	mov.u32 %x, %tid.x;\n	mov.u32 %y, %tid.y;\n"
	"	tex.2d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [%t, {%x, %y}];\n"
	"	mad.lo.u32 %b, %y, 5, %x;\n	mad.wide.u32 %o, %b, 4, %o;\n"
	"	st.global.u32 [%o], %r0;\n"
	"	shl.b32 %b, %x, 2;\n	add.u32 %r0, %r0, 1;\n"
	"	sust.b.2d.b32.trap [%t, {%b, %y}], {%r0};\n	ret;\n}\n"
	".visible .entry one(.param .u64 t, .param .u64 o) {\n"
	"	.reg .b64 %t, %o;\n	.reg .b32 %x, %r<4>;\n"
	"	ld.param.u64 %t, [t];\n	ld.param.u64 %o, [o];\n	mov.u32 %x, %tid.x;\n"
	"	tex.1d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [%t, {%x}];\n"
	"	mad.wide.u32 %o, %x, 4, %o;\n	st.global.u32 [%o], %r0;\n	ret;\n}\n"
	/* the same by variables that hold the handle; the surface is written, and then read */
	".visible .global .texref named;\n.visible .global .surfref changed;\n"
	".visible .entry by_name(.param .u64 t, .param .u64 o) {\n"
	"	.reg .b64 %t, %o;\n	.reg .b32 %x, %b, %r<4>;\n"
	"	ld.param.u64 %o, [o];\n	mov.u32 %x, %tid.x;\n	mov.u64 %t, named;\n"
	"	tex.1d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [named, {%x}];\n"
	"	txq.width.b32 %r1, [%t];\n	add.u32 %r0, %r0, %r1;\n"
	"	shl.b32 %b, %x, 2;\n	sust.b.1d.b32.trap [changed, {%b}], {%r0};\n"
	"	suld.b.1d.b32.trap {%r2}, [changed, {%b}];\n"
	"	mad.wide.u32 %o, %x, 4, %o;\n	st.global.u32 [%o], %r2;\n	ret;\n}\n";

static sov_context c;
static sov_module m;

static sov_texture_options words(uint32_t geometry, uint32_t width, uint32_t height)
{
	sov_texture_options o = SOV_INIT(sov_texture_options);

	o.geometry = geometry;
	o.width = width, o.height = height;
	o.channels = 1, o.channel_bits = 32;
	return o;
}

static sov_result run(const char *kernel, sov_texture t, sov_ptr out, uint32_t x, uint32_t y)
{
	const void *arguments[] = {&t, &out};
	sov_launch l = SOV_INIT(sov_launch);
	sov_function f;

	MUST(sov_module_get_function(m, kernel, &f));
	l.grid[0] = l.grid[1] = l.grid[2] = 1;
	l.block[0] = x, l.block[1] = y, l.block[2] = 1;
	l.arguments = arguments;
	l.argument_count = 2;
	MUST(sov_function_launch(f, &l));
	return sov_context_wait(c, 60 * SECOND);
}

/* memory: 0, or of the program with rows of PITCH bytes */
static void read_and_write(const char *device, sov_ptr memory, const char *whose)
{
	sov_texture_options o = words(SOV_TEXTURE_2D, WIDTH, HEIGHT);
	uint32_t texels[WIDTH * HEIGHT], seen[WIDTH * HEIGHT], after[WIDTH * HEIGHT], wrong = 0;
	sov_texture t;
	sov_ptr out;

	for (uint32_t k = 0; k < WIDTH * HEIGHT; k++)
		texels[k] = 1000 + 7 * k;
	o.memory = memory;
	o.row_bytes = memory ? PITCH : 0;
	MUST(sov_texture_create(c, &o, &t));
	MUST(sov_texture_write(c, t, texels));
	MUST(sov_memory_alloc(c, sizeof(seen), &out));
	MUST(run("read", t, out, WIDTH, HEIGHT));
	MUST(sov_memory_copy(c, SOV_HOST(seen), out, sizeof(seen)));
	MUST(sov_texture_read(c, t, after));
	for (uint32_t k = 0; k < WIDTH * HEIGHT; k++)
		wrong += seen[k] != texels[k] || after[k] != texels[k] + 1;
	ok(!wrong, "%s: a kernel reads a texture in memory of the %s and writes it as a surface",
	   device, whose);
	MUST(sov_texture_destroy(c, t));
	MUST(sov_memory_free(c, out));
}

static void pitch_memory(const char *device)
{
	uint8_t bytes[PITCH * HEIGHT];
	uint32_t word, changed = 0;
	sov_ptr memory;

	memset(bytes, 0x5a, sizeof(bytes));
	MUST(sov_memory_alloc(c, sizeof(bytes), &memory));
	MUST(sov_memory_copy(c, memory, SOV_HOST(bytes), sizeof(bytes)));
	read_and_write(device, memory, "program");
	MUST(sov_memory_copy(c, SOV_HOST(bytes), memory, sizeof(bytes)));
	memcpy(&word, bytes + 2 * PITCH + 4, 4);
	for (uint32_t k = 4 * WIDTH; k < PITCH; k++)
		changed += bytes[k] != 0x5a;
	ok(word == 1000 + 7 * (2 * WIDTH + 1) + 1 && !changed,
	   "%s: texels have the program's strides, and bytes between rows keep their values",
	   device);
	MUST(sov_memory_free(c, memory));
}

static void linear_memory(const char *device)
{
	sov_texture_options o = words(SOV_TEXTURE_1D, 100, 1);
	uint32_t texels[100], seen[128], wrong = 0;
	sov_ptr memory, out;
	sov_texture t;

	for (uint32_t k = 0; k < 100; k++)
		texels[k] = k * k;
	MUST(sov_memory_alloc(c, sizeof(texels), &memory));
	MUST(sov_memory_alloc(c, sizeof(seen), &out));
	MUST(sov_memory_copy(c, memory, SOV_HOST(texels), sizeof(texels)));
	o.memory = memory;
	MUST(sov_texture_create(c, &o, &t));
	MUST(run("one", t, out, 128, 1));
	MUST(sov_memory_copy(c, SOV_HOST(seen), out, sizeof(seen)));
	for (uint32_t k = 0; k < 128; k++)
		wrong += seen[k] != (k < 100 ? texels[k] : 0);
	ok(!wrong, "%s: a kernel reads a texture of one dimension in linear memory", device);
	MUST(sov_texture_destroy(c, t));
	MUST(sov_memory_free(c, memory));
	MUST(sov_memory_free(c, out));
}

/* A program writes the handles into the variables of a module. */
static void handles_in_variables(const char *device)
{
	static const char *const names[] = {"named", "changed"};
	sov_texture_options o = words(SOV_TEXTURE_1D, 16, 1);
	uint32_t texels[16], seen[16], wrong = 0;
	uint64_t bytes = 0;
	sov_ptr out, at;
	sov_texture t[2];

	for (uint32_t k = 0; k < 16; k++)
		texels[k] = 3 * k + 1;
	MUST(sov_memory_alloc(c, sizeof(seen), &out));
	for (uint32_t k = 0; k < 2; k++) {
		MUST(sov_texture_create(c, &o, &t[k]));
		MUST(sov_texture_write(c, t[k], texels));
		MUST(sov_module_get_variable(m, names[k], &at, &bytes));
		MUST(sov_memory_copy(c, at, SOV_HOST(&t[k]), sizeof(t[k])));
	}
	MUST(run("by_name", 0, out, 16, 1));
	MUST(sov_memory_copy(c, SOV_HOST(seen), out, sizeof(seen)));
	for (uint32_t k = 0; k < 16; k++)
		wrong += seen[k] != texels[k] + 16;
	ok(!wrong && bytes == 8,
	   "%s: .texref and .surfref variables hold the handles that are written", device);
	for (uint32_t k = 0; k < 2; k++)
		MUST(sov_texture_destroy(c, t[k]));
	MUST(sov_memory_free(c, out));
}

/* Launches "one" on a stream and returns the texel that it read. */
static uint32_t texel_on(sov_stream stream, sov_texture t, sov_ptr out)
{
	const void *arguments[] = {&t, &out};
	sov_launch l = SOV_INIT(sov_launch);
	uint32_t texel = 0;
	sov_function f;

	MUST(sov_module_get_function(m, "one", &f));
	l.grid[0] = l.grid[1] = l.grid[2] = 1;
	l.block[0] = l.block[1] = l.block[2] = 1;
	l.stream = stream;
	l.arguments = arguments;
	l.argument_count = 2;
	MUST(sov_memory_fill(c, out, 0, 4, 1));
	MUST(sov_function_launch(f, &l));
	if (!sov_stream_wait(stream, 60 * SECOND))
		MUST(sov_memory_copy(c, SOV_HOST(&texel), out, 4));
	return texel;
}

/* A context makes its pool of textures with the first one, when streams and their queues may
 * exist. */
static void streams_before_and_after(const char *device)
{
	sov_texture_options o = words(SOV_TEXTURE_1D, 1, 1);
	const uint32_t texel = 4711;
	sov_stream before, after;
	uint32_t seen[3];
	sov_texture t;
	sov_ptr out;

	c = context_on(device, 0);
	MUST(sov_module_load(c, ptx, strlen(ptx), NULL, &m));
	MUST(sov_memory_alloc(c, 4, &out));
	MUST(sov_stream_create(c, 0, &before));
	MUST(sov_memory_fill_async(before, out, 1, 4, 1));
	MUST(sov_texture_create(c, &o, &t));
	MUST(sov_texture_write(c, t, &texel));
	MUST(sov_stream_create(c, 0, &after));
	seen[0] = texel_on(before, t, out);
	seen[1] = texel_on(after, t, out);
	MUST(sov_context_reset(c));
	seen[2] = texel_on(before, t, out);
	ok(seen[0] == texel, "%s: a stream that is older than all textures reads one", device);
	ok(seen[1] == texel, "%s: a stream that is newer than a texture reads it", device);
	ok(seen[2] == texel, "%s: a stream reads a texture after a reset", device);
	MUST(sov_context_destroy(c));
}

/* Level 1 of twice the size is what "read" expects. */
static void view_of_a_level(const char *device)
{
	enum { ALL = 4 * WIDTH * HEIGHT, TEXELS = ALL + WIDTH * HEIGHT };
	sov_texture_options o = words(SOV_TEXTURE_2D, 2 * WIDTH, 2 * HEIGHT);
	uint32_t texels[TEXELS], seen[TEXELS], out_texels[WIDTH * HEIGHT], wrong = 0;
	sov_texture t, view;
	sov_ptr out;

	for (uint32_t k = 0; k < TEXELS; k++)
		texels[k] = 7 * k + 5;
	o.flags = SOV_TEXTURE_NORMALIZED;
	o.levels = 2;
	MUST(sov_texture_create(c, &o, &t));
	MUST(sov_texture_write(c, t, texels));
	o.texels = t;
	o.first_level = o.levels = 1;
	MUST(sov_texture_create(c, &o, &view));
	MUST(sov_memory_alloc(c, sizeof(out_texels), &out));
	MUST(run("read", view, out, WIDTH, HEIGHT));
	MUST(sov_memory_copy(c, SOV_HOST(out_texels), out, sizeof(out_texels)));
	ok(!memcmp(out_texels, &texels[ALL], sizeof(out_texels)),
	   "%s: a texture of one level reads that level", device);
	MUST(sov_texture_read(c, view, seen));
	for (uint32_t k = 0; k < WIDTH * HEIGHT; k++)
		wrong += seen[k] != texels[ALL + k] + 1;
	ok(!wrong, "%s: a surface of one level writes that level", device);
	MUST(sov_texture_read(c, t, seen));
	for (uint32_t k = 0; k < TEXELS; k++)
		wrong += seen[k] != texels[k] + (k >= ALL);
	ok(!wrong, "%s: and no other", device);
	o.first_level = 2;
	refused(sov_texture_create(c, &o, &view), SOV_ERROR_INVALID_ARGUMENT,
		"levels that the texture whose texels it shares lacks",
		"a level beyond the last is refused");
	MUST(sov_memory_free(c, out));
	MUST(sov_texture_destroy(c, view));
	MUST(sov_texture_destroy(c, t));
}

/* Memory of the program in the GPU's layout, a view of a layer of it, and where a texel lies. */
static void gpu_layout(const char *device)
{
	sov_texture_options o = words(SOV_TEXTURE_2D_LAYERS, WIDTH, HEIGHT);
	uint32_t texels[2 * WIDTH * HEIGHT], layer[WIDTH * HEIGHT], got = 0, i;
	uint64_t bytes = 0, alignment = 0;
	sov_texture all, one;
	sov_image image;
	sov_ptr memory;

	for (i = 0; i < 2 * WIDTH * HEIGHT; i++)
		texels[i] = 1000 + i;
	o.depth = 2;
	o.flags = SOV_TEXTURE_GPU_LAYOUT;
	MUST(sov_texture_get_requirements(c, &o, &bytes, &alignment));
	ok(bytes >= sizeof(texels) && alignment && !(alignment & (alignment - 1)),
	   "%s: the GPU's layout needs memory", device);
	MUST(sov_memory_alloc(c, bytes, &memory));
	ok(memory % alignment == 0, "%s: memory is aligned for it", device);
	o.memory = memory;
	MUST(sov_texture_create(c, &o, &all));
	MUST(sov_texture_write(c, all, texels));
	o = words(SOV_TEXTURE_2D, WIDTH, HEIGHT);
	o.texels = all;
	o.first_layer = 1;
	MUST(sov_texture_create(c, &o, &one));
	MUST(sov_texture_read(c, one, layer));
	ok(!memcmp(layer, texels + WIDTH * HEIGHT, sizeof(layer)),
	   "%s: a view of a layer has its texels", device);
	MUST(sov_texture_get_image(c, one, 0, &image));
	MUST(sov_memory_copy(c, SOV_HOST(&got), image.address, 4));
	ok(image.width == WIDTH && image.height == HEIGHT && image.depth == 1 &&
		   got == texels[WIDTH * HEIGHT],
	   "%s: the first texel of the layer is where its description says", device);
	refused(sov_texture_get_image(c, one, 1, &image), SOV_ERROR_INVALID_ARGUMENT,
		"level 1 of a texture that reads 1", "a level that a texture lacks has no place");
	MUST(sov_texture_destroy(c, one));
	o.first_layer = 2;
	refused(sov_texture_create(c, &o, &one), SOV_ERROR_INVALID_ARGUMENT,
		"layers that the texture", "a layer that a texture lacks has no view");
	o.first_layer = 0;
	o.swizzle[0] = 7;
	refused(sov_texture_create(c, &o, &one), SOV_ERROR_INVALID_ARGUMENT, "an unknown swizzle",
		"an unknown swizzle is refused");
	MUST(sov_texture_destroy(c, all));
	MUST(sov_memory_free(c, memory));
}

static void samplers(const char *device)
{
	sov_texture_options o = SOV_INIT(sov_texture_options);
	sov_texture sampler;

	ok(!sov_sampler_create(c, &o, &sampler) && sampler, "%s: a sampler needs no texels",
	   device);
	MUST(sov_texture_destroy(c, sampler));
	o.width = 4;
	refused(sov_sampler_create(c, &o, &sampler), SOV_ERROR_INVALID_ARGUMENT,
		"a sampler with texels", "a sampler with a size is refused");
	o.width = 0;
	o.max_anisotropy = 16;
	refused(sov_sampler_create(c, &o, &sampler), SOV_ERROR_INVALID_ARGUMENT, "anisotropic",
		"anisotropy is refused");
}

static void refused_levels(void)
{
	sov_texture_options o = words(SOV_TEXTURE_2D, 4, 4);
	sov_result bad = SOV_ERROR_INVALID_ARGUMENT;
	sov_texture t;

	o.levels = 3;
	refused(sov_texture_create(c, &o, &t), bad, "coordinates that are not normalized",
		"levels without normalized coordinates are refused");
	o.flags = SOV_TEXTURE_NORMALIZED;
	o.levels = 4;
	refused(sov_texture_create(c, &o, &t), bad, "more levels than halvings",
		"more levels than there are halvings of the size are refused");
	o.levels = 2;
	o.memory = 0x1000;
	refused(sov_texture_create(c, &o, &t), bad, "several levels in memory of the program",
		"levels in memory of the program are refused");
	o.memory = 0;
	o.flags |= SOV_TEXTURE_LEVEL_LIMITS;
	o.min_level = 1;
	refused(sov_texture_create(c, &o, &t), bad, "limits of the level",
		"a least level above the greatest is refused");
	o.max_level = 2;
	o.level_bias = -17;
	refused(sov_texture_create(c, &o, &t), bad, "a bias beyond -16 to 16",
		"a bias of -17 is refused");
	o.level_bias = 0;
	o.max_anisotropy = 4;
	refused(sov_texture_create(c, &o, &t), bad, "an anisotropic filter",
		"an anisotropic filter is refused");
	o.max_anisotropy = 1;
	o.compare = SOV_COMPARE_LESS;
	refused(sov_texture_create(c, &o, &t), bad, "a depth comparison",
		"a comparison of integers is refused");
}

static void refusals(bool nvidia)
{
	sov_texture_options o = words(SOV_TEXTURE_2D, 0, 3);
	sov_result bad = SOV_ERROR_INVALID_ARGUMENT;
	sov_texture t;

	refused(sov_texture_create(c, &o, &t), bad, "a width, height or depth of 0",
		"a texture without texels is refused");
	o = words(SOV_TEXTURE_2D, 4, 4);
	o.channels = 3;
	refused(sov_texture_create(c, &o, &t), bad, "channels other than 1, 2 and 4",
		"a texel of three channels is refused");
	o = words(SOV_TEXTURE_2D, 4, 4);
	o.flags = SOV_TEXTURE_LINEAR;
	refused(sov_texture_create(c, &o, &t), bad, "a linear filter for integers",
		"a linear filter of integers is refused");
	o = words(SOV_TEXTURE_CUBE, 4, 4);
	refused(sov_texture_create(c, &o, &t), bad, "multiple of 6",
		"a cube of one face is refused");
	o = words(SOV_TEXTURE_2D, 4, 4);
	o.memory = 0x1000;
	o.row_bytes = 32;
	refused(sov_texture_create(c, &o, &t), SOV_ERROR_INVALID_ADDRESS, "memory of the texture",
		"memory that nothing allocated is refused");
	o = words(SOV_TEXTURE_3D, 8, 8);
	o.depth = 2;
	o.memory = 0x1000;
	if (nvidia)
		refused(sov_texture_create(c, &o, &t), bad, "which NVIDIA's chips lack",
			"three dimensions in linear memory are refused");
	refused(sov_texture_destroy(c, 12345), SOV_ERROR_INVALID_HANDLE, "is not a texture",
		"an unknown handle is refused");
}

static void run_on(const char *device, bool nvidia)
{
	sov_ptr out;

	c = context_on(device, 0);
	MUST(sov_module_load(c, ptx, strlen(ptx), NULL, &m));
	read_and_write(device, 0, "texture");
	pitch_memory(device);
	linear_memory(device);
	handles_in_variables(device);
	view_of_a_level(device);
	gpu_layout(device);
	samplers(device);
	refusals(nvidia);
	refused_levels();
	if (nvidia) {
		MUST(sov_memory_alloc(c, 4096, &out));
		ok(run("one", 77, out, 1, 1) == SOV_ERROR_FAULT,
		   "%s: a handle that no texture has is a fault", device);
	}
	MUST(sov_context_destroy(c));
	streams_before_and_after(device);
}

int main(void)
{
	soft_gpus("gh100:vram=256M,ga100:vram=256M:hazard,navi21:vram=256M");
	unsetenv("SOV_VISIBLE_DEVICES");
	run_on("gh100.0", true);
	run_on("ga100.0", true);
	run_on("navi21.0", false);
	return tap_done();
}
