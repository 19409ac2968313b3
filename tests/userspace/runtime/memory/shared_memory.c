// SPDX-License-Identifier: MIT
/* Memory that two processes share: the test starts itself as the other process, which does what the
 * requests on its standard input say. */
#include <spawn.h>
#include <sys/wait.h>
#include "tests/userspace/runtime/_api.h"

#define BYTES ((UINT64_C(2) << 20) + 12345)

extern char **environ;

enum operation { IMPORT, READ, FILL, WRITE_VALUE, FREE, EXPORT };

struct request {
	enum operation operation;
	sov_memory_handle handle;
	sov_ptr address;
	uint32_t value;
};

struct answer {
	sov_result result;
	uint32_t value;
	sov_ptr address;
	uint64_t bytes;
	sov_memory_handle handle;
	char message[256];
};

static sov_context c;
static int to_peer, from_peer;

/* ---- the other process ---- */

static sov_result obey(const struct request *q, struct answer *a)
{
	sov_stream s;

	switch (q->operation) {
	case IMPORT:
		return sov_memory_import(c, &q->handle, &a->address, &a->bytes);
	case READ:
		return sov_memory_copy(c, SOV_HOST(&a->value), q->address, 4);
	case FILL:
		return sov_memory_fill(c, q->address, q->value, 4, 16);
	case WRITE_VALUE:
		MUST(sov_context_get_stream(c, &s));
		return sov_stream_write_value(s, q->address, q->value, 4);
	case FREE:
		return sov_memory_free(c, q->address);
	default:
		MUST(sov_memory_alloc(c, BYTES, &a->address));
		MUST(sov_memory_fill(c, a->address, 23, 4, 16));
		return sov_memory_export(c, a->address, &a->handle);
	}
}

static int serve(void)
{
	struct request q;

	c = context_on("gh100.0", 0);
	while (read(0, &q, sizeof(q)) == sizeof(q)) {
		struct answer a = {0};

		a.result = obey(&q, &a);
		snprintf(a.message, sizeof(a.message), "%s", a.result ? sov_last_error() : "");
		if (write(1, &a, sizeof(a)) != sizeof(a))
			return 1;
	}
	return 0;
}

static pid_t start_peer(void)
{
	char program[] = "/proc/self/exe", option[] = "serve";
	char *arguments[] = {program, option, NULL};
	posix_spawn_file_actions_t actions;
	int in[2], out[2];
	pid_t peer;

	if (pipe(in) || pipe(out))
		exit(1);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in[0], 0);
	posix_spawn_file_actions_adddup2(&actions, out[1], 1);
	posix_spawn_file_actions_addclose(&actions, in[1]);
	posix_spawn_file_actions_addclose(&actions, out[0]);
	if (posix_spawn(&peer, program, &actions, NULL, arguments, environ))
		exit(1);
	posix_spawn_file_actions_destroy(&actions);
	close(in[0]);
	close(out[1]);
	to_peer = in[1];
	from_peer = out[0];
	return peer;
}

static struct answer ask(struct request q)
{
	struct answer a;

	alarm(120); /* the other process answers */
	if (write(to_peer, &q, sizeof(q)) != sizeof(q) ||
	    read(from_peer, &a, sizeof(a)) != sizeof(a)) {
		ok(false, "the other process answers");
		exit(tap_done());
	}
	alarm(0);
	return a;
}

/* ---- this process ---- */

static uint32_t word_at(sov_ptr p)
{
	uint32_t word = 0;

	MUST(sov_memory_copy(c, SOV_HOST(&word), p, 4));
	return word;
}

static bool peer_refuses(const sov_memory_handle *h, sov_result want, const char *part)
{
	struct answer a = ask((struct request){.operation = IMPORT, .handle = *h});

	if (a.result == want && strstr(a.message, part))
		return true;
	diag("%s: %s", sov_result_name(a.result), a.message);
	return false;
}

