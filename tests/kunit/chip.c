// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The driver's chip table: lookup by number, and completeness of every row. */
#include <kunit/test.h>

#include "kmod/nv/chip.c"

/* Stubs for the functions that rows refer to; the tests boot nothing. */
int nv_fsp_wait_boot(struct nv_device *nv)
{
	return -ENODEV;
}

int nv_gsp_boot(struct nv_device *nv)
{
	return -ENODEV;
}

static void chip_found_by_number(struct kunit *test)
{
	const struct nv_chip *c = nv_chip_find(NV_PMC_BOOT_42_CHIP(0x180a1000));

	KUNIT_ASSERT_NOT_NULL(test, c);
	KUNIT_EXPECT_STREQ(test, c->name, "gh100");
	KUNIT_EXPECT_EQ(test, c->isa, 90);
}

static void chip_unknown_number_is_not_found(struct kunit *test)
{
	static const u32 numbers[] = {0, 0x17f, 0x181, 0x1ff, 0xfff, U32_MAX};
	int i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++)
		KUNIT_EXPECT_NULL_MSG(test, nv_chip_find(numbers[i]), "0x%x", numbers[i]);
}

static void chip_table_is_complete(struct kunit *test)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(chips); i++) {
		const struct nv_chip *c = &chips[i];

		KUNIT_EXPECT_PTR_EQ_MSG(test, nv_chip_find(c->number), c,
					"two chips with number 0x%x", c->number);
		KUNIT_EXPECT_TRUE(test, c->name && *c->name);
		KUNIT_EXPECT_TRUE(test, c->isa && c->sms_per_tpc && c->config_mirror);
		KUNIT_EXPECT_TRUE(test, c->channel && c->compute && c->copy && c->graphics);
		KUNIT_EXPECT_TRUE(test, c->wait_boot && c->boot && c->mmu);
		KUNIT_EXPECT_GT(test, c->interrupt_leaves, 0);
		KUNIT_EXPECT_LE(test, c->interrupt_leaves, NV_MAX_LEAVES);
	}
}

static struct kunit_case chip_cases[] = {KUNIT_CASE(chip_found_by_number),
					 KUNIT_CASE(chip_unknown_number_is_not_found),
					 KUNIT_CASE(chip_table_is_complete),
					 {}};

static struct kunit_suite chip_suite = {
	.name = "sovgpu_chip",
	.test_cases = chip_cases,
};

kunit_test_suite(chip_suite);
