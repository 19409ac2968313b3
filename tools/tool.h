/* SPDX-License-Identifier: MIT */
/*
 * What the verbs of `sov` share: the row that describes a verb, options, errors, files, JSON,
 * kernel arguments and a sign of life. Exit status: 0 done, 1 it failed, 2 it was asked wrongly.
 */
#ifndef TOOLS_TOOL_H
#define TOOLS_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "libsov/sov.h"

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* One row per option: where its value goes, and its line of help. */
struct option {
	const char *name;  /* long name, without the dashes; NULL ends the table */
	char letter;       /* short name, 0 = none */
	const char *value; /* what the help calls its value; NULL: a flag */
	const char *help;
	bool *flag;
	const char **text;
};

struct verb {
	const char *name, *summary;
	const char *usage;   /* what follows the verb's name */
	const char *details; /* paragraphs below the options; NULL = none */
	int (*run)(const struct verb *v, int argc,
		   char **argv); /* arguments after the verb's name */
	bool command;            /* its operands are a command, with options of its own */
};
extern const struct verb verb_devices, verb_info, verb_doctor, verb_top, verb_trace, verb_compile,
	verb_disasm, verb_run, verb_bench;

/* ---- options.c ---- */

/* Sorts argv into options and the rest: operands are moved to its front, *count says how many.
 * true: go on. false: help was printed or the command line is wrong; *status is the exit status. */
bool parse_options(const struct verb *v, const struct option *options, int argc, char **argv,
		   int *count, int *status);
/* A whole number in [low, high]; the message names `what`. */
bool parse_u64(const struct verb *v, const char *what, const char *text, uint64_t low,
	       uint64_t high, uint64_t *out);

/* ---- main.c ---- */

/* "sov: VERB: sentence" on stderr. */
void complain(const struct verb *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same with a word on help. Returns EXIT_USAGE. */
int usage_error(const struct verb *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* What libsov has to say of the call that just failed. Returns EXIT_FAILED. */
int sov_failed(const struct verb *v, int result, const char *doing);

/* ---- file.c ---- */

#define FILE_MAX_BYTES (UINT64_C(1) << 32)
/* Whole file into malloc'ed memory, with a 0 byte behind it. */
bool read_file(const struct verb *v, const char *path, void **data, size_t *size);
bool write_file(const struct verb *v, const char *path, const void *data, size_t size);
/* Everything printed has arrived: false when stdout was closed or full. */
bool flush_output(const struct verb *v);

/* ---- json.c: one value on a line of its own for the outermost, commas by itself ---- */

struct json {
	FILE *out;
	unsigned depth;
	bool filled[16]; /* by depth: something stands before */
};
/* A key is NULL inside arrays. */
void json_object(struct json *j, const char *key);
void json_array(struct json *j, const char *key);
void json_end_object(struct json *j);
void json_end_array(struct json *j);
void json_string(struct json *j, const char *key, const char *value);
void json_u64(struct json *j, const char *key, uint64_t value);
void json_bool(struct json *j, const char *key, bool value);
void json_triple(struct json *j, const char *key, const uint32_t value[3]);
/* Already a number in JSON's syntax. */
void json_raw(struct json *j, const char *key, const char *number);

/* ---- devices.c ---- */

/* By name or ordinal; NULL: the first. A sov_result. */
int device_open(const char *name, sov_device *device);
/* Name of the feature of this bit; NULL past the last. */
const char *device_feature(size_t bit);
/* The members of an object that describes it. */
void device_json(struct json *j, const sov_device_properties *p);

/* ---- progress.c: says on a terminal what takes longer than a second ---- */

struct progress;
struct progress *progress_start(const char *what);
void progress_end(struct progress *p);

/* ---- argument.c: kernel arguments described on the command line ---- */

enum element_kind { ELEMENT_UNSIGNED, ELEMENT_SIGNED, ELEMENT_FLOAT };
struct element {
	const char *name;
	uint8_t bytes, kind;
};
enum pattern { PATTERN_ZERO, PATTERN_IOTA, PATTERN_RANDOM, PATTERN_FILL, PATTERN_FILE };

struct argument {
	const char *text; /* as given */
	char *words;      /* the same, cut at its colons; malloc */
	const struct element *type;
	bool buffer;
	uint64_t scalar; /* the bits; for a buffer: fill value or seed */
	uint64_t count;
	enum pattern pattern;
	const char *file; /* contents before */
	const char *out;  /* file for the contents after */
	uint64_t print;   /* elements to print after */
	void *data;       /* of a buffer: count elements, malloc */
};
#define ARGUMENT_HELP \
	"Arguments, in the kernel's order:\n" \
	"  TYPE:VALUE                 a scalar; TYPE is u8 s8 u16 s16 u32 s32 u64 s64 f32 f64\n" \
	"  buf:TYPE:COUNT[:ITEM]...   a buffer of COUNT elements (64K and 16M are binary " \
	"multiples)\n" \
	"Items say what it holds before and what becomes of it after:\n" \
	"  zero                       zeros (the default)\n" \
	"  iota                       0 1 2 3 ...\n" \
	"  random[=SEED]              the same for the same seed (1); floats in [-1, 1)\n" \
	"  fill=VALUE                 one value throughout\n" \
	"  file=PATH                  raw elements, little-endian; the file must hold exactly " \
	"COUNT\n" \
	"  print[=N]                  print the first N elements (16)\n" \
	"  out=PATH                   save all elements, raw\n"

bool parse_argument(const struct verb *v, unsigned number, const char *text, struct argument *out);
/* Allocates the buffer and writes its pattern. */
bool fill_argument(const struct verb *v, unsigned number, struct argument *a);
void free_argument(struct argument *a);
/* Shortest text that reads back as the same value; "nan", "inf", "-inf" for what JSON has no number for. */
#define ELEMENT_TEXT 40
void print_element(const struct element *type, const void *at, char text[ELEMENT_TEXT]);

#endif
