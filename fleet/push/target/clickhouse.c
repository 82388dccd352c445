// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * clickhouse.c - slices as rows of fleet/schema/, in RowBinary
 *
 * What slices have in common - events, binaries, label sets, stacks - is sent once a day. A part is
 * below the server's block of an insert and has one day, so it is stored as a whole or not at all.
 * The rows of a slice are always the same and in the same order, by which servers find a part that
 * comes twice; parts without rows are not sent, and samples come last. These are asked for before
 * they are sent again, because not all servers know them, and hours are added up by the server.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/push/part.h"
#include "fleet/push/rules.h"
#include "fleet/push/target/kinds.h"
#include "fleet/store/clickhouse.h"
#include "fleet/store/frames.h"
#include "libutil/clock.h"
#include "libutil/hash.h"
#include "libutil/sorted.h"
#include "libutil/table.h"
#include "libutil/varint.h"
#include "libutil/xalloc.h"

#define ROWS_MAX	100000			/* samples of a part */
#define BYTES_MAX	((size_t)4 << 20)	/* of other rows, before they are packed */
#define LABELS_MAX	256
#define DAY_NS		(86400 * (int64_t)NS_PER_SECOND)

/* --- what was sent today --- */

#define KNOWN_SLOTS	(1u << 18)
#define KNOWN_MAX	(KNOWN_SLOTS / 4 * 3)	/* then all is sent again */
#define PENDING_MAX	(1u << 16)

/*
 * In the memory of the target, which outlives this process. What the last slice had is known if all
 * of it was sent; else it is sent again, with that slice or the next.
 */
struct known {
	int64_t day;
	uint32_t nr, nr_pending;
	uint64_t pending[PENDING_MAX];
	uint64_t slots[KNOWN_SLOTS];	/* 0: free */
};

/* Where @hash is, or would be; another's if there is no room, as only a hostile maker leaves it. */
static uint64_t *slot_of(struct known *k, uint64_t hash)
{
	uint32_t i = (uint32_t)hash % KNOWN_SLOTS;

	for (uint32_t n = 0; n < KNOWN_SLOTS && k->slots[i] && k->slots[i] != hash; n++)
		i = (i + 1) % KNOWN_SLOTS;
	return &k->slots[i];
}

static void known_begin(struct known *k, bool last_was_sent, int64_t day)
{
	uint32_t nr = last_was_sent ? k->nr_pending : 0;

	for (uint32_t i = 0; i < nr && i < PENDING_MAX && k->nr < KNOWN_MAX; i++) {
		uint64_t *slot = slot_of(k, k->pending[i]);

		k->nr += !*slot;
		*slot = k->pending[i];
	}
	if (k->day != day || k->nr >= KNOWN_MAX) {
		memset(k->slots, 0, sizeof(k->slots));
		k->nr = 0;
	}
	k->nr_pending = 0;
	k->day = day;
}

/* --- RowBinary --- */

static void put_number(struct strbuf *rows, uint64_t n, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		strbuf_add_char(rows, (char)(n >> 8 * i));
}

static void put_text(struct strbuf *rows, const char *text)
{
	size_t n = strlen(text);

	varint_put(rows, n);
	strbuf_add_bytes(rows, text, n);
}

/* @nr texts, each ended by NUL. */
static void put_texts(struct strbuf *rows, const char *texts, size_t nr)
{
	varint_put(rows, nr);
	for (size_t i = 0; i < nr; i++, texts += strlen(texts) + 1)
		put_text(rows, texts);
}

/* --- parts --- */

struct encoder {
	const struct push_batch *b;
	struct push_sink *sink;
	struct op_error *e;
	int64_t day;
	uint32_t time;			/* s: the middle of the slice */
	const char *host;
	uint64_t *sources;		/* of each of the profile's label sets and series, or 0 */
	char **events;			/* their names in the store */
	uint64_t *event_ns;
	struct known *known;		/* or NULL: nothing is */
	struct hash_table by_hash;	/* of the slice: what is in a part already */
	uint64_t *hashes;
	size_t nr_hashes, hashes_room;
	struct strbuf rows;
	char *ask;			/* of the next part, or NULL */
	struct store_frames frames;
	uint64_t batch;
};

