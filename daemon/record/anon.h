/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * anon.h - anonymous mappings that the stream did not describe, from /proc/TGID/maps
 *
 * The module and the perf collector describe mappings with OP_ANON_MAP; this is for samples outside
 * of those. It can be too late: the process may have ended.
 */
#ifndef DAEMON_RECORD_ANON_H
#define DAEMON_RECORD_ANON_H

#include "daemon/record/trans.h"

struct anons;

/* @proc: NULL for "/proc". */
struct anons *anons_new(const char *proc);
void anons_free(struct anons *a);

/* The anonymous mapping that contains @pc, or NULL. Valid until the next call. */
const struct anon_map *anon_find(struct anons *a, uint32_t tgid, uint64_t pc);

/* Copy @from, cut to @size bytes, in a form that can be the NAME of a folder "{anon:NAME}". */
void anon_copy_name(char *to, size_t size, const char *from);

#endif
