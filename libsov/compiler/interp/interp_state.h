/* SPDX-License-Identifier: MIT */
/*
 * State of an interpretation, as its files share it: interp.c runs threads, interp_memory.c knows
 * addresses, interp_lanes.c carries out what several threads do together.
 */
#ifndef SOV_COMPILER_INTERP_STATE_H
#define SOV_COMPILER_INTERP_STATE_H

#include "libsov/compiler/interp/interp.h"

#define INTERP_BARRIERS 16

struct interp_value {
	uint64_t bits;
	bool defined;
};

enum interp_state { THREAD_READY, THREAD_WAITS, THREAD_EXITED };

/* One call of a function, or the kernel itself. */
struct interp_frame {
	const struct ir_func *f;
	ir_id at; /* next instruction, or the one where the thread waits or calls */
	struct interp_value *values, *regs, *args;
	uint64_t local; /* where its local variables begin … */
	uint64_t top;   /* … and where what it has of the stack ends */
	struct interp_frame *caller;
};

struct interp_thread {
	enum interp_state state;
	uint32_t tid[3], index; /* index: in the block, and with it warp and lane */
	struct interp_frame *frame;
	const struct ir_func *f; /* of the frame, as are the next two */
	ir_id at;
	struct interp_value *values;
	uint8_t *local;
	bool *local_written;
	uint32_t barrier; /* while it waits at one */
	uint32_t
		came; /* a bit for each barrier that it has come to and that has not opened since */
};

struct interp_barrier {
	uint32_t arrived;
	uint32_t threads; /* that it waits for; 0 = all of the block */
	uint32_t votes;   /* of those that arrived, how many are for it */
};

struct interp {
	const struct interp_launch *launch;
	const struct ir_func *f;
	struct arena arena;
	char *message;
	size_t message_size;
	uint64_t steps;
	uint32_t ctaid[3];
	struct interp_thread *threads;
	uint32_t nthreads;
	struct interp_value *phis;  /* scratch, as many as any function has instructions */
	struct interp_frame **free; /* frames of calls that returned, by function */
	uint64_t *frame_bytes;      /* local variables, by function */
	struct interp_barrier barriers[INTERP_BARRIERS];
	/* memory: variables of a space follow each other from address 0 on */
	uint64_t *symbol_address; /* by symbol; of a local variable: in its frame */
	uint64_t space_bytes[IR_SPACE_COUNT];
	uint8_t *shared, *constant, *variables;
	bool *shared_written;
};

/* Fills in the message with kernel, block, thread and instruction; false. */
bool interp_fail(struct interp *ip, const struct interp_thread *t, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* interp_call.c */
bool interp_enter(struct interp *ip, struct interp_thread *t, const struct ir_func *f);
bool interp_call(struct interp *ip, struct interp_thread *t, const struct ir_inst *in);
/* Back to the caller, or out of the kernel. */
void interp_return(struct interp *ip, struct interp_thread *t, const struct ir_inst *in);
void interp_exit(struct interp *ip, struct interp_thread *t); /* out of the kernel at once */
uint64_t interp_function_address(const struct ir_func *f);

/* What moves the top of the frame. */
bool interp_stack(struct interp *ip, struct interp_thread *t, const struct ir_inst *in);

/* interp_memory.c */
bool interp_memory_init(struct interp *ip);  /* false: out of range sizes, message filled in */
void interp_memory_reset(struct interp *ip); /* before each block */
uint64_t interp_to_generic(enum ir_space space, uint64_t address);
bool interp_in_space(enum ir_space space, uint64_t address);
uint64_t interp_from_generic(enum ir_space space, uint64_t address);
bool interp_access(struct interp *ip, struct interp_thread *t, const struct ir_inst *in);

/* interp_lanes.c */
bool interp_arrive(struct interp *ip, struct interp_thread *t, const struct ir_inst *in);
/* Lets all go on who can. */
void interp_release(struct interp *ip, bool *progress);
bool interp_deadlock(struct interp *ip); /* false, with a message */

#endif
