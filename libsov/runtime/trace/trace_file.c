// SPDX-License-Identifier: MIT
/*
 * The trace file, in Chrome's JSON trace format, which Perfetto reads: complete events ("X") on
 * tracks, which are threads of processes. The process shows its threads; each GPU is a process
 * whose threads are streams. Flow arrows ("s", "f") lead from the call that submitted GPU work to
 * that work. Times are microseconds since the trace began.
 *
 * The file is a complete document after every write: each write overwrites the closing brackets and
 * appends them again, in one system call.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "libsov/runtime/base/clock.h"
#include "libsov/runtime/base/error.h"
#include "libsov/runtime/trace/trace_file.h"

#define BUFFER_BYTES (256u << 10)
#define LINE_BYTES   2048u       /* maximum of one event */
#define GPU_PROCESS  1000000000u /* plus the device number; above all Linux process ids */

typedef unsigned long long ull;

static const char brackets[] = "\n]}\n";

static struct {
	pthread_mutex_t lock;
	int file;
	uint64_t start; /* of the trace, on the host's clock */
	uint64_t at;    /* offset of the closing brackets */
	bool broken;    /* a write failed: nothing more is written */
	uint64_t lost;  /* events that could not be written */
	size_t used;
	char buffer[BUFFER_BYTES + LINE_BYTES];
} out = {.lock = PTHREAD_MUTEX_INITIALIZER, .file = -1};

/* ---- writing ---- */

static bool write_at(const char *data, size_t bytes, uint64_t at)
{
	while (bytes) {
		ssize_t n = pwrite(out.file, data, bytes, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		data += n;
		at += (uint64_t)n;
		bytes -= (size_t)n;
	}
	return true;
}

/* A write that fails, on a full disk, leaves the document complete; later events are dropped. */
static void file_flush(void)
{
	size_t bytes = out.used;

	out.used = 0;
	if (!bytes || out.broken)
		return;
	memcpy(out.buffer + bytes, brackets, sizeof(brackets) - 1);
	if (write_at(out.buffer, bytes + sizeof(brackets) - 1, out.at)) {
		out.at += bytes;
	} else {
		out.broken = true;
		fprintf(stderr, "libsov: SOV_TRACE: writing failed: %s; the trace ends here\n",
			strerror(errno));
		if (!write_at(brackets, sizeof(brackets) - 1, out.at) ||
		    ftruncate(out.file, (off_t)(out.at + sizeof(brackets) - 1)))
			out.at = 0;
	}
}

/* Adds one line, with the lock held; a line is never split between two writes. */
__attribute__((format(printf, 1, 2))) static void json_add(const char *fmt, ...)
{
	va_list ap;
	int n;

	if (out.used > BUFFER_BYTES)
		file_flush();
	va_start(ap, fmt);
	n = vsnprintf(out.buffer + out.used, LINE_BYTES - sizeof(brackets), fmt, ap);
	va_end(ap);
	if (n > 0 && (size_t)n < LINE_BYTES - sizeof(brackets))
		out.used += (size_t)n;
}

/* ---- JSON ---- */

/* Escapes a name, which may contain any byte, and truncates it to fit the line. */
static const char *quoted(const char *s, char *text, size_t bytes)
{
	size_t n = 0;

	for (; *s && n + 7 < bytes; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '"' || c == '\\' || c < 0x20 || c >= 0x7f)
			n += (size_t)snprintf(text + n, bytes - n, "\\u%04x", c);
		else
			text[n++] = (char)c;
	}
	text[n] = 0;
	return text;
}

/* Microseconds, as text. */
struct time {
	char text[32];
};

static struct time time_text(uint64_t ns)
{
	struct time t;

	snprintf(t.text, sizeof(t.text), "%llu.%03llu", (ull)(ns / 1000), (ull)(ns % 1000));
	return t;
}

static struct time since_start(uint64_t host)
{
	return time_text(host > out.start ? host - out.start : 0);
}

static void name_thread(uint32_t process, uint32_t thread, const char *name)
{
	char text[512];

	json_add(",\n{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"thread_name\",\"args\":{"
		 "\"name\":\"%"
		 "s\"}}",
		 process, thread, quoted(name, text, sizeof(text)));
}

static void name_process(uint32_t process, const char *name)
{
	char text[512];

	json_add(
		",\n{\"ph\":\"M\",\"pid\":%u,\"name\":\"process_name\",\"args\":{\"name\":\"%s\"}}",
		process, quoted(name, text, sizeof(text)));
}

/* ---- events ---- */

