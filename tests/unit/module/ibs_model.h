/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ibs_model.h - the registers of instruction-based sampling, for tests of what is written to them
 *
 * Both units count when told to, take a sample as their period ends, stand still with it and ask
 * for an interrupt, and go on once their control register is written, as the hardware does; its
 * errata too. Logged and refused as msr_model.h's.
 */
#ifndef TESTS_UNIT_MODULE_IBS_MODEL_H
#define TESTS_UNIT_MODULE_IBS_MODEL_H

#include "module/arch/x86/ibs.h"

#define FETCH_CTL	0xc0011030
#define OP_CTL		0xc0011033

/* Forget everything; be a CPU with what @i says. */
void ibs_model_reset(const struct op_ibs *i);

/* @n fetches, or cycles or ops, happen; whether a sample was taken. */
bool ibs_model_count(enum op_ibs_unit u, uint64_t n);

#endif
