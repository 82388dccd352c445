/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpu_type.h - OProfile's CPU types: name, how it is printed, its two numbers
 *
 * The number stands in every sample file's header, and it was renumbered between 0.9.9 (header
 * version 0x12) and 1.x (0x13), so a number means nothing without the header's version.
 */
#ifndef CPU_TYPE_H
#define CPU_TYPE_H

#include <stddef.h>
#include <stdint.h>

struct cpu_type {
	const char *name;		/* "timer", "i386/core_2" */
	const char *pretty;		/* "CPU with timer interrupt": header lines */
	int number_099, number_1x;	/* -1: unknown to that version */
	unsigned int nr_counters;	/* 0: asked from the CPU */
};

const struct cpu_type *cpu_type_by_name(const char *name);			/* or NULL */
const struct cpu_type *cpu_type_by_number(uint32_t number, uint32_t header_version);	/* or NULL */

#endif
