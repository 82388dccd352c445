// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pyroscope.c - Push of Grafana Pyroscope by Connect's protocol, WriteRaw of Parca by gRPC-Web
 *
 * Parca's messages are Pyroscope's but for two field numbers: a message around the labels, and the
 * series are field 2. Its label names are those of Prometheus, which ours are.
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

enum { PUSH_SERIES_FIELD = 1, WRITE_RAW_SERIES = 2 };
enum { SERIES_LABELS = 1, SERIES_SAMPLES = 2 };
enum { PAIR_NAME = 1, PAIR_VALUE = 2 };
enum { SAMPLE_RAW_PROFILE = 1 };
enum { LABEL_SET_LABELS = 1 };

#define LABELS_MAX	30		/* of a series, by default */

/* In front of a gRPC message: flags, then its length in big-endian order. */
#define FRAME_HEADER	5
#define FRAME_TRAILER	0x80		/* a flag: it has lines "grpc-status: 0" */

enum {					/* of gRPC */
	GRPC_OK = 0, GRPC_INVALID_ARGUMENT = 3, GRPC_ALREADY_EXISTS = 6,
	GRPC_FAILED_PRECONDITION = 9,
};

struct request {
	struct proto_buffer body, series, labels, inner;
};

static void put_label(struct request *r, const char *name, const char *value)
{
	proto_put_bytes(&r->inner, PAIR_NAME, name, strlen(name));
	proto_put_bytes(&r->inner, PAIR_VALUE, value, strlen(value));
	proto_put_buffer(&r->labels, LABEL_SET_LABELS, &r->inner);
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

static void put_frame_header(struct proto_buffer *b)
{
	const size_t len = b->len;
	const unsigned char header[FRAME_HEADER] = {
		0, (unsigned char)(len >> 24), (unsigned char)(len >> 16),
		(unsigned char)(len >> 8), (unsigned char)len,
	};

	proto_reserve(b, sizeof(header));
	memmove(b->bytes + sizeof(header), b->bytes, b->len);
	memcpy(b->bytes, header, sizeof(header));
	b->len += sizeof(header);
}

static void put_request(struct request *r, bool is_parca)
{
	if (is_parca) {
		proto_put_buffer(&r->body, WRITE_RAW_SERIES, &r->series);
		put_frame_header(&r->body);
	} else {
		proto_put_buffer(&r->body, PUSH_SERIES_FIELD, &r->series);
	}
}

static int encode_series(const struct push_target *t, const struct push_batch *b, uint32_t event,
			 uint32_t series, struct push_sink *sink, struct op_error *e)
{
	struct push_part part = { .name = (char *)"" };
	struct profile *p = push_part_profile(b, event, series, true, &part.samples);
	struct request r = { .body = { NULL, 0, 0 } };
	bool is_parca = t->kind == &push_parca;
	unsigned char *file = NULL;
	size_t size;
	int err;

	if (!p)
		return 0;
	err = push_part_proto(p, &file, &size, e);
	if (!err) {
		put_labels(&r, p, &b->series[series]);
		if (is_parca) {
			proto_put_buffer(&r.series, SERIES_LABELS, &r.labels);
		} else {	/* the same bytes, SERIES_LABELS being LABEL_SET_LABELS */
			proto_reserve(&r.series, r.labels.len);
			memcpy(r.series.bytes, r.labels.bytes, r.labels.len);
			r.series.len = r.labels.len;
		}
		proto_put_bytes(&r.inner, SAMPLE_RAW_PROFILE, file, size);
		proto_put_buffer(&r.series, SERIES_SAMPLES, &r.inner);
		put_request(&r, is_parca);
		part.bytes = r.body.bytes;
		part.size = r.body.len;
		err = sink->put(sink, &part);
	}
	proto_buffer_free(&r.body);
	proto_buffer_free(&r.series);
	proto_buffer_free(&r.labels);
	proto_buffer_free(&r.inner);
	free(file);
	profile_free(p);
	return err;
}

static int encode(const struct push_target *t, const struct push_batch *b,
		  struct push_sink *sink, struct op_error *e)
{
	int err = 0;

	for (uint32_t event = 0; event < b->profile->nr_events; event++)
		for (uint32_t series = 0; !err && series < b->nr_series; series++)
			err = encode_series(t, b, event, series, sink, e);
	return err;
}

const struct push_kind push_pyroscope = {
	.name = "pyroscope", .path = "/push.v1.PusherService/Push",
	.content_type = "application/proto", .encode = encode,
};

/* The status in the trailer of the answer; -1: there is none. */
static int trailer_status(const struct http_answer *a)
{
	const unsigned char *at = (const unsigned char *)a->body.text, *end = at + a->body.len;

	while (end - at >= FRAME_HEADER) {
		size_t len = (size_t)at[1] << 24 | at[2] << 16 | at[3] << 8 | at[4];
		bool is_trailer = *at & FRAME_TRAILER;

		at += FRAME_HEADER;
		if (len > (size_t)(end - at))
			return -1;
		if (is_trailer)
			return http_grpc_status((const char *)at, len);
		at += len;
	}
	return -1;
}

/* An error has status 200, too. What is not known not to be taken later is tried again. */
static void look_at_grpc(const struct http_answer *a, struct push_answer *ret)
{
	int status = a->grpc_status >= 0 ? a->grpc_status : trailer_status(a);

	if (status == GRPC_OK)
		return;
	ret->verdict = status == GRPC_INVALID_ARGUMENT || status == GRPC_ALREADY_EXISTS ||
		       status == GRPC_FAILED_PRECONDITION ? PUSH_REFUSED : PUSH_AGAIN;
	if (status < 0)
		snprintf(ret->text, sizeof(ret->text), "the answer has no status of gRPC");
	else
		snprintf(ret->text, sizeof(ret->text), "gRPC status %d", status);
}

const struct push_kind push_parca = {
	.name = "parca", .path = "/parca.profilestore.v1alpha1.ProfileStoreService/WriteRaw",
	.content_type = "application/grpc-web+proto", .encode = encode, .look = look_at_grpc,
};
