/* SPDX-License-Identifier: MIT */
/* Programs that a verb runs. */
#ifndef SOV_TOOL_PROGRAM_H
#define SOV_TOOL_PROGRAM_H

#include <sys/types.h>
#include "tools/tool.h"

/* Exit status if the program cannot be run, as in POSIX shells. */
enum { EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127 };

struct variable {
	const char *name, *value; /* name NULL: the end */
};

/* Returns the program's exit status, or 128 and the signal that terminated it. child is negative if
 * it could not be started. */
int run_program(const struct verb *v, char **argv, const struct variable *variables, pid_t *child);

/* Removes an older file, so that one that exists afterwards is the program's. Devices and other
 * special files stay, with an error. */
bool remove_old_file(const struct verb *v, const char *path);

#endif