static void two_processes(void)
{
	sov_memory_handle h, again, other;
	uint8_t *before = malloc(BYTES), *after = malloc(BYTES);
	sov_ptr p, theirs, next;
	sov_stream s;
	struct answer a;
	bool ordered;

	MUST(sov_context_get_stream(c, &s));
	for (uint64_t k = 0; k < BYTES; k++)
		before[k] = (uint8_t)(k / 4096 % 3 ? random_u64() : 0);
	MUST(sov_memory_alloc(c, BYTES, &p));
	MUST(sov_memory_copy(c, p, SOV_HOST(before), BYTES));
	good(sov_memory_export(c, p, &h), "memory of sov_memory_alloc has a handle");
	MUST(sov_memory_copy(c, SOV_HOST(after), p, BYTES));
	ok(!memcmp(before, after, BYTES), "an export keeps the contents");
	MUST(sov_memory_export(c, p, &again));
	ok(!memcmp(&h, &again, sizeof(h)), "a second export returns the same handle");
	MUST(sov_memory_fill(c, p + 400, 4711, 4, 1));

	a = ask((struct request){.operation = IMPORT, .handle = h});
	ok(!a.result && a.bytes == BYTES, "another process imports it with its size");
	theirs = a.address;
	a = ask((struct request){.operation = READ, .address = theirs + 400});
	ok(!a.result && a.value == 4711, "it reads what this GPU wrote");
	MUST(sov_memory_fill(c, p, 0, 4, 1));
	/* Some chips do not reach the address with these commands; the answers are an order too. */
	ordered = !sov_stream_wait_value(s, p, 77, 4, SOV_WAIT_EQUAL);
	ask((struct request){.operation = FILL, .address = theirs + 8192, .value = 99});
	if (ordered)
		ask((struct request){.operation = WRITE_VALUE, .address = theirs, .value = 77});
	ok(!sov_stream_wait(s, 60 * SECOND) && word_at(p + 8192) == 99,
	   "this GPU reads what the other process wrote%s",
	   ordered ? ", after a number that its stream writes" : "");
	good(sov_context_reset(c), "a context with shared memory is reset");
	ok(word_at(p + 8192) == 99, "shared memory keeps its contents over a reset");

	other = h;
	other.words[7] ^= 1;
	ok(peer_refuses(&other, SOV_ERROR_NOT_FOUND, "has freed"),
	   "a handle with another token is not found");
	other = h;
	other.words[4] += UINT64_C(1) << 40;
	ok(peer_refuses(&other, SOV_ERROR_INVALID_HANDLE, "not one that"),
	   "a handle with another size is invalid");
	MUST(sov_memory_free(c, p));
	ok(peer_refuses(&h, SOV_ERROR_NOT_FOUND, "has freed"),
	   "the handle of freed memory is not found");
	MUST(sov_memory_alloc(c, BYTES, &next));
	MUST(sov_memory_fill(c, next, 5, 4, BYTES / 4));
	a = ask((struct request){.operation = READ, .address = theirs + 8192});
	ok(!a.result && a.value == 99,
	   "the other process keeps memory that was freed here, beside new memory");
	a = ask((struct request){.operation = FREE, .address = theirs});
	ok(!a.result && ask((struct request){.operation = READ, .address = theirs}).result ==
				SOV_ERROR_INVALID_ADDRESS,
	   "sov_memory_free ends an import");
	MUST(sov_memory_free(c, next));
	MUST(sov_memory_alloc(c, 4096, &next));
	MUST(sov_memory_export(c, next, &again));
	MUST(sov_memory_free(c, next));
	ok(peer_refuses(&again, SOV_ERROR_NOT_FOUND, "has freed"),
	   "shared memory is not kept for the next allocation");
	free(before);
	free(after);
}

static void peer_ends(pid_t peer)
{
	struct answer a = ask((struct request){.operation = EXPORT});
	uint64_t bytes = 0;
	sov_ptr p, none;
	int status = 1;

	good(sov_memory_import(c, &a.handle, &p, &bytes), "this process imports memory as well");
	ok(bytes == BYTES && word_at(p) == 23, "it has the other process's contents");
	refused(sov_memory_export(c, p, &a.handle), SOV_ERROR_UNSUPPORTED, "only that can",
		"imported memory is not exported again");
	close(to_peer);
	ok(waitpid(peer, &status, 0) == peer && !status, "the other process ends");
	ok(word_at(p) == 23, "imported memory outlives the process that allocated it");
	refused(sov_memory_import(c, &a.handle, &none, NULL), SOV_ERROR_NOT_FOUND, "has ended",
		"the handle of a process that has ended is not found");
	good(sov_memory_free(c, p), "imported memory is freed");
}

