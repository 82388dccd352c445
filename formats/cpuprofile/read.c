// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * read.c - read the Google CPU profile: words, then the mappings of the process as text
 *
 * The file has no magic number, checksum or length, so the only check is whether its numbers make
 * sense. Impossible values are errors with an offset. Rules: doc/cpuprofile.md [GC-n].
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "formats/all_formats.h"
#include "formats/cpuprofile/cpuprofile.h"
#include "formats/cpuprofile/maps_text.h"
#include "formats/cpuprofile/symbols.h"

#define NS_PER_US	1000

struct cpuprofile_reader {
	const unsigned char *bytes;
	size_t size;			/* of all bytes */
	size_t at;			/* current offset */
	struct cpuprofile_words words;
	uint64_t version, period;	/* the latter in microseconds */
	const struct format_read_options *options;
	struct profile *p;
	struct maps_text *maps;
	struct cpuprofile_symbols symbols;
	bool is_symbolized;		/* addresses of callers are those of the calls already */
	uint32_t binary;		/* string: the program of a symbolized profile */
	size_t trailer_end;		/* 0: no trailer */
	size_t text;			/* offset of the text behind a fault [GC-14]; 0: none */
	uint64_t total;			/* sum of counts */
	/* reported once each, with their number and the offset of the first */
	struct oddity {
		uint64_t nr;
		size_t first;
	} zero_count, zero_leaf, zero_caller;
	struct op_error *e;
};

struct record {
	size_t at;			/* its offset */
	uint64_t count, nr_pcs;
	const unsigned char *pcs;
};

static bool detect(const unsigned char *bytes, size_t size)
{
	struct cpuprofile_words words;

	return cpuprofile_is_symbolized(bytes, size) || cpuprofile_find_words(bytes, size, &words);
}

static size_t left(const struct cpuprofile_reader *r)
{
	return r->size - r->at;
}

static uint64_t word(const struct cpuprofile_reader *r, size_t slot)
{
	return cpuprofile_get(r->bytes + r->at + slot * r->words.size, r->words);
}

/* [GC-2] [GC-4] */
static int check_header(struct cpuprofile_reader *r, uint64_t slots)
{
	size_t at = r->at, size = r->words.size;

	if (slots < CPUPROFILE_HEADER_SLOTS - CPUPROFILE_FIXED)
		return op_error_set(r->e, -EPROTO, "offset %zu: header is too short: expected 3 "
				    "or more slots, got %" PRIu64, at + size, slots);
	if (left(r) / size < CPUPROFILE_FIXED + slots)
		return op_error_set(r->e, -EPROTO, "offset %zu: truncated header", r->size);
	if (r->version > CPUPROFILE_JAVA)
		return op_error_set(r->e, -EPROTO, "offset %zu: unsupported version %" PRIu64
				    ": expected 0 or 1 (Java)", at + 2 * size, r->version);
	if (!r->period || r->period > INT64_MAX / NS_PER_US)
		return op_error_set(r->e, -EPROTO, "offset %zu: invalid period of %" PRIu64
				    " microseconds", at + 3 * size, r->period);
	if (word(r, 4))
		return format_warn_or_fail(r->options, r->e, "offset %zu: nonzero padding in the "
					   "header", at + 4 * size);
	return 0;
}

static int read_header(struct cpuprofile_reader *r)
{
	uint64_t slots;
	int err;

	if (!cpuprofile_find_words(r->bytes + r->at, left(r), &r->words))
		return op_error_set(r->e, -EPROTO, "offset %zu: not a CPU profile: expected a "
				    "header that begins with 0 and 3", r->at);
	slots = word(r, 1);
	if (left(r) / r->words.size >= CPUPROFILE_HEADER_SLOTS) {
		r->version = word(r, 2);
		r->period = word(r, 3);
	}
	err = check_header(r, slots);
	r->at += (CPUPROFILE_FIXED + (size_t)slots) * r->words.size;
	return err;
}

