// SPDX-License-Identifier: MIT
/* Weak memory mode of the software GPUs, by small PTX programs of two blocks that communicate: the
 * weak outcome appears where a program lacks a fence, and never where it has all that PTX's memory
 * model demands. The second half tests the compiler: a fence without its effect, or in the wrong
 * place, shows here. */
#include "tests/userspace/runtime/_api.h"

#define PAIRS        32u /* of blocks in a launch, each with its own memory */
#define LAUNCHES     (48u / TAP_SLOWNESS)
/* Until a weak outcome that is expected has been seen: the rarest has one pair in a hundred. */
#define MAX_LAUNCHES 48u
#define STRIDE       1024u /* bytes of a pair's memory */
#define OUTPUT       (PAIRS * STRIDE)

/* %x and %y are the addresses of two words in different lines that are 0 at first, %one is 1, %p
 * and %i are free. A block stores what it has read, %v and %w, in the two words at %out. */
#define PROLOGUE \
	".version 8.0\n.target sm_80\n.address_size 64\n.shared .b32 flag;\n" \
	".visible .entry k(.param .u64 data, .param .u64 results) {\n" \
	".reg .pred %p, %second, %other; .reg .b32 %v, %w, %i, %one, %role, %pair, %t;\n" \
	".reg .b64 %x, %y, %out;\n" \
	"ld.param.u64 %x, [data]; ld.param.u64 %out, [results];\n" \
	"cvta.to.global.u64 %x, %x; cvta.to.global.u64 %out, %out;\n" \
	"mov.u32 %role, %ctaid.x; mov.u32 %t, %tid.x; mov.u32 %one, 1; mov.u32 %i, 0;\n" \
	"shr.u32 %pair, %role, 1; and.b32 %role, %role, 1;\n" \
	"mad.wide.u32 %x, %pair, 1024, %x; mad.wide.u32 %out, %pair, 8, %out;\n" \
	"add.u64 %y, %x, 512;\n" \
	"setp.ne.u32 %other, %t, 0; setp.eq.u32 %second, %role, 1; @%second bra READS;\n"
#define READS    "ret;\nREADS: @%other ret;\n"
#define EPILOGUE "ret; }\n"
#define BOTH     "st.global.v2.u32 [%out], {%v, %w};\n"

/* Message passing: the second block waits for %y, but not forever. */
#define READER(load_y, between, load_x) \
	READS "AGAIN:" load_y "add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 200;\n" \
	      "setp.eq.and.u32 %p, %v, 0, %p; @%p bra AGAIN;\n" between load_x BOTH
#define MESSAGE(store_x, between, store_y, load_y, fence, load_x) \
	store_x between store_y READER(load_y, fence, load_x)
#define BUFFERING(store, fence, load) \
	store "[%x], %one;\n" fence load "%v, [%y]; st.global.u32 [%out], %v;\n" READS store \
	      "[%y], %one;\n" fence load "%w, [%x]; st.global.u32 [%out + 4], %w;\n"

#define ST_X      "st.weak.global.u32 [%x], %one;\n"
#define ST_Y      "st.relaxed.gpu.global.u32 [%y], %one;\n"
#define LD_Y      "ld.relaxed.gpu.global.u32 %v, [%y];\n"
#define LD_X      "ld.weak.global.u32 %w, [%x];\n"
#define LD_X_GPU  "ld.relaxed.gpu.global.u32 %w, [%x];\n"
#define FENCE     "fence.acq_rel.gpu;\n"
#define FENCE_CTA "fence.acq_rel.cta;\n"
#define RELEASE_Y "st.release.gpu.global.u32 [%y], %one;\n"
#define ACQUIRE_Y "ld.acquire.gpu.global.u32 %v, [%y];\n"
/* Before the loop, whose counter it is, so that the line is cached. */
#define STALE     "ld.weak.global.u32 %i, [%x];\n"

/* A fence for the block alone waits for all stores on AMD, so what it lacks is seen on NVIDIA. */
enum expect { SEEN, SEEN_NVIDIA, NEVER };