/* The rows so far, for @table with @columns. */
static int put_part(struct encoder *x, const char *table, const char *columns, uint64_t samples)
{
	struct push_part part = { .samples = samples };
	int err;

	if (!x->rows.len)
		return 0;
	err = push_part_pack(x->rows.text, x->rows.len, &part, x->e);
	if (err)
		return err;
	part.name = xasprintf("?database=" STORE_DATABASE "&query=INSERT+INTO+%s+(%s)+FORMAT+"
			      "RowBinary", table, columns);
	part.ask = x->ask;
	err = x->sink->put(x->sink, &part);
	free(part.name);
	free(part.bytes);
	strbuf_reset(&x->rows);
	return err;
}

static bool is_hash(const void *encoder, uint32_t id, const void *hash)
{
	return ((const struct encoder *)encoder)->hashes[id] == *(const uint64_t *)hash;
}

/* Whether a row with @hash, of the kind @kind, is to be sent. */
static bool is_wanted(struct encoder *x, char kind, uint64_t hash)
{
	hash = hash_mix(hash, (uint64_t)kind) | 1;
	if (hash_table_intern(&x->by_hash, hash_u64(hash), is_hash, x, &hash) != x->nr_hashes)
		return false;
	xgrow(x->hashes, x->nr_hashes, x->hashes_room);
	x->hashes[x->nr_hashes++] = hash;
	if (!x->known)
		return true;
	if (*slot_of(x->known, hash) == hash)
		return false;
	if (x->known->nr_pending < PENDING_MAX)
		x->known->pending[x->known->nr_pending++] = hash;
	return true;
}

static uint32_t day_number(const struct encoder *x)
{
	return (uint32_t)x->day;
}

/* --- events, binaries, numbers --- */

/* Nanoseconds that a sample stands for; 0: the event is not time. */
static uint64_t ns_of(const struct encoder *x, const struct profile_event *event)
{
	const struct profile *p = x->b->profile;
	const struct session_list *sessions = &x->b->collection->sessions;
	uint64_t khz = sessions->nr && sessions->sessions[0].has_info
		       ? sessions->sessions[0].info.clock_khz : 0;

	if (!strcmp(profile_text(p, event->unit), "nanoseconds"))
		return event->period ? event->period : 1;
	if (!strcmp(profile_text(p, event->name), "CPU_CLK_UNHALTED") && khz)
		return event->period * 1000000 / khz;
	return 0;
}

static int put_events(struct encoder *x)
{
	const struct profile *p = x->b->profile;

	for (uint32_t i = 0; i < p->nr_events; i++) {
		const struct profile_event *event = &p->events[i];
		const char *name = profile_text(p, event->name);

		x->event_ns[i] = ns_of(x, event);
		x->events[i] = event->unit_mask
			? xasprintf("%s:%" PRIu64 ":0x%" PRIx64, name, event->period,
				    event->unit_mask)
			: xasprintf("%s:%" PRIu64, name, event->period);
		if (!is_wanted(x, 'e', hash_string(x->events[i])))
			continue;
		put_text(&x->rows, x->events[i]);
		put_text(&x->rows, name);
		put_text(&x->rows, profile_text(p, event->unit));
		put_number(&x->rows, event->period, 8);
		put_number(&x->rows, event->unit_mask, 8);
	}
	return put_part(x, "events", "event,name,unit,period,unit_mask", 0);
}

static int put_binaries(struct encoder *x)
{
	const struct profile *p = x->b->profile;

	for (uint32_t i = 0; i < p->nr_images; i++) {
		const char *build = profile_text(p, p->images[i].build_id);
		const char *path = profile_text(p, p->images[i].path);

		if (!*build || !is_wanted(x, 'b', hash_mix(hash_string(build), hash_string(path))))
			continue;
		put_text(&x->rows, build);
		put_text(&x->rows, path);
		put_text(&x->rows, x->host);
		put_number(&x->rows, day_number(x), 2);
	}
	return put_part(x, "binaries", "build,path,host,seen", 0);
}

