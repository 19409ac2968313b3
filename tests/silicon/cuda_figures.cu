// SPDX-License-Identifier: MIT
/*
 * Times of the CUDA runtime API on device 0, for whichever libraries the loader finds: from process
 * start to the first result, launches, allocations and copies. cuda_figures.sh runs it with NVIDIA's
 * libraries and with those of this project.
 *
 *   cuda_figures [--small]     one line per figure: "figure NAME MICROSECONDS", medians
 *   cuda_figures --first       a kernel's result, then the time at which it was there
 *
 * --small is for a software GPU: few samples, small copies. The lines "device", "map" and "open" name
 * the device, the GPU libraries in /proc/self/maps at the end, and the device files that are open.
 * Every result is checked; exit status 1: one was wrong, or a call failed.
 */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <set>
#include <string>
#include <vector>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#define TIME_LIMIT 40 /* seconds */
#define BURST      100
#define CHECK(call) \
	do { \
		cudaError_t error_ = (call); \
		if (error_ != cudaSuccess) \
			die(#call, cudaGetErrorString(error_)); \
	} while (0)

extern char **environ;

static void die(const char *what, const char *why)
{
	fflush(stdout);
	fprintf(stderr, "cuda_figures: %s: %s\n", what, why);
	exit(1);
}

static double now_us()
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

__global__ void store(unsigned *to, unsigned value)
{
	to[threadIdx.x] = value + threadIdx.x;
}

static void first_result()
{
	unsigned *p, value = 0;

	CHECK(cudaMalloc(&p, 4));
	store<<<1, 1>>>(p, 4711);
	CHECK(cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost));
	printf("%.3f\n", now_us());
	fflush(stdout);
	if (value != 4711)
		die("first result", "the kernel's value is wrong");
}

/* Starts this program anew; returns the time until its first result. */
static double start_us(char *self)
{
	char option[] = "--first", *arguments[] = {self, option, NULL}, text[64] = "";
	double from;
	posix_spawn_file_actions_t actions;
	int ends[2], status;
	ssize_t got, total = 0;
	pid_t child;

	if (pipe(ends))
		die("process start", "no pipe");
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
	posix_spawn_file_actions_addclose(&actions, ends[0]);
	from = now_us();
	if (posix_spawn(&child, "/proc/self/exe", &actions, NULL, arguments, environ))
		die("process start", "no process");
	close(ends[1]);
	while ((got = read(ends[0], text + total, sizeof(text) - 1 - total)) > 0)
		total += got;
	close(ends[0]);
	posix_spawn_file_actions_destroy(&actions);
	if (waitpid(child, &status, 0) != child || status || !total)
		die("process start", "the process failed");
	return atof(text) - from;
}

static double median(std::vector<double> &times)
{
	std::sort(times.begin(), times.end());
	return times[times.size() / 2];
}

template <typename Call> static void figure(const char *name, int samples, Call call)
{
	std::vector<double> times;

	for (int i = 0; i < samples / 10 + 1; i++)
		call();
	for (int i = 0; i < samples; i++)
		times.push_back(call());
	printf("figure %s %.3f\n", name, median(times));
	fflush(stdout);
}

template <typename Call> static double timed(Call call)
{
	double from = now_us();

	call();
	return now_us() - from;
}

static void measure_launches(int samples)
{
	unsigned *p, value;
	cudaStream_t stream;

	CHECK(cudaMalloc(&p, 4));
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	figure("launch+cudaDeviceSynchronize", samples, [&] {
		return timed([&] {
			store<<<1, 1>>>(p, 1);
			CHECK(cudaDeviceSynchronize());
		});
	});
	figure("launch+cudaStreamSynchronize", samples, [&] {
		return timed([&] {
			store<<<1, 1, 0, stream>>>(p, 2);
			CHECK(cudaStreamSynchronize(stream));
		});
	});
	figure("issue-of-<<<>>>,burst-of-100", samples / 10 + 1, [&] {
		double took = timed([&] {
			for (int i = 0; i < BURST; i++)
				store<<<1, 1>>>(p, 3);
		});

		CHECK(cudaDeviceSynchronize());
		return took / BURST;
	});
	figure("issue-of-<<<>>>,idle-stream", samples, [&] {
		double took = timed([&] { store<<<1, 1>>>(p, 4); });

		CHECK(cudaDeviceSynchronize());
		return took;
	});
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost));
	if (value != 4)
		die("launches", "the last kernel's value is wrong");
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(p));
}

