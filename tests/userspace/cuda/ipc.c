// SPDX-License-Identifier: MIT
/* Memory and events between processes by CUDA's driver API: the test starts itself as the other
 * process. */
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include "libsov/cuda/driver/calls.h"
#include "tests/soft.h"
#include "tests/tap.h"
#include "tests/userspace/cuda/_load.h"

#define N 1000

extern char **environ;

struct handles {
	CUipcMemHandle memory;
	CUipcEventHandle written, answered;
};

static CUcontext context;

static bool all_are(CUdeviceptr p, unsigned value)
{
	unsigned got[N];

	if (CALL(cuMemcpyDtoH_v2)(got, p, sizeof(got)))
		return false;
	for (int k = 0; k < N; k++)
		if (got[k] != value)
			return false;
	return true;
}

static void start_driver(void)
{
	load_library("libcuda.so.1");
	if (CALL(cuInit)(0) || CALL(cuCtxCreate_v2)(&context, 0, 0)) {
		ok(false, "there is a device");
		exit(tap_done());
	}
}

/* ---- the other process; its exit status says which step failed ---- */

#define STEP(number, condition) \
	do { \
		if (!(condition)) \
			return number; \
	} while (0)

static int serve(void)
{
	CUdeviceptr p = 0, again = 0;
	CUevent written = NULL, answered = NULL;
	struct handles h;
	CUstream s;
	char freed;

	start_driver();
	STEP(2, read(0, &h, sizeof(h)) == sizeof(h));
	STEP(3, !CALL(cuIpcOpenMemHandle_v2)(&p, h.memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
	STEP(4,
	     !CALL(cuIpcOpenMemHandle_v2)(&again, h.memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) &&
		     p == again);
	STEP(5, !CALL(cuIpcOpenEventHandle)(&written, h.written) &&
			!CALL(cuIpcOpenEventHandle)(&answered, h.answered));
	STEP(6, CALL(cuMemFree_v2)(p) == CUDA_ERROR_INVALID_VALUE);
	STEP(7, CALL(cuEventQuery)(written) == CUDA_ERROR_NOT_READY &&
			!CALL(cuStreamCreate)(&s, 1) && !CALL(cuStreamWaitEvent)(s, written, 0) &&
			CALL(cuStreamQuery)(s) == CUDA_ERROR_NOT_READY && write(1, "q", 1) == 1);
	STEP(8, !CALL(cuStreamSynchronize)(s) && !CALL(cuEventQuery)(written) && all_are(p, 7));
	STEP(9, !CALL(cuMemsetD32Async)(p, 9, N, s) && !CALL(cuEventRecord)(answered, s) &&
			!CALL(cuStreamSynchronize)(s));
	STEP(10, !CALL(cuIpcCloseMemHandle)(p) && all_are(p, 9));
	STEP(11, !CALL(cuIpcCloseMemHandle)(p) && CALL(cuMemGetAddressRange_v2)(&again, NULL, p));
	STEP(12, CALL(cuIpcCloseMemHandle)(p) == CUDA_ERROR_INVALID_VALUE);
	STEP(13, !CALL(cuEventDestroy_v2)(written) && !CALL(cuEventDestroy_v2)(answered));
	STEP(14, write(1, "d", 1) == 1 && read(0, &freed, 1) == 1); /* the memory is freed now */
	STEP(15, CALL(cuIpcOpenMemHandle_v2)(&p, h.memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) ==
			 CUDA_ERROR_MAP_FAILED);
	return CALL(cuCtxDestroy_v2)(context) ? 16 : 0;
}

static pid_t start_peer(int *in, int *out)
{
	char program[] = "/proc/self/exe", option[] = "serve";
	char *arguments[] = {program, option, NULL};
	posix_spawn_file_actions_t actions;
	int to[2], from[2];
	pid_t peer;

	if (pipe(to) || pipe(from))
		exit(1);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, to[0], 0);
	posix_spawn_file_actions_adddup2(&actions, from[1], 1);
	posix_spawn_file_actions_addclose(&actions, to[1]);
	posix_spawn_file_actions_addclose(&actions, from[0]);
	if (posix_spawn(&peer, program, &actions, NULL, arguments, environ))
		exit(1);
	posix_spawn_file_actions_destroy(&actions);
	close(to[0]);
	close(from[1]);
	*in = to[1];
	*out = from[0];
	return peer;
}

/* ---- this process ---- */

static void test_two_processes(void)
{
	struct handles h;
	CUevent written = NULL, answered = NULL;
	int in, out, status = -1;
	CUdeviceptr p;
	unsigned *gate;
	char done;
	pid_t peer = start_peer(&in, &out);

	start_driver();
	ok(!CALL(cuMemAlloc_v2)(&p, N * 4) && !CALL(cuIpcGetMemHandle)(&h.memory, p),
	   "memory has a handle for other processes");
	ok(!CALL(cuEventCreate)(&written, CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS) &&
		   !CALL(cuEventCreate)(&answered,
					CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS) &&
		   !CALL(cuIpcGetEventHandle)(&h.written, written) &&
		   !CALL(cuIpcGetEventHandle)(&h.answered, answered),
	   "events have handles for other processes");
	ok(!CALL(cuEventQuery)(answered) && !CALL(cuEventSynchronize)(answered),
	   "an event that was never recorded is complete");
	ok(!CALL(cuMemHostAlloc)((void **)&gate, 64, 0) && !CALL(cuMemsetD32_v2)(p, 3, N) &&
		   !CALL(cuStreamWaitValue32_v2)(NULL, (uintptr_t)gate, 1, 1) &&
		   !CALL(cuMemsetD32Async)(p, 7, N, NULL) && !CALL(cuEventRecord)(written, NULL),
	   "this process submits a write and a record that wait for its host");
	alarm(120); /* the other process answers */
	ok(write(in, &h, sizeof(h)) == sizeof(h) && read(out, &done, 1) == 1 && done == 'q',
	   "the other process sees that the event has not been reached");
	__atomic_store_n(gate, 1, __ATOMIC_RELEASE);
	ok(read(out, &done, 1) == 1 && done == 'd',
	   "the other process has read what was written before the event");
	ok(CALL(cuEventElapsedTime)(&(float){0}, written, answered) == CUDA_ERROR_INVALID_HANDLE,
	   "an event between processes has no time");
	ok(!CALL(cuEventSynchronize)(answered) && !CALL(cuEventQuery)(answered) && all_are(p, 9),
	   "this process has what the other wrote before its event");
	ok(!CALL(cuMemFree_v2)(p) && write(in, "f", 1) == 1, "the memory is freed");
	waitpid(peer, &status, 0);
	ok(!status,
	   "the other process opens and closes memory and events, and not freed memory (step %d)",
	   WIFEXITED(status) ? WEXITSTATUS(status) : -1);
	alarm(0);
	ok(!CALL(cuEventDestroy_v2)(written) && !CALL(cuEventDestroy_v2)(answered),
	   "events between processes are destroyed");
}

/* The record on the first stream, which waits, was asked for before that on the second. */
static void test_two_streams(void)
{
	CUevent event = NULL, waited_for = NULL;
	CUcontext other;
	CUstream s[3];
	unsigned *gate;

	ok(!CALL(cuEventCreate)(&event, CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS) &&
		   !CALL(cuStreamCreate)(&s[0], 1) && !CALL(cuStreamCreate)(&s[1], 1) &&
		   !CALL(cuMemHostAlloc)((void **)&gate, 64, 0),
	   "two streams have an event between processes");
	*gate = 0;
	ok(!CALL(cuStreamWaitValue32_v2)(s[0], (uintptr_t)gate, 1, 1) &&
		   !CALL(cuEventRecord)(event, s[0]) && !CALL(cuEventRecord)(event, s[1]) &&
		   !CALL(cuStreamSynchronize)(s[1]) && !CALL(cuEventQuery)(event),
	   "it is complete when its last record is reached");
	__atomic_store_n(gate, 1, __ATOMIC_RELEASE);
	ok(!CALL(cuStreamSynchronize)(s[0]) && !CALL(cuEventQuery)(event),
	   "a record before that, which is reached later, changes nothing");
	*gate = 0;
	alarm(120); /* a call that waits for the gate would wait for ever */
	ok(!CALL(cuEventCreate)(&waited_for, CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS) &&
		   !CALL(cuStreamWaitValue32_v2)(s[0], (uintptr_t)gate, 1, 1) &&
		   !CALL(cuEventRecord)(waited_for, s[0]) &&
		   !CALL(cuStreamWaitEvent)(s[1], waited_for, 0) &&
		   !CALL(cuEventDestroy_v2)(waited_for) &&
		   CALL(cuStreamQuery)(s[1]) == CUDA_ERROR_NOT_READY,
	   "an event that a stream waits for is destroyed, and the call does not wait");
	__atomic_store_n(gate, 1, __ATOMIC_RELEASE);
	ok(!CALL(cuStreamSynchronize)(s[1]) && !CALL(cuStreamSynchronize)(s[0]),
	   "the stream goes on when the event is reached");
	alarm(0);
	ok(!CALL(cuCtxCreate_v2)(&other, 0, 0) && !CALL(cuStreamCreate)(&s[2], 1) &&
		   CALL(cuEventRecord)(event, s[2]) == CUDA_ERROR_INVALID_HANDLE &&
		   !CALL(cuEventQuery)(event),
	   "a record in another context fails, and is not waited for");
	ok(!CALL(cuCtxDestroy_v2)(other) && !CALL(cuCtxSetCurrent)(context) &&
		   !CALL(cuEventDestroy_v2)(event),
	   "the event is destroyed");
}

/* Ampere's waits for numbers do not reach the memory. */
static void test_older_chip(void)
{
	CUcontext ampere;
	CUevent event;

	ok(!CALL(cuCtxCreate_v2)(&ampere, 0, 1) &&
		   CALL(cuEventCreate)(&event, CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS) ==
			   CUDA_ERROR_NOT_SUPPORTED,
	   "a chip without such events creates none");
	ok(!CALL(cuCtxDestroy_v2)(ampere) && !CALL(cuCtxSetCurrent)(context),
	   "and its context is destroyed");
}

static void test_errors(void)
{
	CUipcEventHandle event_handle;
	CUipcMemHandle handle = {{0}}, zeros;
	CUdeviceptr p, q;
	CUevent event;
	void *pinned;

	memset(&zeros, 0, sizeof(zeros));
	ok(!CALL(cuMemAlloc_v2)(&p, 64) && !CALL(cuIpcGetMemHandle)(&handle, p) &&
		   CALL(cuIpcOpenMemHandle_v2)(&q, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) ==
			   CUDA_ERROR_INVALID_CONTEXT,
	   "a process cannot open its own memory");
	ok(CALL(cuIpcOpenMemHandle_v2)(&q, zeros, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) ==
		   CUDA_ERROR_INVALID_HANDLE,
	   "zeros are an invalid handle");
	ok(CALL(cuIpcOpenMemHandle_v2)(&q, handle, 0) == CUDA_ERROR_INVALID_VALUE,
	   "opening without the flag is invalid");
	ok(!CALL(cuMemHostAlloc)(&pinned, 64, 0) &&
		   CALL(cuIpcGetMemHandle)(&handle, (uintptr_t)pinned) == CUDA_ERROR_INVALID_VALUE,
	   "host memory has no handle");
	ok(CALL(cuIpcCloseMemHandle)(p) == CUDA_ERROR_INVALID_VALUE,
	   "memory of this process is not closed");
	ok(CALL(cuEventCreate)(&event, CU_EVENT_INTERPROCESS) == CUDA_ERROR_INVALID_VALUE,
	   "an event between processes needs no timing");
	ok(!CALL(cuEventCreate)(&event, 0) &&
		   CALL(cuIpcGetEventHandle)(&event_handle, event) == CUDA_ERROR_INVALID_VALUE,
	   "another event has no handle");
	CALL(cuEventDestroy_v2)(event);
	ok(!CALL(cuCtxDestroy_v2)(context), "the context is destroyed with shared memory in it");
}

int main(int argc, char **argv)
{
	soft_gpus("gh100:vram=256M,ga100:vram=256M");
	if (argc > 1 && !strcmp(argv[1], "serve"))
		return serve();
	signal(SIGPIPE, SIG_IGN); /* of a write to a process that has failed */
	test_two_processes();
	test_two_streams();
	test_older_chip();
	test_errors();
	return tap_done();
}
