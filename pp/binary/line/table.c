/* SPDX-License-Identifier: GPL-2.0-or-later */
/* table.c - take records from the cache or decode them, and write new ones back to the cache */
#include "pp/binary/line/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/hash.h"
#include "libutil/table.h"
#include "libutil/progress.h"
#include "libutil/xalloc.h"
#include "pp/binary/line/cache.h"
#include "pp/binary/line/dwarf.h"

struct unit {
	uint64_t offset;		/* identifies it */
	bool is_new;			/* one of its records is not in the cache */
	bool is_damaged;		/* it has no rows and is not cached */
	struct line_record rows;	/* bytes NULL: not read yet; the same of inlines */
	struct line_record inlines, names;
};

struct line_tables {
	char *path, *build_id;
	char *cache_dir, *cache_name;	/* NULL: not cached */
	struct line_dwarf *dwarf;	/* NULL: not open yet */
	bool cannot_open;
	bool is_damaged;		/* some of the debug information cannot be read */
	struct line_cache *cache;	/* or NULL */
	bool units_are_new;
	struct line_record unit_ranges;
	struct unit *units;		/* those asked for so far */
	size_t nr_units, units_room;
	struct hash_table by_offset;	/* of units */
};

static struct line_dwarf *dwarf_of(struct line_tables *t)
{
	if (!t->dwarf && !t->cannot_open)
		t->cannot_open = line_dwarf_open(t->path, &t->dwarf, NULL) != 0;
	t->is_damaged |= t->cannot_open;
	return t->dwarf;
}

static int read_units(struct line_tables *t, struct op_error *e)
{
	int err;

	if (t->cache && line_cache_read(t->cache, LINE_UNITS, 0, &t->unit_ranges))
		return 0;
	err = line_dwarf_open(t->path, &t->dwarf, e);
	if (!err)
		err = line_dwarf_units(t->dwarf, &t->unit_ranges);
	t->units_are_new = !err;
	return err;
}

/*
 * Whoever makes a binary chooses its build ID, and the source files that its lines name: lines of
 * one file must not be shown for another, whatever its build ID is. [LC-1]
 */
static char *make_cache_name(const char *build_id, const struct stat *st)
{
	return xasprintf("%s-%x-%jx-%jx-%jx-%jx.%lx", build_id, st->st_uid,
			 (uintmax_t)st->st_dev, (uintmax_t)st->st_ino, (uintmax_t)st->st_size,
			 (uintmax_t)st->st_mtim.tv_sec, st->st_mtim.tv_nsec);
}

int line_tables_open(const char *path, const char *build_id, const char *cache_dir,
		     struct line_tables **ret, struct op_error *e)
{
	struct line_tables *t = xcalloc(1, sizeof(*t));
	struct stat st;
	int err;

	t->path = xstrdup(path);
	t->build_id = xstrdup(build_id);
	if (cache_dir && *build_id && !stat(path, &st)) {
		t->cache_dir = xstrdup(cache_dir);
		t->cache_name = make_cache_name(build_id, &st);
		t->cache = line_cache_open(cache_dir, t->cache_name);
	}
	err = read_units(t, e);
	if (err) {
		line_tables_close(t);
		return err;
	}
	*ret = t;
	return 0;
}

static void add_record(struct line_cache_record *records, size_t *nr, enum line_record_kind kind,
		       uint64_t unit, const struct line_record *record)
{
	if (record->bytes)
		records[(*nr)++] = (struct line_cache_record){ kind, unit, *record };
}

static bool has_offset(const void *tables, uint32_t id, const void *offset)
{
	return ((const struct line_tables *)tables)->units[id].offset == *(const uint64_t *)offset;
}

static struct unit *find_unit(const struct line_tables *t, uint64_t offset)
{
	uint32_t id = hash_table_find(&t->by_offset, hash_u64(offset), has_offset, t, &offset);

	return id == HASH_NONE ? NULL : &t->units[id];
}

/* Keep those records of the old file that we do not replace. */
static size_t keep_old_records(const struct line_tables *t, struct line_cache_record *old,
			       size_t nr)
{
	size_t kept = 0;

	for (size_t i = 0; i < nr; i++) {
		const struct unit *unit = find_unit(t, old[i].unit);

		if (old[i].kind == LINE_UNITS ||
		    (old[i].kind == LINE_ROWS && unit && unit->rows.bytes) ||
		    (old[i].kind == LINE_INLINES && unit && unit->inlines.bytes) ||
		    (old[i].kind == LINE_NAMES && unit && unit->names.bytes))
			line_record_free(&old[i].record);
		else
			old[kept++] = old[i];
	}
	return kept;
}

