/* SPDX-License-Identifier: MIT */
/*
 * A loadable image as the runtime sees it: kernels with their code, parameters and needs, and what
 * goes into GPU memory with them, read from a cubin (ours, ptxas's of CUDA 12 with ABI 7, or of CUDA
 * 13 with ABI 8) or from an AMD code object (ours or LLVM's, version 5). The reader copies nothing and
 * trusts nothing: every offset and size is checked against the file, and pointers go into it.
 *
 * An image has two parts, each one piece of memory: code with the constant banks of single kernels,
 * which nobody writes, and data, which are the module's variables and the banks of all kernels. A code
 * object that does not say what its code refers to is one part, IMAGE_CODE, variables too. Sections lie
 * in parts at offsets that the reader has chosen; when the runtime knows the addresses of both parts,
 * image_load_part writes a part out with all references in it filled in.
 */
#ifndef SOV_COMPILER_IMAGE_H
#define SOV_COMPILER_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libsov/compiler/image/amd_abi.h"
#include "libsov/compiler/ir/device_services.h"

#define IMAGE_MAX_PARAM_BYTES 4096
#define IMAGE_NV_BANKS           8 /* constant banks; 0 is the launch's */
#define IMAGE_NV_MAX_BANK_BYTES  65536u
#define IMAGE_ALIGN           256 /* what a part's address must be a multiple of */
#define IMAGE_MAX_BYTES       (1ull << 40)

enum image_part { IMAGE_CODE, IMAGE_DATA, IMAGE_PARTS };

struct image_param {
	uint32_t offset, size; /* offset from the parameters' start */
};

/* A constant bank: bytes of a part. */
struct image_nv_bank {
	enum image_part part;
	uint64_t offset;
	uint32_t bytes; /* 0: the kernel has no such bank */
};

/* An argument that the runtime adds. */
struct image_amd_hidden {
	uint16_t offset, bytes; /* bytes 0: the kernel does not read it */
};

struct image_kernel {
	const char *name;
	const uint8_t *code;
	uint32_t code_bytes;
	uint64_t code_offset;  /* in the part IMAGE_CODE */
	uint32_t registers;    /* to declare at launch; AMD: vector registers */
	uint32_t shared_bytes; /* static, as in the file (Hopper: with 1 KiB that is reserved) */
	uint32_t stack_bytes;  /* per thread, as far as the compiler could tell */
	bool calls;            /* functions, which may call in a circle or through pointers: the
				* runtime adds some stack */
	bool services;         /* it calls some, which need registers and stack as well */
	uint32_t param_bytes;  /* up to the last parameter's end */
	uint32_t nparams;
	struct image_param *params;
	uint32_t max_threads;         /* of a block; 0: not stated */
	uint32_t required_threads[3]; /* the block's exact shape; x 0: not stated */
	union {
		struct { /* cubins */
			uint32_t barriers;
			uint32_t bank0_bytes; /* size of constant bank 0 with the parameters */
			uint32_t param_base;  /* where they are in it */
			struct image_nv_bank banks[IMAGE_NV_BANKS]; /* all but bank 0 */
		};
		struct image_amd { /* AMD's code objects; parameters start where the arguments do */
			struct amd_kernel_descriptor descriptor;
			uint64_t descriptor_offset; /* in the part IMAGE_CODE */
			uint32_t kernarg_bytes;     /* all arguments, with hidden ones */
			struct image_amd_hidden hidden[AMD_HIDDEN_COUNT];
		} amd;
	};
};

/* Code that kernels call and nobody launches, or data that stand between code. Runtimes need not know of
 * it; people who read code do. Cubins have theirs inside of kernels. */
struct image_function {
	const char *name;
	const uint8_t *code;
	uint32_t code_bytes;
	uint64_t code_offset; /* in the part IMAGE_CODE */
	bool data;            /* no instructions */
};

/* What lies in memory while the module is loaded. */
struct image_section {
	const char *name;
	const uint8_t *data; /* NULL: zeros */
	uint64_t bytes;
	enum image_part part;
	uint64_t offset;
};

