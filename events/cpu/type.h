/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * type.h - OProfile's CPU types: name, how it is printed, its two numbers
 *
 * The number stands in every sample file's header, and it was renumbered between 0.9.9 (header
 * version 0x12) and 1.x (0x13), so a number means nothing without the header's version.
 */
#ifndef EVENTS_CPU_TYPE_H
#define EVENTS_CPU_TYPE_H

#include <stddef.h>
#include <stdint.h>

struct cpu_type {
	const char *name;		/* "timer", "i386/core_2" */
	const char *pretty;		/* "CPU with timer interrupt": header lines */
	int number_099, number_1x;	/* -1: unknown to that version */
	unsigned int nr_counters;	/* 0: asked from the CPU */
	const char *clock_event;	/* name of the event for cycles; NULL: has none */
	const char *default_event;	/* "CPU_CLK_UNHALTED:100000:0:1:1"; NULL: none */
	const char *stand_in;		/* for types that the original does not know; or NULL */
};

/* What cycles are called on most CPUs, and understood on all (event_table_find()). */
#define CPU_CLOCK_EVENT "CPU_CLK_UNHALTED"

/* NULL: there is none */
const struct cpu_type *cpu_type_by_name(const char *name);
const struct cpu_type *cpu_type_by_number(uint32_t number, uint32_t header_version);
const struct cpu_type *cpu_type_at(size_t i);	/* every type in turn */

/*
 * The number to write into sample files, so that the original's tools read them: the type's own,
 * or its stand-in's. What was really profiled stands in stats/session. -1: neither is known.
 */
int cpu_type_header_number(const struct cpu_type *type, uint32_t header_version);

#endif