static bool is_trailer(const struct cpuprofile_reader *r)
{
	return left(r) / r->words.size >= 3 && word(r, 0) == 0 && word(r, 1) == 1 &&
	       word(r, 2) == 0;
}

/* [GC-5] */
static int check_sizes(struct cpuprofile_reader *r, const struct record *record)
{
	size_t size = r->words.size;

	if (!record->nr_pcs)
		return op_error_set(r->e, -EPROTO, "offset %zu: record without addresses",
				    record->at + size);
	if (record->nr_pcs > left(r) / size)
		return op_error_set(r->e, -EPROTO, "offset %zu: truncated record: expected %"
				    PRIu64 " addresses, got %zu", record->at + size, record->nr_pcs,
				    left(r) / size);
	if (record->nr_pcs > PROFILE_FRAMES_MAX)
		return op_error_set(r->e, -EPROTO, "offset %zu: record with %" PRIu64
				    " addresses: expected at most %u", record->at + size,
				    record->nr_pcs, PROFILE_FRAMES_MAX);
	return 0;
}

/* [GC-6] */
static int check_count(struct cpuprofile_reader *r, const struct record *record)
{
	uint64_t ns, total;

	if (__builtin_add_overflow(r->total, record->count, &total) ||
	    __builtin_mul_overflow(total, r->period * NS_PER_US, &ns) || ns > INT64_MAX)
		return op_error_set(r->e, -EPROTO, "offset %zu: count %" PRIu64 " is too large: "
				    "all counts times the period exceed 2^63 ns", record->at,
				    record->count);
	r->total = total;
	return 0;
}

/* [GC-5] */
static int next_record(struct cpuprofile_reader *r, struct record *ret)
{
	size_t size = r->words.size;
	int err;

	*ret = (struct record){ .at = r->at };
	if (left(r) < 2 * size)
		return op_error_set(r->e, -EPROTO, "offset %zu: truncated record", r->size);
	ret->count = word(r, 0);
	ret->nr_pcs = word(r, 1);
	r->at += 2 * size;
	err = check_sizes(r, ret);
	if (!err)
		err = check_count(r, ret);
	if (err) {
		r->at = ret->at;
		return err;
	}
	ret->pcs = r->bytes + r->at;
	r->at += ret->nr_pcs * size;
	return 0;
}

/* Count an oddity, to be reported at the end; fail with @options->strict. */
static int count_oddity(struct cpuprofile_reader *r, struct oddity *oddity, size_t at,
			const char *text)
{
	if (r->options->strict)
		return op_error_set(r->e, -EPROTO, "offset %zu: %s", at, text);
	if (!oddity->nr++)
		oddity->first = at;
	return 0;
}

/* [GC-6] [GC-8] */
#define ZERO_COUNT	"skipped a record with count 0"
#define ZERO_LEAF	"record begins with address 0, where some readers stop"
#define ZERO_CALLER	"address of a caller is 0"

/* The address of a call is the return address less 1. [GC-7] */
static uint64_t call_address(const struct cpuprofile_reader *r, uint64_t i, uint64_t pc)
{
	return i && pc && r->version != CPUPROFILE_JAVA && !r->is_symbolized ? pc - 1 : pc;
}

/* Of a profile with names in it. */
static uint32_t add_named_place(struct cpuprofile_reader *r, const struct profile_address *at)
{
	const struct cpuprofile_symbol *symbol = cpuprofile_symbol_find(&r->symbols, at->address);

	if (!symbol)
		return profile_place(r->p, at->image, at->address, NULL, 0);
	return profile_place(r->p, at->image, at->address, r->symbols.lines + symbol->first_line,
			     symbol->nr_lines);
}

static void add_places(struct cpuprofile_reader *r, const struct profile_address *at, size_t nr,
		       uint32_t *ret)
{
	if (!r->symbols.nr_symbols) {
		profile_places(r->p, at, nr, ret);
		return;
	}
	for (size_t i = 0; i < nr; i++)
		ret[i] = add_named_place(r, &at[i]);
}

