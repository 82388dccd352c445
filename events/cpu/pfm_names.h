/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pfm_names.h - libpfm4's names, for CPUs that our tables don't have
 */
#ifndef EVENTS_CPU_PFM_NAMES_H
#define EVENTS_CPU_PFM_NAMES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The raw code of an event of this machine's CPU by libpfm4's name, "EVENT" or "EVENT.MASK". The
 * library is loaded when it is first asked, and not needed. False: it is not installed, was not
 * there when this was built, or does not know the name. Not while another thread asks.
 */
bool pfm_name_config(const char *name, uint64_t *ret_config);

#endif
