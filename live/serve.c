// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * serve.c - answer requests of pprof, go tool pprof and google-pprof
 *
 * A profile of N seconds is the difference of the session's counts after and before. Threads wait
 * at the same time but read sessions one at a time. The last profiles served are kept, because
 * clients look up the names of their addresses afterwards.
 */
#include "live/serve.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "formats/format.h"
#include "libdb/session/session.h"
#include "libutil/channel.h"
#include "libutil/sorted.h"
#include "libutil/xalloc.h"
#include "live/http.h"
#include "pp/binary/line/cache.h"
#include "pp/exchange/export/baseline.h"
#include "pp/exchange/export/profile.h"
#include "pp/picture/picture.h"
#include "pp/select/collect.h"

#define SECONDS_MAX	600
#define SECONDS_DEFAULT	30
#define DUMP_MS		30000
#define KEPT		4	/* profiles */
#define WAITING_MAX	8	/* of the connections: so that others are answered */
#define TIME_TEXT_MAX	64	/* bytes of a time in a query */
#define TIME_WORDS	6	/* at most, of the times of a query */
#define ANSWER_MAX	(16u << 20)	/* bytes; a name may be asked for many times */

struct kept {
	struct profile *profile;
	uint32_t *places;		/* sorted by address */
};

struct server {
	struct serve_options options;
	char *control, *cache_dir;
	pthread_mutex_t lock;		/* sessions, kept */
	struct kept kept[KEPT];
	size_t next;
	unsigned int nr_waiting;	/* profiles being taken; protected by the lock */
};

struct server *server_new(const struct serve_options *options)
{
	struct server *s = xcalloc(1, sizeof(*s));

	s->options = *options;
	s->control = session_control_path(options->session_dir);
	s->cache_dir = line_cache_dir();
	pthread_mutex_init(&s->lock, NULL);
	return s;
}

void server_free(struct server *s)
{
	for (size_t i = 0; i < KEPT; i++) {
		profile_free(s->kept[i].profile);
		free(s->kept[i].places);
	}
	pthread_mutex_destroy(&s->lock);
	free(s->control);
	free(s->cache_dir);
	free(s);
}

/* --- profiles --- */

static int collect_now(const struct server *s, struct collection *ret, struct op_error *e)
{
	const struct merge nothing = { 0 };
	const struct collect_options how = {
		.session_dir = s->options.session_dir, .spec = s->options.spec,
		.merge = &nothing, .image_path = s->options.image_path,
		.root = s->options.root, .files_only = true,
	};
	struct notices ignored = { 0 };
	int err = collect(&how, ret, &ignored, e);

	notices_free(&ignored);
	return err;
}

/* Make the daemon write all samples to the session. */
static int dump(const struct server *s, struct op_error *e)
{
	struct op_error why = { "" };
	int err = channel_ask(s->control, "dump", DUMP_MS, NULL, &why);

	if (err == -ECONNREFUSED || err == -ENOENT)
		return op_error_set(e, err, "no daemon is sampling into '%s'; run opcontrol "
				    "--start, or opserve with another --session-dir",
				    s->options.session_dir);
	return err ? op_error_set(e, err, "the daemon does not answer: %s", why.text) : 0;
}

static int take_baseline(struct server *s, struct export_baseline **ret, struct op_error *e)
{
	struct collection c;
	int err = dump(s, e);

	if (err)
		return err;
	pthread_mutex_lock(&s->lock);
	err = collect_now(s, &c, e);
	*ret = export_baseline_take(&c);
	collection_free(&c);
	pthread_mutex_unlock(&s->lock);
	return err == -ENOENT ? 0 : err;	/* no samples yet */
}

/* Without samples, the profile is empty; that is not an error. */
static int take_profile(struct server *s, const struct export_baseline *since,
			struct profile **ret, struct op_error *e)
{
	const struct export_options how = {
		.since = since, .cache_dir = s->cache_dir, .demangle = s->options.demangle,
		.symbols = true, .inlines = true,
	};
	struct notices ignored = { 0 };
	struct collection c;
	int err = collect_now(s, &c, e);

