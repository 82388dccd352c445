// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * msr_model.c - a CPU's counter registers, for tests of what is written to them (msr_model.h)
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/module/msr_model.h"

#define LOG_MAX 256

static const struct op_pmu *pmu;
static const struct model_more *more;
static uint64_t select_of[16], value_of[16], fixed_ctrl, status, ctrl;
static unsigned int interrupts;
static struct access log_of[LOG_MAX];
static unsigned int nr_logged;

void (*model_between)(void);

static void between(void)
{
	if (model_between)
		model_between();
}

void model_reset(const struct op_pmu *p)
{
	pmu = p;
	memset(select_of, 0, sizeof(select_of));
	memset(value_of, 0, sizeof(value_of));
	fixed_ctrl = status = ctrl = 0;
	model_between = NULL;
	interrupts = nr_logged = 0;
	more = NULL;
}

void model_add(const struct model_more *m)
{
	more = m;
}

static void refused(const char *what, uint32_t msr, uint64_t value)
{
	printf("# #GP: %s 0x%x, 0x%" PRIx64 "\n", what, msr, value);
	fflush(stdout);
	abort();
}

static uint64_t mask(unsigned int i)
{
	return ~0ull >> (64 - (i < pmu->nr_general ? pmu->width : pmu->fixed_width));
}

static uint64_t global_valid(void)
{
	return ((1ull << pmu->nr_general) - 1) | ((1ull << pmu->nr_fixed) - 1) << 32;
}

/* The register @msr and the bits that may be written to it. */
static uint64_t *find(uint32_t msr, uint64_t *valid)
{
	uint64_t *other = more ? more->find(msr, valid) : NULL;

	if (other)
		return other;
	for (unsigned int i = 0; i < pmu->nr_general; i++) {
		if (msr == pmu->select + i * pmu->step) {
			*valid = (pmu->event_mask > 0xff ? 0xfffdfffffull : 0xffdfffffull) |
				 (pmu->extra_mask & OP_EXTRA_ANY);
			return &select_of[i];
		}
		/* with full-width writes the old address exists as well */
		if (msr == pmu->counter + i * pmu->step) {
			*valid = pmu->signed32 ? ~0ull : mask(i);
			return &value_of[i];
		}
	}
	for (unsigned int i = 0; i < pmu->nr_fixed; i++)
		if (msr == 0x309 + i) {
			*valid = mask(pmu->nr_general + i);
			return &value_of[pmu->nr_general + i];
		}
	*valid = 0xbbbb & ((1ull << 4 * pmu->nr_fixed) - 1);
	if (pmu->nr_fixed && msr == 0x38d)
		return &fixed_ctrl;
	*valid = global_valid();
	if (pmu->global && msr == pmu->global_ctrl)
		return &ctrl;
	if (pmu->global && msr == pmu->global_status) {
		*valid = 0;
		return &status;
	}
	return NULL;
}

static void logged(char kind, uint32_t msr, uint64_t value)
{
	if (nr_logged < LOG_MAX)
		log_of[nr_logged++] = (struct access){ kind, msr, value };
}

uint64_t op_rdmsr(u32 msr)
{
	uint64_t valid, *reg = find(msr, &valid);

	between();
	if (!reg)
		refused("rdmsr", msr, 0);
	logged('r', msr, *reg);
	return *reg;
}

void op_wrmsr(u32 msr, u64 value)
{
	uint64_t valid, *reg = find(msr, &valid), old;

	between();
	old = reg ? *reg : 0;
	logged('w', msr, value);
	if (pmu->global && msr == pmu->global_clear) {
		if (value & ~(global_valid() | 3ull << 62))
			refused("wrmsr", msr, value);
		status &= ~value;
		return;
	}
	if (!reg || (value & ~valid) || reg == &status)
		refused("wrmsr", msr, value);
	if (pmu->signed32 && msr >= pmu->counter && msr < pmu->counter + pmu->nr_general)
		value = (uint64_t)(int64_t)(int32_t)value & mask(msr - pmu->counter);
	*reg = value;
	if (more)
		more->written(msr, old);
}

uint64_t op_rdpmc(u32 index)
{
	unsigned int i = index & (1u << 30) ? pmu->nr_general + (index & 0xff) : index;

	between();
	if (i >= op_pmu_counters(pmu) || (index < 1u << 30 && index >= pmu->nr_general))
		refused("rdpmc", index, 0);
	logged('p', index, value_of[i]);
	return value_of[i];
}

uint64_t model_get(uint32_t msr)
{
	uint64_t valid;

	return *find(msr, &valid);
}

void model_set(uint32_t msr, uint64_t value)
{
	uint64_t valid;

	*find(msr, &valid) = value;
}

/* Whether counter @i counts in that mode, and whether it requests interrupts. */
static bool counts(unsigned int i, bool user, bool *interrupt)
{
	unsigned int bits;
	bool on;

	if (i < pmu->nr_general) {
		on = select_of[i] >> 22 & 1;
		bits = select_of[i] >> 16 & 3;		/* user, kernel */
		*interrupt = select_of[i] >> 20 & 1;
		if (pmu->global)
			on = on && (ctrl >> i & 1);
	} else {
		unsigned int fixed = i - pmu->nr_general, field = fixed_ctrl >> 4 * fixed & 0xf;

		on = ctrl >> (32 + fixed) & 1;
		bits = (field & 2) >> 1 | (field & 1) << 1;
		*interrupt = field >> 3;
	}
	return on && bits >> (user ? 0 : 1) & 1;
}

bool model_count(unsigned int i, uint64_t n, bool user)
{
	bool interrupt;

	if (!counts(i, user, &interrupt))
		return false;
	if (n > mask(i) - value_of[i]) {
		status |= i < pmu->nr_general ? 1ull << i : 1ull << (32 + i - pmu->nr_general);
		if (!pmu->global)
			status = 0;
		interrupts += interrupt;
	}
	value_of[i] = (value_of[i] + n) & mask(i);
	return true;
}

void model_interrupt(void)
{
	interrupts++;
}

unsigned int model_interrupts(void)
{
	unsigned int nr = interrupts;

	interrupts = 0;
	return nr;
}

static void print(const char *whose, const struct access *a, unsigned int nr)
{
	printf("# %s:\n", whose);
	for (unsigned int i = 0; i < nr; i++)
		printf("#   { '%c', 0x%x, 0x%" PRIx64 " },\n", a[i].kind, a[i].msr, a[i].value);
}

bool model_log_is(const struct access *wanted, unsigned int nr, bool writes_only)
{
	struct access got[LOG_MAX];
	unsigned int n = 0, i;
	bool same;

	for (i = 0; i < nr_logged; i++)
		if (!writes_only || log_of[i].kind == 'w')
			got[n++] = log_of[i];
	nr_logged = 0;
	same = n == nr;
	for (i = 0; same && i < n; i++)
		same = got[i].kind == wanted[i].kind && got[i].msr == wanted[i].msr &&
		       got[i].value == wanted[i].value;
	if (!same) {
		print("wanted", wanted, nr);
		print("got", got, n);
	}
	return same;
}

void model_log_clear(void)
{
	nr_logged = 0;
}
