// SPDX-License-Identifier: GPL-2.0-or-later
/* privileges.c - capabilities, each with its reason */
#include "daemon/privileges.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libutil/file.h"
#include "libutil/log.h"
#include "libutil/sandbox/capabilities.h"
#include "libutil/strbuf.h"

#ifndef CAP_CHECKPOINT_RESTORE
#define CAP_CHECKPOINT_RESTORE	40
#endif

static const struct {
	int number;
	const char *name;
} needed[] = {
	{ CAP_PERFMON, "perfmon" },		/* events of all processes, the module's buffer */
	{ CAP_SYSLOG, "syslog" },		/* addresses in /proc/kallsyms */
	{ CAP_SYS_PTRACE, "sys_ptrace" },	/* mappings and root folders of processes */
	{ CAP_CHECKPOINT_RESTORE, "checkpoint_restore" },	/* /proc/PID/map_files */
	{ CAP_DAC_READ_SEARCH, "dac_read_search" },	/* binaries, control groups by handle */
	{ CAP_IPC_LOCK, "ipc_lock" },		/* rings beyond perf_event_mlock_kb */
	{ CAP_SYS_NICE, "sys_nice" },		/* priority, again and again */
	{ CAP_SYS_RESOURCE, "sys_resource" },	/* enough descriptors */
	{ CAP_CHOWN, "chown" },			/* to give files to their user or group */
	{ CAP_FOWNER, "fowner" },		/* and then a mode */
	{ CAP_DAC_OVERRIDE, "dac_override" },	/* in another user's session folder only */
	{ CAP_SYS_ADMIN, "sys_admin" },		/* events, if perfmon is not enough */
};
#define NR_NEEDED	(sizeof(needed) / sizeof(*needed))

/* Debian's and Ubuntu's kernels have a level above 2, at which CAP_PERFMON is not enough. */
static bool perfmon_suffices(void)
{
	uint64_t paranoid;

	return file_read_u64("/proc/sys/kernel/perf_event_paranoid", &paranoid) || paranoid <= 2;
}

static uint64_t wanted(const char *session_dir)
{
	uint64_t all = 0;
	struct stat st;

	for (size_t i = 0; i < NR_NEEDED; i++)
		all |= CAPABILITY(needed[i].number);
	if (!stat(session_dir, &st) && st.st_uid == geteuid())
		all &= ~CAPABILITY(CAP_DAC_OVERRIDE);
	if (perfmon_suffices())
		all &= ~CAPABILITY(CAP_SYS_ADMIN);
	return all;
}

int privileges_drop(const char *session_dir, uint64_t more, struct op_error *e)
{
	int err = capabilities_keep(wanted(session_dir) | more);

	if (!err && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		err = -errno;
	return err ? op_error_set(e, err, "cannot give up capabilities: %s", strerror(-err)) : 0;
}

void privileges_log(void)
{
	uint64_t now = capabilities_now();
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < NR_NEEDED; i++)
		if (now & CAPABILITY(needed[i].number))
			strbuf_addf(&text, "%s%s", text.len ? ", " : "", needed[i].name);
	log_line("capabilities: %s", text.len ? text.text : "none");
	strbuf_free(&text);
}
