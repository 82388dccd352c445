// SPDX-License-Identifier: GPL-2.0-or-later
/* model.c - rows, their order, and what keys do */
#include "live/top/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "libutil/xalloc.h"
#include "live/top/lines.h"

void top_model_init(struct top_model *m, unsigned int width, unsigned int height)
{
	*m = (struct top_model){ .width = width, .height = height, .nr_levels = 1 };
	m->levels[0].view = TOP_SYMBOLS;
}

static void leave(struct top_model *m)
{
	struct top_level *l = &m->levels[--m->nr_levels];

	free(l->title);
	*l = (struct top_level){ .key = 0 };
}

void top_model_free(struct top_model *m)
{
	while (m->nr_levels)
		leave(m);
	free(m->rows);
	hash_table_free(&m->by_key);
}

/* --- rows --- */

void top_rows_begin(struct top_model *m)
{
	m->nr = m->nr_shown = 0;
	m->now = 0;
	m->since = m->before = 0;
	hash_table_free(&m->by_key);
}

static bool has_key(const void *context, uint32_t id, const void *key)
{
	return ((const struct top_row *)context)[id].key == *(const uint64_t *)key;
}

struct top_row *top_row(struct top_model *m, uint64_t key, bool *ret_is_new)
{
	uint32_t i = hash_table_find(&m->by_key, key, has_key, m->rows, &key);

	*ret_is_new = i == HASH_NONE;
	if (i != HASH_NONE)
		return &m->rows[i];
	xgrow(m->rows, m->nr, m->room);
	m->rows[m->nr] = (struct top_row){ .key = key, .name = "" };
	hash_table_add(&m->by_key, key, (uint32_t)m->nr);
	return &m->rows[m->nr++];
}

static bool is_ordered(const struct top_model *m)
{
	return top_level(m)->view >= TOP_FRAMES;
}

static const struct top_model *sorted;

static int compare_numbers(double x, double y)
{
	return (x < y) - (x > y);
}

static int compare_rows(const void *a, const void *b)
{
	const struct top_row *x = a, *y = b;
	int order = 0;

	if (is_ordered(sorted))
		return x->order < y->order ? -1 : x->order > y->order;
	switch (sorted->sort) {
	case TOP_BY_NOW:
		order = compare_numbers(x->now, y->now);
		break;
	case TOP_BY_CHANGE:
		order = compare_numbers(top_change_of(sorted, x), top_change_of(sorted, y));
		break;
	case TOP_BY_NAME:
		order = strcmp(x->name, y->name);
		break;
	default:
		break;
	}
	if (!order)
		order = compare_numbers((double)x->since, (double)y->since);
	if (!order)
		order = strcmp(x->name, y->name);
	if (!order)
		order = x->key < y->key ? -1 : x->key > y->key;
	return sorted->is_reverse ? -order : order;
}

static bool is_wanted(const struct top_model *m, const struct top_row *r)
{
	return !*m->filter || is_ordered(m) || strcasestr(r->name, m->filter) ||
	       (r->detail && strcasestr(r->detail, m->filter));
}

static unsigned int page(const struct top_model *m)
{
	return m->height > TOP_LINES_AROUND ? m->height - TOP_LINES_AROUND : 1;
}

static void show_selected(struct top_model *m)
{
	struct top_level *l = top_level(m);
	const unsigned int lines = page(m);

	if (l->index >= m->nr_shown)
		l->index = m->nr_shown ? m->nr_shown - 1 : 0;
	if (l->first > l->index)
		l->first = l->index;
	if (l->index >= l->first + lines)
		l->first = l->index - lines + 1;
	if (l->first + lines > m->nr_shown)
		l->first = m->nr_shown > lines ? m->nr_shown - lines : 0;
	l->selected = m->nr_shown ? m->rows[l->index].key : 0;
}

void top_rows_end(struct top_model *m)
{
	struct top_level *l = top_level(m);

	for (size_t i = 0; i < m->nr; i++) {
		struct top_row row = m->rows[i];

		if (!is_wanted(m, &row))
			continue;
		m->rows[i] = m->rows[m->nr_shown];
		m->rows[m->nr_shown++] = row;
	}
	hash_table_free(&m->by_key);	/* rows have moved */
	sorted = m;
	if (m->nr_shown)
		qsort(m->rows, m->nr_shown, sizeof(*m->rows), compare_rows);
	for (size_t i = 0; l->is_chosen && i < m->nr_shown; i++)
		if (m->rows[i].key == l->selected)
			l->index = i;
	show_selected(m);
}

/* --- keys --- */

static enum top_change select_row(struct top_model *m, int64_t index)
{
	struct top_level *l = top_level(m);

	l->index = index < 0 ? 0 : (size_t)index;
	show_selected(m);
	l->is_chosen = l->index > 0;
	return TOP_SAME_ROWS;
}

static enum top_change enter(struct top_model *m, enum top_view view)
{
	const struct top_level *from = top_level(m);
	const struct top_row *row = &m->rows[from->index];

	if (m->nr_levels == TOP_LEVELS || !m->nr_shown)
		return TOP_SAME_ROWS;
	m->levels[m->nr_levels++] = (struct top_level){
		.view = view, .key = row->key, .title = xstrdup(row->name),
	};
	*m->filter = '\0';
	return TOP_OTHER_ROWS;
}

