// SPDX-License-Identifier: MIT
/*
 * The kernels of tests/kernels leave the same bytes in all buffers, whether a software GPU
 * interprets or translates their code. Each mode runs in a process of its own, with one host
 * thread, so that blocks have an order.
 */
#include <sys/wait.h>
#include "model/translate/emit.h"
#include "tests/kernels/launch.h"
#include "tests/soft.h"
#include "tests/tap.h"

#define WITNESS  0
#define MODES    3
#define MAX_TEXT (1 << 22)

/* What a process says of each kernel. */
struct outcome {
	bool ran;
	uint64_t sums[WORK_BUFFERS];
	char why[WORK_WHY];
};

static const struct {
	const char *name;
	enum emit_isa isa;
} modes[MODES] = {{"0", EMIT_NONE}, {"eager-avx2", EMIT_AVX2}, {"eager", EMIT_AVX512}};

/* FNV-1a */
static uint64_t sum_of(const struct work_buffer *b)
{
	uint64_t sum = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < b->bytes; i++)
		sum = (sum ^ ((const uint8_t *)b->data)[i]) * UINT64_C(0x100000001b3);
	return sum;
}

static void run_kernel(sov_context c, const struct work_kind *kind, struct outcome *o)
{
	char path[256], *text = malloc(MAX_TEXT);
	sov_module m = NULL;
	struct work w;
	FILE *f;

	snprintf(path, sizeof(path), "tests/kernels/%s.ptx", kind->file);
	work_make(&w, kind, kind->small, 20261119);
	f = fopen(path, "r");
	if (f && text) {
		size_t bytes = fread(text, 1, MAX_TEXT, f);

		o->ran = work_must(&w, sov_module_load(c, text, bytes, NULL, &m), "loading") &&
			 work_launch(&w, c, m);
	} else {
		snprintf(w.why, sizeof(w.why), "cannot read its PTX");
	}
	for (unsigned i = 0; i < w.nbuffers; i++)
		o->sums[i] = sum_of(&w.buffers[i]);
	memcpy(o->why, w.why, sizeof(o->why));
	if (f)
		fclose(f);
	work_free(&w);
	free(text);
}

static void run_all(const char *mode, struct outcome outcomes[WORK_KINDS])
{
	sov_context c = NULL;
	sov_device d;

	setenv("SOV_SOFT_TRANSLATE", mode, 1);
	soft_gpus("gh100:vram=256M:threads=1");
	if (sov_device_open(0, &d) || sov_context_create(d, NULL, &c))
		return;
	for (int k = 0; k < WORK_KINDS; k++)
		run_kernel(c, &work_kinds[k], &outcomes[k]);
	sov_context_destroy(c);
}

/* False: the process ended early. */
static bool run_in_child(const char *mode, struct outcome outcomes[WORK_KINDS])
{
	size_t bytes = WORK_KINDS * sizeof(outcomes[0]), done = 0;
	int ends[2], status;
	ssize_t n = 1;
	pid_t child;

	if (pipe(ends))
		return false;
	child = fork();
	if (!child) {
		run_all(mode, outcomes);
		for (; done < bytes && n > 0; done += n > 0 ? (size_t)n : 0)
			n = write(ends[1], (char *)outcomes + done, bytes - done);
		_exit(done != bytes);
	}
	close(ends[1]);
	for (; child > 0 && done < bytes && n > 0; done += n > 0 ? (size_t)n : 0)
		n = read(ends[0], (char *)outcomes + done, bytes - done);
	close(ends[0]);
	return child > 0 && waitpid(child, &status, 0) == child && done == bytes;
}

int main(void)
{
	static struct outcome all[MODES][WORK_KINDS];

	unsetenv("SOV_VISIBLE_DEVICES");
	for (int mode = 0; mode < MODES; mode++) {
		if (emit_isa_of_host(modes[mode].isa) != modes[mode].isa) {
			ok(true, "SOV_SOFT_TRANSLATE=%s # SKIP this host has not these vectors",
			   modes[mode].name);
			continue;
		}
		if (!ok(run_in_child(modes[mode].name, all[mode]),
			"a process runs the kernels with SOV_SOFT_TRANSLATE=%s", modes[mode].name))
			continue;
		for (int k = 0; k < WORK_KINDS; k++) {
			const struct outcome *o = &all[mode][k], *witness = &all[WITNESS][k];

			if (!ok(o->ran && !memcmp(o->sums, witness->sums, sizeof(o->sums)),
				"%s leaves the interpreter's bytes with SOV_SOFT_TRANSLATE=%s",
				work_kinds[k].function, modes[mode].name))
				diag("%s", o->ran ? "the bytes differ" : o->why);
		}
	}
	return tap_done();
}