/* The next frames of @record, of which the outermost *outer are to be added below *node. */
static int add_frames(struct cpuprofile_reader *r, const struct record *record, uint64_t *outer,
		      uint32_t *node)
{
	struct profile_address at[PROFILE_PLACES_MAX];
	uint32_t places[PROFILE_PLACES_MAX];
	size_t nr = 0;
	int err = 0;

	while (*outer && nr < PROFILE_PLACES_MAX && !err) {
		uint64_t i = --*outer, offset = i * r->words.size;
		uint64_t pc = cpuprofile_get(record->pcs + offset, r->words);

		if (!pc)
			err = count_oddity(r, i ? &r->zero_caller : &r->zero_leaf,
					   record->at + 2 * r->words.size + offset,
					   i ? ZERO_CALLER : ZERO_LEAF);
		pc = call_address(r, i, pc);
		at[nr++] = (struct profile_address){
			r->maps ? maps_text_image(r->maps, pc) : PROFILE_NONE, pc };
	}
	add_places(r, at, nr, places);
	for (size_t i = 0; i < nr; i++)
		*node = profile_node(r->p, *node, places[i]);
	return err;
}

static int add_record(struct cpuprofile_reader *r, const struct record *record)
{
	uint64_t outer = record->nr_pcs;
	uint32_t node = PROFILE_NONE;
	int err = 0;

	if (!record->count)
		return count_oddity(r, &r->zero_count, record->at, ZERO_COUNT);
	while (outer && !err)
		err = add_frames(r, record, &outer, &node);
	if (!err)
		profile_add_sample(r->p, node, 0)[0] = (int64_t)record->count;
	return err;
}

/* The mappings come last in the file, but are needed first. */
static int find_trailer(struct cpuprofile_reader *r, size_t *ret_fault)
{
	size_t first = r->at;
	struct record record;
	int err = 0;

	while (left(r) && !is_trailer(r) && !err)
		err = next_record(r, &record);
	if (!err && left(r)) {
		r->at += 3 * r->words.size;
		r->trailer_end = r->at;
	}
	*ret_fault = r->at;
	r->at = first;
	r->total = 0;
	return err;
}

static int skip_further_trailers(struct cpuprofile_reader *r)
{
	size_t at = r->trailer_end;
	int err = 0;

	r->at = at;
	while (is_trailer(r) && !err) {
		err = format_warn_or_fail(r->options, r->e, "offset %zu: ignored another trailer",
					  r->at);		/* [GC-8] */
		r->at += 3 * r->words.size;
	}
	r->trailer_end = r->at;
	return err;
}

static int parse_text(struct cpuprofile_reader *r, size_t start)
{
	const char *text = (const char *)r->bytes + start;
	size_t size = r->size - start;
	int err = 0;

	if (r->version == CPUPROFILE_JAVA)
		cpuprofile_java_symbols(r->p, text, size, &r->symbols);
	else
		err = maps_text_read(text, size, r->options, r->p, &r->maps, r->e);
	if (!memchr(text, 0, size))
		r->p->maps_text = profile_string_n(r->p, text, size);
	return err;
}

static int read_text(struct cpuprofile_reader *r)
{
	size_t first = r->at;
	int err = skip_further_trailers(r);

	r->at = first;
	return err ? err : parse_text(r, r->trailer_end);
}

/*
 * What follows a fault up to the text cannot be told from records that are whole, but the text can:
 * it has no zeros. Without its mappings the records before the fault would be of little use.
 */
static int salvage_text(struct cpuprofile_reader *r, size_t fault)
{
	const char *end = (const char *)r->bytes + r->size;
	const char *text = maps_text_start((const char *)r->bytes + fault, end);

	if (text == end)
		return 0;
	r->text = (size_t)(text - (const char *)r->bytes);
	return parse_text(r, r->text);
}

