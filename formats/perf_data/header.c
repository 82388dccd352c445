// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * header.c - the header of perf.data: events, builds of files, and what was recorded where
 *
 * Rules: doc/perf-data.md [PD-1]..[PD-4].
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "formats/perf_data/perf_data.h"
#include "libutil/hash.h"
#include "libutil/strbuf.h"
#include "libutil/xalloc.h"

#define PIPE_HEADER	16		/* bytes */
#define FILE_HEADER	104
#define FEATURE_WORDS	4		/* of 64 bits */
#define ATTR_MIN	64		/* bytes of struct perf_event_attr, version 0 */
#define BUILD_ID_BYTES	24		/* of which the last but three may be the size */
#define BUILD_ID_KNOWN	20
#define MISC_BUILD_ID_SIZE	(1 << 15)
#define ATTR_FREQ	10		/* bits of struct perf_event_attr */
#define ATTR_SAMPLE_ID_ALL	18
#define ATTR_BUILD_ID		34

enum {
	FEATURE_BUILD_ID = 2,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_VERSION = 5,
	FEATURE_ARCH = 6,
	FEATURE_CPUDESC = 8,
	FEATURE_CMDLINE = 11,
	FEATURE_EVENT_DESC = 12,
};

static const char *const hardware[] = {
	"cycles", "instructions", "cache-references", "cache-misses", "branches", "branch-misses",
	"bus-cycles", "stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles",
};

static const char *const software[] = {
	"cpu-clock", "task-clock", "page-faults", "context-switches", "cpu-migrations",
	"minor-faults", "major-faults", "alignment-faults", "emulation-faults", "dummy",
	"bpf-output", "cgroup-switches",
};

const char *perf_attr_name(const struct perf_attr *a, char *room, size_t size)
{
	if (a->name)
		return a->name;
	if (a->type == PERF_TYPE_HARDWARE && a->config < sizeof(hardware) / sizeof(*hardware))
		return hardware[a->config];
	if (a->type == PERF_TYPE_SOFTWARE && a->config < sizeof(software) / sizeof(*software))
		return software[a->config];
	snprintf(room, size, "event-%" PRIu32 "-0x%" PRIx64, a->type, a->config);
	return room;
}

/* --- events --- */

static bool has_id(const void *ids, uint32_t index, const void *id)
{
	return ((const uint64_t *)ids)[index] == *(const uint64_t *)id;
}

struct perf_attr *perf_attr_find(struct perf_data *d, uint64_t id)
{
	uint32_t at = hash_table_find(&d->by_id, hash_u64(id), has_id, d->ids, &id);

	if (at != HASH_NONE)
		return &d->attrs[d->attr_of_id[at]];
	return d->nr_attrs == 1 || (d->nr_attrs && !id) ? &d->attrs[0] : NULL;
}

static void add_id(struct perf_data *d, uint64_t id, uint32_t attr)
{
	uint64_t hash = hash_u64(id);

	if (!id || d->nr_ids == PERF_IDS_MAX ||
	    hash_table_find(&d->by_id, hash, has_id, d->ids, &id) != HASH_NONE)
		return;
	if (d->nr_ids == d->room_ids) {
		d->room_ids = d->room_ids ? 2 * d->room_ids : 64;
		d->ids = xrealloc_array(d->ids, d->room_ids, sizeof(*d->ids));
		d->attr_of_id = xrealloc_array(d->attr_of_id, d->room_ids,
					       sizeof(*d->attr_of_id));
	}
	d->ids[d->nr_ids] = id;
	d->attr_of_id[d->nr_ids] = attr;
	hash_table_add(&d->by_id, hash, (uint32_t)d->nr_ids++);
}

/* Bit fields begin at the other end of the word on big-endian machines. */
static bool attr_flag(const struct perf_data *d, uint64_t flags, unsigned int bit)
{
	bool big = (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) != d->swap;

	return flags >> (big ? 63 - bit : bit) & 1;
}

static bool parse_attr(const struct perf_data *d, struct bytes b, struct perf_attr *ret)
{
	struct perf_attr a = { .same_period = 0 };
	uint32_t size;
	uint64_t flags = 0;

	if (bytes_left(&b) < ATTR_MIN)
		return false;
	take_u32(&b, &a.type);
	take_u32(&b, &size);
	take_u64(&b, &a.config);
	take_u64(&b, &a.period);
	take_u64(&b, &a.sample_type);
	take_u64(&b, &a.read_format);
	take_u64(&b, &flags);
	a.is_freq = attr_flag(d, flags, ATTR_FREQ);
	a.sample_id_all = attr_flag(d, flags, ATTR_SAMPLE_ID_ALL);
	a.has_build_ids = attr_flag(d, flags, ATTR_BUILD_ID);
	*ret = a;
	return true;
}

