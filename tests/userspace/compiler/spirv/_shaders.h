/* SPDX-License-Identifier: MIT */
/*
 * Shaders with inputs and expected results in their first comments, in the form of
 * ptx/_instructions.h: one line per resource in order of its binding, then push constants as
 * "value". _compile.sh makes the .spv beside each source. "// machine code only": the result
 * depends on where lanes reconverge, which the interpreter does not model. "// refused: TEXT": the
 * front end rejects the shader, and says so in a message with this text. Kernels in OpenCL C (.cl)
 * have a line per argument: a buffer is its address.
 */
#ifndef TESTS_SPIRV_SHADERS_H
#define TESTS_SPIRV_SHADERS_H

#include "tests/userspace/compiler/ptx/_instructions.h"

#define SHADERS "tests/userspace/compiler/spirv/shaders"

/* The test that a source describes; assembly has comments that begin with a semicolon. The caller
 * frees the test, whose name is name. */
static inline struct instruction_test *shader_test(const char *name, const char *source)
{
	char *text = strdup(source), *line = text;
	struct instruction_test *t;

	while (*line == ';' || *line == '/') {
		if (*line == ';' && line[1] == ';')
			line[0] = line[1] = '/';
		line = strchr(line, '\n');
		if (!line++)
			break;
	}
	t = test_read(name, text);
	free(text);
	return t;
}

/* The text of the message with which the front end rejects the shader; NULL: it does not. The
 * caller frees it. */
static inline char *shader_refusal(const char *source)
{
	static const char word[] = " refused: ";
	const char *at = strstr(source, word);

	return at ? strndup(at + strlen(word), strcspn(at + strlen(word), "\n")) : NULL;
}

static inline bool is_opencl(const char *name)
{
	return strlen(name) > 3 && !strcmp(name + strlen(name) - 3, ".cl");
}

/* The binary beside a source. */
static inline char *shader_binary(const char *name, size_t *length)
{
	char path[512];

	snprintf(path, sizeof(path), SHADERS "/%.*s.spv", (int)strcspn(name, "."), name);
	return file_read(path, length);
}

/* Calls a function with every source. Returns their number. */
static inline int shaders_each(void (*visit)(const char *name, const char *text, size_t length))
{
	return files_each(SHADERS, ".comp", visit) + files_each(SHADERS, ".spvasm", visit) +
	       files_each(SHADERS, ".cl", visit);
}

#endif
