// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * otlp.c - OpenTelemetry's profiles over HTTP, as of opentelemetry-proto 1.10 and 1.11
 *
 * Earlier versions number the fields otherwise. One request for each slice and event: a resource
 * for each series, and one dictionary. Each table of it begins with an empty entry, which index 0
 * means. One value for each sample, no timestamps: what every receiver takes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/push/part.h"
#include "fleet/push/series.h"
#include "fleet/push/target/kinds.h"
#include "formats/proto/decode.h"
#include "formats/proto/encode.h"
#include "formats/proto/strings.h"
#include "libutil/plain_text.h"
#include "libutil/xalloc.h"

enum { REQUEST_RESOURCE_PROFILES = 1, REQUEST_DICTIONARY = 2 };
enum { RESPONSE_PARTIAL_SUCCESS = 1, PARTIAL_REJECTED = 1, PARTIAL_MESSAGE = 2 };
enum { DICTIONARY_MAPPING = 1, DICTIONARY_LOCATION = 2, DICTIONARY_FUNCTION = 3,
       DICTIONARY_LINK = 4, DICTIONARY_STRING = 5, DICTIONARY_ATTRIBUTE = 6,
       DICTIONARY_STACK = 7 };
enum { RESOURCE_RESOURCE = 1, RESOURCE_SCOPES = 2, RESOURCE_ATTRIBUTES = 1 };
enum { SCOPE_SCOPE = 1, SCOPE_PROFILES = 2, SCOPE_NAME = 1, SCOPE_VERSION = 2 };
enum { PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLES = 2, PROFILE_TIME = 3, PROFILE_DURATION = 4,
       PROFILE_PERIOD_TYPE = 5, PROFILE_PERIOD = 6, PROFILE_ID = 7 };
enum { OTLP_SAMPLE_STACK = 1, OTLP_SAMPLE_VALUES = 4 };
enum { OTLP_STACK_LOCATIONS = 1 };
enum { OTLP_LOCATION_MAPPING = 1, OTLP_LOCATION_ADDRESS = 2, OTLP_LOCATION_LINES = 3,
       OTLP_LOCATION_ATTRIBUTES = 4 };
enum { OTLP_FUNCTION_NAME = 1, OTLP_FUNCTION_SYSTEM_NAME = 2, OTLP_FUNCTION_FILE = 3,
       OTLP_FUNCTION_START = 4 };
enum { OTLP_MAPPING_START = 1, OTLP_MAPPING_LIMIT = 2, OTLP_MAPPING_OFFSET = 3,
       OTLP_MAPPING_FILE = 4, OTLP_MAPPING_ATTRIBUTES = 5 };
enum { ATTRIBUTE_KEY = 1, ATTRIBUTE_VALUE = 2, ANY_STRING = 1 };

#define ID_BYTES	16

/* Attributes of the dictionary. 0 is the empty one, those of build IDs follow. */
enum { FRAME_NATIVE = 1, FRAME_KERNEL, FRAME_BUILD_IDS };

struct writer {
	const struct push_batch *b;
	const struct profile *p;	/* one event, the samples of all series */
	struct proto_strings strings;
	struct proto_buffer body, dictionary, profile, message, inner, list;
	uint32_t *stacks;		/* of the nodes: index in the table, 0: none yet */
	uint32_t nr_stacks;
};

/* Labels that have a name in the semantic conventions. */
static const char *attribute_name(const char *label)
{
	static const struct {
		const char *label, *name;
	} names[] = {
		{ LABEL_HOST, "host.name" }, { LABEL_INSTANCE, "host.id" },
		{ LABEL_KERNEL, "os.version" }, { LABEL_SERVICE, "service.name" },
		{ LABEL_CONTAINER, "container.id" }, { LABEL_POD, "k8s.pod.uid" },
		{ LABEL_POD_NAME, "k8s.pod.name" }, { LABEL_NAMESPACE, "k8s.namespace.name" },
		{ LABEL_VERSION, "service.version" }, { LABEL_IMAGE, "container.image.name" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i].label, label))
			return names[i].name;
	return label;
}

static void put_fixed64(struct proto_buffer *b, uint32_t field, uint64_t n)
{
	proto_put_varint(b, field << PROTO_WIRE_BITS | PROTO_FIXED64);
	proto_reserve(b, sizeof(n));
	for (size_t i = 0; i < sizeof(n); i++)
		b->bytes[b->len++] = (unsigned char)(n >> 8 * i);
}

