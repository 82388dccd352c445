// SPDX-License-Identifier: GPL-2.0-or-later
/* privileges.c - capabilities, each with its reason */
#include "daemon/privileges.h"

#include <errno.h>
#include <grp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/session_give.h"
#include "libdb/history/folder.h"
#include "libutil/file.h"
#include "libutil/log.h"
#include "libutil/sandbox/capabilities.h"
#include "libutil/opener/ask.h"
#include "libutil/sandbox/sandbox.h"
#include "libutil/strbuf.h"
#include "libutil/xalloc.h"

#ifndef CAP_CHECKPOINT_RESTORE
#define CAP_CHECKPOINT_RESTORE	40
#endif

static const struct {
	int number;
	const char *name;
} all[] = {
	/* of the process that opens files */
	{ CAP_PERFMON, "perfmon" },		/* events of all processes, the module's buffer */
	{ CAP_SYSLOG, "syslog" },		/* addresses in /proc/kallsyms */
	{ CAP_SYS_PTRACE, "sys_ptrace" },	/* mappings and root folders of processes */
	{ CAP_CHECKPOINT_RESTORE, "checkpoint_restore" },	/* /proc/PID/map_files */
	{ CAP_DAC_READ_SEARCH, "dac_read_search" },	/* binaries, control groups by handle */
	{ CAP_CHOWN, "chown" },			/* to give files to their user or group */
	{ CAP_FOWNER, "fowner" },		/* and then a mode */
	{ CAP_SYS_ADMIN, "sys_admin" },		/* events, if perfmon is not enough */
	/* of the recorder */
	{ CAP_SYS_NICE, "sys_nice" },		/* priority, again and again */
	{ CAP_IPC_LOCK, "ipc_lock" },		/* rings, if RLIMIT_MEMLOCK cannot be raised */
	{ CAP_SYS_RESOURCE, "sys_resource" },	/* enough descriptors */
	{ CAP_DAC_OVERRIDE, "dac_override" },	/* in another user's session folder only */
};
#define NR_ALL		(sizeof(all) / sizeof(*all))
#define DESCRIPTORS	(1 << 20)	/* as many as the kernel allows by default */

/* Debian's and Ubuntu's kernels have a level above 2, at which CAP_PERFMON is not enough. */
static bool perfmon_suffices(void)
{
	uint64_t paranoid;

	return file_read_u64("/proc/sys/kernel/perf_event_paranoid", &paranoid) || paranoid <= 2;
}

static uint64_t wanted(const char *session_dir)
{
	uint64_t sum = 0;
	struct stat st;

	for (size_t i = 0; i < NR_ALL; i++)
		sum |= CAPABILITY(all[i].number);
	if (!stat(session_dir, &st) && st.st_uid == geteuid())
		sum &= ~CAPABILITY(CAP_DAC_OVERRIDE);
	if (perfmon_suffices())
		sum &= ~CAPABILITY(CAP_SYS_ADMIN);
	return sum;
}

static int refuse_to_keep(int err, struct op_error *e)
{
	return op_error_set(e, err, "cannot give up capabilities: %s", strerror(-err));
}