static void report_oddity(struct cpuprofile_reader *r, const struct oddity *oddity,
			  const char *text)
{
	if (oddity->nr > 1)
		format_warn(r->options->warnings, "offset %zu: %s (%" PRIu64 " in all)",
			    oddity->first, text, oddity->nr);
	else if (oddity->nr)
		format_warn(r->options->warnings, "offset %zu: %s", oddity->first, text);
}

static void report_oddities(struct cpuprofile_reader *r)
{
	report_oddity(r, &r->zero_count, ZERO_COUNT);
	report_oddity(r, &r->zero_leaf, ZERO_LEAF);
	report_oddity(r, &r->zero_caller, ZERO_CALLER);
}

/* Keep the records before a fault on request. [GC-14] */
static int salvage(struct cpuprofile_reader *r, int err)
{
	if (err != -EPROTO || !r->options->salvage)
		return err;
	if (r->text > r->at)
		format_warn(r->options->warnings, "%s; kept the %u records before it and the text, "
			    "lost %zu bytes between them", r->e->text, r->p->nr_samples,
			    r->text - r->at);
	else
		format_warn(r->options->warnings, "%s; kept the %u records before it, lost the "
			    "last %zu bytes of the file", r->e->text, r->p->nr_samples, left(r));
	return 0;
}

static int read_records(struct cpuprofile_reader *r)
{
	size_t end = r->trailer_end;
	struct record record;
	int err = 0;

	while (!err && left(r) && !(end && is_trailer(r))) {
		err = next_record(r, &record);
		if (!err)
			err = add_record(r, &record);
	}
	if (!err && !end)
		err = format_warn_or_fail(r->options, r->e, "offset %zu: missing trailer; the file "
					  "may be truncated", r->size);		/* [GC-8] */
	return salvage(r, err);
}

static void add_event(struct cpuprofile_reader *r)
{
	struct profile_event event = {
		.name = profile_string(r->p, "cpu"), .unit = profile_string(r->p, "nanoseconds"),
		.period = r->period * NS_PER_US,
	};

	profile_add_event(r->p, &event);
}

/* A symbolized profile has no mappings, only the name of its program. */
static void add_binary(struct cpuprofile_reader *r)
{
	struct profile_image image = { .path = r->binary, .kind = PROFILE_FILE };

	if (r->binary && r->p->main_image == PROFILE_NONE)
		r->p->main_image = profile_add_image(r->p, &image);
}

static int read_all(struct cpuprofile_reader *r)
{
	int err = read_header(r);
	size_t fault;

	if (err)
		return err;
	r->p->symbolic_addresses = r->version == CPUPROFILE_JAVA;
	add_event(r);
	cpuprofile_save_words(r->p, r->words);
	err = find_trailer(r, &fault);
	if (err && !(err == -EPROTO && r->options->salvage))
		return err;
	err = err ? salvage_text(r, fault) : r->trailer_end ? read_text(r) : 0;
	if (err)
		return err;
	add_binary(r);
	err = read_records(r);
	if (err)
		return err;
	report_oddities(r);
	if (r->options->drop_handler_frames && r->version != CPUPROFILE_JAVA)
		cpuprofile_drop_handler_frames(r->p, r->options->warnings);
	return 0;
}

static int read_cpuprofile(const unsigned char *bytes, size_t size,
			   const struct format_read_options *options, struct profile *p,
			   struct op_error *e)
{
	struct cpuprofile_reader r = {
		.bytes = bytes, .size = size, .options = options, .p = p, .e = e,
	};
	int err;

	r.at = cpuprofile_symbol_section(p, bytes, size, &r.symbols, &r.binary);
	r.is_symbolized = r.at != 0;
	err = read_all(&r);
	maps_text_free(r.maps);
	cpuprofile_symbols_free(&r.symbols);
	return err;
}

const struct profile_format format_cpuprofile = {
	.name = "cpuprofile",
	.suffix = "prof",
	.text = "Google CPU profile, as written by gperftools",
	.one_event = true,
	.no_names = true,
	.detect = detect,
	.read = read_cpuprofile,
	.write = cpuprofile_write,
};
