/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine_names.h - name places of the kernel and of code made at run time
 *
 * A profile of perf.data has addresses only. Files are looked up by reports; what has no file is
 * looked up here, on the machine that imports. Rules: doc/export.md [IM-11].
 */
#ifndef PP_EXCHANGE_IMPORT_MACHINE_NAMES_H
#define PP_EXCHANGE_IMPORT_MACHINE_NAMES_H

#include "formats/profile/profile.h"
#include "pp/select/notices.h"

/* Where to look: below @root, which is "" except in tests. */
void import_machine_names(struct profile *p, const char *root, struct notices *notices);

#endif
