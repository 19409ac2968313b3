// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Usage counters, see usage.h. A charge is granted by every scope or changes no counter: a scope
 * that refuses must not take capacity of another one for a moment, because a concurrent charge
 * could fail then.
 */
#include "kmod/usage.h"

/**
 * sov_usage_charge() - count additional usage unless that exceeds the limit of a scope
 * @usage: The counter of the smallest scope. The caller excludes other changes of it and its
 *	parents.
 * @limit: The resource.
 * @amount: Additional usage.
 * @max: The limits of the resource, indexed by &enum sov_scope.
 *
 * Return: True if the usage was counted in all scopes, false if it was counted in none.
 */
bool sov_usage_charge(struct sov_usage *usage, enum sov_limit limit, u64 amount,
		      const u64 max[SOV_SCOPE_COUNT])
{
	const struct sov_usage *u;

	for (u = usage; u; u = u->parent) {
		/* The usage may be above a limit that was lowered. */
		if (amount > max[u->scope] || u->used[limit] > max[u->scope] - amount)
			return false;
	}
	sov_usage_charge_forced(usage, limit, amount);
	return true;
}

/**
 * sov_usage_charge_forced() - count additional usage regardless of the limits
 * @usage: The counter of the smallest scope, protected as for sov_usage_charge().
 * @limit: The resource.
 * @amount: Additional usage.
 */
void sov_usage_charge_forced(struct sov_usage *usage, enum sov_limit limit, u64 amount)
{
	for (; usage; usage = usage->parent)
		usage->used[limit] += amount;
}

/**
 * sov_usage_uncharge() - undo a charge
 * @usage: The counter that was charged, protected as for sov_usage_charge().
 * @limit: The resource.
 * @amount: The usage that ends.
 */
void sov_usage_uncharge(struct sov_usage *usage, enum sov_limit limit, u64 amount)
{
	for (; usage; usage = usage->parent)
		usage->used[limit] -= amount;
}
