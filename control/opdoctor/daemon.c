// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon.c - the saved set-up, the daemon, the disk that sessions are on, and the history */
#include "control/opdoctor/probes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "control/opcontrol/daemon_link.h"
#include "libdb/history/config.h"
#include "libdb/history/folder.h"
#include "libdb/session/session.h"
#include "libutil/clock.h"
#include "libutil/file.h"
#include "libutil/local_time.h"
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

static void add_kept(const struct setup *s, uint64_t used, uint64_t room, const char *since,
		     struct findings *f)
{
	const char *quota = *s->history_quota ? s->history_quota : HISTORY_QUOTA;
	struct history_config c = { .quota = 0 };
	struct op_error e = { "" };

	/* the values were checked when they were read */
	(void)history_config_parse(s->history, s->history_quota, s->history_slice, &c, &e);
	if (c.quota > used && c.quota - used > room) {
		finding_add(f, VERDICT_POOR, "history", "%" PRIu64 " MiB of its quota of %s%s, but "
			    "the disk has only %" PRIu64 " MiB more: the oldest is dropped when it "
			    "is full", used / MIB, quota, since, room / MIB);
		finding_advise(f, "free space on that disk, or set a smaller opcontrol --quota=");
	} else {
		finding_add(f, VERDICT_OK, "history", "of the last %s, %" PRIu64 " MiB of its "
			    "quota of %s%s", s->history, used / MIB, quota, since);
	}
}

static void probe_history(const struct machine *m, struct findings *f)
{
	char *history = path_join(m->setup.session_dir, HISTORY_DIR), since[40] = "";
	struct history_folders folders = { NULL, 0, 0 };
	int err = history_folders_read(history, &folders);
	uint64_t used = history_bytes(history), room = UINT64_MAX;

	(void)file_free_bytes(history, &room);
	if (folders.nr && !local_time(folders.list[0].begin_ns / (int64_t)NS_PER_SECOND,
				      ", since %Y-%m-%d %H:%M", since, sizeof(since)))
		*since = '\0';
	if (err) {
		finding_add(f, VERDICT_NOTE, "history", "cannot read '%s': %s", history,
			    strerror(-err));
	} else if (*m->setup.history) {
		add_kept(&m->setup, used, room, since, f);
	} else if (folders.nr) {
		finding_add(f, VERDICT_NOTE, "history", "no longer kept; what there is takes "
			    "%" PRIu64 " MiB%s", used / MIB, since);
		finding_advise(f, "opcontrol --history keeps it on, rm -r '%s' removes it",
			       history);
	} else {
		finding_add(f, VERDICT_NOTE, "history", "none is kept");
		finding_advise(f, "to look at any minute of the last days: opcontrol --history");
	}
	history_folders_free(&folders);
	free(history);
}

void probe_daemon(const struct machine *m, struct findings *f)
{
	findings_begin(f, "daemon");
	probe_setup(m, f);
	probe_running(m, f);
	probe_disk(m, f);
	probe_history(m, f);
}
