/* SPDX-License-Identifier: MIT */
/*
 * Finds out why ptxas's code of a kernel is wrong: rewrites the kernel at one kind of instruction
 * to an equivalent form that ptxas is known to compile correctly. If the rewritten kernel is right,
 * that kind was the reason. tests/silicon/ptxas_faults describes the faults.
 */
#ifndef TESTS_COMPILER_REWRITE_H
#define TESTS_COMPILER_REWRITE_H

#include "tests/userspace/compiler/driver/_random.h"

#define REWRITE_OPERANDS 12

/* One instruction of the text: [start, end), without its semicolon. */
struct rewrite_instruction {
	const char *text; /* the whole kernel */
	const char *start, *end;
	char guard[16], opcode[48], operands[REWRITE_OPERANDS][96];
	uint32_t count;  /* operands */
	uint32_t number; /* index among the rewritten instructions, for labels */
};

/* Writes an equivalent instruction, with its semicolon; false: writes nothing. The text may use
 * %zero, which is uniform, and %nil (%nill: 64 bits), which is divergent; ptxas does not know that
 * they are 0. */
typedef bool rewrite_one(struct random_ptx *out, const struct rewrite_instruction *i);

static inline bool rewrite_is(const struct rewrite_instruction *i, const char *opcode)
{
	return !strncmp(i->opcode, opcode, strlen(opcode));
}

static inline bool rewrite_ends(const struct rewrite_instruction *i, const char *with)
{
	size_t a = strlen(i->opcode), b = strlen(with);

	return a >= b && !strcmp(i->opcode + a - b, with);
}

/* The instruction with one operand replaced. */
static inline void rewrite_operand(struct random_ptx *out, const struct rewrite_instruction *i,
				   uint32_t which, const char *other)
{
	put(out, "%s%s ", i->guard, i->opcode);
	for (uint32_t n = 0; n < i->count; n++)
		put(out, "%s%s", n ? ", " : "", n == which ? other : i->operands[n]);
	put(out, ";");
}

/* Whether the first operand is a single. Its type is the first of the last two of cvt, set and
 * slct, else the last. */
static inline bool rewrite_is_single(const struct rewrite_instruction *i)
{
	const char *to = strstr(i->opcode, ".f32");

	if (rewrite_is(i, "cvt.") || rewrite_is(i, "set.") || rewrite_is(i, "slct."))
		return to && to[4] == '.';
	return rewrite_ends(i, ".f32");
}

/* A register is written as .f32 and read as another type: an integer add separates the write from
 * the read, and likewise the operands of shifts and stores that ptxas would take for a number to be
 * converted. */
static inline bool rewrite_value(struct random_ptx *out, const struct rewrite_instruction *i)
{
	bool shift = (rewrite_is(i, "shl.") || rewrite_is(i, "shr.")) && rewrite_ends(i, "64");
	bool store = rewrite_is(i, "st.") && !strstr(i->opcode, ".v") &&
		     (rewrite_ends(i, "8") || rewrite_ends(i, "16"));
	uint32_t which = shift ? 2 : 1;

	if ((shift || store) && !strncmp(i->operands[which], "%r", 2)) {
		put(out, "{.reg .b32 %%v; add.s32 %%v, %s, %%zero; ", i->operands[which]);
		rewrite_operand(out, i, which, "%v");
		put(out, "}");
		return true;
	}
	if (!rewrite_is_single(i) || strncmp(i->operands[0], "%r", 2))
		return false;
	put(out, "%.*s; add.s32 %s, %s, %%zero;", (int)(i->end - i->start), i->start,
	    i->operands[0], i->operands[0]);
	return true;
}

/* Groups of lanes that sync at one instruction get one each. The selp that computed the mask tells
 * the groups. */
static inline bool rewrite_groups(struct random_ptx *out, const struct rewrite_instruction *i)
{
	const char *mask = i->count ? i->operands[i->count - 1] : "", *made = NULL;
	char wanted[64], one[16], other[16];

	if ((!rewrite_is(i, "vote.sync") && !rewrite_is(i, "match.") &&
	     !rewrite_is(i, "bar.warp.sync")) ||
	    *mask != '%')
		return false;
	snprintf(wanted, sizeof(wanted), "selp.b32 %s, 0x", mask);
	for (const char *at = strstr(i->text, wanted); at && at < i->start;
	     at = strstr(at + 1, wanted))
		made = at;
	if (!made ||
	    sscanf(made + strlen(wanted) - 2, "%15[0-9a-fx], %15[0-9a-fx]", one, other) != 2)
		return false;
	put(out, "{.reg .pred %%g; setp.eq.u32 %%g, %s, %s; @%%g bra G%u_a; ", mask, one,
	    i->number);
	rewrite_operand(out, i, i->count - 1, other);
	put(out, " bra G%u_e;\nG%u_a: ", i->number, i->number);
	rewrite_operand(out, i, i->count - 1, one);
	put(out, "\nG%u_e:}", i->number);
	return true;
}

