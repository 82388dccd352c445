/* SPDX-License-Identifier: GPL-2.0-or-later */
/* process.h - one process that was sampled in JIT code: its owner, files and folders of samples */
#ifndef DAEMON_JIT_PROCESS_H
#define DAEMON_JIT_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "daemon/jit/files.h"
#include "libutil/list.h"

#define JIT_FOLDERS_MAX	16		/* of one process: programs, names of memory */

/* Where samples in the process's memory are filed. */
struct jit_folder {
	char *app, *anon_name;
};

struct jit_process {
	struct list_head in_bucket, in_order;	/* of processes.c */
	uint32_t tgid;
	bool looked;			/* for its files, at least once */
	struct jit_owner owner;
	struct jit_files files;
	struct jit_folder folders[JIT_FOLDERS_MAX];
	size_t nr_folders;

	/* in this session */
	size_t nr_objects;		/* written for @version: one for each place */
	struct jit_version version;	/* of the files when they were last read */
	uint64_t object_bytes;		/* of its objects in all places */
	bool damaged;			/* some file could not be read completely */
	bool counted_refused, counted_damaged;	/* in struct jit_troubles */
};

struct jit_process *jit_process_new(uint32_t tgid);
void jit_process_free(struct jit_process *q);	/* it is in no list */

/* A new session begins. */
void jit_process_reset(struct jit_process *q);

/* The strings are copied. Folders beyond JIT_FOLDERS_MAX are ignored. */
void jit_process_add_folder(struct jit_process *q, const char *app, const char *anon_name);

/* Look for its files. @proc: "/proc". False: that was not possible yet. */
bool jit_process_look(struct jit_process *q, const char *proc);

#endif
