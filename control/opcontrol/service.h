/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * service.h - oprofiled as a service of systemd: packaging/systemd/oprofiled.service
 *
 * opcontrol decides how to sample, because that needs more rights than the service has, and passes
 * the daemon's command line in a file that the unit reads. The daemon is controlled through its
 * socket as always. [CC-80]
 */
#ifndef CONTROL_OPCONTROL_SERVICE_H
#define CONTROL_OPCONTROL_SERVICE_H

#include <stdbool.h>
#include "control/opcontrol/daemon_start.h"
#include "libdb/session/session.h"
#include "libutil/strbuf.h"

#define SERVICE_NAME		"oprofiled.service"
#define SERVICE_ENVIRONMENT	SESSION_RUN_DIR "/oprofiled.env"

/*
 * Whether systemd, where it runs, has a unit that starts @program, and that may write
 * @session_dir. @root: "", or the folder of a fake machine.
 */
bool service_exists(const char *root, const char *program, const char *session_dir);

/* The lines of the environment file. */
void service_format(const struct words *command, bool begin, struct strbuf *out);

/*
 * Write the environment file. @begin: the daemon shall begin sampling by itself. Values have no
 * blanks and quotes, because opcontrol accepts none.
 */
int service_write(const struct words *command, bool begin, struct op_error *e);
bool service_is_written(void);
void service_forget(void);

/* Where the log of the daemon is, for messages; malloc'd: a quoted path, or a command. */
char *service_log_place(const char *session_dir);

/* Start the unit with @command; the daemon is ready when this returns 0. */
int service_start(const struct words *command, struct op_error *e);

#endif