static enum top_change zoom(struct top_model *m)
{
	switch (top_level(m)->view) {
	case TOP_SYMBOLS:
	case TOP_CALLERS:
		return enter(m, TOP_CALLERS);
	case TOP_STACKS:
		return enter(m, TOP_FRAMES);
	case TOP_FRAMES:
	case TOP_SOURCE:
		return TOP_SAME_ROWS;
	default:
		return enter(m, TOP_SYMBOLS);
	}
}

static enum top_change go_back(struct top_model *m)
{
	if (*m->filter) {
		*m->filter = '\0';
		return TOP_OTHER_ROWS;
	}
	if (m->nr_levels == 1)
		return TOP_SAME_ROWS;
	leave(m);
	return TOP_OTHER_ROWS;
}

static enum top_change annotate(struct top_model *m)
{
	const enum top_view view = top_level(m)->view;

	if (view == TOP_SYMBOLS || view == TOP_CALLERS || view == TOP_FRAMES)
		return enter(m, TOP_SOURCE);
	snprintf(m->message, sizeof(m->message), "select a function to see its source");
	return TOP_SAME_ROWS;
}

static enum top_change choose(struct top_model *m, enum top_view view)
{
	while (m->nr_levels > 1)
		leave(m);
	m->levels[0] = (struct top_level){ .view = view };
	*m->filter = '\0';
	return TOP_OTHER_ROWS;
}

static enum top_change sort_by(struct top_model *m, enum top_sort sort)
{
	m->is_reverse = m->sort == sort && !m->is_reverse;
	m->sort = sort;
	return TOP_OTHER_ROWS;
}

/* The next order; by change only if there is a mark to compare with. */
static enum top_change sort_next(struct top_model *m)
{
	m->is_reverse = false;
	m->sort = (m->sort + 1) % NR_TOP_SORTS;
	if (m->sort == TOP_BY_CHANGE && !m->has_mark)
		m->sort++;
	return TOP_OTHER_ROWS;
}

static enum top_change type(struct top_model *m, int key)
{
	size_t len = strlen(m->filter);

	if (key == TOP_ENTER) {
		m->is_typing = false;
		return TOP_SAME_ROWS;
	}
	if (key == TOP_ESCAPE) {
		m->is_typing = false;
		*m->filter = '\0';
	} else if (key == TOP_BACKSPACE && len) {
		m->filter[len - 1] = '\0';
	} else if (key >= ' ' && key < TOP_BACKSPACE && len + 1 < sizeof(m->filter)) {
		m->filter[len] = (char)key;
		m->filter[len + 1] = '\0';
	} else {
		return TOP_SAME_ROWS;
	}
	return TOP_OTHER_ROWS;
}

static enum top_change move(struct top_model *m, int key)
{
	const int64_t at = (int64_t)top_level(m)->index;

	switch (key) {
	case TOP_UP:
	case 'k':
		return select_row(m, at - 1);
	case TOP_DOWN:
	case 'j':
		return select_row(m, at + 1);
	case TOP_PAGE_UP:
		return select_row(m, at - page(m));
	case TOP_PAGE_DOWN:
		return select_row(m, at + page(m));
	case TOP_HOME:
		return select_row(m, 0);
	case TOP_END:
		return select_row(m, (int64_t)m->nr_shown);
	}
	return TOP_SAME_ROWS;
}

enum top_change top_key(struct top_model *m, int key)
{
	*m->message = '\0';
	if (m->is_help) {
		m->is_help = false;
		return TOP_SAME_ROWS;
	}
	if (m->is_typing)
		return type(m, key);
	if (key >= '1' && key < '1' + NR_TOP_VIEWS)
		return choose(m, (enum top_view)(key - '1'));
	switch (key) {
	case TOP_ENTER:
		return zoom(m);
	case TOP_ESCAPE:
	case TOP_BACKSPACE:
		return go_back(m);
	case 'a':
		return annotate(m);
	case '/':
		m->is_typing = true;
		break;
	case 's':
		return sort_next(m);
	case 'r':
		return sort_by(m, m->sort);
	case 'f':
	case ' ':
		m->is_frozen = !m->is_frozen;
		break;
	case 'm':
		return TOP_MARK;
	case 'M':
		if (m->sort == TOP_BY_CHANGE)
			m->sort = TOP_BY_NOW;
		return TOP_NO_MARK;
	case 'e':
		return TOP_NEXT_EVENT;
	case '?':
	case 'h':
		m->is_help = true;
		break;
	case 'q':
		m->is_over = true;
		break;
	default:
		return move(m, key);
	}
	return TOP_SAME_ROWS;
}

enum top_change top_click(struct top_model *m, unsigned int x, unsigned int y)
{
	const struct top_level *l = top_level(m);
	size_t index = l->first + y - TOP_FIRST_ROW;
	enum top_sort sort;

	if (m->is_help)
		return top_key(m, TOP_ESCAPE);
	if (y == TOP_FIRST_ROW - 1 && top_column_at(m, x, &sort))
		return sort_by(m, sort);
	if (y < TOP_FIRST_ROW || y >= TOP_FIRST_ROW + page(m) || index >= m->nr_shown)
		return TOP_SAME_ROWS;
	if (l->is_chosen && index == l->index)
		return zoom(m);
	select_row(m, (int64_t)index);
	top_level(m)->is_chosen = true;
	return TOP_SAME_ROWS;
}
