// SPDX-License-Identifier: GPL-2.0-or-later
/* machine.c - the machine that is examined, and its files */
#include "control/opdoctor/probes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "control/opcontrol/daemonrc.h"
#include "daemon/collect/bpf/walker.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"

/* Loaded, attached to nothing and removed. */
static int try_walker(struct op_error *e)
{
	struct bpf_walker *w;
	int err = bpf_walker_load(1 << 20, &w, e);

	if (!err)
		bpf_walker_free(w);
	return err;
}

void machine_init(struct machine *m)
{
	struct utsname kernel;

	*m = (struct machine){
		.root = "", .rights = rights_find, .try_bpf = try_walker, .uid = geteuid(),
	};
	host_init(&m->host);
	if (!uname(&kernel))
		snprintf(m->release, sizeof(m->release), "%s", kernel.release);
	setup_init(&m->setup);
	/* root's need not be readable */
	if (daemonrc_load(daemonrc_path(), &m->setup, &m->setup_error) == -EACCES && m->uid)
		*m->setup_error.text = '\0';
}

void machine_free(struct machine *m)
{
	setup_free(&m->setup);
	host_free(&m->host);
}

char *machine_path(const struct machine *m, const char *path)
{
	return xasprintf("%s%s", m->root, path);
}

bool machine_has(const struct machine *m, const char *path)
{
	char *full = machine_path(m, path);
	bool has = file_exists(full);

	free(full);
	return has;
}

char *machine_line(const struct machine *m, const char *path)
{
	char *full = machine_path(m, path), line[512];
	int err = file_read_line(full, line, sizeof(line));

	free(full);
	return err ? NULL : xstrdup(line);
}