/* A bit field of a uniform value at divergent positions: makes the value divergent. */
static inline bool rewrite_bfe(struct random_ptx *out, const struct rewrite_instruction *i)
{
	const char *bits = rewrite_ends(i, "64") ? "64" : "32";

	if (!rewrite_is(i, "bfe."))
		return false;
	put(out, "{.reg .b%s %%v; add.s%s %%v, %s, %%nil%s; ", bits, bits, i->operands[1],
	    *bits == '6' ? "l" : "");
	rewrite_operand(out, i, 1, "%v");
	put(out, "}");
	return true;
}

/* The shuffled value may be uniform here but differ on the paths of other lanes: makes it
 * divergent. */
static inline bool rewrite_shuffle(struct random_ptx *out, const struct rewrite_instruction *i)
{
	if (!rewrite_is(i, "shfl.sync"))
		return false;
	put(out, "{.reg .b32 %%v; add.s32 %%v, %s, %%nil; ", i->operands[1]);
	rewrite_operand(out, i, 1, "%v");
	put(out, "}");
	return true;
}

/* After a branch or exit ptxas must not derive the condition's value: uses an opaque copy of the
 * condition. */
static inline bool rewrite_condition(struct random_ptx *out, const struct rewrite_instruction *i)
{
	bool unless = i->guard[0] && i->guard[1] == '!';

	if (i->guard[0] && (rewrite_is(i, "exit") || rewrite_is(i, "ret"))) {
		put(out,
		    "{.reg .b32 %%v; .reg .pred %%g; selp.b32 %%v, 1, 0, %s; add.s32 %%v, %%v, "
		    "%%zero; "
		    "setp.ne.s32 %%g, %%v, 0; @%s%%g %s;}",
		    i->guard + 1 + unless, unless ? "!" : "", i->opcode);
		return true;
	}
	if (!rewrite_is(i, "mov.pred") || i->guard[0])
		return false;
	put(out,
	    "{.reg .b32 %%v; selp.b32 %%v, 1, 0, %s; add.s32 %%v, %%v, %%zero; setp.ne.s32 %s, "
	    "%%v, 0;}",
	    i->operands[1], i->operands[0]);
	return true;
}

/* Makes the subtrahend of sub.sat opaque, and separates results saturated as .s32 so that ptxas
 * does not treat them as saturated .f32. */
static inline bool rewrite_saturate(struct random_ptx *out, const struct rewrite_instruction *i)
{
	bool less = rewrite_is(i, "sub.");

	if (!rewrite_ends(i, ".sat.s32"))
		return false;
	put(out, "{.reg .b32 %%v; ");
	if (less)
		put(out, "add.s32 %%v, %%zero, %s; ", i->operands[2]);
	rewrite_operand(out, i, less ? 2 : REWRITE_OPERANDS, "%v");
	put(out, " %sadd.s32 %s, %s, %%zero;}", i->guard, i->operands[0], i->operands[0]);
	return true;
}

/* Reads of a register's upper half read that of a sum, so that ptxas does not take it from
 * memory. */
static inline bool rewrite_upper(struct random_ptx *out, const struct rewrite_instruction *i)
{
	if (rewrite_is(i, "mov.b32") && i->operands[0][0] == '{') {
		put(out, "{.reg .b32 %%v; add.s32 %%v, %s, %%zero; ", i->operands[1]);
		rewrite_operand(out, i, 1, "%v");
	} else if (rewrite_is(i, "setp.") && rewrite_ends(i, ".f16x2")) {
		put(out,
		    "{.reg .b32 %%v, %%w; add.s32 %%v, %s, %%zero; add.s32 %%w, %s, %%zero; %s%s "
		    "%s, %%v, %%w;",
		    i->operands[1], i->operands[2], i->guard, i->opcode, i->operands[0]);
	} else {
		return false;
	}
	put(out, "}");
	return true;
}

