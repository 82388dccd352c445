/* SPDX-License-Identifier: GPL-2.0-or-later */
/* all_formats.h - one object for each format of formats/, defined beside its writer or reader */
#ifndef FORMATS_ALL_FORMATS_H
#define FORMATS_ALL_FORMATS_H

#include "formats/format.h"

extern const struct profile_format format_callgrind;
extern const struct profile_format format_cpuprofile;
extern const struct profile_format format_csv;
extern const struct profile_format format_firefox;
extern const struct profile_format format_folded;
extern const struct profile_format format_perf_script;
extern const struct profile_format format_pprof;
extern const struct profile_format format_speedscope;

#endif
