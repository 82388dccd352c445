/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sender.h - send the slices of the history to one target, in their order
 *
 * A process of its own, with the target's credentials. It parses nothing but answers; who reads a
 * slice is asked for its parts through a socket (oppush.c).
 */
#ifndef FLEET_PUSH_SENDER_H
#define FLEET_PUSH_SENDER_H

#include "fleet/push/target.h"

struct push_sending {
	const struct push_target *target;
	const char *session_dir;
	const char *state_dir;		/* has the cursor, see push_cursor_path() */
	const char *credentials;	/* folder: NAME.headers; or NULL */
	const char *ca_file;		/* or NULL */
	unsigned int timeout_s;
	unsigned int catch_up;		/* old slices are sent so many times faster than taken */
	bool once;			/* return when all is sent, or the target keeps failing */
	int jobs;			/* takes a struct push_job and where to write the parts */
};

/* Returns the exit status. Without @once only if the set-up is wrong. Prints messages. */
int push_sender_run(const struct push_sending *s);

/* Overwrite all headers in the environment, so that what is forked does not have them. */
void push_forget_headers(void);

char *push_cursor_path(const char *state_dir, const char *target);	/* malloc'd */

/* What a status means. 3xx, 401 and others an operator can repair; so data is kept then. */
enum push_verdict push_judge(int status);

/* Whether a slice that could not be read @tries times is left out; @err: why the last time. */
bool push_leaves_out(int err, unsigned int tries);

/* How long to wait after @tries failures, ms; @after_s: what the target asked for; @random: any. */
uint32_t push_wait_ms(unsigned int tries, uint32_t after_s, uint32_t random);

#endif
