// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mkfleet.c - hosts that all have the samples of one profile, more or less, sent to ClickHouse
 *
 *	mkfleet URL PROFILE BEGIN [hosts=N] [first=N] [slices=N] [seconds=N] [ns=N] [times=N]
 *		[exact] [twice] [slower=FUNCTION] [noisy=FUNCTION] [NAME=VALUE...]
 *
 * The slices of @seconds (60) begin at BEGIN, seconds since the epoch. Hosts are host0, host1, ...;
 * each sample is there @times (1), and its number differs by chance from slice to slice, unless
 * @exact. @ns: of a sample, whose event is time then. Labels are those named; without service=, the
 * service is "web". slower: FUNCTION has three times its samples. noisy: on the first host only,
 * thirty times. twice: each part is sent twice.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "fleet/push/target/kinds.h"
#include "fleet/store/frames.h"
#include "formats/format.h"
#include "libutil/clock.h"
#include "libutil/number.h"
#include "libutil/xalloc.h"

#define LABELS	16

struct poster {
	struct push_sink sink;
	struct http *http;
	const char *url;
	uint64_t samples, bytes;
	bool twice;
};

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "mkfleet: %s: %s\n", what, why);
	exit(1);
}

static int put(struct push_sink *sink, const struct push_part *part)
{
	struct poster *p = (struct poster *)sink;
	char *url = xasprintf("%s/%s", p->url, part->name);

	for (int i = 0; i <= p->twice; i++) {
		struct push_answer answer = { .verdict = PUSH_SENT };
		struct http_answer a;

		http_post(p->http, &(struct http_request){
			.url = url, .content_type = push_clickhouse.content_type, .gzipped = true,
			.bytes = part->bytes, .size = part->size }, &a);
		push_clickhouse.look(&a, &answer);
		if (a.status != 200 || answer.verdict != PUSH_SENT)
			fail(url, a.status ? a.body.text : a.text);
		p->bytes += a.wire_bytes;
		http_answer_free(&a);
	}
	p->samples += part->samples;
	free(url);
	return 0;
}

/* The same numbers in each run: xorshift, and Knuth's way to draw from Poisson's distribution. */
static uint64_t state = 88172645463325252u;

static double random_share(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (double)(state >> 11) / 9007199254740992.0;
}

static int64_t draw(double mean)
{
	double left = mean;
	int64_t n = 0;

	if (mean > 60) {	/* normal is near enough */
		double u = sqrt(-2 * log(1 - random_share())) * cos(6.283185307 * random_share());

		return (int64_t)fmax(0, rint(mean + sqrt(mean) * u));
	}
	while ((left += log(1 - random_share())) > 0)
		n++;
	return n;
}

static bool is_leaf(const struct profile *p, uint32_t node, const char *function)
{
	const struct profile_place *place = &p->places[p->tree.nodes[node].key];
	const struct profile_line_list list = p->line_lists[place->lines];

	return function && list.nr &&
	       !strcmp(profile_text(p, p->functions[p->lines[list.first].function].name), function);
}

int main(int argc, char **argv)
{
	uint64_t hosts = 1, first = 0, slices = 1, seconds = 60, begin = 0, ns = 0, times = 1;
	const char *slower = NULL, *noisy = NULL;
	struct push_label labels[LABELS] = { { (char *)"host", NULL } };
	struct push_labels series = { labels, 1, LABELS };
	struct poster poster = { .sink = { put }, .url = argc > 1 ? argv[1] : "" };
	struct push_target target = { .kind = &push_clickhouse, .place = argc > 1 ? argv[1] : NULL };
	struct collection collection = { .root = NULL };
	struct profile *p;
	struct op_error e = { "" };
	bool exact = false, has_service = false;
	int64_t *values;
	uint32_t *series_of;

	if (argc < 4 || number_parse_u64(argv[3], &begin))
		fail("usage", "URL PROFILE BEGIN [NAME=VALUE...]");
	if (profile_read_file(argv[2], NULL, &(struct format_read_options){ .strict = false }, &p, &e))
		fail(argv[2], e.text);
	for (int i = 4; i < argc; i++) {
		char *value = strchr(argv[i], '=');
		const struct { const char *name; uint64_t *number; } numbers[] = {
			{ "hosts", &hosts }, { "first", &first }, { "slices", &slices },
			{ "seconds", &seconds }, { "ns", &ns }, { "times", &times },
		};
		bool known = false;

		exact |= !strcmp(argv[i], "exact");
		poster.twice |= !strcmp(argv[i], "twice");
		if (!value)
			continue;
		*value++ = '\0';
		for (size_t k = 0; k < 6; k++)
			if (!strcmp(argv[i], numbers[k].name))
				known = !number_parse_u64(value, numbers[k].number);
		if (!strcmp(argv[i], "slower"))
			slower = value;
		else if (!strcmp(argv[i], "noisy"))
			noisy = value;
		else if (!known && series.nr < LABELS)
			labels[series.nr++] = (struct push_label){ argv[i], value };
		has_service |= !strcmp(argv[i], "service");
	}
	if (!has_service && series.nr < LABELS)
		labels[series.nr++] = (struct push_label){ (char *)"service", (char *)"web" };
	if (http_new(NULL, NULL, 60, &poster.http, &e))
		fail(argv[1], e.text);
	if (ns) {
		p->events[0].unit = profile_string(p, "nanoseconds");
		p->events[0].period = ns;
	}
	values = xcalloc((size_t)p->nr_samples * p->nr_events + 1, sizeof(*values));
	memcpy(values, p->values, (size_t)p->nr_samples * p->nr_events * sizeof(*values));
	series_of = xcalloc(p->nr_samples + (size_t)1, sizeof(*series_of));
	for (uint64_t h = first; h < first + hosts; h++) {
		state ^= h * 0x9e3779b97f4a7c15u;
		free(target.memory);
		target.memory = xcalloc(1, push_clickhouse.memory);
		labels[0].value = xasprintf("host%llu", (unsigned long long)h);
		for (uint64_t s = 0; s < slices; s++) {
			const struct history_slice slice = {
				.begin_ns = (int64_t)((begin + s * seconds) * NS_PER_SECOND),
				.end_ns = (int64_t)((begin + (s + 1) * seconds) * NS_PER_SECOND),
			};
			char *token = xasprintf("%s-%llu", labels[0].value,
						(unsigned long long)(begin + s * seconds));
			const struct push_batch batch = {
				.token = token, .last_was_sent = true, .slice = &slice, .profile = p,
				.collection = &collection, .series = &series, .nr_series = 1,
				.series_of = series_of,
			};

			for (uint32_t i = 0; i < p->nr_samples && !exact; i++)
				for (uint32_t k = 0; k < p->nr_events; k++) {
					uint32_t node = p->samples[i].node;
					double mean = (double)times * (double)values[i * p->nr_events + k];

					if (is_leaf(p, node, slower))
						mean *= 3;
					if (h == first && is_leaf(p, node, noisy))
						mean *= 30;
					profile_values(p, i)[k] = draw(mean);
				}
			if (push_clickhouse.encode(&target, &batch, &poster.sink, &e))
				fail(argv[1], e.text);
			free(token);
		}
		free(labels[0].value);
	}
	printf("%llu samples, %.2f bytes each on the wire\n", (unsigned long long)poster.samples,
	       poster.samples ? (double)poster.bytes / (double)poster.samples : 0);
	free(target.memory);
	free(values);
	free(series_of);
	http_free(poster.http);
	profile_free(p);
	return 0;
}