int perf_attr_add(struct perf_data *d, struct bytes attr, struct bytes ids, size_t offset)
{
	struct perf_attr a;
	uint64_t id;

	if (!parse_attr(d, attr, &a))
		return op_error_set(d->e, -EPROTO, "offset %zu: truncated description of an event",
				    offset);
	if (d->nr_attrs == PERF_EVENTS_MAX)
		return op_error_set(d->e, -EPROTO, "offset %zu: more than %d events", offset,
				    PERF_EVENTS_MAX);
	while (take_u64(&ids, &id))
		add_id(d, id, d->nr_attrs);
	d->attrs[d->nr_attrs++] = a;
	d->has_build_ids |= a.has_build_ids;
	return 0;
}

/* --- features --- */

/* A string with its length before it; its bytes end at the first NUL. */
static bool take_text(struct bytes *b, struct bytes *ret)
{
	const unsigned char *nul;
	uint32_t size;

	if (!take_u32(b, &size) || !take_part(b, size, ret))
		return false;
	nul = memchr(ret->at, 0, bytes_left(ret));
	ret->end = nul ? nul : ret->end;
	return true;
}

static void add_text(struct strbuf *out, const struct bytes *text)
{
	for (const unsigned char *c = text->at; c < text->end; c++)
		strbuf_add_char(out, *c < ' ' ? '?' : (char)*c);
}

/* "command: perf record ...": remarks in the profile. [PD-4] */
static void read_remark(struct perf_data *d, const char *what, struct bytes b, uint32_t nr)
{
	struct strbuf line = STRBUF_INIT;
	struct bytes text;

	strbuf_addf(&line, "%s:", what);
	for (; nr && take_text(&b, &text); nr--) {
		strbuf_add_char(&line, ' ');
		add_text(&line, &text);
	}
	profile_comment(d->p, line.text);
	strbuf_free(&line);
}

/* Names of events in the order of attrs; their IDs may be here only. */
static void read_event_names(struct perf_data *d, struct bytes b)
{
	uint32_t nr, attr_size, nr_ids;
	struct bytes attr, name;
	uint64_t id;

	if (!take_u32(&b, &nr) || !take_u32(&b, &attr_size))
		return;
	for (uint32_t i = 0; i < nr && i < d->nr_attrs; i++) {
		if (!take_part(&b, attr_size, &attr) || !take_u32(&b, &nr_ids) ||
		    !take_text(&b, &name))
			return;
		free(d->attrs[i].name);
		d->attrs[i].name = strndup((const char *)name.at, bytes_left(&name));
		for (; nr_ids && take_u64(&b, &id); nr_ids--)
			add_id(d, id, i);
	}
}

static bool has_path(const void *builds, uint32_t index, const void *path)
{
	return !strcmp(((const struct perf_build *)builds)[index].path, path);
}

const struct perf_build *perf_build_find(const struct perf_data *d, const char *path)
{
	uint32_t at = hash_table_find(&d->by_path, hash_string(path), has_path, d->builds, path);

	return at == HASH_NONE ? NULL : &d->builds[at];
}

/* [PD-3] */
void perf_build_add(struct perf_data *d, struct bytes b, uint16_t misc)
{
	struct perf_build build = { .id_size = BUILD_ID_KNOWN };
	struct bytes id;
	uint32_t pid;

	if (!take_u32(&b, &pid) || !take_part(&b, BUILD_ID_BYTES, &id))
		return;
	build.path = take_string(&b);
	if (!build.path || perf_build_find(d, build.path))
		return;
	if (misc & MISC_BUILD_ID_SIZE && id.at[BUILD_ID_KNOWN] <= BUILD_ID_KNOWN)
		build.id_size = id.at[BUILD_ID_KNOWN];
	memcpy(build.id, id.at, BUILD_ID_KNOWN);
	xgrow(d->builds, d->nr_builds, d->room_builds);
	d->builds[d->nr_builds] = build;
	hash_table_add(&d->by_path, hash_string(build.path), (uint32_t)d->nr_builds++);
}

static void read_builds(struct perf_data *d, struct bytes b)
{
	while (bytes_left(&b) >= sizeof(struct perf_event_header)) {
		struct perf_event_header h = perf_record_at(d, b.at, NULL);
		struct bytes record;

		if (h.size < sizeof(h) || !take_part(&b, h.size, &record))
			return;
		record.at += sizeof(h);
		perf_build_add(d, record, h.misc);
	}
}