/* A redux after a branch is put into a loop that never repeats, so that ptxas does not predicate
 * it. */
static inline bool rewrite_redux(struct random_ptx *out, const struct rewrite_instruction *i)
{
	if (!rewrite_is(i, "redux."))
		return false;
	put(out, "{.reg .pred %%z;\nZ%u_s: %.*s; setp.ne.s32 %%z, %%zero, 0; @%%z bra Z%u_s;}",
	    i->number, (int)(i->end - i->start), i->start, i->number);
	return true;
}

/* The address of a shared variable is divergent from the start, so that it is not in a register
 * that lanes on other paths may reuse. Only tally is accessed by name. */
static inline bool rewrite_paths(struct random_ptx *out, const struct rewrite_instruction *i)
{
	if (!strstr(i->opcode, ".shared") || strncmp(i->operands[0], "[tally", 6))
		return false;
	put(out, "%s%s [%%tally%s, %s;", i->guard, i->opcode, i->operands[0] + 6, i->operands[1]);
	return true;
}

/* Splits a load-acquire or store-release into an access and a fence. */
static inline bool rewrite_order(struct random_ptx *out, const struct rewrite_instruction *i)
{
	const char *rest = i->opcode + strlen("ld.acquire");
	bool load = rewrite_is(i, "ld.acquire");

	if (!load && !rewrite_is(i, "st.release"))
		return false;
	if (!load)
		put(out, "fence.acq_rel%.4s; ", rest);
	put(out, "%s%s.relaxed%s %s, %s;", i->guard, load ? "ld" : "st", rest, i->operands[0],
	    i->operands[1]);
	if (load)
		put(out, " fence.acq_rel%.4s;", rest);
	return true;
}

/* Removes recursive calls, which changes the semantics. */
static inline bool rewrite_recursion(struct random_ptx *out, const struct rewrite_instruction *i)
{
	if (!rewrite_is(i, "call") || !strstr(i->operands[2], "%deep"))
		return false;
	put(out, "mov.b32 %.*s, 0;", (int)strcspn(i->operands[0] + 1, ")"), i->operands[0] + 1);
	return true;
}

/* A loop that contains a guarded mad.hi is not unrolled (rewrite_head). */
static inline bool rewrite_mad(struct random_ptx *out, const struct rewrite_instruction *i)
{
	(void)out;
	(void)i;
	return false;
}

static const struct rewriting {
	const char *name;
	rewrite_one *one;
} rewritings[] = {
	{"value", rewrite_value},
	{"groups", rewrite_groups},
	{"bfe", rewrite_bfe},
	{"shuffle", rewrite_shuffle},
	{"redux", rewrite_redux},
	{"condition", rewrite_condition},
	{"saturate", rewrite_saturate},
	{"mad", rewrite_mad},
	{"order", rewrite_order},
	{"paths", rewrite_paths},
	{"upper", rewrite_upper},
	{"several", NULL},                /* all of these */
	{"recursion", rewrite_recursion}, /* on which ptxas crashes */
};
enum {
	REWRITE_RECURSION = sizeof(rewritings) / sizeof(rewritings[0]) - 1,
	REWRITE_ALL = REWRITE_RECURSION - 1
};

/* An operand ends at a comma outside of brackets. */
static inline void rewrite_split(struct rewrite_instruction *i)
{
	const char *at = i->start, *from;
	int depth = 0;

	i->guard[0] = 0;
	if (*at == '@') {
		size_t length = strcspn(at, " ") + 1;

		snprintf(i->guard, sizeof(i->guard), "%.*s", (int)length, at);
		at += length;
	}
	snprintf(i->opcode, sizeof(i->opcode), "%.*s", (int)strcspn(at, " ;"), at);
	at += strcspn(at, " ;");
	i->count = 0;
	for (uint32_t n = 0; n < REWRITE_OPERANDS; n++)
		i->operands[n][0] = 0;
	for (at += *at == ' ', from = at; at <= i->end && i->count < REWRITE_OPERANDS; at++) {
		depth += *at == '{' || *at == '[' || *at == '(';
		depth -= *at == '}' || *at == ']' || *at == ')';
		if (at < i->end && (*at != ',' || depth))
			continue;
		if (at > from)
			snprintf(i->operands[i->count++], sizeof(i->operands[0]), "%.*s",
				 (int)(at - from), from);
		from = at + 1 + strspn(at + 1, " ");
	}
}

