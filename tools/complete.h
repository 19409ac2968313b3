/* SPDX-License-Identifier: MIT */
#ifndef TOOLS_COMPLETE_H
#define TOOLS_COMPLETE_H

#include "tools/tool.h"

/* Prints what may stand in place of the last word of a command line, for the shells' completion
 * scripts in tools/completion: a word per line, a tab and its description; ":files" stands for
 * names of files. words begin after "sov". */
int complete(const struct verb *const *verbs, size_t count, int words_count, char **words);

/* In a verb's run(): true while its options are completed, not parsed. */
bool completing(void);
void complete_options(const struct verb *v, const struct option *options);

#endif