struct image_variable {
	const char *name;
	enum image_part part;
	uint64_t offset, bytes;
};

/* A place in a section that holds an address, or a piece of one. */
struct image_relocation {
	uint32_t section; /* where; an index */
	uint32_t target;  /* what; an index, UINT32_MAX: an address of 0 */
	uint64_t offset;  /* in the section */
	uint64_t addend;  /* behind the target's start */
	uint8_t kind;     /* NV_R_*, AMD_R_* */
	uint8_t service;  /* 1 + what it refers to instead, if that is a service; 0: it is not */
};

/* Where code begins to come from a line of a file. The names are in the file. */
struct image_line {
	uint32_t offset;              /* in the kernel's code */
	uint32_t line;                /* 0: nobody knows */
	const char *directory, *file; /* directory "": none */
};

/* Where in the table of lines a kernel's begin. */
struct image_line_start {
	uint32_t kernel;
	uint32_t base; /* offset in its code from which the table counts */
	uint64_t offset;
};

/* A kernel whose code is in another image: number unit of those that belong to this one. */
struct image_declared {
	const char *name;
	uint64_t unit;
};

struct image {
	const struct image_format *format;
	char target[16]; /* what it is for: "sm_90", "gfx1030" */
	uint32_t sm;     /* 80, 86, 89, 90; 0: not NVIDIA's */
	uint32_t nkernels;
	struct image_kernel *kernels;
	uint32_t nfunctions;
	struct image_function *functions;
	uint32_t ndeclared; /* an image that declares kernels need not have any */
	struct image_declared *declared;
	uint32_t nsections;
	struct image_section *sections;
	uint32_t nvariables;
	struct image_variable *variables;
	uint32_t nrelocations;
	struct image_relocation *relocations;
	uint64_t part_bytes[IMAGE_PARTS]; /* 0: there is no such part */
	const uint8_t *line_table;        /* .debug_line, as it is in the file; NULL: none */
	uint64_t line_table_bytes;
	uint32_t nline_starts; /* none where addresses in the table are offsets in IMAGE_CODE */
	struct image_line_start *line_starts;
	uint32_t services; /* that it refers to: a mask by enum service */
};

/* A kind of file. image.c has the list. */
struct image_format {
	uint16_t machine;    /* e_machine */
	bool lines_of_parts; /* addresses in the table of lines are offsets in IMAGE_CODE */
	/* As image_read, into an image that has this format and is all zeros else. */
	bool (*read)(struct image *im, const void *file, size_t size, char *message,
		     size_t message_size);
	/* Writes what the relocation says. place: in memory; from: where that is on the GPU. */
	void (*patch)(const struct image *im, const struct image_relocation *r, uint64_t address,
		      uint64_t from, uint8_t *place);
};
extern const struct image_format image_cubin, image_code_object;

/* false: message holds one sentence. Free with image_free in both cases. */
bool image_read(struct image *im, const void *file, size_t size, char *message,
		size_t message_size);
void image_free(struct image *im);
/* Lines of a kernel in the order of its code, to be freed by the caller; NULL: none are known. */
struct image_line *image_lines(const struct image *im, uint32_t kernel, uint32_t *count);
/* The same of a function. */
struct image_line *image_function_lines(const struct image *im, uint32_t function, uint32_t *count);
/* The line of an instruction; NULL: not known. */
const struct image_line *image_line_at(const struct image_line *lines, uint32_t count,
				       uint32_t offset);
/* "directory/file:line"; cut off where it does not fit. */
void image_line_print(const struct image_line *line, char *text, size_t size);
/* What an image refers to, on the GPU. */
struct image_addresses {
	uint64_t base[IMAGE_PARTS];  /* of its own parts */
	uint64_t services[SERVICES]; /* of those that it needs */
};
/* Writes the part's part_bytes bytes. Only writes: the memory may be slow to read. */
void image_load_part(const struct image *im, enum image_part part,
		 const struct image_addresses *addresses, uint8_t *memory);

#endif