static void measure_allocations(int samples)
{
	figure("cudaMalloc+cudaFree,1MiB", samples, [] {
		void *p;

		return timed([&] {
			CHECK(cudaMalloc(&p, 1 << 20));
			CHECK(cudaFree(p));
		});
	});
}

static void measure_copies(const char *kind, uint8_t *in, uint8_t *out, size_t bytes, int samples)
{
	static uint64_t state = 88172645463325252u;
	char name[64];
	const char *unit = bytes >= 1 << 20 ? "MiB" : "KiB";
	size_t count = bytes >> (bytes >= 1 << 20 ? 20 : 10);
	void *p;

	for (size_t i = 0; i < bytes; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		in[i] = (uint8_t)(state >> 56);
	}
	memset(out, 0, bytes);
	CHECK(cudaMalloc(&p, bytes));
	snprintf(name, sizeof(name), "%s-to-device,%zu%s", kind, count, unit);
	figure(name, samples, [&] {
		return timed([&] { CHECK(cudaMemcpy(p, in, bytes, cudaMemcpyHostToDevice)); });
	});
	snprintf(name, sizeof(name), "device-to-%s,%zu%s", kind, count, unit);
	figure(name, samples, [&] {
		return timed([&] { CHECK(cudaMemcpy(out, p, bytes, cudaMemcpyDeviceToHost)); });
	});
	if (memcmp(in, out, bytes))
		die(name, "the copied bytes are wrong");
	CHECK(cudaFree(p));
}

static void report_mappings()
{
	static const char *const libraries[] = {"libcuda", "libnvidia", "libcudart", "libsov"};
	std::set<std::string> paths;
	char line[4096], target[4096];
	FILE *maps = fopen("/proc/self/maps", "r");

	while (maps && fgets(line, sizeof(line), maps)) {
		char *path = strchr(line, '/'), *file = strrchr(line, '/');

		for (const char *library : libraries)
			if (path && !strncmp(file + 1, library, strlen(library)))
				paths.insert(std::string(path, strcspn(path, "\n")));
	}
	if (maps)
		fclose(maps);
	for (const std::string &path : paths)
		printf("map %s\n", path.c_str());
	paths.clear();
	for (int i = 0; i < 1024; i++) {
		ssize_t got;

		snprintf(line, sizeof(line), "/proc/self/fd/%d", i);
		got = readlink(line, target, sizeof(target) - 1);
		if (got > 0 && !strncmp(target, "/dev/nvidia", 11))
			paths.insert(std::string(target, (size_t)got));
	}
	for (const std::string &path : paths)
		printf("open %s\n", path.c_str());
}

int main(int argc, char **argv)
{
	bool small = argc > 1 && !strcmp(argv[1], "--small");
	size_t sizes[] = {4 << 10, 1 << 20, 64 << 20};
	cudaDeviceProp properties;

	alarm(TIME_LIMIT);
	if (argc > 1 && !strcmp(argv[1], "--first")) {
		first_result();
		return 0;
	}
	figure("process-start-to-first-result", small ? 1 : 5, [&] { return start_us(argv[0]); });
	CHECK(cudaGetDeviceProperties(&properties, 0));
	printf("device %s\n", properties.name);
	measure_launches(small ? 20 : 2000);
	measure_allocations(small ? 20 : 500);
	for (size_t bytes : sizes) {
		int samples = small ? 2 : bytes < 64 << 20 ? 200 : 15;
		uint8_t *pinned[2], *pageable[2];

		if (small && bytes > 1 << 20)
			break;
		for (int i = 0; i < 2; i++) {
			CHECK(cudaMallocHost(&pinned[i], bytes));
			pageable[i] = (uint8_t *)malloc(bytes);
			if (!pageable[i])
				die("copies", "no memory");
		}
		measure_copies("pinned", pinned[0], pinned[1], bytes, samples);
		measure_copies("pageable", pageable[0], pageable[1], bytes, samples);
		for (int i = 0; i < 2; i++) {
			CHECK(cudaFreeHost(pinned[i]));
			free(pageable[i]);
		}
	}
	report_mappings();
	return 0;
}