	if (!err)
		err = export_profile(&c, &how, ret, &ignored, e);
	if (err == -ENOENT) {
		struct profile_event event = { .period = 1 };

		*ret = profile_new();
		event.name = profile_string(*ret, "samples");
		event.unit = profile_string(*ret, "count");
		profile_add_event(*ret, &event);
		err = 0;
	}
	collection_free(&c);
	notices_free(&ignored);
	return err;
}

static struct profile *sorted;		/* by compare_places(); protected by the lock */

static int compare_places(const void *a, const void *b)
{
	const struct profile_place *x = &sorted->places[*(const uint32_t *)a];
	const struct profile_place *y = &sorted->places[*(const uint32_t *)b];

	return x->address < y->address ? -1 : x->address > y->address;
}

static void keep(struct server *s, struct profile *p)
{
	struct kept *k = &s->kept[s->next++ % KEPT];

	profile_free(k->profile);
	free(k->places);
	k->profile = p;
	k->places = xcalloc((size_t)p->nr_places + 1, sizeof(*k->places));
	for (uint32_t i = 0; i < p->nr_places; i++)
		k->places[i] = i;
	sorted = p;
	qsort(k->places, p->nr_places, sizeof(*k->places), compare_places);
}

static int write_bytes(const struct profile *p, const char *format, char **ret, size_t *ret_size,
		       struct op_error *e)
{
	const struct format_write_options how = { .pid = "" };
	FILE *out = open_memstream(ret, ret_size);
	int err;

	if (!out)
		return -ENOMEM;
	err = profile_format_find(format)->write(p, &how, out, e);
	return fclose(out) && !err ? -ENOMEM : err;
}

static int make_answer(struct server *s, const struct export_baseline *since, int64_t start_ns,
		       long seconds, const char *format, char **ret, size_t *ret_size,
		       struct op_error *e)
{
	struct profile *p = NULL;
	int err = dump(s, e);

	if (err)
		return err;
	pthread_mutex_lock(&s->lock);
	err = take_profile(s, since, &p, e);
	if (!err) {
		p->start_ns = start_ns;
		p->duration_ns = (int64_t)seconds * 1000000000;
		err = write_bytes(p, format, ret, ret_size, e);
		keep(s, p);
	}
	pthread_mutex_unlock(&s->lock);
	return err;
}

static void wait_and_answer(struct server *s, int fd, long seconds, const char *format)
{
	struct export_baseline *since = NULL;
	struct op_error e = { "" };
	struct timespec start;
	char *bytes = NULL;
	size_t size = 0;
	int err;

	clock_gettime(CLOCK_REALTIME, &start);
	err = take_baseline(s, &since, &e);
	if (!err && http_is_gone(fd, (int)seconds * 1000)) {
		export_baseline_free(since);
		return;
	}
	if (!err)
		err = make_answer(s, since, start.tv_sec * INT64_C(1000000000) + start.tv_nsec,
				  seconds, format, &bytes, &size, &e);
	if (err)
		http_error(fd, 503, *e.text ? e.text : strerror(-err));
	else
		http_answer(fd, 200, "application/octet-stream", bytes, size);
	export_baseline_free(since);
	free(bytes);
}

static bool begin_waiting(struct server *s)
{
	bool has_room;

	pthread_mutex_lock(&s->lock);
	has_room = s->nr_waiting < WAITING_MAX;
	s->nr_waiting += has_room;
	pthread_mutex_unlock(&s->lock);
	return has_room;
}

static void end_waiting(struct server *s)
{
	pthread_mutex_lock(&s->lock);
	s->nr_waiting--;
	pthread_mutex_unlock(&s->lock);
}

static void answer_profile(struct server *s, int fd, const struct http_request *r,
			   const char *format)
{
	long seconds = http_number(r, "seconds", SECONDS_DEFAULT);

	if (seconds < 1 || seconds > SECONDS_MAX) {
		http_error(fd, 400, "invalid number of seconds: expected 1 to 600");
	} else if (!begin_waiting(s)) {
		http_error(fd, 503, "too many profiles are being taken; try again later");
	} else {
		wait_and_answer(s, fd, seconds, format);
		end_waiting(s);
	}
}

