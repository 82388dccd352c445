// SPDX-License-Identifier: GPL-2.0-or-later
/* service.c - start oprofiled.service, with a command line in its environment file */
#include "control/opcontrol/service.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "control/opcontrol/child.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"

#define START_MS	(100 * 1000)	/* more than TimeoutStartSec= of the unit */
#define UNIT_MAX	(64 << 10)

/* Does the unit @path start @program? */
static bool unit_starts(const char *path, const char *program)
{
	char *want = xasprintf("\nExecStart=%s ", program), *text = NULL;
	bool starts = !file_read_all(path, UNIT_MAX, &text, NULL) && strstr(text, want);

	free(text);
	free(want);
	return starts;
}

/* A daemon that is not installed, or of another folder, is started directly. */
bool service_exists(const char *root, const char *program, const char *session_dir)
{
	static const char *const folders[] = {
		"/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system",
		"/usr/lib/systemd/system", "/lib/systemd/system",
	};
	char *booted = xasprintf("%s/run/systemd/system", root);
	bool look = file_is_dir(booted) && !strcmp(session_dir, SESSION_DIR_DEFAULT);
	bool starts = false;

	free(booted);
	for (size_t i = 0; look && i < sizeof(folders) / sizeof(folders[0]); i++) {
		char *path = xasprintf("%s%s/" SERVICE_NAME, root, folders[i]);

		if (file_exists(path)) {	/* the first one hides the others */
			starts = unit_starts(path, program);
			look = false;
		}
		free(path);
	}
	return starts;
}

void service_format(const struct words *command, bool begin, struct strbuf *out)
{
	strbuf_add(out, "OPROFILED_OPTIONS=");
	for (size_t i = 1; i < command->nr; i++)
		strbuf_addf(out, "%s%s", i > 1 ? " " : "", command->words[i]);
	strbuf_addf(out, "%s\n", begin ? " --begin" : "");
	if (command->kernel_range)
		strbuf_addf(out, KERNEL_RANGE_VARIABLE "=%s\n", command->kernel_range);
}

int service_write(const struct words *command, bool begin, struct op_error *e)
{
	struct strbuf text = STRBUF_INIT;
	int err = file_make_parent_dirs(SERVICE_ENVIRONMENT, 0755);

	service_format(command, begin, &text);
	if (!err)	/* it may have the addresses of the kernel */
		err = file_write_atomic(SERVICE_ENVIRONMENT, text.text, text.len, 0600);
	strbuf_free(&text);
	return err ? op_error_set(e, err, "cannot write '" SERVICE_ENVIRONMENT "': %s",
				  strerror(-err)) : 0;
}

bool service_is_written(void)
{
	return file_exists(SERVICE_ENVIRONMENT);
}

void service_forget(void)
{
	(void)unlink(SERVICE_ENVIRONMENT);
}

char *service_log_place(const char *session_dir)
{
	char *path, *quoted;

	if (!strcmp(session_dir, SESSION_DIR_DEFAULT) && service_is_written())
		return xstrdup("journalctl -u oprofiled");
	path = session_log_path(session_dir);
	quoted = xasprintf("'%s'", path);
	free(path);
	return quoted;
}

int service_start(const struct words *command, struct op_error *e)
{
	static const char *const start[] = { "systemctl", "start", SERVICE_NAME, NULL };
	int status = 0, err = service_write(command, false, e);

	if (err)
		return err;
	err = child_run(start, true, START_MS, &status);
	if (!err && WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	service_forget();
	if (err)
		return op_error_set(e, err, "cannot run systemctl: %s", strerror(-err));
	return op_error_set(e, -ECHILD, SERVICE_NAME " did not start; the reason is in: "
			    "journalctl -u oprofiled -n 20");
}
