// SPDX-License-Identifier: GPL-2.0-or-later
/* process.c - create a process, and look for its files */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "daemon/jit/process.h"
#include "libutil/log.h"
#include "libutil/xalloc.h"

struct jit_process *jit_process_new(uint32_t tgid)
{
	struct jit_process *q = xcalloc(1, sizeof(*q));

	q->tgid = tgid;
	jit_files_init(&q->files);
	return q;
}

void jit_process_free(struct jit_process *q)
{
	jit_files_close(&q->files);
	for (size_t i = 0; i < q->nr_folders; i++) {
		free(q->folders[i].app);
		free(q->folders[i].anon_name);
	}
	free(q);
}

void jit_process_reset(struct jit_process *q)
{
	q->nr_objects = 0;
	q->object_bytes = 0;
	q->damaged = q->counted_refused = q->counted_damaged = false;
}

void jit_process_add_folder(struct jit_process *q, const char *app, const char *anon_name)
{
	for (size_t i = 0; i < q->nr_folders; i++)
		if (!strcmp(q->folders[i].app, app) && !strcmp(q->folders[i].anon_name, anon_name))
			return;
	if (q->nr_folders < JIT_FOLDERS_MAX)
		q->folders[q->nr_folders++] = (struct jit_folder){
			.app = xstrdup(app), .anon_name = xstrdup(anon_name),
		};
}

bool jit_process_look(struct jit_process *q, const char *proc)
{
	bool refused = q->files.refused,
	     done = jit_files_look(proc, q->tgid, &q->owner, &q->files);

	q->looked |= done;
	if (q->files.refused && !refused)
		log_about(LOG_MISC, "process %" PRIu32 ": ignored a JIT symbol file: not a regular "
			  "file, or not owned by its user", q->tgid);
	return done;
}