static void write_cache(struct line_tables *t)
{
	struct line_cache *newest = line_cache_open(t->cache_dir, t->cache_name);
	size_t nr_old = 0, nr;
	struct line_cache_record *old = newest ? line_cache_read_all(newest, &nr_old) : NULL;
	struct line_cache_record *records;

	nr_old = keep_old_records(t, old, nr_old);
	records = xcalloc(nr_old + 3 * t->nr_units + 1, sizeof(*records));
	for (nr = 0; nr < nr_old; nr++)
		records[nr] = old[nr];
	add_record(records, &nr, LINE_UNITS, 0, &t->unit_ranges);
	for (size_t i = 0; i < t->nr_units; i++) {
		if (t->units[i].is_damaged)
			continue;
		add_record(records, &nr, LINE_ROWS, t->units[i].offset, &t->units[i].rows);
		add_record(records, &nr, LINE_INLINES, t->units[i].offset, &t->units[i].inlines);
		add_record(records, &nr, LINE_NAMES, t->units[i].offset, &t->units[i].names);
	}
	/* if this fails (a full disk, a read-only folder), the next report decodes again */
	line_cache_write(t->cache_dir, t->cache_name, records, nr, LINE_CACHE_MAX);
	for (size_t i = 0; i < nr_old; i++)
		line_record_free(&old[i].record);
	free(old);
	free(records);
	line_cache_close(newest);
}

/* Whether the tables are those of the file that the cache was asked for: it may be another now. */
static bool is_same_file(const struct line_tables *t)
{
	char *name = make_cache_name(t->build_id, line_dwarf_file(t->dwarf));
	bool is = !strcmp(name, t->cache_name);

	free(name);
	return is;
}

void line_tables_close(struct line_tables *t)
{
	bool is_new;

	if (!t)
		return;
	is_new = t->units_are_new;
	for (size_t i = 0; i < t->nr_units; i++)
		is_new |= t->units[i].is_new;
	is_new = is_new && t->cache_name && t->dwarf && is_same_file(t);
	line_dwarf_close(t->dwarf);
	line_cache_close(t->cache);
	if (is_new)
		write_cache(t);
	for (size_t i = 0; i < t->nr_units; i++) {
		line_record_free(&t->units[i].rows);
		line_record_free(&t->units[i].inlines);
		line_record_free(&t->units[i].names);
	}
	line_record_free(&t->unit_ranges);
	hash_table_free(&t->by_offset);
	free(t->units);
	free(t->path);
	free(t->build_id);
	free(t->cache_dir);
	free(t->cache_name);
	free(t);
}

bool line_tables_are_damaged(const struct line_tables *t)
{
	return t->is_damaged;
}

bool line_tables_section(struct line_tables *t, const char *name, uint64_t *ret)
{
	struct line_dwarf *dwarf = dwarf_of(t);

	return dwarf && line_dwarf_section(dwarf, name, ret);
}

/* Valid until the next call. */
static struct unit *get_unit(struct line_tables *t, uint64_t offset)
{
	struct unit *unit = find_unit(t, offset);

	if (unit)
		return unit;
	xgrow(t->units, t->nr_units, t->units_room);
	hash_table_add(&t->by_offset, hash_u64(offset), (uint32_t)t->nr_units);
	unit = &t->units[t->nr_units++];
	*unit = (struct unit){ .offset = offset };
	progress_tell(t->path, t->nr_units, 0, "line tables");
	return unit;
}

static void read_rows(struct line_tables *t, struct unit *unit)
{
	if (unit->rows.bytes ||
	    (t->cache && line_cache_read(t->cache, LINE_ROWS, unit->offset, &unit->rows)))
		return;
	unit->is_new = true;
	if (!dwarf_of(t) || line_dwarf_rows(t->dwarf, unit->offset, &unit->rows)) {
		line_record_rows(NULL, 0, &unit->rows);
		unit->is_damaged = t->is_damaged = true;
	}
}

/* Those of the sorted @addresses that the spans do not cover; malloc'd. */
static uint64_t *uncovered(const struct line_record *inlines, const uint64_t *addresses, size_t nr,
			   size_t *ret_nr)
{
	uint64_t *left = xcalloc(nr + 1, sizeof(*left));
	size_t nr_left = 0;

	for (size_t i = 0; i < nr; i++)
		if (!inlines->bytes || !line_find_inlines(inlines, addresses[i], NULL, 0))
			left[nr_left++] = addresses[i];
	*ret_nr = nr_left;
	return left;
}

/* Addresses outside every function, such as assembly, get spans of one byte: they are known. */
static void cover_rest(struct line_record *record, const uint64_t *addresses, size_t nr,
		       struct inline_span **spans, size_t *nr_spans)
{
	*spans = xrealloc_array(*spans, *nr_spans + nr + 1, sizeof(**spans));
	for (size_t i = 0; i < nr; i++)
		if (!line_find_inlines(record, addresses[i], NULL, 0))
			(*spans)[(*nr_spans)++] = (struct inline_span){
				.low = addresses[i],
				.high = addresses[i] + 1,
			};
}

