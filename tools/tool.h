/* SPDX-License-Identifier: MIT */
/*
 * Interface between the verbs of `sov`: verb and option tables, error reports, files, JSON, kernel
 * arguments and the progress indicator. Exit status: 0 success, 1 failure, 2 usage error.
 */
#ifndef TOOLS_TOOL_H
#define TOOLS_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include "libsov/sov.h"

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* One row per option: its names, its help text and the variable that receives its value. */
struct option {
	const char *name;  /* long name, without the dashes; NULL ends the table */
	char letter;       /* short name, 0 = none */
	const char *value; /* placeholder in the help; NULL: the option is a flag */
	const char *help;
	bool *flag;
	const char **text;
};

struct verb {
	const char *name, *summary;
	const char *usage;   /* synopsis after the verb's name */
	const char *details; /* paragraphs below the options; NULL = none */
	/* argv starts after the verb's name. */
	int (*run)(const struct verb *v, int argc, char **argv);
	/* The operands are a command line: option parsing stops at the first operand. */
	bool command;
	const char *error_prefix; /* of error messages; NULL: "sov: NAME: " */
};
extern const struct verb verb_devices, verb_info, verb_doctor, verb_top, verb_trace, verb_compile,
	verb_disasm, verb_run, verb_bench, verb_ptxas, verb_link, verb_run_cuda, verb_cuda_env,
	verb_smi, verb_cdi, verb_profile, verb_check;

/* ---- options.c ---- */

/* Parses the options in argv and moves the operands to its front; *count is their number.
 * Returns false if help was printed or the command line is wrong; *status is then the exit
 * status. */
bool parse_options(const struct verb *v, const struct option *options, int argc, char **argv,
		   int *count, int *status);
/* Parses an integer in [low, high]; the error message names `what`. */
bool parse_u64(const struct verb *v, const char *what, const char *text, uint64_t low,
	       uint64_t high, uint64_t *out);

/* ---- main.c ---- */

