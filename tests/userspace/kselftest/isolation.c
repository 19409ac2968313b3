// SPDX-License-Identifier: MIT
/*
 * Isolation against hostile command streams. A process tries to reach foreign memory through every
 * unit that takes an address, and to use privileged operations; each time through QUEUE_SUBMIT and
 * through a user queue. The outcome is exact: the queue reports the error and its address, its
 * whole group stops, and nothing is read or written. Another group of the same process continues,
 * and so does another process, which checks its memory and its work each time.
 */
#include <pthread.h>

#include "tests/userspace/kselftest/isolation_attacks.h"

#define SHORT_MS 300
#define CANARY   0x5a

static const char *const mode_names[] = {"QUEUE_SUBMIT", "a user queue"};
static struct fixture bystander; /* another group in the same address space */
static struct victim victim;
static uint8_t *read_only;
static unsigned attack_count;

struct expected {
	enum outcome outcome;
	uint32_t code;
	uint64_t address;
	uint32_t kind; /* checked if not 0 */
};

static bool all_bytes_equal(const uint8_t *p, uint64_t bytes, uint8_t value)
{
	for (uint64_t i = 0; i < bytes; i++)
		if (p[i] != value)
			return false;
	return true;
}

static bool queue_works(struct fixture *m)
{
	struct drm_sovgpu_sync sync = {DRM_SOVGPU_SYNC_SIGNAL, syncobj_create(m->fd), 0};
	struct drm_syncobj_destroy d = {.handle = sync.handle};
	struct stream s = stream_at(m, DONE + 0x10000);
	volatile uint64_t *flag = (volatile uint64_t *)(m->memory + DONE + 0x8000);

	*flag = 0;
	stream_release(&s, BUFFER_VA + DONE + 0x8000, 7);
	struct drm_sovgpu_job job = stream_job(m, &s);
	bool good = !queue_submit(m->fd, m->queue, &job, 1, &sync, 1) &&
		    !syncobj_wait(m->fd, sync.handle, 0, 20) && *flag == 7;

	gpu_ioctl(m->fd, DRM_IOCTL_SYNCOBJ_DESTROY, &d);
	return good;
}

/* Submits an attack and waits for its end. */
static bool submit_and_wait(struct user_queue *u, const struct attack *t, enum submit_mode mode,
			    enum outcome outcome)
{
	volatile uint64_t *done = (volatile uint64_t *)(base.memory + DONE);
	struct drm_sovgpu_job job = t->job.size ? t->job : stream_job(&base, &t->s);
	struct drm_sovgpu_sync sync = {DRM_SOVGPU_SYNC_SIGNAL, syncobj_create(base.fd), 0};
	struct drm_syncobj_destroy d = {.handle = sync.handle};
	bool good = true;

	if (mode == BY_IOCTL) {
		good = !queue_submit(base.fd, u->m.queue, &job, 1, &sync, 1) &&
		       !syncobj_wait(base.fd, sync.handle, 0, 20);
	} else if (t->put) {
		*(volatile uint64_t *)(base.memory + RING_OFFSET) = t->entry;
		if (t->unmap_ring)
			vm_unmap(base.fd, base.vm, BUFFER_VA + RING_OFFSET, 64 * KIB);
		ring_set_put(u, t->put);
	} else {
		ring_push(u, &job);
	}
	for (int i = 0; mode == BY_USER_QUEUE && outcome != HANGS && i < 2000;
	     i++, poll(NULL, 0, 10))
		if (outcome == COMPLETES ? *done : queue_state(base.fd, u->id).state)
			break;
	if (mode == BY_USER_QUEUE && outcome == HANGS)
		poll(NULL, 0, 50);
	gpu_ioctl(base.fd, DRM_IOCTL_SYNCOBJ_DESTROY, &d);
	return good;
}

static bool outcome_is_expected(struct user_queue *u, enum submit_mode mode, uint32_t sibling_queue,
				const struct expected *e)
{
	static const uint32_t states[] = {[FAULTS] = DRM_SOVGPU_QUEUE_STATE_FAULTED,
					  [HANGS] = DRM_SOVGPU_QUEUE_STATE_TIMED_OUT,
					  [COMPLETES] = DRM_SOVGPU_QUEUE_STATE_USABLE};
	bool ended = e->outcome == FAULTS || (e->outcome == HANGS && mode == BY_IOCTL);
	uint32_t want = ended ? states[e->outcome] : DRM_SOVGPU_QUEUE_STATE_USABLE, sibling = 0;
	struct drm_sovgpu_queue_state s =
		queue_state(base.fd, mode == BY_IOCTL ? u->m.queue : u->id);

	for (int i = 0; i < 200; i++, poll(NULL, 0, 10)) {
		sibling = queue_state(base.fd, sibling_queue).state;
		if (!ended || sibling)
			break;
	}
	if (s.state == want && s.fault_code == e->code && s.fault_address == e->address &&
	    (!e->kind || s.fault_kind == e->kind) &&
	    sibling == (ended ? DRM_SOVGPU_QUEUE_STATE_INNOCENT : DRM_SOVGPU_QUEUE_STATE_USABLE) &&
	    !!*(uint64_t *)(base.memory + DONE) == (e->outcome == COMPLETES))
		return true;
	diag("state %u, code %u, address 0x%llx, kind %u, done %llu; sibling queue %u", s.state,
	     s.fault_code, (unsigned long long)s.fault_address, s.fault_kind,
	     *(unsigned long long *)(base.memory + DONE), sibling);
	return false;
}

