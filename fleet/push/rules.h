/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rules.h - which labels samples get, and which names leave the machine */
#ifndef FLEET_PUSH_RULES_H
#define FLEET_PUSH_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libutil/error.h"

#define PUSH_VALUE_MAX		256	/* bytes of a label's value */
#define PUSH_SERIES		100	/* --max-series */
#define PUSH_SERIES_MAX		10000

/* Names are [a-zA-Z_][a-zA-Z0-9_]*, each once; values are UTF-8 without control characters. */
struct push_label {
	char *name, *value;
};

struct push_labels {			/* all 0: empty */
	struct push_label *list;
	size_t nr, room;
};

void push_labels_add(struct push_labels *l, const char *name, const char *value);
/* The value of @name, or NULL. */
const char *push_labels_find(const struct push_labels *l, const char *name);
void push_labels_free(struct push_labels *l);

enum push_privacy { PUSH_KEEP, PUSH_HASH, PUSH_DROP };

struct push_rules {
	struct push_labels own;		/* --label=NAME=VALUE,... */
	struct push_labels renamed;	/* --rename=OLD=NEW,... */
	struct push_labels dropped;	/* --drop=NAME,...: values are "" */
	uint32_t max_series;		/* of a slice */
	enum push_privacy paths, names;	/* --privacy=paths:hash,names:drop */
	const char *root;		/* of the node's files: "", but for tests */
	const char *salt;		/* of the hashes: OPPUSH_SALT in the environment; or NULL */
};

/* Each text may be NULL. -EINVAL with the option and what is wrong in @e. Free *ret in any case. */
int push_rules_parse(const char *labels, const char *renames, const char *drops,
		     const char *privacy, const char *max_series, struct push_rules *ret,
		     struct op_error *e);
void push_rules_free(struct push_rules *r);

#endif
