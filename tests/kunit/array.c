// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Tests of sov_array_get(): it converts elements of the caller's size to the kernel's size, and
 * each kind of bad array has its own errno.
 */
#include <kunit/test.h>
#include <linux/mman.h>

#include "kmod/array.c"

#define USER_BYTES (2 * PAGE_SIZE)
#define MAX_COUNT  16

struct element {
	u64 first, second;
};

/* Maps two pages; the page after them is not mapped. */
static unsigned long array_mmap_user_memory(struct kunit *test)
{
	unsigned long at = kunit_vm_mmap(test, NULL, 0, USER_BYTES + PAGE_SIZE,
					 PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_PRIVATE, 0);

	KUNIT_ASSERT_NE_MSG(test, at, 0, "cannot map user memory");
	KUNIT_ASSERT_EQ(test, 0, vm_munmap(at + USER_BYTES, PAGE_SIZE));
	return at;
}

static void array_copy_to_user(struct kunit *test, unsigned long at, const u64 *words, size_t bytes)
{
	KUNIT_ASSERT_EQ(test, 0, copy_to_user((void __user *)at, words, bytes));
}

static void array_copies_elements_of_same_size(struct kunit *test)
{
	const u64 words[] = {1, 2, 3, 4};
	struct drm_sovgpu_array a = {sizeof(struct element), 2, array_mmap_user_memory(test)};
	struct element *e;

	array_copy_to_user(test, a.array, words, sizeof(words));
	e = sov_array_get(&a, MAX_COUNT, sizeof(*e), sizeof(*e));
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, e);
	KUNIT_EXPECT_MEMEQ(test, e, words, sizeof(words));
	kvfree(e);
}

static void array_zero_extends_shorter_elements(struct kunit *test)
{
	const u64 words[] = {7, 8};
	struct drm_sovgpu_array a = {sizeof(u64), 2, array_mmap_user_memory(test)};
	struct element *e;

	array_copy_to_user(test, a.array, words, sizeof(words));
	e = sov_array_get(&a, MAX_COUNT, sizeof(*e), sizeof(u64));
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, e);
	KUNIT_EXPECT_EQ(test, e[0].first, 7);
	KUNIT_EXPECT_EQ(test, e[1].first, 8);
	KUNIT_EXPECT_EQ(test, e[0].second | e[1].second, 0);
	kvfree(e);
}

static void array_accepts_longer_elements_with_zero_tail(struct kunit *test)
{
	u64 words[] = {1, 2, 0, 3, 4, 0};
	struct drm_sovgpu_array a = {24, 2, array_mmap_user_memory(test)};
	struct element *e;

	array_copy_to_user(test, a.array, words, sizeof(words));
	e = sov_array_get(&a, MAX_COUNT, sizeof(*e), sizeof(*e));
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, e);
	KUNIT_EXPECT_EQ(test, e[1].first, 3);
	KUNIT_EXPECT_EQ(test, e[1].second, 4);
	kvfree(e);

	words[5] = 1;
	array_copy_to_user(test, a.array, words, sizeof(words));
	KUNIT_EXPECT_PTR_EQ(test, sov_array_get(&a, MAX_COUNT, sizeof(*e), sizeof(*e)),
			    ERR_PTR(-E2BIG));
}

static void array_rejects_bad_stride_and_count(struct kunit *test)
{
	static const struct {
		u32 stride, count;
	} rows[] = {
		{16, 0}, {16, MAX_COUNT + 1},     {16, U32_MAX},    {8, 1}, {0, 1},
		{17, 1}, {SOV_MAX_STRIDE + 8, 1}, {U32_MAX - 7, 1},
	};
	unsigned long at = array_mmap_user_memory(test);
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct drm_sovgpu_array a = {rows[i].stride, rows[i].count, at};

		KUNIT_EXPECT_PTR_EQ_MSG(test, sov_array_get(&a, MAX_COUNT, 16, 16),
					ERR_PTR(-EINVAL), "stride %u, count %u", rows[i].stride,
					rows[i].count);
	}
}

static void array_rejects_unmapped_memory(struct kunit *test)
{
	unsigned long end = array_mmap_user_memory(test) + USER_BYTES;
	struct drm_sovgpu_array a = {16, 2, end - 32};
	void *e = sov_array_get(&a, MAX_COUNT, 16, 16);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, e);
	kvfree(e);
	a.array += 8;
	KUNIT_EXPECT_PTR_EQ(test, sov_array_get(&a, MAX_COUNT, 16, 16), ERR_PTR(-EFAULT));
	a.array = ULONG_MAX - 15;
	KUNIT_EXPECT_PTR_EQ(test, sov_array_get(&a, MAX_COUNT, 16, 16), ERR_PTR(-EFAULT));
	a.array = 0;
	KUNIT_EXPECT_PTR_EQ(test, sov_array_get(&a, MAX_COUNT, 16, 16), ERR_PTR(-EFAULT));
}

static struct kunit_case array_cases[] = {KUNIT_CASE(array_copies_elements_of_same_size),
					  KUNIT_CASE(array_zero_extends_shorter_elements),
					  KUNIT_CASE(array_accepts_longer_elements_with_zero_tail),
					  KUNIT_CASE(array_rejects_bad_stride_and_count),
					  KUNIT_CASE(array_rejects_unmapped_memory),
					  {}};

static struct kunit_suite array_suite = {
	.name = "sovgpu_array",
	.test_cases = array_cases,
};

kunit_test_suite(array_suite);

MODULE_DESCRIPTION("KUnit tests of sovgpu.ko");
MODULE_AUTHOR("the sovgpu authors");
MODULE_LICENSE("Dual MIT/GPL");