static void put_value(struct encoder *x, const char *name, uint64_t value)
{
	put_number(&x->rows, x->time, 4);
	put_text(&x->rows, x->host);
	put_text(&x->rows, name);
	put_number(&x->rows, value, 8);
	put_number(&x->rows, x->batch, 8);
}

static int put_numbers(struct encoder *x)
{
	const struct history_slice *s = x->b->slice;
	int64_t seconds = (s->end_ns - s->begin_ns) / (int64_t)NS_PER_SECOND;

	put_value(x, "seconds", (uint64_t)(seconds > 0 ? seconds : 1));
	for (size_t i = 0; i < s->nr_numbers; i++)
		put_value(x, s->numbers[i].name, s->numbers[i].value);
	return put_part(x, "numbers", "time,host,name,value,batch", 0);
}

/* --- sources --- */

static const char *label_of(const struct push_labels *l, const char *name)
{
	const char *value = push_labels_find(l, name);

	return value ? value : "";
}

/* Processes, threads and CPUs are too many; the profile's other labels are kept. */
static bool is_kept(const struct profile *p, const struct push_labels *series,
		    const struct profile_label *label)
{
	const char *key = profile_text(p, label->key);

	return label->text && strcmp(key, "pid") && strcmp(key, "tid") && strcmp(key, "cpu") &&
	       !*label_of(series, key);
}

/* The labels of a set and a series as "NAME=VALUE", sorted; malloc'd texts. Returns how many. */
static size_t list_labels(const struct encoder *x, uint32_t set, const struct push_labels *series,
			  char *ret[LABELS_MAX])
{
	const struct profile *p = x->b->profile;
	const struct profile_labels *range = &p->label_sets[set];
	bool has_app = false;
	size_t nr = 0;

	for (size_t i = 0; i < series->nr && nr < LABELS_MAX; i++)
		ret[nr++] = xasprintf("%s=%s", series->list[i].name, series->list[i].value);
	for (uint32_t i = 0; i < range->nr; i++) {
		const struct profile_label *label = &p->labels[range->first + i];

		if (nr == LABELS_MAX || !is_kept(p, series, label))
			continue;
		has_app |= !strcmp(profile_text(p, label->key), "app");
		ret[nr++] = xasprintf("%s=%s", profile_text(p, label->key),
				      profile_text(p, label->text));
	}
	if (!has_app && p->main_image != PROFILE_NONE && nr < LABELS_MAX)
		ret[nr++] = xasprintf("app=%s",
				      profile_text(p, p->images[p->main_image].path));
	for (size_t i = 0; i < nr; i++)
		for (char *c = ret[i]; *c; c++)
			*c = *c == '\n' ? '?' : *c;
	qsort(ret, nr, sizeof(*ret), compare_texts);
	return nr;
}

static uint64_t put_source(struct encoder *x, uint32_t set, const struct push_labels *series)
{
	char *labels[LABELS_MAX];
	size_t nr = list_labels(x, set, series, labels);
	uint64_t hash = nr;

	for (size_t i = 0; i < nr; i++)
		hash = hash_mix(hash, hash_string(labels[i]));
	if (is_wanted(x, 's', hash)) {
		put_number(&x->rows, hash, 8);
		put_number(&x->rows, day_number(x), 2);
		put_text(&x->rows, x->host);
		put_text(&x->rows, label_of(series, "service"));
		varint_put(&x->rows, nr);
		for (size_t i = 0; i < nr; i++)
			put_text(&x->rows, labels[i]);
	}
	for (size_t i = 0; i < nr; i++)
		free(labels[i]);
	return hash;
}

static uint64_t *source_of(const struct encoder *x, uint32_t sample)
{
	return &x->sources[x->b->profile->samples[sample].labels * (size_t)x->b->nr_series +
			   x->b->series_of[sample]];
}