static void add_inlines(struct line_tables *t, struct unit *unit, enum inline_detail detail,
			struct line_record *inlines, const uint64_t *addresses, size_t nr)
{
	size_t nr_left, nr_spans = 0, nr_known;
	uint64_t *left = uncovered(inlines, addresses, nr, &nr_left);
	struct inline_span *spans = NULL;
	struct line_record record;

	if (nr_left) {
		if (inlines->bytes)
			spans = line_record_spans(inlines, &nr_spans);
		if (dwarf_of(t))
			line_dwarf_inlines(t->dwarf, unit->offset, detail, left, nr_left, &spans,
					   &nr_spans);
		if (!line_record_inlines(spans, nr_spans, &record)) {
			nr_known = nr_spans;
			cover_rest(&record, left, nr_left, &spans, &nr_spans);
			if (nr_spans > nr_known) {
				struct line_record all;

				if (!line_record_inlines(spans, nr_spans, &all)) {
					line_record_free(&record);
					record = all;
				}
			}
			line_record_free(inlines);
			*inlines = record;
			unit->is_new = true;
		}
	}
	free(spans);
	free(left);
}

/* Complete the unit's inlines, starting with those of the cache. */
static void find_inlines(struct line_tables *t, struct unit *unit, enum inline_detail detail,
			 const uint64_t *addresses, size_t nr)
{
	struct line_record *inlines = detail == INLINE_NAMES ? &unit->names : &unit->inlines;

	if (!inlines->bytes && t->cache &&
	    !line_cache_read(t->cache, detail == INLINE_NAMES ? LINE_NAMES : LINE_INLINES,
			     unit->offset, inlines))
		*inlines = (struct line_record){ 0 };
	add_inlines(t, unit, detail, inlines, addresses, nr);
}

/* An address and its unit. */
struct wanted {
	uint64_t unit;
	uint64_t address;
	size_t index;		/* in the caller's array */
};

static int compare_wanted(const void *a, const void *b)
{
	const struct wanted *x = a, *y = b;

	if (x->unit != y->unit)
		return x->unit < y->unit ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* Look up all addresses of one unit. */
static void find_in_unit(struct line_tables *t, const struct wanted *wanted, size_t nr,
			 bool inlines, struct line_place *ret)
{
	struct unit *unit = get_unit(t, wanted[0].unit);
	uint64_t *addresses;

	if (ret)
		read_rows(t, unit);
	for (size_t i = 0; ret && i < nr; i++)
		line_find_row(&unit->rows, wanted[i].address, &ret[wanted[i].index]);
	if (!inlines)
		return;
	addresses = xcalloc(nr, sizeof(*addresses));
	for (size_t i = 0; i < nr; i++)
		addresses[i] = wanted[i].address;
	find_inlines(t, unit, ret ? INLINE_CALLS : INLINE_NAMES, addresses, nr);
	free(addresses);
}

/* By unit, because a unit's code may be in several ranges but is decoded once. */
void line_tables_find(struct line_tables *t, const uint64_t *addresses, size_t nr, bool inlines,
		      struct line_place *ret)
{
	struct wanted *wanted = xcalloc(nr + 1, sizeof(*wanted));
	size_t nr_wanted = 0;

	for (size_t i = 0; i < nr; i++) {
		uint64_t unit;

		if (ret)
			ret[i] = (struct line_place){ NULL, 0 };
		if (line_find_unit(&t->unit_ranges, addresses[i], &unit))
			wanted[nr_wanted++] = (struct wanted){ unit, addresses[i], i };
	}
	if (nr_wanted)
		qsort(wanted, nr_wanted, sizeof(*wanted), compare_wanted);
	for (size_t i = 0, end; i < nr_wanted; i = end) {
		for (end = i; end < nr_wanted && wanted[end].unit == wanted[i].unit; end++)
			;
		find_in_unit(t, wanted + i, end - i, inlines, ret);
	}
	free(wanted);
}

size_t line_tables_frames(struct line_tables *t, uint64_t address, struct inline_span *frames,
			  size_t room)
{
	const struct unit *unit;
	uint64_t offset;
	size_t nr = 0;

	if (!line_find_unit(&t->unit_ranges, address, &offset))
		return 0;
	unit = find_unit(t, offset);
	if (unit && unit->inlines.bytes)
		nr = line_find_inlines(&unit->inlines, address, frames, room);
	if (unit && unit->names.bytes && !nr)
		nr = line_find_inlines(&unit->names, address, frames, room);
	return nr;
}
