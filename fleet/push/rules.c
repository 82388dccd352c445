// SPDX-License-Identifier: GPL-2.0-or-later
/* rules.c - parse the options about labels and privacy */
#include "fleet/push/rules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/number.h"
#include "libutil/plain_text.h"
#include "libutil/xalloc.h"

#define LETTERS	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"

void push_labels_add(struct push_labels *l, const char *name, const char *value)
{
	char *text = xasprintf("%.*s", PUSH_VALUE_MAX, value);

	plain_text(text, strlen(text));
	xgrow(l->list, l->nr, l->room);
	l->list[l->nr++] = (struct push_label){ xstrdup(name), text };
}

const char *push_labels_find(const struct push_labels *l, const char *name)
{
	for (size_t i = 0; i < l->nr; i++)
		if (!strcmp(l->list[i].name, name))
			return l->list[i].value;
	return NULL;
}

void push_labels_free(struct push_labels *l)
{
	for (size_t i = 0; i < l->nr; i++) {
		free(l->list[i].name);
		free(l->list[i].value);
	}
	free(l->list);
	*l = (struct push_labels){ NULL, 0, 0 };
}

/* Names that begin with "__" belong to the targets. */
static bool is_name(const char *text)
{
	return *text && strchr(LETTERS, *text) && strncmp(text, "__", 2) != 0 &&
	       !text[strspn(text, LETTERS "0123456789")];
}

enum value { NO_VALUE, ANY_VALUE, NAME_VALUE };

/* "NAME=VALUE,...", or "NAME,..." without values. */
static int parse_list(const char *option, const char *text, enum value kind,
		      struct push_labels *ret, struct op_error *e)
{
	char *copy = xstrdup(text ? text : ""), *rest = copy, *word, *value;
	int err = 0;

	while (!err && (word = strsep(&rest, ",")) != NULL) {
		if (!*word)
			continue;
		value = kind == NO_VALUE ? NULL : strchr(word, '=');
		if (value)
			*value++ = '\0';
		if (!is_name(word))
			err = op_error_set(e, -EINVAL, "invalid name '%s' for --%s: expected "
					   "letters, digits and _, not beginning with a digit or "
					   "__", word, option);
		else if (kind != NO_VALUE && (!value || !*value))
			err = op_error_set(e, -EINVAL, "invalid value '%s' for --%s: expected "
					   "NAME=VALUE", word, option);
		else if (kind == NAME_VALUE && !is_name(value))
			err = op_error_set(e, -EINVAL, "invalid name '%s' for --%s: expected "
					   "letters, digits and _, not beginning with a digit or "
					   "__", value, option);
		else if (push_labels_find(ret, word))
			err = op_error_set(e, -EINVAL, "'%s' is given twice for --%s", word,
					   option);
		else
			push_labels_add(ret, word, value ? value : "");
	}
	free(copy);
	return err;
}

static int parse_privacy(const char *text, struct push_rules *r, struct op_error *e)
{
	char *copy = xstrdup(text ? text : ""), *rest = copy, *word;
	int err = 0;

	while (!err && (word = strsep(&rest, ",")) != NULL) {
		char *how = strchr(word, ':');
		enum push_privacy *what;

		if (!*word)
			continue;
		if (how)
			*how++ = '\0';
		what = !strcmp(word, "paths") ? &r->paths
		     : !strcmp(word, "names") ? &r->names : NULL;
		if (what && how && !strcmp(how, "hash"))
			*what = PUSH_HASH;
		else if (what && how && !strcmp(how, "drop"))
			*what = PUSH_DROP;
		else
			err = op_error_set(e, -EINVAL, "invalid value '%s' for --privacy: "
					   "expected paths or names, then :hash or :drop", word);
	}
	free(copy);
	return err;
}

int push_rules_parse(const char *labels, const char *renames, const char *drops,
		     const char *privacy, const char *max_series, struct push_rules *ret,
		     struct op_error *e)
{
	uint64_t nr = PUSH_SERIES;
	int err;

	*ret = (struct push_rules){ .max_series = PUSH_SERIES, .salt = getenv("OPPUSH_SALT"),
				    .root = "" };
	err = parse_list("label", labels, ANY_VALUE, &ret->own, e);
	if (!err)
		err = parse_list("rename", renames, NAME_VALUE, &ret->renamed, e);
	if (!err)
		err = parse_list("drop", drops, NO_VALUE, &ret->dropped, e);
	if (!err)
		err = parse_privacy(privacy, ret, e);
	if (!err && max_series && number_parse_range(max_series, 1, PUSH_SERIES_MAX, &nr))
		err = op_error_set(e, -EINVAL, "invalid value '%s' for --max-series: expected 1 "
				   "to %d", max_series, PUSH_SERIES_MAX);
	ret->max_series = (uint32_t)nr;
	return err;
}

void push_rules_free(struct push_rules *r)
{
	push_labels_free(&r->own);
	push_labels_free(&r->renamed);
	push_labels_free(&r->dropped);
}
