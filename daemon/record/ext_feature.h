/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ext_feature.h - what samples can be beyond counters: a table of features, one in use at most
 *
 * A feature takes notes out of the event buffer that only it understands, says which of its own
 * events they count for, and may keep files beside the sample files. The daemon asks it at fixed
 * places; a handler that a feature has no use for is NULL. --ext-feature=NAME:ARGS chooses one.
 */
#ifndef DAEMON_RECORD_EXT_FEATURE_H
#define DAEMON_RECORD_EXT_FEATURE_H

#include "libutil/error.h"
#include "libutil/strbuf.h"
#include "oprofilefs/op_abi.h"

#define EXT_EVENTS_MAX	64		/* events of a feature */
#define EXT_INVALID	(-1)		/* of ext_derive(): the CPU says the address is wrong */

struct trans_state;
struct sfile_event;
struct derived_event;

/* How samples of the feature get to files. */
struct ext_sfile_handlers {
	/* Its events as sample files name them; @ret has room for EXT_EVENTS_MAX. */
	unsigned int (*events)(const void *data, struct sfile_event *ret);
	/*
	 * One sample. The events that it counts for into @ret, numbered as above, EXT_EVENTS_MAX at
	 * most; how many, or EXT_INVALID.
	 */
	int (*derive)(void *data, const struct trans_state *state, enum op_code code,
		      const op_word *words, struct derived_event *ret);
	/* Begin files of its own below @session_dir; write what they lack; the end of them. */
	int (*open)(void *data, const char *session_dir, struct op_error *e);
	void (*sync)(void *data);
	void (*close)(void *data);
};

struct ext_feature {
	const char *name, *args;	/* as help shows them */
	/* Required. *ret is what the other handlers get; to be freed by ext_exit(). -EINVAL. */
	int (*ext_init)(const char *args, void **ret, struct op_error *e);
	void (*ext_exit)(void *data);
	void (*ext_print_stats)(const void *data, struct strbuf *out);	/* for the log */
	void (*ext_status)(const void *data, struct strbuf *out);	/* lines "key value" */
	void (*ext_print_events)(const void *data, struct strbuf *out);	/* as --event= has them */
	const struct ext_sfile_handlers *ext_sfile;
};

/* The feature in use. */
struct ext {
	const struct ext_feature *feature;
	void *data;
};

/* "NAME:ARGS". -EINVAL: no such feature (with those there are), or it does not take ARGS. */
int ext_parse(const char *text, struct ext **ret, struct op_error *e);
void ext_free(struct ext *x);

/* The handlers; where there is none, or @x is NULL, nothing is done and nothing derived. */
unsigned int ext_events(const struct ext *x, struct sfile_event *ret);
int ext_derive(struct ext *x, const struct trans_state *state, enum op_code code,
	       const op_word *words, struct derived_event *ret);
int ext_open(struct ext *x, const char *session_dir, struct op_error *e);
void ext_sync(struct ext *x);
void ext_close(struct ext *x);
void ext_print_stats(const struct ext *x, struct strbuf *out);
void ext_status(const struct ext *x, struct strbuf *out);
void ext_print_events(const struct ext *x, struct strbuf *out);

#endif
