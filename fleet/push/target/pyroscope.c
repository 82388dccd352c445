// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pyroscope.c - push.v1.PusherService/Push of Grafana Pyroscope, by Connect's protocol
 *
 * One series in each request: the server stores what it can of a request with several and then
 * refuses it, so that trying again would store the others twice.
 */
#include <stdlib.h>
#include <string.h>

#include "fleet/push/part.h"
#include "fleet/push/series.h"
#include "fleet/push/target/kinds.h"
#include "formats/proto/encode.h"

enum { PUSH_SERIES_FIELD = 1 };
enum { SERIES_LABELS = 1, SERIES_SAMPLES = 2 };
enum { PAIR_NAME = 1, PAIR_VALUE = 2 };
enum { SAMPLE_RAW_PROFILE = 1 };

#define LABELS_MAX	30		/* of a series, by default */

struct request {
	struct proto_buffer body, series, inner;
};

static void put_label(struct request *r, const char *name, const char *value)
{
	proto_put_bytes(&r->inner, PAIR_NAME, name, strlen(name));
	proto_put_bytes(&r->inner, PAIR_VALUE, value, strlen(value));
	proto_put_buffer(&r->series, SERIES_LABELS, &r->inner);
}

/* The names that its pages know; of other events their own. */
static void put_name(struct request *r, const struct profile *p)
{
	char *event = push_event_name(p, 0);

	put_label(r, "__name__", !strcmp(event, "cpu") ? "process_cpu" : event);
	free(event);
}

static void put_labels(struct request *r, const struct profile *p, const struct push_labels *l)
{
	const char *service = push_labels_find(l, LABEL_SERVICE);
	size_t nr = 2;

	put_name(r, p);
	if (!push_labels_find(l, "service_name"))
		put_label(r, "service_name", service ? service : "unknown_service");
	for (size_t i = 0; i < l->nr && nr < LABELS_MAX; i++)
		if (strcmp(l->list[i].name, LABEL_SERVICE) != 0) {
			put_label(r, l->list[i].name, l->list[i].value);
			nr++;
		}
}

static int encode_series(const struct push_batch *b, uint32_t event, uint32_t series,
			 struct push_sink *sink, struct op_error *e)
{
	struct push_part part = { .name = (char *)"" };
	struct profile *p = push_part_profile(b, event, series, &part.samples);
	struct request r = { .body = { NULL, 0, 0 } };
	unsigned char *file = NULL;
	size_t size;
	int err;

	if (!p)
		return 0;
	err = push_part_proto(p, &file, &size, e);
	if (!err) {
		put_labels(&r, p, &b->series[series]);
		proto_put_bytes(&r.inner, SAMPLE_RAW_PROFILE, file, size);
		proto_put_buffer(&r.series, SERIES_SAMPLES, &r.inner);
		proto_put_buffer(&r.body, PUSH_SERIES_FIELD, &r.series);
		part.bytes = r.body.bytes;
		part.size = r.body.len;
		err = sink->put(sink, &part);
	}
	proto_buffer_free(&r.body);
	proto_buffer_free(&r.series);
	proto_buffer_free(&r.inner);
	free(file);
	profile_free(p);
	return err;
}

static int encode(const struct push_target *t, const struct push_batch *b,
		  struct push_sink *sink, struct op_error *e)
{
	int err = 0;

	(void)t;
	for (uint32_t event = 0; event < b->profile->nr_events; event++)
		for (uint32_t series = 0; !err && series < b->nr_series; series++)
			err = encode_series(b, event, series, sink, e);
	return err;
}

const struct push_kind push_pyroscope = {
	.name = "pyroscope", .path = "/push.v1.PusherService/Push",
	.content_type = "application/proto", .encode = encode,
};