/* Prints arguments by value; memory that pointers refer to may have been freed. */
static void call_arguments(const struct trace_event *e, char *text, size_t bytes)
{
	const struct call_info *call = e->call.info;
	size_t n = 0;
	uint32_t i;

	*text = 0;
	for (i = 0; i < call->count && n < bytes; i++)
		if (call->arguments[i].kind == ARGUMENT_NUMBER)
			n += (size_t)snprintf(text + n, bytes - n, ",\"%s\":%llu",
					      call->arguments[i].name, (ull)e->call.values[i]);
		else if (call->arguments[i].kind == ARGUMENT_SIGNED)
			n += (size_t)snprintf(text + n, bytes - n, ",\"%s\":%lld",
					      call->arguments[i].name,
					      (long long)e->call.values[i]);
		else if (call->arguments[i].kind == ARGUMENT_ADDRESS)
			n += (size_t)snprintf(text + n, bytes - n, ",\"%s\":\"0x%llx\"",
					      call->arguments[i].name, (ull)e->call.values[i]);
}

static void write_host(const struct trace_event *e)
{
	/* The call that started the trace began before it. */
	uint64_t start = e->start > out.start ? e->start : out.start;
	struct time at = since_start(start), took = time_text(e->end - start);
	uint32_t process = (uint32_t)getpid();
	char arguments[512];

	if (e->kind == TRACE_HOST_FUNCTION) {
		json_add(",\n{\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"ts\":%s,\"dur\":%s,\"cat\":"
			 "\"function\","
			 "\"name\":\"%s\"}",
			 process, e->thread, at.text, took.text, e->name);
		return;
	}
	call_arguments(e, arguments, sizeof(arguments));
	json_add(",\n{\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"ts\":%s,\"dur\":%s,\"cat\":\"call\","
		 "\"name\":"
		 "\"%s\","
		 "\"args\":{\"result\":\"%s\"%s}}",
		 process, e->thread, at.text, took.text, e->name, sov_result_name(e->call.result),
		 arguments);
}

static void work_arguments(const struct trace_gpu_work *g, char *text, size_t bytes)
{
	if (g->work == TRACE_KERNEL)
		snprintf(text, bytes, "\"grid\":[%u,%u,%u],\"block\":[%u,%u,%u],\"shared\":%u",
			 g->grid[0], g->grid[1], g->grid[2], g->block[0], g->block[1], g->block[2],
			 g->shared);
	else
		snprintf(text, bytes, "\"bytes\":%llu,\"by\":\"%s\"", (ull)g->bytes, g->by);
}

static void write_gpu(const struct trace_event *e)
{
	static const char *const categories[] = {
		[TRACE_KERNEL] = "kernel",    [TRACE_COPY_IN] = "copy", [TRACE_COPY_OUT] = "copy",
		[TRACE_COPY_ACROSS] = "copy", [TRACE_FILL] = "fill",
	};
	const struct trace_gpu_work *g = &e->gpu;
	uint32_t process = GPU_PROCESS + g->device;
	struct time at, took, submitted;
	char name[1024], arguments[256];

	at = since_start(e->start);
	took = time_text(e->end > e->start ? e->end - e->start : 0);
	submitted = since_start(g->submitted);
	work_arguments(g, arguments, sizeof(arguments));
	json_add(",\n{\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"ts\":%s,\"dur\":%s,\"cat\":\"%s\","
		 "\"name\":"
		 "\"%s\","
		 "\"args\":{%s,\"submitted\":%s%s}}",
		 process, g->track, at.text, took.text, categories[g->work],
		 quoted(e->name, name, sizeof(name)), arguments, submitted.text,
		 g->cut ? ",\"cut\":true" : "");
	json_add(",\n{\"ph\":\"s\",\"pid\":%u,\"tid\":%u,\"ts\":%s,\"cat\":\"submit\",\"name\":"
		 "\"submit\",\"id\":%llu}",
		 (uint32_t)getpid(), e->thread, submitted.text, (ull)g->id);
	json_add(",\n{\"ph\":\"f\",\"bp\":\"e\",\"pid\":%u,\"tid\":%u,\"ts\":%s,\"cat\":\"submit\","
		 "\"name\":\"submit\",\"id\":%llu}",
		 process, g->track, at.text, (ull)g->id);
}

void trace_file_event(const struct trace_event *e)
{
	pthread_mutex_lock(&out.lock);
	if (e->kind == TRACE_GPU)
		write_gpu(e);
	else
		write_host(e);
	pthread_mutex_unlock(&out.lock);
}

void trace_file_thread(uint32_t thread, const char *name)
{
	pthread_mutex_lock(&out.lock);
	name_thread((uint32_t)getpid(), thread, name);
	pthread_mutex_unlock(&out.lock);
}

void trace_file_device(uint32_t device, const char *name)
{
	char text[96];

	snprintf(text, sizeof(text), "GPU %s", name);
	pthread_mutex_lock(&out.lock);
	name_process(GPU_PROCESS + device, text);
	pthread_mutex_unlock(&out.lock);
}

void trace_file_track(uint32_t device, uint32_t track, uint64_t context, uint64_t stream)
{
	char text[96];

	snprintf(text, sizeof(text), "context %llu stream %llu", (ull)context, (ull)stream);
	pthread_mutex_lock(&out.lock);
	name_thread(GPU_PROCESS + device, track, text);
	pthread_mutex_unlock(&out.lock);
}