/* Prints "sov: VERB: MESSAGE" on stderr. */
void report_error(const struct verb *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same, followed by a reference to --help. Returns EXIT_USAGE. */
int usage_error(const struct verb *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Prints libsov's message about the call that has just failed. Returns EXIT_FAILED. */
int report_sov_error(const struct verb *v, int result, const char *doing);

/* ---- file.c ---- */

#define FILE_MAX_BYTES (UINT64_C(1) << 32)
/* Reads a whole file into malloc'ed memory and appends a 0 byte. */
bool read_file(const struct verb *v, const char *path, void **data, size_t *size);
bool write_file(const struct verb *v, const char *path, const void *data, size_t size);
/* Returns false, with a message, if stdout could not be written (closed, or disk full). */
bool flush_output(const struct verb *v);

/* ---- colour.c ---- */

/* Whether text for this stream may have escape sequences for colours. */
bool has_colour(FILE *f);
#define COLOUR_ERROR "\033[1;31m"
#define COLOUR_CARET "\033[1;32m"
#define COLOUR_PLACE "\033[1m"
#define COLOUR_OFF   "\033[0m"

/* ---- messages.c ---- */

/* Prints the compiler's messages about a file with this text on stderr, each with the line of the
 * source that it is about. */
void print_source_messages(const char *path, const char *text, size_t bytes, const char *messages);

/* ---- source_compiler.c: files in GLSL, WGSL and OpenCL C ---- */

struct source_options {
	const char *words;      /* further options of the compiler, separated by blanks */
	const char *limit_text; /* as given */
	uint64_t limit;         /* seconds, 0: none */
};
#define SOURCE_OPTIONS {.words = "", .limit_text = "60"}
/* clang-format off */
#define SOURCE_OPTION_ROWS(o) \
	{"compiler-limit", 0, "SECONDS", \
	 "time limit of the compiler of GLSL, WGSL or OpenCL C (default 60, 0: none)", \
	 NULL, &(o).limit_text}, \
	{"compiler-options", 0, "WORDS", "options of that compiler, separated by blanks", \
	 NULL, &(o).words}
/* clang-format on */
#define SOURCE_HELP \
	"A file named .comp or .glsl (GLSL), .wgsl (WGSL) or .cl (OpenCL C) is translated to " \
	"SPIR-V\n" \
	"first, by glslangValidator or glslc, by tint or naga, or by clang and llvm-spirv.\n"

bool parse_source_options(const struct verb *v, struct source_options *o);
/* Reads a file as read_file does; what it holds in another language, as SPIR-V. Call it before
 * other threads start: it waits for signals. */
bool read_source(const struct verb *v, const char *path, const struct source_options *o,
		 void **data, size_t *size);

/* ---- json.c: streaming JSON writer; each outermost value is one line ---- */

struct json {
	FILE *out;
	unsigned depth;
	bool filled[16]; /* by depth: a value was written, so the next needs a comma */
};
/* Inside arrays the key is NULL. */
void json_object(struct json *j, const char *key);
void json_array(struct json *j, const char *key);
void json_end_object(struct json *j);
void json_end_array(struct json *j);
void json_string(struct json *j, const char *key, const char *value);
void json_u64(struct json *j, const char *key, uint64_t value);
void json_bool(struct json *j, const char *key, bool value);
void json_triple(struct json *j, const char *key, const uint32_t value[3]);
/* Writes text that is already a JSON number. */
void json_raw(struct json *j, const char *key, const char *number);

/* ---- devices.c ---- */

/* Opens a device by name or ordinal; NULL: device 0. Returns a sov_result. */
int device_open(const char *name, sov_device *device);
/* Name of the feature with this bit number; NULL past the last. */
const char *device_feature(size_t bit);
#define DEVICE_UUID_TEXT 37
#define DEVICE_PCI_TEXT  24
void device_uuid(const sov_device_identity *i, char text[DEVICE_UUID_TEXT]);
void device_pci(const sov_device_identity *i, char text[DEVICE_PCI_TEXT]);
/* Writes the members of an object that describes the device. */
void device_json(struct json *j, const sov_device_properties *p);

/* ---- progress.c: indicator for operations that take longer than a second ---- */

struct progress;
struct progress *progress_start(const char *operation);
void progress_end(struct progress *p);

/* ---- argument.c: kernel arguments on the command line ---- */

enum element_kind { ELEMENT_UNSIGNED, ELEMENT_SIGNED, ELEMENT_FLOAT };
struct element {
	const char *name;
	uint8_t bytes, kind;
};
enum pattern { PATTERN_ZERO, PATTERN_IOTA, PATTERN_RANDOM, PATTERN_FILL, PATTERN_FILE };

struct argument {
	const char *text; /* as given */
	char *words;      /* copy of text, split at its colons; malloc */
	const struct element *type;
	bool buffer;
	uint64_t scalar; /* the bits; for a buffer: fill value or seed */
	uint64_t count;
	enum pattern pattern;
	const char *file; /* initial contents */
	const char *out;  /* file for the contents after the launch */
	uint64_t print;   /* number of elements to print after the launch */
	void *data;       /* buffer contents: count elements, malloc */
};
#define ARGUMENT_HELP \
	"Arguments, in the order of the kernel's parameters; messages count them from 0:\n" \
	"  TYPE:VALUE                 scalar; TYPE is u8 s8 u16 s16 u32 s32 u64 s64 f32 f64\n" \
	"  buf:TYPE:COUNT[:ITEM]...   buffer of COUNT elements; K, M, G multiply by powers of " \
	"1024\n" \
	"Items that set the contents of a buffer before the launch:\n" \
	"  zero                       zeros (default)\n" \
	"  iota                       0 1 2 3 ...\n" \
	"  random[=SEED]              pseudorandom, repeatable for a SEED (default 1); floats in " \
	"[-1, 1)\n" \
	"  fill=VALUE                 VALUE in every element\n" \
	"  file=PATH                  raw little-endian elements from PATH, exactly COUNT of " \
	"them\n" \
	"Items that output a buffer after the launch:\n" \
	"  print[=N]                  print the first N elements (default 16)\n" \
	"  out=PATH                   write all elements to PATH, raw\n"

bool parse_argument(const struct verb *v, unsigned number, const char *text, struct argument *out);
/* Allocates a buffer argument and sets its initial contents. */
bool fill_argument(const struct verb *v, unsigned number, struct argument *a);
void free_argument(struct argument *a);
/* Writes the shortest decimal text that parses back to the same value; "nan", "inf" and "-inf" for
 * values that JSON numbers cannot represent. */
#define ELEMENT_TEXT 40
void print_element(const struct element *type, const void *at, char text[ELEMENT_TEXT]);

#endif