/* Whether this is the label of a loop that rewrite_mad means. */
static inline bool rewrite_head(const char *label, size_t length, uint32_t kind)
{
	const char *end = strstr(label, "\n}\n"), *last = NULL;
	char branch[64];

	if ((kind != REWRITE_ALL && rewritings[kind].one != rewrite_mad) || length < 6 ||
	    strncmp(label + length - 6, "_head:", 6))
		return false;
	snprintf(branch, sizeof(branch), "bra %.*s;", (int)length - 1, label);
	for (const char *at = strstr(label, branch); at && at < end; at = strstr(at + 1, branch))
		last = at;
	for (const char *at = strchr(label, '@'); last && at && at < last; at = strchr(at + 1, '@'))
		if (!strncmp(at + strcspn(at, " \n"), " mad.hi.", 8))
			return true;
	return false;
}

/* Length of text at the start that is no instruction: white space, braces, comments, labels,
 * directives. */
static inline size_t rewrite_other(const char *at)
{
	size_t name = strcspn(at, " \t\n;:{}");

	if (strspn(at, " \t\n{}"))
		return strspn(at, " \t\n{}");
	if (at[0] == '/' && at[1] == '/')
		return strcspn(at, "\n");
	if (*at == '.')
		return strcspn(at, ";\n") + (at[strcspn(at, ";\n")] == ';');
	return at[name] == ':' ? name + 1 : *at == ';' ? 1 : 0;
}

/* The text rewritten at one kind of instruction, or at all; NULL: none occurs. malloc'ed. */
static inline char *rewrite(const char *text, uint32_t kind)
{
	struct rewrite_instruction i = {.text = text};
	struct random_ptx out = {0};
	bool tally = strstr(text, " tally[");

	random_open(&out);
	for (const char *at = text; *at;) {
		size_t other = rewrite_other(at);
		bool done = false;

		if (other) {
			put_text(&out, at, other);
			/* At the start of a function: declares the registers that the rewritten
			 * text uses. */
			if (*at == '\n' && at[1] == '{' && at[2] == '\n')
				put(&out,
				    "\t.reg .b32 %%zero, %%nil; .reg .b64 %%nill, %%tally; mov.u32 "
				    "%%zero, %%ctaid.y; "
				    "mov.u32 %%nil, %%tid.y; cvt.u64.u32 %%nill, %%nil;%s\n",
				    tally ? " mov.u64 %tally, tally; xor.b64 %tally, %tally, %nill;"
					  : "");
			if (rewrite_head(at, other, kind)) {
				put(&out, " .pragma \"nounroll\";");
				i.number++;
			}
			at += other;
			continue;
		}
		i.start = at;
		i.end = at + strcspn(at, ";");
		rewrite_split(&i);
		for (uint32_t n = kind == REWRITE_ALL ? 0 : kind,
			      end = kind == REWRITE_ALL ? kind : kind + 1;
		     !done && n < end; n++)
			done = rewritings[n].one(&out, &i);
		i.number += done;
		if (!done)
			put_text(&out, at, (size_t)(i.end - at));
		at = done ? i.end + 1 : i.end;
	}
	if (!i.number) {
		free(out.text);
		return NULL;
	}
	return out.text;
}

/* Whether the interpreter still computes the previous result; prints a message otherwise. */
static inline bool rewrite_means_the_same(const char *text, uint64_t number, uint32_t kind)
{
	static struct agree_memory wanted;
	bool same;

	wanted = agree.expected;
	same = agree_interpret(text) && !memcmp(&wanted, &agree.expected, sizeof(wanted));
	agree.expected = wanted;
	if (!same)
		printf("BROKEN rewritten at %s, kernel %" PRIu64 " means something else\n",
		       rewritings[kind].name, number);
	return same;
}

#define REWRITE_REASONS 128

static inline void rewrite_add_reason(char reasons[REWRITE_REASONS], uint32_t kind)
{
	size_t length = strlen(reasons);

	snprintf(reasons + length, REWRITE_REASONS - length, "%s%s", length ? "," : "",
		 rewritings[kind].name);
}

static inline void rewrite_print_reasons(const char *reasons, uint64_t number)
{
	printf(*reasons ? "EXPLAINED %" PRIu64 " %s\n" : "UNEXPLAINED %" PRIu64 "%s\n", number,
	       reasons);
}

#endif
