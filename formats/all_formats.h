/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * all_formats.h - the list of all formats: X(NAME) for each struct profile_format format_NAME
 *
 * Sorted by name. Detection tries the formats in this order.
 */
#ifndef FORMATS_ALL_FORMATS_H
#define FORMATS_ALL_FORMATS_H

#include "formats/format.h"

#define PROFILE_FORMATS(X)	\
	X(callgrind)		\
	X(cpuprofile)		\
	X(csv)			\
	X(firefox)		\
	X(folded)		\
	X(perf_data)		\
	X(perf_script)		\
	X(pprof)		\
	X(speedscope)		\
	X(v8cpuprofile)

/* Formats that need the session's binaries: defined in pp/exchange, and in its export_formats[]. */
#define SESSION_FORMATS(X)	\
	X(gcc_afdo)		\
	X(gmon)			\
	X(llvm_sample)

#define PROFILE_FORMAT_DECLARATION(name)	extern const struct profile_format format_##name;
PROFILE_FORMATS(PROFILE_FORMAT_DECLARATION)
SESSION_FORMATS(PROFILE_FORMAT_DECLARATION)
#undef PROFILE_FORMAT_DECLARATION

#define PROFILE_FORMAT_ENTRY(name)		&format_##name,

#endif
