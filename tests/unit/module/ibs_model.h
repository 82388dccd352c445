/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ibs_model.h - a model of the registers of instruction-based sampling
 *
 * Both units count when the test says so, take a sample at the end of their period, halt with it
 * and request an interrupt, and resume when their control register is written, like the hardware,
 * including its errata. Accesses are logged and checked as in msr_model.h.
 */
#ifndef TESTS_UNIT_MODULE_IBS_MODEL_H
#define TESTS_UNIT_MODULE_IBS_MODEL_H

#include "module/arch/x86/ibs.h"

#define FETCH_CTL	0xc0011030
#define OP_CTL		0xc0011033

/* Reset the model to a CPU with the features @i. */
void ibs_model_reset(const struct op_ibs *i);

/* Let @n fetches, or cycles or ops, happen. Whether a sample was taken. */
bool ibs_model_count(enum op_ibs_unit u, uint64_t n);

#endif