/* Runs one attack in a group of its own, which has a second queue. */
static bool run_attack(struct attack *t, enum submit_mode mode, uint32_t queue_class,
		       const struct expected *e)
{
	struct user_queue u = {.m = base};
	uint32_t sibling_queue;
	bool good;

	attack_count++;
	good = !group_create(base.fd, base.vm, &u.m.group) &&
	       !queue_create(base.fd, u.m.group, queue_class, 16,
			     e->outcome == HANGS ? SHORT_MS : 10000, &u.m.queue) &&
	       !queue_create(base.fd, u.m.group, queue_class == COPY ? COMPUTE : COPY, 16, LIMIT_MS,
			     &sibling_queue) &&
	       (mode == BY_IOCTL || user_queue_attach(&u, queue_class));
	if (!good)
		diag("the attack's queues cannot be created");
	good = good && submit_and_wait(&u, t, mode, e->outcome) &&
	       outcome_is_expected(&u, mode, sibling_queue, e);
	if (mode == BY_USER_QUEUE)
		user_queue_detach(&u);
	good = !group_destroy(base.fd, u.m.group) && good;
	queue_destroy(base.fd, u.m.queue);
	queue_destroy(base.fd, sibling_queue);
	if (mode == BY_USER_QUEUE)
		queue_destroy(base.fd, u.id);
	if (t->unmap_ring)
		vm_map(base.fd, base.vm, base.buffer, RING_OFFSET, BUFFER_VA + RING_OFFSET,
		       64 * KIB);
	return good;
}

static void attack_init(struct attack *t)
{
	*t = (struct attack){.s = stream_at(&base, STREAM)};
	memset(base.memory + RESULT, 0, 8192);
	memset(base.memory + DONE, 0, 8);
	memset(base.memory + PATCH, 0xc3, 4096);
}

/* No foreign bytes arrived, and the read-only page is unchanged. */
static bool memory_unchanged(void)
{
	return all_bytes_equal(base.memory + RESULT, 8192, 0) &&
	       all_bytes_equal(read_only, VRAM_PAGE, CANARY);
}

static uint32_t complaints;

static bool expect_bystanders_unaffected(const char *what)
{
	bool good = queue_works(&bystander) && !queue_state(bystander.fd, bystander.queue).state;
	bool kept = ok(good && !complaints, "%s: another group and another process are unaffected",
		       what);

	if (!kept)
		diag("the group is %s; complaint bits of the process: %#x",
		     good ? "usable" : "not usable", complaints);
	complaints = 0;
	return kept;
}

static bool test_access(const struct access *a)
{
	for (size_t i = 0; i < COUNT(targets); i++) {
		const struct target *target = &targets[i];
		uint64_t va =
			a->bits == 64 ? target->va : target->va & ((UINT64_C(1) << a->bits) - 1);
		struct expected e = {FAULTS, MMU, va, target->kind};

		if (target->readable && !a->writes)
			continue;
		for (enum submit_mode mode = 0; mode < SUBMIT_MODES; mode++) {
			struct attack t;

			if (mode == BY_IOCTL && target->not_submittable &&
			    a->write == set_job_address)
				continue;
			attack_init(&t);
			a->write(&t, va, a->detail);
			stream_release(&t.s, BUFFER_VA + DONE, 1);
			bool good = run_attack(&t, mode, a->queue_class, &e);

			ok(good && memory_unchanged(), "%s through %s faults at %s", a->what,
			   mode_names[mode], target->name);
			complaints |= victim_request_report(&victim);
		}
	}
	return expect_bystanders_unaffected(a->what);
}

static bool test_bad_stream(const struct bad_stream *w)
{
	struct expected e = {w->outcome, w->code, w->address, 0};
	static const char *const effects[] = {"stops its group", "can be stopped", "is harmless"};

	for (enum submit_mode mode = 0; mode < SUBMIT_MODES; mode++) {
		struct attack t;

		if (w->modes && !(w->modes >> mode & 1))
			continue;
		attack_init(&t);
		w->write(&t, w->value, w->detail);
		stream_release(&t.s, BUFFER_VA + DONE, 1);
		bool good = run_attack(&t, mode, w->queue_class, &e);

		/*
		 * A harmless stream may write its own memory, but must not get the victim's bytes.
		 */
		good = good &&
		       (w->outcome == COMPLETES
				? *(uint32_t *)(base.memory + RESULT) !=
					  (victim_byte(0) | victim_byte(1) << 8 |
					   victim_byte(2) << 16 | (uint32_t)victim_byte(3) << 24)
				: memory_unchanged());
		ok(good, "%s through %s %s", w->what, mode_names[mode], effects[w->outcome]);
		complaints |= victim_request_report(&victim);
	}
	return expect_bystanders_unaffected(w->what);
}