/* Also if @n is 0: an element of a list. */
static void put_one(struct writer *w, struct proto_buffer *b, uint32_t field, uint64_t n)
{
	proto_put_varint(&w->list, n);
	proto_put_buffer(b, field, &w->list);
}

/* --- resources --- */

/* AnyValue{string} of a KeyValue or KeyValueAndUnit */
static void put_value(struct writer *w, struct proto_buffer *b, const char *value)
{
	proto_put_bytes(&w->list, ANY_STRING, value, strlen(value));
	proto_put_buffer(b, ATTRIBUTE_VALUE, &w->list);
}

static void put_resource(struct writer *w, uint32_t set)
{
	const struct profile_labels *s = &w->p->label_sets[set];

	for (uint32_t i = 0; i < s->nr; i++) {
		const struct profile_label *label = &w->p->labels[s->first + i];
		const char *name = attribute_name(profile_text(w->p, label->key));

		proto_put_bytes(&w->inner, ATTRIBUTE_KEY, name, strlen(name));
		put_value(w, &w->inner, profile_text(w->p, label->text));
		proto_put_buffer(&w->message, RESOURCE_ATTRIBUTES, &w->inner);
	}
	proto_put_buffer(&w->body, RESOURCE_RESOURCE, &w->message);
}

static void put_type(struct writer *w, uint32_t field, const char *type, const char *unit)
{
	proto_put_number(&w->inner, VALUE_TYPE_TYPE, proto_text_index(&w->strings, type));
	proto_put_number(&w->inner, VALUE_TYPE_UNIT, proto_text_index(&w->strings, unit));
	proto_put_buffer(&w->profile, field, &w->inner);
}

static uint32_t stack_of(struct writer *w, uint32_t node)
{
	if (node == PROFILE_NONE)
		return 0;
	if (!w->stacks[node])
		w->stacks[node] = ++w->nr_stacks;
	return w->stacks[node];
}

static bool has_samples(const struct profile *p, uint32_t set)
{
	for (uint32_t i = 0; i < p->nr_samples; i++)
		if (p->samples[i].labels == set)
			return true;
	return false;
}

static void put_samples(struct writer *w, uint32_t set)
{
	for (uint32_t i = 0; i < w->p->nr_samples; i++) {
		const struct profile_sample *s = &w->p->samples[i];

		if (s->labels != set)
			continue;
		proto_put_number(&w->inner, OTLP_SAMPLE_STACK, stack_of(w, s->node));
		put_one(w, &w->inner, OTLP_SAMPLE_VALUES, (uint64_t)*profile_values(w->p, i));
		proto_put_buffer(&w->profile, PROFILE_SAMPLES, &w->inner);
	}
}

/* The same for the same slice, event and series, so that a receiver can know it again. */
static void put_id(struct writer *w, uint32_t set)
{
	char *text = xasprintf("%s %s %u", w->b->token,
			       profile_text(w->p, w->p->events[0].name), set);
	char digest[PUSH_DIGEST];

	push_digest(NULL, text, digest);
	proto_put_bytes(&w->profile, PROFILE_ID, digest, ID_BYTES);
	free(text);
}

static void put_profile(struct writer *w, uint32_t set)
{
	const struct profile_event *event = &w->p->events[0];
	const char *name = profile_text(w->p, event->name), *unit = profile_text(w->p, event->unit);

	put_type(w, PROFILE_SAMPLE_TYPE, event->period ? "samples" : name,
		 event->period ? "count" : unit);
	put_samples(w, set);
	put_fixed64(&w->profile, PROFILE_TIME, (uint64_t)w->p->start_ns);
	proto_put_number(&w->profile, PROFILE_DURATION, (uint64_t)w->p->duration_ns);
	put_type(w, PROFILE_PERIOD_TYPE, name, unit);
	proto_put_number(&w->profile, PROFILE_PERIOD, event->period ? event->period : 1);
	put_id(w, set);
}

static void put_series(struct writer *w, struct proto_buffer *request, uint32_t set)
{
	put_resource(w, set);
	put_profile(w, set);
	proto_put_bytes(&w->inner, SCOPE_NAME, "oprofile", strlen("oprofile"));
	proto_put_bytes(&w->inner, SCOPE_VERSION, OP_VERSION, strlen(OP_VERSION));
	proto_put_buffer(&w->message, SCOPE_SCOPE, &w->inner);
	proto_put_buffer(&w->message, SCOPE_PROFILES, &w->profile);
	proto_put_buffer(&w->body, RESOURCE_SCOPES, &w->message);
	proto_put_buffer(request, REQUEST_RESOURCE_PROFILES, &w->body);
}