int privileges_drop(const char *session_dir, uint64_t more, struct op_error *e)
{
	int err = capabilities_keep(wanted(session_dir) | more);

	if (!err && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		err = -errno;
	return err ? refuse_to_keep(err, e) : 0;
}

/* ---- the daemon of root ---- */

uint64_t privileges_of_opener(void)
{
	uint64_t sum = CAPABILITY(CAP_SYS_NICE);

	for (size_t i = 0; all[i].number != CAP_SYS_NICE; i++)
		sum |= CAPABILITY(all[i].number);
	return perfmon_suffices() ? sum & ~CAPABILITY(CAP_SYS_ADMIN) : sum;
}

/* Call @is_fine for all folders above @path, which is absolute, while it returns true. */
static bool all_above(const char *path, bool (*is_fine)(const char *folder, const void *context),
		      const void *context)
{
	char *parent = xstrdup(path);
	bool are = true;

	for (char *end = parent; are && (end = strchr(end + 1, '/'));) {
		*end = '\0';
		are = is_fine(parent, context);
		*end = '/';
	}
	free(parent);
	return are;
}

static bool can_pass(const char *folder, const void *user)
{
	const struct recorder_user *u = user;
	struct stat st;

	return !stat(folder, &st) &&
	       st.st_mode & (st.st_uid == u->uid ? S_IXUSR :
			     st.st_gid == u->gid ? S_IXGRP : S_IXOTH);
}

/* Nobody else can have another folder, or a link, in the place of one in it. */
static bool is_roots(const char *folder, const void *unused)
{
	struct stat st;

	(void)unused;
	return !lstat(folder, &st) && S_ISDIR(st.st_mode) && !st.st_uid &&
	       (!(st.st_mode & (S_IWGRP | S_IWOTH)) || st.st_mode & S_ISVTX);
}

static char *samples_of(const char *session_dir)
{
	return path_join(session_dir, "samples");	/* a slash at its end would follow a link */
}

static const char *find_user(const char *samples, struct recorder_user *ret)
{
	struct stat st;

	if (geteuid())
		return "only root can change it";
	if (!sandbox_user(&ret->uid, &ret->gid))
		return "user 'oprofile' not found";
	if (lstat(samples, &st) || !S_ISDIR(st.st_mode) || (st.st_uid && st.st_uid != ret->uid) ||
	    !all_above(samples, is_roots, NULL))
		return "the session folder is not root's";
	if (!all_above(samples, can_pass, ret))
		return "user 'oprofile' cannot reach the session folder";
	return NULL;
}

void privileges_choose_user(const char *session_dir, struct recorder_user *ret)
{
	char *samples = samples_of(session_dir);

	*ret = (struct recorder_user){ .is_other = true };
	ret->why_not = find_user(samples, ret);
	if (ret->why_not) {
		ret->is_other = false;
		ret->uid = geteuid();
		ret->gid = getegid();
	}
	free(samples);
}

static bool raise_limit(int resource, rlim_t soft, rlim_t hard)
{
	const struct rlimit both = { soft, hard };

	return !setrlimit(resource, &both);
}

/* Limits that only capabilities could raise later. */
static uint64_t raise_limits(void)
{
	uint64_t needed = 0;
	struct rlimit files;

	if (!raise_limit(RLIMIT_MEMLOCK, RLIM_INFINITY, RLIM_INFINITY))
		needed |= CAPABILITY(CAP_IPC_LOCK);
	if (getrlimit(RLIMIT_NOFILE, &files) ||
	    (files.rlim_max < DESCRIPTORS &&
	     !raise_limit(RLIMIT_NOFILE, files.rlim_cur, DESCRIPTORS)))
		needed |= CAPABILITY(CAP_SYS_RESOURCE);
	return needed;
}

static int change_user(const struct recorder_user *user)
{
	if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) || setgroups(0, NULL) ||
	    setresgid(user->gid, user->gid, user->gid) ||
	    setresuid(user->uid, user->uid, user->uid) || prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0))
		return -errno;
	return 0;
}

static int give(const char *path, const struct recorder_user *user, struct op_error *e)
{
	int err = session_give(path, user->uid);

	return err ? op_error_set(e, err, "cannot give '%s' to user 'oprofile': %s", path,
				  strerror(-err)) : 0;
}

/* What the recorder writes. */
static int give_session(const char *session_dir, const struct recorder_user *user,
			struct op_error *e)
{
	char *samples = samples_of(session_dir), *history = path_join(session_dir, HISTORY_DIR);
	int err = give(samples, user, e);

	if (!err && file_exists(history))
		err = give(history, user, e);
	free(history);
	free(samples);
	return err;
}

/* Also by links that root has put there, to other disks. */
static int confine(const char *session_dir, struct recorder_user *user)
{
	char *samples = samples_of(session_dir), *history = path_join(session_dir, HISTORY_DIR);
	const char *const writable[] = { session_dir, samples, history, NULL };
	int err = sandbox_landlock(&(struct sandbox){ .kind = SANDBOX_REPORT, .moves = true,
						      .writable = writable });

	user->is_confined = !err;
	free(history);
	free(samples);
	return err == -ENOSYS || err == -EOPNOTSUPP ? 0 : err;
}

int privileges_become(const char *session_dir, struct recorder_user *user, struct op_error *e)
{
	const uint64_t change = CAPABILITY(CAP_SETUID) | CAPABILITY(CAP_SETGID);
	char *samples = samples_of(session_dir);
	uint64_t keep = raise_limits() | CAPABILITY(CAP_SYS_NICE);
	struct stat st;
	int err = 0;

	if (user->is_other)
		err = give_session(session_dir, user, e);
	if (err) {
		free(samples);
		return err;
	}
	if (lstat(samples, &st) || st.st_uid != user->uid ||
	    !all_above(samples, can_pass, user))
		keep |= CAPABILITY(CAP_DAC_OVERRIDE);
	free(samples);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		err = -errno;
	if (!err)
		err = confine(session_dir, user);
	if (!err && user->is_other) {
		err = capabilities_keep(keep | change);
		if (!err)
			err = change_user(user);
	}
	if (!err)
		err = capabilities_keep(keep);
	return err ? refuse_to_keep(err, e) : 0;
}

static void log_names(const char *whose, uint64_t which)
{
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < NR_ALL; i++)
		if (which & CAPABILITY(all[i].number))
			strbuf_addf(&text, "%s%s", text.len ? ", " : "", all[i].name);
	log_line("capabilities%s: %s", whose, text.len ? text.text : "none");
	strbuf_free(&text);
}

void privileges_log(const struct recorder_user *user)
{
	if (user->why_not)
		log_line("user: %u, because %s", (unsigned int)geteuid(), user->why_not);
	else
		log_line("user: %u, 'oprofile'", (unsigned int)geteuid());
	log_names("", capabilities_now());
	if (user->is_confined)
		log_line("files: only those of the session can be written (Landlock)");
	if (opener_is_used())
		log_names(" of the process that opens files", privileges_of_opener());
}
