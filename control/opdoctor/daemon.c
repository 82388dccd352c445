// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon.c - the saved set-up, the daemon, and the disk that sessions are on */
#include "control/opdoctor/probes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "control/opcontrol/daemon_link.h"
#include "libdb/session/session.h"
#include "libutil/file.h"
#include "libutil/strbuf.h"
#include "libutil/xalloc.h"

#define MIB		(UINT64_C(1) << 20)
#define LITTLE_ROOM	(100 * MIB)	/* a day's session of a busy machine is smaller */

static void probe_setup(const struct machine *m, struct findings *f)
{
	if (!*m->setup_error.text)
		return;
	finding_add(f, VERDICT_NO, "saved set-up", "%s", m->setup_error.text);
	finding_advise(f, "remove that file: opcontrol then starts with its defaults");
}

static void probe_running(const struct machine *m, struct findings *f)
{
	const char *dir = m->setup.session_dir;
	struct strbuf status = STRBUF_INIT;
	struct op_error e = { "" };
	char state[32], collector[32], priority[32], trouble[512];
	int err;

	if (!daemon_runs(dir)) {
		finding_add(f, VERDICT_NOTE, "daemon", "not running for '%s'", dir);
		return;
	}
	err = daemon_ask(dir, "status", &status, &e);
	answer_value(status.text, "state", state, sizeof(state));
	answer_value(status.text, "collector", collector, sizeof(collector));
	answer_value(status.text, "priority", priority, sizeof(priority));
	if (err) {
		finding_add(f, VERDICT_NO, "daemon", "%s", e.text);
	} else if (answer_value(status.text, "trouble", trouble, sizeof(trouble))) {
		finding_add(f, VERDICT_NO, "daemon", "it cannot write: %s", trouble);
		finding_advise(f, "free space on the disk of '%s'", dir);
	} else if (!strcmp(priority, "normal")) {
		finding_add(f, VERDICT_POOR, "daemon", "%s, collector %s, at normal priority: it "
			    "may lose samples on a busy machine", state, collector);
		finding_advise(f, "let it have CAP_SYS_NICE, or leave it a CPU");
	} else {
		finding_add(f, VERDICT_OK, "daemon", "%s, collector %s, priority %s", state,
			    collector, priority);
	}
	strbuf_free(&status);
}

/* The nearest folder that exists: the session directory is made by the first start. */
static int stat_disk(const char *dir, struct statvfs *ret)
{
	char *path = xstrdup(dir), *slash;
	int err;

	while ((err = statvfs(path, ret) ? -errno : 0) == -ENOENT && path[1] &&
	       (slash = strrchr(path, '/')))
		slash[slash == path] = '\0';
	free(path);
	return err;
}

static void probe_disk(const struct machine *m, struct findings *f)
{
	const char *dir = m->setup.session_dir;
	struct statvfs disk;
	uint64_t room;
	int err = stat_disk(dir, &disk);

	if (err) {
		finding_add(f, VERDICT_NO, "disk", "'%s': %s", dir, strerror(-err));
		finding_advise(f, "choose another folder with opcontrol --session-dir=");
		return;
	}
	room = (uint64_t)(m->uid ? disk.f_bavail : disk.f_bfree) * disk.f_frsize;
	if (disk.f_flag & ST_RDONLY) {
		finding_add(f, VERDICT_NO, "disk", "'%s' is on a read-only file system", dir);
		finding_advise(f, "choose another folder with opcontrol --session-dir=");
	} else if (room < LITTLE_ROOM || (disk.f_files && disk.f_favail < 1000)) {
		finding_add(f, VERDICT_POOR, "disk", "%" PRIu64 " MiB and %" PRIu64 " files free "
			    "for '%s': samples are lost when it is full", room / MIB,
			    (uint64_t)disk.f_favail, dir);
		finding_advise(f, "remove saved sessions below '%s/samples', or choose another "
			       "folder with opcontrol --session-dir=", dir);
	} else {
		finding_add(f, VERDICT_OK, "disk", "%" PRIu64 " MiB free for '%s'", room / MIB,
			    dir);
	}
}

void probe_daemon(const struct machine *m, struct findings *f)
{
	findings_begin(f, "daemon");
	probe_setup(m, f);
	probe_running(m, f);
	probe_disk(m, f);
}
