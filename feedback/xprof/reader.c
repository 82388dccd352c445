/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reader.c - what all parts of the text's reader need: names, numbers, and where records stand */
#include "feedback/xprof/reader.h"

#include "feedback/xprof/split.h"
#include "libutil/xalloc.h"

void xprof_note_place(struct xprof_reader *r, enum xprof_array array, uint32_t nr)
{
	struct xprof_places *p = &r->places;

	while (p->room[array] < nr) {
		p->room[array] = p->room[array] < 16 ? 16 : p->room[array] * 2;
		p->at[array] = xrealloc_array(p->at[array], p->room[array],
					      sizeof(*p->at[array]));
	}
	p->at[array][nr - 1] = r->lines.number;
}

int xprof_read_name(struct xprof_reader *r, struct span s, uint32_t *ret)
{
	const char *fault = xprof_name_fault(s.at, span_len(&s));

	if (fault)
		return xprof_lines_fail(&r->lines, r->lines.number, "%s [XP-4]", fault);
	*ret = xprof_string_n(r->x, s.at, span_len(&s));
	return 0;
}

int xprof_split_ref(struct xprof_reader *r, uint32_t line, struct span text, uint32_t *ret_name,
		    uint32_t *ret_path)
{
	size_t len = span_len(&text), colon = xprof_split(&r->index, text.at, len);
	const char *fault = NULL;

	if (colon < len)
		fault = xprof_name_fault(text.at, colon);
	if (!fault && colon < len)
		fault = xprof_name_fault(text.at + colon + 1, len - colon - 1);
	if (fault || colon == len)
		return xprof_lines_fail(&r->lines, line, "no NAME:PATH of a procedure: %s [XP-10]",
					fault ? fault : "there is no colon");
	*ret_name = xprof_string_n(r->x, text.at, colon);
	*ret_path = xprof_string_n(r->x, text.at + colon + 1, len - colon - 1);
	return 0;
}

int xprof_read_last(struct xprof_reader *r, const char *what, uint32_t *ret, size_t nr)
{
	for (size_t i = nr; i-- > 0; ) {
		struct span field = span_last(&r->lines.line);

		if (!span_u32(field, &ret[i]))
			return xprof_lines_fail(&r->lines, r->lines.number,
						"%s: '%.*s' is no number below 2^32 [XP-4]", what,
						span_short(&field), field.at);
	}
	return 0;
}

int xprof_read_stats(struct xprof_reader *r, uint32_t *has, uint64_t *max, uint64_t *sum)
{
	for (;;) {
		bool is_max = xprof_lines_begins(&r->lines, "max ") ||
			      xprof_lines_begins(&r->lines, "max\t");
		uint32_t bit = is_max ? XPROF_HAS_MAX : XPROF_HAS_SUM;

		if (!is_max && !xprof_lines_begins(&r->lines, "sum ") &&
		    !xprof_lines_begins(&r->lines, "sum\t"))
			return 0;
		xprof_lines_skip(&r->lines, is_max ? "max" : "sum");
		if (*has & bit)
			return xprof_lines_fail(&r->lines, r->lines.number,
						"a second %s [XP-14]", is_max ? "max" : "sum");
		if (!span_u64(r->lines.line, is_max ? max : sum))
			return xprof_lines_fail(&r->lines, r->lines.number,
						"%s is no number below 2^64 [XP-14]",
						is_max ? "max" : "sum");
		*has |= bit;
		xprof_lines_next(&r->lines);
	}
}