/* --- names --- */

static const char *name_at(const struct kept *k, uint64_t address)
{
	uint32_t low = first_not(k->profile ? k->profile->nr_places : 0, i,
				 k->profile->places[k->places[i]].address < address);

	if (k->profile && low < k->profile->nr_places) {
		const struct profile *p = k->profile;
		const struct profile_place *at = &p->places[k->places[low]];
		const struct profile_line_list lines = p->line_lists[at->lines];

		if (at->address == address && lines.nr)
			return profile_text(p, p->functions[
				p->lines[lines.first + lines.nr - 1].function].name);
	}
	return NULL;
}

/* Parse "0x401000+0x401234" and send a line for each known address. */
static void answer_symbol(struct server *s, int fd, const struct http_request *r)
{
	const char *p = r->is_post && r->body ? r->body : r->query;
	struct strbuf text = STRBUF_INIT;

	if (!r->is_post)
		strbuf_add(&text, "num_symbols: 1\n");
	pthread_mutex_lock(&s->lock);
	while (*p && text.len <= ANSWER_MAX) {
		char *end;
		uint64_t address = strtoull(p, &end, 16);
		const char *name = NULL;

		if (end == p) {
			p++;
			continue;
		}
		for (size_t i = 0; i < KEPT && !name; i++)
			name = name_at(&s->kept[(s->next + KEPT - 1 - i) % KEPT], address);
		if (name)
			strbuf_addf(&text, "0x%" PRIx64 "\t%s\n", address, name);
		p = end;
	}
	pthread_mutex_unlock(&s->lock);
	if (text.len > ANSWER_MAX)
		http_error(fd, 413, "the names take more than 16 MiB; ask for fewer at a time");
	else
		http_answer(fd, 200, NULL, text.text, text.len);
	strbuf_free(&text);
}

/* --- the page --- */

enum { SINCE, UNTIL, BEFORE, NR_TIMES };	/* what the query of a page may have */

/* Append what opreport is to be called with for @times, "" if missing; @texts: storage. */
static size_t time_words(char times[NR_TIMES][TIME_TEXT_MAX], const char **words, char *texts[2])
{
	size_t nr = 0;

	if (*times[BEFORE]) {
		texts[0] = xasprintf("time:%s", times[BEFORE]);
		texts[1] = xasprintf("time:%s..%s", times[SINCE], times[UNTIL]);
		memcpy(words, (const char *[]){ "{", texts[0], "}", "{", texts[1], "}" },
		       TIME_WORDS * sizeof(*words));
		return TIME_WORDS;
	}
	if (*times[SINCE])
		words[nr++] = texts[0] = xasprintf("--since=%s", times[SINCE]);
	if (*times[UNTIL])
		words[nr++] = texts[1] = xasprintf("--until=%s", times[UNTIL]);
	return nr;
}

/*
 * The options for a page of the time that the query names, maybe compared with one before, or of
 * the current session. They are parsed as opreport's are; the server's lock protects the parser.
 */
static int page_options(const struct server *s, const struct http_request *r,
			struct report_options *ret, struct op_error *e)
{
	static const char *const names[] = { "since", "until", "before" };
	const char **words = xcalloc(s->options.nr_page_words + TIME_WORDS, sizeof(*words));
	char times[NR_TIMES][TIME_TEXT_MAX], *texts[2] = { NULL, NULL };
	size_t nr = 0;
	int err = 0;

	for (; nr < s->options.nr_page_words; nr++)
		words[nr] = s->options.page_words[nr];
	for (size_t i = 0; i < NR_TIMES && !err; i++) {
		err = http_text(r, names[i], times[i], sizeof(times[i]));
		if (err)
			op_error_set(e, err, "invalid value for '%s'", names[i]);
	}
	if (!err) {
		nr += time_words(times, words + nr, texts);
		err = report_options_parse((int)nr, words, ret, e);
	}
	free(texts[0]);
	free(texts[1]);
	free(words);
	return err;
}