static const struct {
	enum expect expect;
	uint32_t v, w, threads; /* the outcome */
	const char *what, *text;
} programs[] = {
	/* A program without the fences that it needs. */
	{SEEN, 1, 0, 1, "a message without fences", MESSAGE(ST_X, "", ST_Y, LD_Y, "", LD_X)},
	{SEEN, 1, 0, 1, "a message whose writer has no fence",
	 MESSAGE(ST_X, "", ST_Y, LD_Y, FENCE, LD_X)},
	{SEEN, 1, 0, 1, "a message whose reader has no fence",
	 MESSAGE(ST_X, FENCE, ST_Y, LD_Y, "", LD_X)},
	{SEEN, 1, 0, 1, "a message of strong accesses whose reader has no fence",
	 MESSAGE(ST_X, FENCE, ST_Y, LD_Y, "", LD_X_GPU)},
	{SEEN_NVIDIA, 1, 0, 1, "a message whose writer fences for its block only",
	 MESSAGE(ST_X, FENCE_CTA, ST_Y, LD_Y, FENCE, LD_X)},
	{SEEN, 1, 0, 1, "a message whose reader fences for its block only",
	 MESSAGE(ST_X, FENCE, ST_Y, LD_Y, FENCE_CTA, LD_X)},
	{SEEN, 1, 0, 1, "a message whose reader acquires for its block only",
	 MESSAGE(ST_X, "", RELEASE_Y, "ld.acquire.cta.global.u32 %v, [%y];\n", "", LD_X)},
	{SEEN, 0, 0, 1, "store buffering without fences",
	 BUFFERING("st.relaxed.gpu.global.u32 ", "", "ld.relaxed.gpu.global.u32 ")},
	{SEEN_NVIDIA, 1, 0, 64,
	 "a message that a second thread announces after a barrier without a fence",
	 "@!%other st.weak.global.u32 [%x], %one;\n bar.sync 0; setp.ne.u32 %p, %t, 32; @%p "
	 "ret;\n" ST_Y READER(ACQUIRE_Y, "", LD_X)},

	/* A program with the fences that it needs. */
	{NEVER, 1, 0, 1, "a message with fences", MESSAGE(ST_X, FENCE, ST_Y, LD_Y, FENCE, LD_X)},
	{NEVER, 1, 0, 1, "a message with membar.gl",
	 MESSAGE(ST_X, "membar.gl;\n", ST_Y, LD_Y, "membar.gl;\n", LD_X)},
	{NEVER, 1, 0, 1, "a message with system fences between volatile accesses",
	 MESSAGE("st.volatile.global.u32 [%x], %one;\n", "fence.acq_rel.sys;\n",
		 "st.volatile.global.u32 [%y], %one;\n", "ld.volatile.global.u32 %v, [%y];\n",
		 "fence.acq_rel.sys;\n", "ld.volatile.global.u32 %w, [%x];\n")},
	{NEVER, 1, 0, 1, "a message by release and acquire",
	 MESSAGE(ST_X, "", RELEASE_Y, ACQUIRE_Y, "", LD_X)},
	{NEVER, 1, 0, 1, "a message by release and acquire to a reader with a stale line",
	 ST_X RELEASE_Y READS STALE "AGAIN:" ACQUIRE_Y
				    "add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 200;\n"
				    "setp.eq.and.u32 %p, %v, 0, %p; @%p bra AGAIN;\n" LD_X BOTH},
	{NEVER, 1, 0, 1, "a message by generic release and acquire",
	 "cvta.global.u64 %x, %x; cvta.global.u64 %y, %y; st.u32 [%x], %one;\n"
	 "st.release.gpu.u32 [%y], %one;\n" READER("ld.acquire.gpu.global.u32 %v, [%y];\n", "",
						   LD_X)},
	{NEVER, 1, 0, 1, "a message by atomic exchange and addition",
	 MESSAGE(ST_X, "", "atom.release.gpu.global.exch.b32 %v, [%y], %one;\n",
		 "atom.acquire.gpu.global.add.u32 %v, [%y], 0;\n", "", LD_X)},
	{NEVER, 1, 0, 1, "a message by a reduction and compare-and-swap",
	 MESSAGE(ST_X, "", "red.release.gpu.global.add.u32 [%y], 1;\n",
		 "atom.acquire.gpu.global.cas.b32 %v, [%y], 7, 8;\n", "", LD_X)},
	{NEVER, 0, 0, 1, "store buffering with sequentially consistent fences",
	 BUFFERING("st.relaxed.gpu.global.u32 ", "fence.sc.gpu;\n", "ld.relaxed.gpu.global.u32 ")},
	{NEVER, 0, 0, 1, "store buffering of weak accesses with membar.gl",
	 BUFFERING("st.global.u32 ", "membar.gl;\n", "ld.global.u32 ")},
	{NEVER, 1, 0, 64, "a message that a second thread announces after a barrier and a fence",
	 "@!%other st.weak.global.u32 [%x], %one;\n bar.sync 0; setp.ne.u32 %p, %t, 32; @%p "
	 "ret;\n" FENCE ST_Y READER(ACQUIRE_Y, "", LD_X)},
	{NEVER, 1, 0, 64, "a message through shared memory to a second thread that releases it",
	 "@!%other st.volatile.shared.u32 [flag], 0;\n bar.sync 0; @%other bra "
	 "RELAY;\n" ST_X FENCE_CTA "st.volatile.shared.u32 [flag], %one; ret;\n"
	 "RELAY: setp.ne.u32 %p, %t, 32; @%p ret;\n"
	 "WAIT: ld.volatile.shared.u32 %v, [flag]; setp.ne.u32 %p, %v, 1; @%p bra WAIT;\n" FENCE_CTA
		 RELEASE_Y READER(ACQUIRE_Y, "", LD_X)},

	{NEVER, 1, 0, 64, "reading after a barrier what another thread of the block has written",
	 "@!%other st.weak.global.u32 [%x], %one;\n bar.sync 0; setp.ne.u32 %p, %t, 32; @%p ret;\n"
	 "mov.u32 %v, 1;\n" LD_X BOTH READS},

	/* Coherence: no fence is needed. */
	{NEVER, 1, 0, 1, "reading a word twice, strongly",
	 "st.relaxed.gpu.global.u32 [%x], %one;\n" READS
	 "ld.relaxed.gpu.global.u32 %v, [%x];\n" LD_X_GPU BOTH},
	{NEVER, 1, 0, 1, "reading a word twice", ST_X READS "ld.global.u32 %v, [%x];\n" LD_X BOTH},
	{NEVER, 1, 0, 1, "reading a word strongly and then weakly",
	 ST_X READS "ld.relaxed.gpu.global.u32 %v, [%x];\n" LD_X BOTH},
	{NEVER, 2, 1, 1, "reading a word that is written twice",
	 "st.relaxed.gpu.global.u32 [%x], %one; st.relaxed.gpu.global.u32 [%x], 2;\n" READS
	 "ld.relaxed.gpu.global.u32 %v, [%x];\n" LD_X_GPU BOTH},
	{NEVER, 1, 0, 1, "reading a word that another block writes, after writing it",
	 ST_X READS "st.relaxed.gpu.global.u32 [%x], 2;\n"
		    "ld.relaxed.gpu.global.u32 %v, [%x]; setp.ne.u32 %p, %v, 0;\n"
		    "selp.u32 %w, 1, 0, %p; mov.u32 %v, 1;\n" BOTH},
	{NEVER, 1, 0, 1, "reading a performed word 24 times, strongly",
	 ST_X FENCE
	 "atom.relaxed.gpu.global.exch.b32 %v, [%y], %one;\n" READS STALE
	 "WAIT: atom.relaxed.gpu.global.or.b32 %v, [%y], 0; setp.eq.u32 %p, %v, 0; @%p bra WAIT;\n"
	 "AGAIN:" LD_X_GPU "add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 24;\n"
	 "setp.eq.and.u32 %p, %w, 0, %p; @%p bra AGAIN;\n" BOTH},
	{NEVER, 1, 0, 1, "an atomic on a word that the thread has written",
	 ST_X "mov.u32 %v, 1; atom.relaxed.gpu.global.add.u32 %w, [%x], 1;\n" BOTH READS},
	{NEVER, 0, 0, 1, "waiting for a word without any fence",
	 ST_X READS
	 "AGAIN: ld.relaxed.cta.global.u32 %v, [%x]; setp.eq.u32 %p, %v, 0; @%p bra AGAIN;\n"
	 "mov.u32 %w, 1;\n" BOTH},
};