void trace_file_clock(uint32_t device, uint64_t host, uint64_t gpu, uint64_t window)
{
	struct time at = since_start(host);

	pthread_mutex_lock(&out.lock);
	json_add(",\n{\"ph\":\"i\",\"s\":\"p\",\"pid\":%u,\"tid\":0,\"ts\":%s,\"cat\":\"clock\","
		 "\"name\":\"clocks read\","
		 "\"args\":{\"host_ns\":%llu,\"gpu_ns\":%llu,\"window_ns\":%llu}}",
		 GPU_PROCESS + device, at.text, (ull)host, (ull)gpu, (ull)window);
	pthread_mutex_unlock(&out.lock);
}

static void write_lost(uint64_t events)
{
	json_add(",\n{\"ph\":\"i\",\"s\":\"p\",\"pid\":%u,\"tid\":0,\"ts\":%s,\"cat\":\"lost\","
		 "\"name\":"
		 "\"events lost\","
		 "\"args\":{\"events\":%llu}}",
		 (uint32_t)getpid(), since_start(now_ns()).text, (ull)events);
}

void trace_file_lost(uint64_t events)
{
	pthread_mutex_lock(&out.lock);
	write_lost(events);
	pthread_mutex_unlock(&out.lock);
}

void trace_file_count_lost(uint64_t events)
{
	pthread_mutex_lock(&out.lock);
	out.lost += events;
	pthread_mutex_unlock(&out.lock);
}

void trace_file_flush(void)
{
	pthread_mutex_lock(&out.lock);
	if (out.lost)
		write_lost(out.lost);
	out.lost = 0;
	file_flush();
	pthread_mutex_unlock(&out.lock);
}

/* ---- creating and destroying ---- */

static void document_begin(void)
{
	char command[256] = "";
	int n, file = open("/proc/self/comm", O_RDONLY | O_CLOEXEC);

	n = file < 0 ? 0 : (int)read(file, command, sizeof(command) - 1);
	if (file >= 0)
		close(file);
	command[n > 0 ? n - 1 : 0] = 0;
	out.start = now_ns();
	out.at = 0;
	out.used = 0;
	json_add("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"library\":\"libsov "
		 "%d.%d\",\"start_ns\":%llu,"
		 "\"clock\":\"host times are CLOCK_MONOTONIC; GPU times are laid on it by the "
		 "pairs of "
		 "'clocks "
		 "read', each off by half its window at most\"},\"traceEvents\":[\n"
		 "{\"ph\":\"M\",\"pid\":%u,\"name\":\"process_labels\",\"args\":{\"labels\":"
		 "\"libsov\"}"
		 "}",
		 SOV_VERSION_MAJOR, SOV_VERSION_MINOR, (ull)out.start, (uint32_t)getpid());
	name_process((uint32_t)getpid(), command);
	file_flush();
}

/* Replaces %p in the path by the process id. */
static bool expand_path(const char *path, char *text, size_t bytes)
{
	size_t n = 0;

	for (; *path && n + 12 < bytes; path++)
		if (path[0] == '%' && path[1] == 'p') {
			n += (size_t)snprintf(text + n, bytes - n, "%d", (int)getpid());
			path++;
		} else {
			text[n++] = *path;
		}
	text[n] = 0;
	return !*path;
}

sov_result trace_file_open(const char *given)
{
	char path[4096];
	struct stat st;

	if (!expand_path(given, path, sizeof(path)))
		return set_error(SOV_ERROR_INVALID_ARGUMENT,
				 "SOV_TRACE: the path is too long; at most %zu bytes are possible",
				 sizeof(path));
	out.file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (out.file < 0)
		return set_error(
			SOV_ERROR_INVALID_ARGUMENT,
			"SOV_TRACE: cannot write '%s': %s; name a file that can be written", path,
			strerror(errno));
	if (fstat(out.file, &st) || !S_ISREG(st.st_mode)) {
		close(out.file);
		return set_error(SOV_ERROR_INVALID_ARGUMENT,
				 "SOV_TRACE: '%s' is not a regular file; name one", path);
	}
	if (flock(out.file, LOCK_EX | LOCK_NB)) {
		close(out.file);
		return set_error(SOV_ERROR_INVALID_ARGUMENT,
				 "SOV_TRACE: another process writes '%s'; %%p in the name becomes "
				 "the process id",
				 path);
	}
	out.broken = ftruncate(out.file, 0) != 0;
	document_begin();
	if (!out.broken)
		return SOV_OK;
	close(out.file);
	return set_error(SOV_ERROR_INVALID_ARGUMENT,
			 "SOV_TRACE: cannot write '%s': %s; is the disk full?", path,
			 strerror(errno));
}

void trace_file_close(void)
{
	pthread_mutex_lock(&out.lock);
	close(out.file);
	out.file = -1;
	out.broken = true;
	pthread_mutex_unlock(&out.lock);
}