static int make_page(struct server *s, const struct http_request *r, char **ret, size_t *ret_size,
		     struct op_error *e)
{
	struct report_options options;
	struct notices notices = { 0 };
	int err = page_options(s, r, &options, e);

	if (err)
		return -EINVAL;
	err = picture_page(&options, s->options.session_dir, ret, ret_size, &notices, e);
	notices_free(&notices);
	report_options_free(&options);
	return err == -EINVAL ? -EPROTO : err;
}

static void answer_page(struct server *s, int fd, const struct http_request *r)
{
	struct op_error e = { "" };
	char *page = NULL;
	size_t size = 0;
	int err;

	if (!begin_waiting(s)) {
		http_error(fd, 503, "too many pages are being made; try again later");
		return;
	}
	(void)dump(s, NULL);	/* if no daemon runs, there is what it has written */
	pthread_mutex_lock(&s->lock);
	err = make_page(s, r, &page, &size, &e);
	pthread_mutex_unlock(&s->lock);
	if (err)
		http_error(fd, err == -EINVAL ? 400 : err == -ENOENT ? 404 : 503,
			   *e.text ? e.text : strerror(-err));
	else
		http_answer(fd, 200, "text/html; charset=utf-8", page, size);
	free(page);
	end_waiting(s);
}

/* The command profiled, one word per line; google-pprof looks for that program [SV-6]. */
static void answer_cmdline(struct server *s, int fd)
{
	char *stats = session_stats_path(s->options.session_dir, SESSION_CURRENT, NULL), *text;
	struct session_info info;

	if (!session_info_read(stats, &info) && *info.profiled)
		text = xasprintf("%s\n", info.profiled);
	else
		text = xstrdup("system-wide\n");
	for (char *c = text; *c; c++)
		if (*c == ' ')
			*c = '\n';
	http_answer(fd, 200, NULL, text, strlen(text));
	free(text);
	free(stats);
}

static const char about[] =
	"opserve answers:\n"
	"/page                           flame graph, functions and source, in a browser\n"
	"/page?since=-1h&until=now       the same of a range of the history\n"
	"/page?since=-1h&before=A..B     the same, compared with the range A..B\n"
	"/pprof/profile?seconds=N        samples of N seconds, as a Google CPU profile\n"
	"/debug/pprof/profile?seconds=N  the same as profile.proto, with names\n"
	"/pprof/symbol                   names of addresses of these profiles\n"
	"/pprof/cmdline                  what is profiled\n";

void server_answer(struct server *s, int fd)
{
	struct http_request *r = xcalloc(1, sizeof(*r));
	int status = http_read(fd, r);

	if (status > 0)
		http_error(fd, status, NULL);
	else if (!status && !http_is_local(r))
		http_error(fd, 403, "invalid Host or Origin: expected localhost, 127.0.0.1 or "
			   "[::1]");
	else if (!status && (!strcmp(r->path, "/pprof/symbol") ||
			     !strcmp(r->path, "/debug/pprof/symbol")))
		answer_symbol(s, fd, r);
	else if (!status && r->is_post)
		http_error(fd, 405, NULL);
	else if (!status && !strcmp(r->path, "/pprof/profile"))
		answer_profile(s, fd, r, "cpuprofile");
	else if (!status && !strcmp(r->path, "/debug/pprof/profile"))
		answer_profile(s, fd, r, "pprof");
	else if (!status && (!strcmp(r->path, "/pprof/cmdline") ||
			     !strcmp(r->path, "/debug/pprof/cmdline")))
		answer_cmdline(s, fd);
	else if (!status && !strcmp(r->path, "/page"))
		answer_page(s, fd, r);
	else if (!status && !strcmp(r->path, "/"))
		http_answer(fd, 200, NULL, about, sizeof(about) - 1);
	else if (!status)
		http_error(fd, 404, "page not found; see / for a list of pages");
	free(r->body);
	free(r);
}
