// SPDX-License-Identifier: GPL-2.0-or-later
/* chain.c - find addresses, registers and the copied stack in what follows a sample */
#include "daemon/collect/perf/chain.h"

#include <errno.h>
#include <linux/perf_event.h>

_Static_assert(__builtin_popcountll(PERF_USER_REGS) == PERF_USER_REGS_NR, "counted right");

/* Words that are still to be looked at. All parts of a chain are whole words. */
struct rest {
	const uint64_t *at;
	size_t nr;
};

static bool take_word(struct rest *r, uint64_t *ret)
{
	if (!r->nr)
		return false;
	*ret = *r->at++;
	r->nr--;
	return true;
}

static const uint64_t *take_words(struct rest *r, uint64_t nr)
{
	const uint64_t *at = r->at;

	if (nr > r->nr)
		return NULL;
	r->at += nr;
	r->nr -= nr;
	return at;
}

static bool take_addresses(struct rest *r, struct perf_chain *c)
{
	uint64_t nr;

	if (!take_word(r, &nr))
		return false;
	c->nr_addresses = nr;
	c->addresses = take_words(r, nr);
	return c->addresses;
}

static bool take_registers(struct rest *r, struct perf_chain *c)
{
	uint64_t abi;

	if (!take_word(r, &abi))
		return false;
	if (abi == PERF_SAMPLE_REGS_ABI_NONE)
		return true;
	c->is_32bit = abi != PERF_SAMPLE_REGS_ABI_64;
	c->registers = take_words(r, PERF_USER_REGS_NR);
	return c->registers;
}

/* How much there is room for, so much, then how much of it is real; the latter only after any. */
static bool take_stack(struct rest *r, struct perf_chain *c)
{
	uint64_t asked, real;
	const uint64_t *at;

	if (!take_word(r, &asked))
		return false;
	if (!asked)
		return true;
	at = take_words(r, asked / sizeof(*at) + (asked % sizeof(*at) != 0));
	if (!at || !take_word(r, &real) || real > asked)
		return false;
	c->stack = (const unsigned char *)at;
	c->stack_asked = (uint32_t)asked;
	c->stack_size = (uint32_t)real;
	return true;
}

int perf_chain_parse(const void *bytes, size_t size, bool copies, struct perf_chain *ret)
{
	struct rest r = { bytes, size / sizeof(uint64_t) };
	struct perf_chain c = { 0 };

	if (!take_addresses(&r, &c))
		return -EBADMSG;
	if (copies && (!take_registers(&r, &c) || !take_stack(&r, &c)))
		return -EBADMSG;
	*ret = c;
	return 0;
}
