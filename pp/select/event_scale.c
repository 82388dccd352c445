/* SPDX-License-Identifier: GPL-2.0-or-later */
/* event_scale.c - find the times of an event, scale with them */
#include "pp/select/event_scale.h"

#include <inttypes.h>
#include <string.h>

#include "libutil/count.h"
#include "libutil/number.h"

bool event_is_multiplexed(const struct event_time *t)
{
	return t->running_ns && event_time_is_partial(t);
}

/* Is there another event of that name? */
static bool has_namesake(const struct event_times *times, const struct event_time *t)
{
	for (size_t i = 0; i < times->nr; i++)
		if (&times->event[i] != t && !strcmp(times->event[i].name, t->name))
			return true;
	return false;
}

void event_multiplexed_text(const struct event_times *times, const struct event_time *t,
			    struct strbuf *out)
{
	double enabled = (double)t->enabled_ns, running = (double)t->running_ns;
	char share[PERCENT_TEXT];

	strbuf_add(out, t->name);
	if (has_namesake(times, t))
		strbuf_addf(out, ":%" PRIu64 ":0x%" PRIx64, t->count, t->unit_mask);
	strbuf_addf(out, " counted %s of the time, its counts are scaled by %.3g",
		    number_format_percent(share, running, enabled), enabled / running);
}

struct event_scale event_scale_start(const struct sample_file *file)
{
	const struct event_time *t = !file->session ? NULL
		: event_times_find(&file->session->times, file->name.event, file->name.count,
				   file->name.unit_mask);

	if (!t || !event_is_multiplexed(t))
		return (struct event_scale){ 0 };
	return (struct event_scale){ t->enabled_ns, t->running_ns, 0, 0 };
}

uint64_t event_scale_next(struct event_scale *s, uint64_t count)
{
	uint64_t before = s->scaled;

	if (!s->running)
		return count;
	count_add(&s->sum, count);
	s->scaled = count_scale(s->sum, s->enabled, s->running / 2, s->running);
	return s->scaled - before;
}