static const char *const devices[] = {"gh100.0", "navi21.0"};

/* Returns how many pairs have the outcome, or UINT32_MAX after an error. */
static uint32_t count_outcomes(sov_context c, uint32_t p)
{
	char text[8192];
	uint32_t results[2 * PAIRS], outcomes = 0;
	uint64_t bytes = OUTPUT + sizeof(results);
	sov_function f;
	sov_ptr data, out;

	snprintf(text, sizeof(text), "%s%s%s", PROLOGUE, programs[p].text, EPILOGUE);
	f = function_of(c, text, "k");
	MUST(sov_memory_alloc(c, bytes, &data));
	out = data + OUTPUT;
	for (uint32_t n = 0;
	     n < LAUNCHES || (programs[p].expect != NEVER && !outcomes && n < MAX_LAUNCHES); n++) {
		sov_result r;

		MUST(sov_memory_fill(c, data, 0, 4, bytes / 4));
		r = launch(f, NULL, 2 * PAIRS, programs[p].threads, "88", ARGUMENTS(&data, &out));
		if (!r)
			r = sov_context_wait(c, 60 * SECOND);
		if (r) {
			diag("%s: %s", sov_result_name(r), sov_last_error());
			return UINT32_MAX;
		}
		MUST(sov_memory_copy(c, SOV_HOST(results), out, sizeof(results)));
		for (uint32_t i = 0; i < PAIRS; i++)
			outcomes += results[2 * i] == programs[p].v &&
				    results[2 * i + 1] == programs[p].w;
	}
	MUST(sov_memory_free(c, data));
	return outcomes;
}

static void check_program(sov_context c, const char *device, uint32_t p)
{
	uint32_t n = count_outcomes(c, p);
	bool seen = programs[p].expect != NEVER;

	if (!ok(n != UINT32_MAX && !n == !seen, "%s: %s %s the outcome %u, %u", device,
		programs[p].what, seen ? "sometimes has" : "never has", programs[p].v,
		programs[p].w) ||
	    seen)
		diag("%u pairs of blocks", n);
}

int main(void)
{
	setenv("SOV_SOFT", "gh100:vram=64M:threads=1:weak=1,navi21:vram=64M:threads=1:weak=1", 1);
	for (uint32_t d = 0; d < COUNT(devices); d++) {
		sov_context c = context_on(devices[d], 0);

		for (uint32_t p = 0; p < COUNT(programs); p++)
			if (programs[p].expect != SEEN_NVIDIA || !d)
				check_program(c, devices[d], p);
		sov_context_destroy(c);
	}
	return tap_done();
}
