/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * type.h - OProfile's CPU types: name, printed name, two numbers
 *
 * The header of a sample file has the number. OProfile renumbered the types between 0.9.9 (header
 * version 0x12) and 1.x (0x13), so a number is valid only together with the header's version.
 */
#ifndef EVENTS_CPU_TYPE_H
#define EVENTS_CPU_TYPE_H

#include <stddef.h>
#include <stdint.h>

struct cpu_type {
	const char *name;		/* "timer", "i386/core_2" */
	const char *pretty;		/* "CPU with timer interrupt": header lines */
	int number_099, number_1x;	/* -1: unknown to that version */
	unsigned int nr_counters;	/* 0: read from the CPU */
	const char *clock_event;	/* name of the event for cycles; or NULL */
	const char *default_event;	/* "CPU_CLK_UNHALTED:100000:0:1:1"; or NULL */
	const char *stand_in;		/* nearest type that OProfile knows; or NULL */
};

/* The event for cycles on most CPUs; event_table_find() finds it on all. */
#define CPU_CLOCK_EVENT "CPU_CLK_UNHALTED"

/* NULL: not found */
const struct cpu_type *cpu_type_by_name(const char *name);
const struct cpu_type *cpu_type_by_number(uint32_t number, uint32_t header_version);
const struct cpu_type *cpu_type_at(size_t i);	/* every type in turn */

/*
 * The number to write into sample files, so that OProfile's tools can read them: the type's own, or
 * its stand-in's; stats/session has the true type. -1: neither has a number.
 */
int cpu_type_header_number(const struct cpu_type *type, uint32_t header_version);

#endif