void perf_feature_read(struct perf_data *d, uint64_t feature, struct bytes b)
{
	uint32_t nr;

	switch (feature) {
	case FEATURE_BUILD_ID:
		read_builds(d, b);
		break;
	case FEATURE_HOSTNAME:
		read_remark(d, "host", b, 1);
		break;
	case FEATURE_OSRELEASE:
		read_remark(d, "kernel", b, 1);
		break;
	case FEATURE_VERSION:
		read_remark(d, "perf", b, 1);
		break;
	case FEATURE_ARCH:
		read_remark(d, "machine", b, 1);
		break;
	case FEATURE_CPUDESC:
		read_remark(d, "CPU", b, 1);
		break;
	case FEATURE_CMDLINE:
		if (take_u32(&b, &nr))
			read_remark(d, "command", b, nr);
		break;
	case FEATURE_EVENT_DESC:
		read_event_names(d, b);
		break;
	}
}

/* --- the file --- */

struct section {
	uint64_t offset, size;
};

static bool take_section(struct bytes *b, struct section *ret)
{
	return take_u64(b, &ret->offset) && take_u64(b, &ret->size);
}

/* The part of the file that a section names; false: there is less. */
static bool find_section(const struct perf_data *d, struct section s, struct bytes *ret)
{
	bool whole = s.offset <= d->size && s.size <= d->size - s.offset;
	size_t start = s.offset <= d->size ? s.offset : d->size;

	*ret = (struct bytes){ d->bytes + start,
			       d->bytes + (whole ? start + s.size : d->size), d->swap };
	return whole;
}

static int read_attrs(struct perf_data *d, struct section where, uint64_t attr_size)
{
	struct bytes all, attr, ids;
	struct section id_section = { 0 };
	int err = 0;

	if (attr_size < ATTR_MIN + sizeof(struct section) || !find_section(d, where, &all))
		return op_error_set(d->e, -EPROTO, "offset %" PRIu64 ": truncated descriptions of "
				    "events", where.offset < d->size ? where.offset : d->size);
	while (!err && bytes_left(&all) >= attr_size) {
		size_t offset = (size_t)(all.at - d->bytes);

		take_part(&all, attr_size - sizeof(struct section), &attr);
		take_section(&all, &id_section);
		find_section(d, id_section, &ids);
		err = perf_attr_add(d, attr, ids, offset);
	}
	if (!err && !d->nr_attrs)
		err = op_error_set(d->e, -EPROTO, "offset %" PRIu64 ": no events", where.offset);
	return err;
}

/* The table of features is after the records. It is missing if perf was killed. */
static void read_features(struct perf_data *d, const uint64_t *features, struct section data)
{
	struct section table = { data.offset + data.size, UINT64_MAX }, feature;
	struct bytes b, content;

	if (__builtin_add_overflow(data.offset, data.size, &table.offset))
		return;
	find_section(d, table, &b);
	for (unsigned int i = 0; i < FEATURE_WORDS * 64; i++)
		if (features[i / 64] >> i % 64 & 1) {
			if (!take_section(&b, &feature))
				return;
			if (find_section(d, feature, &content))
				perf_feature_read(d, i, content);
		}
}

static int read_file(struct perf_data *d, struct bytes b, struct bytes *ret)
{
	struct section attrs, data, types;
	uint64_t attr_size = 0, features[FEATURE_WORDS];
	int err;

	take_u64(&b, &attr_size);
	take_section(&b, &attrs);
	take_section(&b, &data);
	take_section(&b, &types);
	for (int i = 0; i < FEATURE_WORDS; i++)
		take_u64(&b, &features[i]);
	err = read_attrs(d, attrs, attr_size);
	if (err)
		return err;
	if (!data.size) {		/* [PD-2] */
		err = format_warn_or_fail(d->options, d->e, "offset %zu: perf did not finish this "
					  "file: reading the records up to its end", (size_t)48);
		data.size = UINT64_MAX - data.offset;
		find_section(d, data, ret);
		return err;
	}
	if (!find_section(d, data, ret))
		return format_warn_or_fail(d->options, d->e, "offset %zu: truncated: expected %"
					   PRIu64 " bytes of records from offset %" PRIu64,
					   d->size, data.size, data.offset);
	read_features(d, features, data);
	return 0;
}

int perf_header_read(struct perf_data *d, struct bytes *ret)
{
	struct bytes b = { d->bytes, d->bytes + d->size, false };
	uint64_t size = 0;

	if (d->size < PIPE_HEADER)
		return op_error_set(d->e, -EPROTO, "offset %zu: truncated header", d->size);
	d->swap = (*d->bytes == 'P') == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	b.swap = d->swap;
	b.at += 8;
	take_u64(&b, &size);
	if (size == PIPE_HEADER) {	/* [PD-2] */
		*ret = b;
		return 0;
	}
	if (size < FILE_HEADER || d->size < FILE_HEADER)
		return op_error_set(d->e, -EPROTO, "offset %zu: truncated header", d->size);
	return read_file(d, b, ret);
}
