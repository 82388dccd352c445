/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hooks.h - hear of what would make samples lie: mappings and modules that come and go
 *
 * Mappings are watched while sampling, by a kprobe on uprobe_munmap(), which the mm code calls
 * for every file mapping it takes down (munmap, MAP_FIXED, exec, exit) while its file is still
 * known. Where that can't be had, op_pins_hold_users() and a sync at every exit and exec stand in.
 * Modules are watched while the buffer is open.
 */
#ifndef MODULE_HOOKS_H
#define MODULE_HOOKS_H

int op_hooks_watch_modules(void);		/* [task] 0 or -errno */
void op_hooks_forget_modules(void);		/* [task] */

void op_hooks_watch_mappings(void);		/* [task] before sampling starts */
void op_hooks_forget_mappings(void);		/* [task] after the last drain */

#endif