/* --- the dictionary --- */

static void put_entry(struct writer *w, uint32_t table)
{
	proto_put_buffer(&w->dictionary, table, &w->message);
}

static void put_attribute(struct writer *w, const char *key, const char *value)
{
	proto_put_number(&w->message, ATTRIBUTE_KEY, proto_text_index(&w->strings, key));
	put_value(w, &w->message, value);
	put_entry(w, DICTIONARY_ATTRIBUTE);
}

/* An image's, and its attribute. */
static void put_mappings(struct writer *w)
{
	uint32_t attribute = FRAME_BUILD_IDS;

	put_entry(w, DICTIONARY_ATTRIBUTE);
	put_attribute(w, "profile.frame.type", "native");
	put_attribute(w, "profile.frame.type", "kernel");
	put_entry(w, DICTIONARY_MAPPING);
	for (uint32_t i = 0; i < w->p->nr_images; i++) {
		const struct profile_image *image = &w->p->images[i];
		struct proto_buffer *m = &w->inner;

		proto_put_number(m, OTLP_MAPPING_START, image->start);
		proto_put_number(m, OTLP_MAPPING_LIMIT, image->limit);
		proto_put_number(m, OTLP_MAPPING_OFFSET, image->offset);
		proto_put_number(m, OTLP_MAPPING_FILE,
				 proto_string_index(&w->strings, image->path));
		if (image->build_id) {
			put_attribute(w, "process.executable.build_id.gnu",
				      profile_text(w->p, image->build_id));
			put_one(w, m, OTLP_MAPPING_ATTRIBUTES, attribute++);
		}
		proto_put_buffer(&w->dictionary, DICTIONARY_MAPPING, m);
	}
}

static void put_locations(struct writer *w)
{
	put_entry(w, DICTIONARY_LOCATION);
	for (uint32_t i = 0; i < w->p->nr_places; i++) {
		const struct profile_place *place = &w->p->places[i];
		const struct profile_line_list lines = w->p->line_lists[place->lines];
		enum profile_image_kind kind = PROFILE_ANON;

		if (place->image != PROFILE_NONE) {
			kind = w->p->images[place->image].kind;
			proto_put_number(&w->message, OTLP_LOCATION_MAPPING, place->image + 1);
		}
		proto_put_number(&w->message, OTLP_LOCATION_ADDRESS, place->address);
		for (uint32_t k = 0; k < lines.nr; k++) {
			const struct profile_line *line = &w->p->lines[lines.first + k];

			proto_put_number(&w->inner, LINE_FUNCTION_ID, line->function + 1);
			proto_put_number(&w->inner, LINE_LINE, line->line);
			proto_put_buffer(&w->message, OTLP_LOCATION_LINES, &w->inner);
		}
		if (kind == PROFILE_FILE)
			put_one(w, &w->message, OTLP_LOCATION_ATTRIBUTES, FRAME_NATIVE);
		else if (kind == PROFILE_KERNEL || kind == PROFILE_KERNEL_MODULE)
			put_one(w, &w->message, OTLP_LOCATION_ATTRIBUTES, FRAME_KERNEL);
		put_entry(w, DICTIONARY_LOCATION);
	}
}

static void put_functions(struct writer *w)
{
	put_entry(w, DICTIONARY_FUNCTION);
	for (uint32_t i = 0; i < w->p->nr_functions; i++) {
		const struct profile_function *f = &w->p->functions[i];
		struct proto_buffer *m = &w->message;

		proto_put_number(m, OTLP_FUNCTION_NAME, proto_string_index(&w->strings, f->name));
		proto_put_number(m, OTLP_FUNCTION_SYSTEM_NAME,
				 proto_string_index(&w->strings, f->system_name));
		proto_put_number(m, OTLP_FUNCTION_FILE, proto_string_index(&w->strings, f->file));
		proto_put_number(m, OTLP_FUNCTION_START, f->start_line);
		put_entry(w, DICTIONARY_FUNCTION);
	}
}