static int put_sources(struct encoder *x)
{
	const struct profile *p = x->b->profile;

	x->sources = xcalloc((size_t)p->nr_label_sets * x->b->nr_series + 1,
			     sizeof(*x->sources));
	for (uint32_t i = 0; i < p->nr_samples; i++)
		if (!*source_of(x, i))
			*source_of(x, i) = put_source(x, p->samples[i].labels,
						      &x->b->series[x->b->series_of[i]]);
	return put_part(x, "sources", "source,seen,host,service,labels", 0);
}

/* --- stacks and samples --- */

/* One sample of one event: it has the stack, the source and the event in common with no other. */
struct row {
	uint64_t source, stack, samples;
	uint32_t event, series, node;
};

static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	return x->stack != y->stack ? (x->stack < y->stack ? -1 : 1) : 0;
}

/* Malloc'd, each of its kind once. */
static struct row *list_rows(struct encoder *x, size_t *ret_nr)
{
	const struct profile *p = x->b->profile;
	uint64_t *hashes = xcalloc((size_t)p->tree.nr + 1, sizeof(*hashes));
	struct row *rows = NULL;
	size_t nr = 0, room = 0, kept = 0;

	for (uint32_t i = 0; i < p->nr_samples; i++) {
		uint32_t node = p->samples[i].node;

		if (node == PROFILE_NONE)
			continue;
		if (!hashes[node]) {
			store_frames_of(p, node, &x->frames);
			hashes[node] = store_frames_hash(&x->frames);
		}
		for (uint32_t event = 0; event < p->nr_events; event++) {
			int64_t value = profile_values(p, i)[event];

			if (value <= 0)
				continue;
			xgrow(rows, nr, room);
			rows[nr++] = (struct row){ *source_of(x, i), hashes[node], (uint64_t)value,
						   event, x->b->series_of[i], node };
		}
	}
	free(hashes);
	if (nr)
		qsort(rows, nr, sizeof(*rows), compare_rows);
	for (size_t i = 0; i < nr; i++)
		if (kept && !compare_rows(&rows[kept - 1], &rows[i]))
			rows[kept - 1].samples += rows[i].samples;
		else
			rows[kept++] = rows[i];
	*ret_nr = kept;
	return rows;
}

static void put_stack(struct encoder *x, const struct row *r)
{
	const char *image, *function;

	store_frames_of(x->b->profile, r->node, &x->frames);
	image = x->frames.images.text;
	function = x->frames.functions.text;
	for (size_t i = 0; i + 1 < x->frames.nr && !*image; i++)
		image++;	/* those of inlined functions are "" */
	put_number(&x->rows, r->stack, 8);
	put_number(&x->rows, day_number(x), 2);
	put_text(&x->rows, function);
	put_text(&x->rows, image);
	put_texts(&x->rows, function, x->frames.nr);
	put_texts(&x->rows, x->frames.images.text, x->frames.nr);
	varint_put(&x->rows, x->frames.nr);
	for (size_t i = 0; i < x->frames.nr; i++)
		put_number(&x->rows, x->frames.offsets[i], 8);
}

static int put_stacks(struct encoder *x, const struct row *rows, size_t nr)
{
	int err = 0;

	for (size_t i = 0; i <= nr && !err; i++) {
		if (i == nr || x->rows.len > BYTES_MAX)
			err = put_part(x, "stacks", "stack,seen,leaf,leaf_image,functions,images,"
				       "offsets", 0);
		if (i < nr && !err && is_wanted(x, 'k', rows[i].stack))
			put_stack(x, &rows[i]);
	}
	return err;
}

static void add_equal(struct strbuf *sql, const char *column, const char *text)
{
	strbuf_addf(sql, "%s = unhex('", column);	/* the text may have any bytes */
	for (; *text; text++)
		strbuf_addf(sql, "%02x", (unsigned char)*text);
	strbuf_add(sql, "') AND ");
}

