/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ext_feature.h - extended features: samples from something else than counters
 *
 * A feature decodes notes of the event buffer that only it understands, decides which of its own
 * events they count for, and may write files beside the sample files. The daemon calls its handlers
 * at fixed places; those that a feature does not need are NULL. --ext-feature=NAME:ARGS chooses
 * one, and one is in use at most.
 */
#ifndef DAEMON_RECORD_EXT_FEATURE_H
#define DAEMON_RECORD_EXT_FEATURE_H

#include "libutil/error.h"
#include "libutil/strbuf.h"
#include "oprofilefs/op_abi.h"

#define EXT_EVENTS_MAX	64		/* events of a feature */
#define EXT_INVALID	(-1)		/* of ext_derive(): the CPU marked the address as invalid */

struct trans_state;
struct sfile_event;
struct derived_event;

/* From the feature's samples to files. */
struct ext_sfile_handlers {
	/* Fill @ret, of EXT_EVENTS_MAX, with its events as sample files name them: how many. */
	unsigned int (*events)(const void *data, struct sfile_event *ret);
	/*
	 * Fill @ret with the events that a sample counts for, numbered as above, at most
	 * EXT_EVENTS_MAX. Returns how many, or EXT_INVALID.
	 */
	int (*derive)(void *data, const struct trans_state *state, enum op_code code,
		      const op_word *words, struct derived_event *ret);
	/* Create files of its own below @session_dir; write what was gathered; close them. */
	int (*open)(void *data, const char *session_dir, struct op_error *e);
	void (*sync)(void *data);
	void (*close)(void *data);
};

struct ext_feature {
	const char *name, *args;	/* as help shows them */
	/* Required. *ret is passed to the other handlers, and freed by ext_exit(). -EINVAL. */
	int (*ext_init)(const char *args, void **ret, struct op_error *e);
	void (*ext_exit)(void *data);
	void (*ext_print_stats)(const void *data, struct strbuf *out);	/* for the log */
	void (*ext_status)(const void *data, struct strbuf *out);	/* lines "key value" */
	void (*ext_print_events)(const void *data, struct strbuf *out);	/* as in --event= */
	const struct ext_sfile_handlers *ext_sfile;
};

/* The feature in use. */
struct ext {
	const struct ext_feature *feature;
	void *data;
};

/* Parse "NAME:ARGS". -EINVAL: unknown feature (@e lists the known ones), or invalid ARGS. */
int ext_parse(const char *text, struct ext **ret, struct op_error *e);
void ext_free(struct ext *x);

/* Call a handler. Without one, or if @x is NULL, nothing is done and no event is derived. */
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