/* Those of samples, in the order in which samples had them. */
static void put_stacks(struct writer *w)
{
	uint32_t *nodes = xcalloc(w->nr_stacks + 1, sizeof(*nodes));

	for (uint32_t i = 0; i < w->p->tree.nr; i++)
		nodes[w->stacks[i]] = i;	/* [0]: of those without a sample */
	put_entry(w, DICTIONARY_STACK);
	for (uint32_t i = 1; i <= w->nr_stacks; i++) {
		for (uint32_t n = nodes[i]; n != PROFILE_NONE; n = w->p->tree.nodes[n].parent)
			proto_put_varint(&w->inner, (uint64_t)w->p->tree.nodes[n].key + 1);
		proto_put_buffer(&w->message, OTLP_STACK_LOCATIONS, &w->inner);
		put_entry(w, DICTIONARY_STACK);
	}
	free(nodes);
}

static void put_dictionary(struct writer *w)
{
	put_mappings(w);
	put_locations(w);
	put_functions(w);
	put_entry(w, DICTIONARY_LINK);
	put_stacks(w);
	for (uint32_t i = 0; i < w->strings.nr; i++) {
		size_t len;
		const char *text = proto_string_bytes(&w->strings, i, &len);

		proto_put_bytes(&w->dictionary, DICTIONARY_STRING, text, len);
	}
}

/* --- */

static int encode_event(const struct push_batch *b, uint32_t event, struct push_sink *sink,
			struct op_error *e)
{
	struct push_part part = { .name = (char *)"" };
	struct profile *p = push_part_profile(b, event, PUSH_ALL_SERIES, true, &part.samples);
	struct proto_buffer request = { NULL, 0, 0 };
	struct writer w = { .b = b, .p = p };
	int err;

	if (!p)
		return 0;
	proto_strings_start(&w.strings, p);
	w.stacks = xcalloc(p->tree.nr + 1, sizeof(*w.stacks));
	for (uint32_t set = 0; set < p->nr_label_sets; set++)
		if (has_samples(p, set))
			put_series(&w, &request, set);
	put_dictionary(&w);
	proto_put_buffer(&request, REQUEST_DICTIONARY, &w.dictionary);
	err = push_part_pack(request.bytes, request.len, &part, e);
	if (!err)
		err = sink->put(sink, &part);
	free(part.bytes);
	free(w.stacks);
	proto_strings_free(&w.strings);
	for (struct proto_buffer *buffers[] = { &w.body, &w.dictionary, &w.profile, &w.message,
						&w.inner, &w.list, &request, NULL }, **i = buffers;
	     *i; i++)
		proto_buffer_free(*i);
	profile_free(p);
	return err;
}

static int encode(const struct push_target *t, const struct push_batch *b,
		  struct push_sink *sink, struct op_error *e)
{
	int err = 0;

	(void)t;
	for (uint32_t event = 0; !err && event < b->profile->nr_events; event++)
		err = encode_event(b, event, sink, e);
	return err;
}

/* A part that was refused must not be sent again; one of which all was taken is sent. */
static void look(const struct http_answer *a, struct push_answer *ret)
{
	struct proto_cursor c = proto_cursor_at((const unsigned char *)a->body.text, a->body.len);
	struct proto_field f, inner;
	uint64_t rejected = 0;
	char message[160] = "";

	while (proto_next(&c, &f, NULL) > 0) {
		if (f.number != RESPONSE_PARTIAL_SUCCESS || f.wire != PROTO_BYTES)
			continue;
		while (proto_next(&f.inside, &inner, NULL) > 0)
			if (inner.number == PARTIAL_REJECTED && inner.wire == PROTO_VARINT)
				rejected = inner.value;
			else if (inner.number == PARTIAL_MESSAGE && inner.wire == PROTO_BYTES)
				snprintf(message, sizeof(message), "%.*s",
					 (int)(proto_size(&inner.inside) < 150
					       ? proto_size(&inner.inside) : 150),
					 (const char *)inner.inside.at);
	}
	if (!rejected)
		return;
	plain_text(message, strlen(message));
	ret->verdict = PUSH_REFUSED;
	snprintf(ret->text, sizeof(ret->text), "the receiver rejected profiles: %s", message);
}

const struct push_kind push_otlp = {
	.name = "otlp", .path = "/v1development/profiles",
	.content_type = "application/x-protobuf", .gzipped = true, .encode = encode, .look = look,
};