/* A part is stored as a whole, so its first row says whether it is there. Of the table's key. */
static char *ask_for(const struct encoder *x, const struct row *r)
{
	struct strbuf sql = STRBUF_INIT;

	strbuf_add(&sql, "SELECT 1 FROM samples WHERE ");
	add_equal(&sql, "event", x->events[r->event]);
	add_equal(&sql, "service", label_of(&x->b->series[r->series], "service"));
	add_equal(&sql, "host", x->host);
	strbuf_addf(&sql, "time = toDateTime(%" PRIu32 ") AND source = %" PRIu64 " AND stack = %"
		    PRIu64 " AND batch = %" PRIu64 " LIMIT 1", x->time, r->source, r->stack,
		    x->batch);
	if (sql.len > PUSH_NAME_MAX)
		strbuf_free(&sql);
	return strbuf_steal(&sql);
}

static int put_samples(struct encoder *x, const struct row *rows, size_t nr)
{
	uint64_t samples = 0;
	int err;

	for (size_t i = 0; i < nr; i++) {
		const struct row *r = &rows[i];

		put_number(&x->rows, x->time, 4);
		put_text(&x->rows, x->events[r->event]);
		put_text(&x->rows, label_of(&x->b->series[r->series], "service"));
		put_text(&x->rows, x->host);
		put_number(&x->rows, r->source, 8);
		put_number(&x->rows, r->stack, 8);
		put_number(&x->rows, r->samples, 8);
		put_number(&x->rows, x->event_ns[r->event], 8);
		put_number(&x->rows, x->batch, 8);
		samples += r->samples;
	}
	x->ask = ask_for(x, rows);
	err = put_part(x, "samples", "time,event,service,host,source,stack,samples,ns,batch",
		       samples);
	free(x->ask);
	x->ask = NULL;
	return err;
}

static int put_all(struct encoder *x)
{
	struct row *rows;
	size_t nr;
	int err = put_events(x);

	if (!err)
		err = put_binaries(x);
	if (!err)
		err = put_numbers(x);
	if (!err)
		err = put_sources(x);
	if (err)
		return err;
	rows = list_rows(x, &nr);
	err = put_stacks(x, rows, nr);
	for (size_t i = 0; i < nr && !err; i += ROWS_MAX)
		err = put_samples(x, rows + i, nr - i < ROWS_MAX ? nr - i : ROWS_MAX);
	free(rows);
	return err;
}

static int encode(const struct push_target *t, const struct push_batch *b, struct push_sink *sink,
		  struct op_error *e)
{
	const int64_t middle = b->slice->begin_ns + (b->slice->end_ns - b->slice->begin_ns) / 2;
	struct encoder x = {
		.b = b, .sink = sink, .e = e,
		.day = middle / DAY_NS, .time = (uint32_t)(middle / (int64_t)NS_PER_SECOND),
		.host = b->nr_series ? label_of(&b->series[0], "host") : "",
		.events = xcalloc(b->profile->nr_events + 1, sizeof(*x.events)),
		.event_ns = xcalloc(b->profile->nr_events + 1, sizeof(*x.event_ns)),
		.rows = STRBUF_INIT, .frames = STORE_FRAMES_INIT,
		.batch = hash_string(b->token), .known = t->memory,
	};
	int err;

	if (x.known)
		known_begin(x.known, b->last_was_sent, x.day);
	err = put_all(&x);
	for (uint32_t i = 0; i < b->profile->nr_events; i++)
		free(x.events[i]);
	free(x.events);
	free(x.event_ns);
	free(x.sources);
	free(x.hashes);
	hash_table_free(&x.by_hash);
	strbuf_free(&x.rows);
	store_frames_free(&x.frames);
	return err;
}

/* A query that fails in the middle has status 200. */
static void look(const struct http_answer *a, struct push_answer *ret)
{
	if (!strstr(a->body.text, "DB::Exception"))
		return;
	ret->verdict = PUSH_AGAIN;
	store_error_text(a->body.text, ret->text, sizeof(ret->text));
}

const struct push_kind push_clickhouse = {
	.name = "clickhouse",
	.path = "/",
	.has_query = true,
	.ask_at = "?readonly=1&database=" STORE_DATABASE,
	.content_type = "application/octet-stream",
	.gzipped = true,
	.memory = sizeof(struct known),
	.encode = encode,
	.look = look,
};