static void wrong_calls(void)
{
	sov_context other = context_on("ga100.0", 0);
	sov_memory_handle h, none = {{0}};
	sov_ptr p, pooled, q;
	void *pinned;
	sov_stream s;

	MUST(sov_context_get_stream(c, &s));
	MUST(sov_memory_alloc(c, 4096, &p));
	MUST(sov_memory_export(c, p, &h));
	refused(sov_memory_import(c, &h, &q, NULL), SOV_ERROR_INVALID_ARGUMENT, "own memory",
		"a process does not import its own memory");
	refused(sov_memory_import(other, &h, &q, NULL), SOV_ERROR_INVALID_HANDLE, "another device",
		"memory of another device is not imported");
	refused(sov_memory_import(c, &none, &q, NULL), SOV_ERROR_INVALID_HANDLE, "not one that",
		"64 bytes of zeros are no handle");
	refused(sov_memory_import(c, NULL, &q, NULL), SOV_ERROR_INVALID_ARGUMENT, "handle is NULL",
		"an import needs a handle");
	refused(sov_memory_export(c, p, NULL), SOV_ERROR_INVALID_ARGUMENT, "handle is NULL",
		"an export needs room for the handle");
	refused(sov_memory_export(c, p + 8, &h), SOV_ERROR_INVALID_ADDRESS, "8 bytes inside",
		"the inside of an allocation is not exported");
	MUST(sov_memory_alloc_async(s, 4096, &pooled));
	refused(sov_memory_export(c, pooled, &h), SOV_ERROR_UNSUPPORTED, "only that can",
		"pool memory is not exported");
	MUST(sov_host_alloc(c, 4096, &pinned));
	refused(sov_memory_export(c, SOV_HOST(pinned), &h), SOV_ERROR_UNSUPPORTED, "only that can",
		"host memory is not exported");
	MUST(sov_memory_free(c, p));
	refused(sov_memory_export(c, p, &h), SOV_ERROR_INVALID_ADDRESS, "was freed",
		"freed memory is not exported");
	MUST(sov_context_destroy(other));
}

static void share_with_peer(void)
{
	pid_t peer = start_peer();

	c = context_on("gh100.0", 0);
	two_processes();
	peer_ends(peer);
}

/* The same in checked programs, of which neither sees the other write the memory. */
static void checked(void)
{
	char file[] = "/tmp/sov-shared-memory-XXXXXX", report[512];
	int f = mkstemp(file), status = 1;
	pid_t child;
	ssize_t n;

	fflush(stdout);
	child = f < 0 ? -1 : fork();
	if (!child) {
		setenv("SOV_CHECK", "all", 1);
		setenv("SOV_CHECK_FILE", file, 1);
		if (!freopen("/dev/null", "w", stdout))
			exit(1);
		share_with_peer();
		MUST(sov_context_destroy(c));
		exit(tap_done());
	}
	waitpid(child, &status, 0);
	n = read(f, report, sizeof(report) - 1);
	if (!ok(!status && !n, "memory of another process is not reported as uninitialised"))
		diag("status %d: %.*s", status, n > 0 ? (int)n : 0, report);
	unlink(file);
	close(f);
}

int main(int argc, char **argv)
{
	soft_gpus("gh100:vram=256M,ga100:vram=256M");
	setenv("SOV_MEMORY_CACHE", "16M", 1); /* contexts keep freed memory, except shared memory */
	if (argc > 1 && !strcmp(argv[1], "serve"))
		return serve();
	random_seed();
	if (getenv("TEST_WINSYS")) {
		sov_memory_handle h;
		sov_ptr p;

		c = context_on("gh100.0", 0);
		MUST(sov_memory_alloc(c, 4096, &p));
		refused(sov_memory_export(c, p, &h), SOV_ERROR_UNSUPPORTED, "has no call",
			"a kernel driver without shared memory is named");
	} else {
		if (!getenv("TEST_CHIP")) /* AMD's are not checked */
			checked();
		share_with_peer();
		wrong_calls();
	}
	MUST(sov_context_destroy(c));
	return tap_done();
}
