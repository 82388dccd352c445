/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ratio.c - parse --ratio, find its events among the columns */
#include "pp/report/ratio.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/number.h"
#include "libutil/xalloc.h"

static int parse_one(const char *text, size_t len, struct ratio *ret, struct op_error *e)
{
	const char *end = text + len, *equals = memchr(text, '=', len);
	const char *first = equals ? equals + 1 : text;
	const char *slash = memchr(first, '/', (size_t)(end - first));

	if (!slash || slash == first || slash + 1 == end || equals == text ||
	    memchr(slash + 1, '/', (size_t)(end - slash - 1)))
		return op_error_set(e, -EINVAL, "invalid value '%.*s' for --ratio: expected "
				    "[NAME=]EVENT/EVENT", (int)(len > 80 ? 80 : len), text);
	ret->title = xasprintf("%.*s", (int)((equals ? equals : end) - text), text);
	ret->events[0] = xasprintf("%.*s", (int)(slash - first), first);
	ret->events[1] = xasprintf("%.*s", (int)(end - slash - 1), slash + 1);
	return 0;
}

int ratios_parse(const char *text, struct ratio_list *ret, struct op_error *e)
{
	for (; text; text = strchr(text, ',') ? strchr(text, ',') + 1 : NULL) {
		struct ratio ratio = { 0 };
		int err = parse_one(text, strcspn(text, ","), &ratio, e);

		if (err)
			return err;
		xgrow(ret->ratios, ret->nr, ret->room);
		ret->ratios[ret->nr++] = ratio;
	}
	return 0;
}

/* Is @text NAME, NAME:COUNT or NAME:COUNT:UNITMASK of the class? */
static bool is_class(const char *text, const struct profile_template *t)
{
	size_t len = strcspn(text, ":");
	char *numbers, *mask;
	uint64_t count = t->count, unit_mask = (uint64_t)t->unit_mask;
	bool matches;

	if (strlen(t->event) != len || strncmp(text, t->event, len))
		return false;
	if (!text[len])
		return true;
	numbers = xstrdup(text + len + 1);
	mask = strchr(numbers, ':');
	if (mask)
		*mask++ = '\0';
	matches = !number_parse_u64(numbers, &count) && count == t->count &&
		  (!mask || (!number_parse_u64(mask, &unit_mask) &&
			     (t->unit_mask == SAMPLE_ALL || unit_mask == (uint64_t)t->unit_mask)));
	free(numbers);
	return matches;
}

static int find_class(const char *event, const struct arrangement *a, size_t *ret,
		      struct op_error *e)
{
	struct strbuf events = STRBUF_INIT;
	size_t nr = 0;

	for (size_t i = 0; i < a->nr_classes; i++) {
		strbuf_addf(&events, "%s%s", i ? ", " : "", a->classes[i].title);
		if (is_class(event, &a->classes[i].template)) {
			*ret = i;
			nr++;
		}
	}
	if (!nr)
		op_error_set(e, -EINVAL, "--ratio: the profile has no event '%s'; its columns are "
			     "%.300s", event, events.text);
	else if (nr > 1)
		op_error_set(e, -EINVAL, "--ratio: several columns are of event '%s': %.300s; "
			     "write EVENT:COUNT:UNITMASK, or add up what is separate with --merge",
			     event, events.text);
	strbuf_free(&events);
	return nr == 1 ? 0 : -EINVAL;
}

int ratios_find(struct ratio_list *ratios, const struct arrangement *a, struct op_error *e)
{
	for (size_t i = 0; i < ratios->nr; i++) {
		struct ratio *r = &ratios->ratios[i];

		for (size_t k = 0; k < 2; k++) {
			int err = find_class(r->events[k], a, &r->classes[k], e);

			if (err)
				return err;
		}
		r->factor = (double)a->classes[r->classes[0]].template.count /
			    (double)a->classes[r->classes[1]].template.count;
	}
	return 0;
}

void ratios_free(struct ratio_list *ratios)
{
	for (size_t i = 0; i < ratios->nr; i++) {
		free(ratios->ratios[i].title);
		free(ratios->ratios[i].events[0]);
		free(ratios->ratios[i].events[1]);
	}
	free(ratios->ratios);
	*ratios = (struct ratio_list){ 0 };
}

double ratio_value(const struct ratio *ratio, const uint64_t *counts)
{
	uint64_t second = counts[ratio->classes[1]];

	return second ? (double)counts[ratio->classes[0]] / (double)second * ratio->factor : NAN;
}

void ratio_add_text(double value, struct strbuf *out)
{
	if (isnan(value))
		strbuf_add(out, "n/a");
	else
		strbuf_addf(out, value >= 1000 ? "%.0f" : "%.4g", value);
}
