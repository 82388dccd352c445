// SPDX-License-Identifier: GPL-2.0-or-later
/* ext_feature.c - the table of extended features, and the calls to the one in use */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "daemon/record/ext_feature.h"
#include "daemon/record/ibs.h"
#include "daemon/record/sfile.h"
#include "libutil/xalloc.h"

_Static_assert(EXT_EVENTS_MAX <= DERIVED_EVENTS_MAX, "room for a feature's events");

static const struct ext_feature *const features[] = { &ibs_feature };

#define NR_FEATURES (sizeof(features) / sizeof(features[0]))

static const struct ext_feature *find(const char *name, size_t len)
{
	for (size_t i = 0; i < NR_FEATURES; i++)
		if (strlen(features[i]->name) == len && !memcmp(features[i]->name, name, len))
			return features[i];
	return NULL;
}

static int report_unknown(const char *text, size_t len, struct op_error *e)
{
	struct strbuf known = STRBUF_INIT;
	int err;

	for (size_t i = 0; i < NR_FEATURES; i++)
		strbuf_addf(&known, "%s%s:%s", i ? ", " : "", features[i]->name, features[i]->args);
	err = op_error_set(e, -EINVAL, "unknown feature '%.*s' for --ext-feature: expected %s",
			   len < 40 ? (int)len : 40, text, known.text);
	strbuf_free(&known);
	return err;
}

int ext_parse(const char *text, struct ext **ret, struct op_error *e)
{
	size_t len = strcspn(text, ":");
	const struct ext_feature *feature = find(text, len);
	struct ext *x;
	void *data;
	int err;

	if (!feature)
		return report_unknown(text, len, e);
	err = feature->ext_init(text[len] ? text + len + 1 : "", &data, e);
	if (err)
		return err;
	x = xcalloc(1, sizeof(*x));
	x->feature = feature;
	x->data = data;
	*ret = x;
	return 0;
}

void ext_free(struct ext *x)
{
	if (!x)
		return;
	if (x->feature->ext_exit)
		x->feature->ext_exit(x->data);
	free(x);
}

static const struct ext_sfile_handlers *files_of(const struct ext *x)
{
	static const struct ext_sfile_handlers none;

	return x && x->feature->ext_sfile ? x->feature->ext_sfile : &none;
}

unsigned int ext_events(const struct ext *x, struct sfile_event *ret)
{
	return files_of(x)->events ? files_of(x)->events(x->data, ret) : 0;
}

int ext_derive(struct ext *x, const struct trans_state *state, enum op_code code,
	       const op_word *words, struct derived_event *ret)
{
	return files_of(x)->derive ? files_of(x)->derive(x->data, state, code, words, ret) : 0;
}

int ext_open(struct ext *x, const char *session_dir, struct op_error *e)
{
	return files_of(x)->open ? files_of(x)->open(x->data, session_dir, e) : 0;
}

void ext_sync(struct ext *x)
{
	if (files_of(x)->sync)
		files_of(x)->sync(x->data);
}

void ext_close(struct ext *x)
{
	if (files_of(x)->close)
		files_of(x)->close(x->data);
}

void ext_print_stats(const struct ext *x, struct strbuf *out)
{
	if (x && x->feature->ext_print_stats)
		x->feature->ext_print_stats(x->data, out);
}

void ext_status(const struct ext *x, struct strbuf *out)
{
	if (x && x->feature->ext_status)
		x->feature->ext_status(x->data, out);
}

void ext_print_events(const struct ext *x, struct strbuf *out)
{
	if (x && x->feature->ext_print_events)
		x->feature->ext_print_events(x->data, out);
}