struct pusher {
	struct user_queue u;
	struct drm_sovgpu_job job;
	bool end;
	uint64_t pushed;
};

static void *push_until_stopped(void *argument)
{
	struct pusher *p = argument;

	for (; !__atomic_load_n(&p->end, __ATOMIC_RELAXED); p->pushed++)
		ring_push(&p->u, &p->job);
	return NULL;
}

/*
 * A user queue that is filled with interrupts without end: others get their time slices, and the
 * queue can be stopped.
 */
static void test_endless_ring(void)
{
	struct pusher p = {.u = {.m = base}};
	pthread_t thread;
	struct attack t;

	attack_init(&t);
	write_interrupts(&t, 64, WORD(NV_METHOD_NON_INC, 0, NV_HOST_NON_STALL_INTERRUPT, 0));
	p.job = stream_job(&base, &t.s);
	bool good = !group_create(base.fd, base.vm, &p.u.m.group) &&
		    user_queue_attach(&p.u, COPY) &&
		    !pthread_create(&thread, NULL, push_until_stopped, &p);

	if (!ok(good, "a thread pushes to a user queue without end"))
		return;
	for (int i = 0; i < 5; i++)
		complaints |= victim_request_report(&victim);
	expect_bystanders_unaffected("a user queue that never empties");
	struct drm_sovgpu_queue_state state = queue_state(base.fd, p.u.id);

	/* Destroy the group while the thread still pushes. */
	good = !group_destroy(base.fd, p.u.m.group) && !queue_destroy(base.fd, p.u.id);
	__atomic_store_n(&p.end, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	user_queue_detach(&p.u);
	ok(good && !state.state && p.pushed > RING_ENTRIES,
	   "a user queue that never empties can be destroyed");
	diag("%llu entries were pushed", (unsigned long long)p.pushed);
}

static bool setup(void)
{
	struct drm_sovgpu_vm_bind_op op = {
		.va = READ_ONLY_VA, .size = VRAM_PAGE, .flags = DRM_SOVGPU_VM_MAP_READONLY};

	if (!fixture_open(&base, COPY))
		return false;
	bystander = base;
	bo_create(base.fd, VRAM, VRAM_PAGE, MAPPABLE, &op.handle);
	read_only = bo_map(base.fd, op.handle, VRAM_PAGE);
	if (read_only == MAP_FAILED || vm_bind(base.fd, base.vm, &op, 1, NULL))
		return ok(false, "a read-only page is mapped");
	memset(read_only, CANARY, VRAM_PAGE);
	return true;
}

int main(void)
{
	if (!victim_start(&victim) || !setup())
		return tap_done();
	uint64_t free_before = free_vram_bytes(base.fd);

	/* Once a bystander is affected, later results mean nothing. */
	for (size_t i = 0; i < COUNT(accesses); i++)
		if (!test_access(&accesses[i]))
			return tap_done();
	for (size_t i = 0; i < COUNT(bad_streams); i++)
		if (!test_bad_stream(&bad_streams[i]))
			return tap_done();
	test_endless_ring();
	/*
	 * The same accesses succeed at an allowed address, so the attacks failed for the intended
	 * reason.
	 */
	for (size_t i = 0; i < COUNT(accesses); i++) {
		struct expected e = {COMPLETES, 0, 0, 0};
		struct attack t;

		if (accesses[i].write == write_semaphore && !accesses[i].writes)
			continue; /* it would wait forever */
		if (accesses[i].write == set_job_address ||
		    accesses[i].write == write_qmd_address ||
		    accesses[i].detail == NV_QMD_DEPENDENT_POINTER ||
		    accesses[i].detail == NV_QMD_PROGRAM)
			continue; /* the buffer holds no valid stream, descriptor or program */
		attack_init(&t);
		accesses[i].write(&t, BUFFER_VA + LOCAL, accesses[i].detail);
		stream_release(&t.s, BUFFER_VA + DONE, 1);
		ok(run_attack(&t, BY_IOCTL, accesses[i].queue_class, &e),
		   "%s at an allowed address succeeds", accesses[i].what);
	}
	ok(free_vram_bytes(base.fd) == free_before, "attacks leave no VRAM allocated");
	diag("%u attacks", attack_count);
	victim_end(&victim);
	fixture_close(&base);
	return tap_done();
}
