/* SPDX-License-Identifier: MIT */
/*
 * A loadable image as the runtime sees it: kernels with their code, parameters and resource needs,
 * and the sections to load with them. The readers accept cubins (ours, ptxas's of CUDA 12 with ABI
 * 7 and of CUDA 13 with ABI 8) and AMD code objects (ours and LLVM's, version 5). A reader copies
 * nothing, so the file must outlive the image; it checks every offset and size against the file.
 *
 * An image has two parts, each one contiguous allocation: IMAGE_CODE holds code and the constant
 * banks of single kernels and is read-only; IMAGE_DATA holds the module's variables and the banks
 * that all kernels share. A code object without relocations for its code (.rela.text) is one part,
 * IMAGE_CODE, variables included. The reader assigns each section an offset in its part; once the
 * runtime knows both addresses, image_load_part writes a part with all relocations applied.
 */
#ifndef SOV_COMPILER_IMAGE_H
#define SOV_COMPILER_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libsov/compiler/ir/device_services.h"

#define IMAGE_MAX_PARAM_BYTES 32764 /* PTX 8.1 */
#define IMAGE_ALIGN           256   /* of a section of data */
#define IMAGE_MAX_ALIGN       4096  /* of a part's address: a page */
#define IMAGE_MAX_BYTES       (1ull << 40)

enum image_part { IMAGE_CODE, IMAGE_DATA, IMAGE_PARTS };

struct image_param {
	uint32_t offset, size; /* offset from the first parameter */
};

struct image_kernel {
	const char *name;
	const uint8_t *code;
	uint32_t code_bytes;
	uint64_t code_offset;  /* in the part IMAGE_CODE */
	uint32_t registers;    /* to declare at launch; AMD: vector registers */
	uint32_t shared_bytes; /* static, as in the file (Hopper: with the reserved 1 KiB) */
	uint32_t stack_bytes;  /* per thread, as far as the compiler could tell */
	bool calls;            /* calls may recurse or be indirect: the runtime adds stack */
	bool services;         /* calls device services, which need registers and stack as well */
	uint32_t param_bytes;  /* end of the last parameter */
	uint32_t nparams;
	struct image_param *params;
	uint32_t max_threads;         /* per block; 0: not stated */
	uint32_t required_threads[3]; /* the exact block shape; x 0: not stated */
	uint32_t cluster[3];          /* the exact shape of a cluster; x 0: not stated */
	uint32_t max_cluster;         /* blocks of a cluster; 0: not stated */
	bool explicit_cluster;        /* every launch must have clusters */
	void *vendor; /* launch data of the format (image_nv.h, image_amd.h), in image.vendor */
};

/* Code that kernels call, or data embedded in code. Disassemblers show it; the runtime ignores it.
 * In a cubin, functions are part of the kernels' code, so there are none. */
struct image_function {
	const char *name;
	const uint8_t *code;
	uint32_t code_bytes;
	uint64_t code_offset; /* in the part IMAGE_CODE */
	bool data;            /* no instructions */
};

/* A section that occupies memory while the module is loaded. */
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

/* A field that holds an address, or some bits of one. */
struct image_relocation {
	uint32_t section; /* index of the section to patch */
	uint32_t target;  /* index of the target section; UINT32_MAX: address 0 */
	uint64_t offset;  /* of the field in the section */
	uint64_t addend;  /* from the start of the target */
	uint8_t kind;     /* NV_R_*, AMD_R_* */
	uint8_t service;  /* 1 + the service that is the target instead; 0: none */
};

/* From this offset on, code comes from this source line. The names point into the file. */
struct image_line {
	uint32_t offset;              /* in the kernel's code */
	uint32_t line;                /* 0: unknown */
	const char *directory, *file; /* directory "": none */
};

/* A sequence of the line-number program that describes a kernel's code. */
struct image_line_start {
	uint32_t kernel;
	uint32_t base;   /* offset in the kernel's code that the sequence's addresses count from */
	uint64_t offset; /* of the sequence's address operand in .debug_line */
};

/* A kernel that this image only declares: the image of compilation unit `unit` defines it. */
struct image_declared {
	const char *name;
	uint64_t unit;
};

struct image {
	const struct image_format *format; /* also says what `vendor` points to */
	char target[16];                   /* "sm_90", "gfx1030" */
	void *vendor;                      /* one allocation; image_nv.h, image_amd.h */
	uint32_t nkernels;
	struct image_kernel *kernels;
	uint32_t nfunctions;
	struct image_function *functions;
	uint32_t ndeclared; /* an image that declares kernels may define none */
	struct image_declared *declared;
	uint32_t nsections;
	struct image_section *sections;
	uint32_t nvariables;
	struct image_variable *variables;
	uint32_t nrelocations;
	struct image_relocation *relocations;
	uint64_t part_bytes[IMAGE_PARTS]; /* 0: the part does not exist */
	const uint8_t *line_table;        /* .debug_line in the file; NULL: none */
	uint64_t line_table_bytes;
	uint32_t nline_starts; /* 0 if the format's lines are offsets in IMAGE_CODE */
	struct image_line_start *line_starts;
	uint32_t services; /* mask of the enum service that the image refers to */
};

/* A file format. image.c lists them. */
struct image_format {
	uint16_t machine;            /* e_machine */
	bool lines_are_code_offsets; /* addresses in .debug_line are offsets in IMAGE_CODE */
	/* Implements image_read; im is zero except for its format. */
	bool (*read)(struct image *im, const void *file, size_t size, char *message,
		     size_t message_size);
	/* Applies a relocation. address: the target's; from: the field's, on the GPU; field: the
	 * field in host memory. */
	void (*patch)(const struct image *im, const struct image_relocation *r, uint64_t address,
		      uint64_t from, uint8_t *field);
};
extern const struct image_format image_cubin, image_code_object;

/* false: message holds one sentence. Free the image with image_free in both cases. */
bool image_read(struct image *im, const void *file, size_t size, char *message,
		size_t message_size);
void image_free(struct image *im);
/* A kernel's lines in the order of its code, which the caller frees; NULL: none are known. */
struct image_line *image_lines(const struct image *im, uint32_t kernel, uint32_t *count);
struct image_line *image_function_lines(const struct image *im, uint32_t function, uint32_t *count);
/* The line of the instruction at this offset; NULL: unknown. */
const struct image_line *image_line_at(const struct image_line *lines, uint32_t count,
				       uint32_t offset);
/* Writes "directory/file:line", truncated to size. */
void image_line_print(const struct image_line *line, char *text, size_t size);
/* GPU addresses that relocations refer to. */
struct image_addresses {
	uint64_t base[IMAGE_PARTS];  /* of the image's parts */
	uint64_t services[SERVICES]; /* of the services that the image refers to */
};
/* Writes the part_bytes bytes of a part and never reads them back: the memory may be slow to
 * read. */
void image_load_part(const struct image *im, enum image_part part,
		     const struct image_addresses *addresses, uint8_t *memory);

#endif
