/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pfm_names.h - libpfm4's event names, for what is missing in the tables
 */
#ifndef EVENTS_CPU_PFM_NAMES_H
#define EVENTS_CPU_PFM_NAMES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The raw code of an event of this machine's CPU by libpfm4's name, "EVENT" or "EVENT.MASK". Loads
 * the library at the first call. False: it is not installed, was not installed when this was built,
 * or does not know the name. Not thread-safe.
 */
bool pfm_name_config(const char *name, uint64_t *ret_config);

#endif
