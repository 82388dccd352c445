// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ibs.c - AMD's instruction-based sampling: events that need no counter
 *
 * The hardware samples every n-th fetch or op with all its properties, from which the daemon
 * derives the events [IB-3]. So all events of one feature have the same count and unit mask, which
 * event_requests_distinct() has checked.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "control/plan/private.h"
#include "events/cpu/ibs_limits.h"

struct feature {
	const char *ext, *word;		/* in the table; for the daemon */
};

static const struct feature features[] = { { "ibs_fetch", "fetch" }, { "ibs_op", "op" } };

static uint64_t count_max(const struct collector_choice *c, const struct feature *f)
{
	bool first = !strcmp(c->kinds.kind[0].type->name, "x86-64/family10");

	return strcmp(f->word, "op") || first ? IBS_FETCH_COUNT_MAX : IBS_OP_COUNT_MAX;
}

static int check(const struct collector_choice *c, const struct feature *f,
		 const struct event_choice *choice, struct op_error *e)
{
	if (choice->count <= count_max(c, f))
		return 0;
	return op_error_set(e, -ERANGE, "event '%s': count %" PRIu64 " is above the maximum, %"
			    PRIu64, choice->event->name, choice->count, count_max(c, f));
}

/* "fetch:EV,EV:count:um:kernel:user" */
static int add_feature(const struct collector_choice *c, const struct feature *f,
		       const struct event_choice *choices, size_t nr, struct strbuf *out,
		       struct op_error *e)
{
	const struct event_choice *first = NULL;
	int err = 0;

	for (size_t i = 0; i < nr && !err; i++) {
		const struct event_choice *this = &choices[i];

		if (!this->event->ext || strcmp(this->event->ext, f->ext))
			continue;
		if (first)
			strbuf_addf(out, ",%s", this->event->name);
		else
			strbuf_addf(out, "%s%s:%s", out->len ? "|" : "ibs:", f->word,
				    this->event->name);
		first = first ? first : this;
		err = check(c, f, this, e);
	}
	if (first && !err)
		strbuf_addf(out, ":%" PRIu64 ":0x%" PRIx32 ":%d:%d", first->count,
			    first->mask.value, first->kernel, first->user);
	return err;
}

int event_plan_ibs(const struct collector_choice *c, const struct event_choice *choices, size_t nr,
		   char **ret, struct op_error *e)
{
	struct strbuf word = STRBUF_INIT;
	int err = 0;

	for (size_t i = 0; i < sizeof(features) / sizeof(features[0]) && !err; i++)
		err = add_feature(c, &features[i], choices, nr, &word, e);
	if (!err && word.len)
		*ret = strbuf_steal(&word);
	strbuf_free(&word);
	return err;
}
