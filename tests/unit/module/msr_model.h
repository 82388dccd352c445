/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * msr_model.h - a model of a CPU's counter registers
 *
 * Counts when the test says so, wraps at the width, sets status bits and requests interrupts like
 * the hardware. An access that the hardware would refuse with #GP fails the test. Every access is
 * logged, and EXPECT_LOG compares the log.
 */
#ifndef TESTS_UNIT_MODULE_MSR_MODEL_H
#define TESTS_UNIT_MODULE_MSR_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include "module/arch/x86/pmu.h"

struct access {
	char kind;			/* 'w'rite, 'r'ead, read by rd'p'mc */
	uint32_t msr;			/* or the index of rdpmc */
	uint64_t value;
};

/* Reset the model to a CPU with the counters @p; general ones start with @select. */
void model_reset(const struct op_pmu *p);

/*
 * Further registers. find: the register @msr and the bits that may be written to it, or NULL;
 * called before every access. written: called after a write that replaced @old.
 */
struct model_more {
	uint64_t *(*find)(uint32_t msr, uint64_t *ret_valid);
	void (*written)(uint32_t msr, uint64_t old);
};
void model_add(const struct model_more *more);	/* until model_reset() */

uint64_t model_get(uint32_t msr);
void model_set(uint32_t msr, uint64_t value);	/* not logged */

/* Let @n events of counter @i happen, in user mode if @user. Whether it counted them. */
bool model_count(unsigned int i, uint64_t n, bool user);
void model_interrupt(void);
unsigned int model_interrupts(void);		/* requested since the last call */

/* Called before each access, for example to simulate an NMI. NULL: none. */
extern void (*model_between)(void);

/* Compare the log and clear it. false: it differs, and both were printed. */
bool model_log_is(const struct access *wanted, unsigned int nr, bool writes_only);
void model_log_clear(void);

#define EXPECT_LOG(...)                                                                        \
	do {                                                                                   \
		static const struct access wanted[] = { __VA_ARGS__ };                         \
		CHECK(model_log_is(wanted, sizeof(wanted) / sizeof(*wanted), false),           \
		      "the accesses are not these");                                           \
	} while (0)
#define EXPECT_WRITES(...)                                                                     \
	do {                                                                                   \
		static const struct access wanted[] = { __VA_ARGS__ };                         \
		CHECK(model_log_is(wanted, sizeof(wanted) / sizeof(*wanted), true),            \
		      "the writes are not these");                                             \
	} while (0)
#define EXPECT_NO_LOG()                                                                        \
	CHECK(model_log_is(NULL, 0, false), "there were accesses")

#endif
