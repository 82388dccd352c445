/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options.h - oppush's command line and file of options, checked: doc/man/oppush.1 */
#ifndef FLEET_PUSH_OPTIONS_H
#define FLEET_PUSH_OPTIONS_H

#include "fleet/push/rules.h"
#include "fleet/push/target.h"
#include "pp/cli/asked.h"

#define PUSH_STATE_DIR	OP_LOCALSTATEDIR "/lib/oppush"
#define PUSH_CONFIG	OP_SYSCONFDIR "/oprofile/oppush.conf"
#define PUSH_CONFIG_MAX	65536	/* bytes */
#define PUSH_TARGETS_MAX	32

struct option_set;

struct push_options {
	enum asked asked;		/* if not ASKED_WORK, nothing else is valid */
	bool once, status;
	char *session_dir, *root;	/* root may be NULL */
	char *state_dir;
	char *credentials, *ca_file;	/* or NULL */
	unsigned int timeout_s, catch_up;
	struct push_rules rules;
	struct push_target targets[PUSH_TARGETS_MAX];
	size_t nr_targets;
};

/* -EINVAL with @e set. Free *ret in any case. */
int push_options_parse(int argc, const char **argv, struct push_options *ret, struct op_error *e);
void push_options_free(struct push_options *o);
extern const struct option_set push_option_set;

/*
 * The lines of @text, a file of options, as words of a command line: "NAME=VALUE" becomes
 * "--NAME=VALUE", "target=TARGET" TARGET, "NAME" "--NAME"; empty lines and those with # are left
 * out. Writes to @text; @path is for messages. *ret is malloc'd, and so are its words.
 */
int push_config_words(char *text, size_t len, const char *path, char ***ret, size_t *ret_nr,
		      struct op_error *e);
void push_config_free(char **words, size_t nr);

/* "[NAME=]KIND:PLACE". */
int push_target_parse(const char *text, struct push_target *ret, struct op_error *e);

#endif
