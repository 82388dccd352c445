// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * read.c - read the Google CPU profile: words, then the text of a process's mappings
 *
 * The file has neither a mark nor a checksum nor a length, so all that can be held against it is
 * that the numbers make sense. Where other readers go on with what cannot be, this one says the
 * offset and stops. Rules: doc/cpuprofile.md [GC-n].
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "formats/all_formats.h"
#include "formats/cpuprofile/cpuprofile.h"
#include "formats/cpuprofile/maps_text.h"
#include "formats/cpuprofile/symbols.h"

#define NS_PER_US	1000

struct reader {
	const unsigned char *bytes;
	size_t size;			/* of all */
	size_t at;			/* where we are */
	struct cpuprofile_words words;
	uint64_t version, period;	/* the latter in microseconds */
	const struct format_read_options *options;
	struct profile *p;
	struct maps_text *maps;
	struct cpuprofile_symbols symbols;
	bool symbolised;		/* callers' addresses are those of the calls already */
	uint32_t binary;		/* string: what a symbolised one is of */
	size_t trailer_end;		/* 0: there is no trailer */
	uint64_t total;			/* sum of counts */
	/* what is told once, with how often it was seen and where first */
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

	return cpuprofile_is_symbolised(bytes, size) || cpuprofile_find_words(bytes, size, &words);
}

static size_t left(const struct reader *r)
{
	return r->size - r->at;
}

static uint64_t word(const struct reader *r, size_t slot)
{
	return cpuprofile_get(r->bytes + r->at + slot * r->words.size, r->words);
}

static int check_header(struct reader *r, uint64_t slots)
{
	size_t at = r->at, size = r->words.size;

	if (slots < CPUPROFILE_HEADER_SLOTS - CPUPROFILE_FIXED)
		return op_error_set(r->e, -EPROTO, "offset %zu: the header has %" PRIu64 " slots "
				    "more, not 3 or more [GC-2]", at + size, slots);
	if (left(r) / size < CPUPROFILE_FIXED + slots)
		return op_error_set(r->e, -EPROTO, "offset %zu: the file ends in its header [GC-2]",
				    r->size);
	if (r->version > CPUPROFILE_JAVA)
		return op_error_set(r->e, -EPROTO, "offset %zu: version %" PRIu64 " is not known, "
				    "only 0 and 1 (Java) are [GC-4]", at + 2 * size, r->version);
	if (!r->period || r->period > INT64_MAX / NS_PER_US)
		return op_error_set(r->e, -EPROTO, "offset %zu: a period of %" PRIu64
				    " microseconds can't be [GC-4]", at + 3 * size, r->period);
	if (word(r, 4))
		return format_doubt(r->options, r->e, "offset %zu: padding in the header is not 0 "
				    "[GC-4]", at + 4 * size);
	return 0;
}

static int read_header(struct reader *r)
{
	uint64_t slots;
	int err;

	if (!cpuprofile_find_words(r->bytes + r->at, left(r), &r->words))
		return op_error_set(r->e, -EPROTO, "offset %zu: this is no header of a CPU "
				    "profile, which begins with 0 and 3 [GC-2]", r->at);
	slots = word(r, 1);
	if (left(r) / r->words.size >= CPUPROFILE_HEADER_SLOTS) {
		r->version = word(r, 2);
		r->period = word(r, 3);
	}
	err = check_header(r, slots);
	r->at += (CPUPROFILE_FIXED + (size_t)slots) * r->words.size;
	return err;
}

static bool is_trailer(const struct reader *r)
{
	return left(r) / r->words.size >= 3 && word(r, 0) == 0 && word(r, 1) == 1 &&
	       word(r, 2) == 0;
}

static int check_sizes(struct reader *r, const struct record *record)
{
	size_t size = r->words.size;

	if (!record->nr_pcs)
		return op_error_set(r->e, -EPROTO, "offset %zu: a record without addresses [GC-5]",
				    record->at + size);
	if (record->nr_pcs > left(r) / size)
		return op_error_set(r->e, -EPROTO, "offset %zu: a record with %" PRIu64
				    " addresses, and the file ends after %zu of them [GC-5]",
				    record->at + size, record->nr_pcs, left(r) / size);
	if (record->nr_pcs > PROFILE_FRAMES_MAX)
		return op_error_set(r->e, -EPROTO, "offset %zu: a record with %" PRIu64
				    " addresses, more than %u [GC-5]", record->at + size,
				    record->nr_pcs, PROFILE_FRAMES_MAX);
	return 0;
}

static int check_count(struct reader *r, const struct record *record)
{
	uint64_t ns, total;

	if (__builtin_add_overflow(r->total, record->count, &total) ||
	    __builtin_mul_overflow(total, r->period * NS_PER_US, &ns) || ns > INT64_MAX)
		return op_error_set(r->e, -EPROTO, "offset %zu: with the count %" PRIu64
				    " all counts times the period are more than 2^63 ns [GC-6]",
				    record->at, record->count);
	r->total = total;
	return 0;
}

static int take_record(struct reader *r, struct record *ret)
{
	size_t size = r->words.size;
	int err;

	*ret = (struct record){ .at = r->at };
	if (left(r) < 2 * size)
		return op_error_set(r->e, -EPROTO, "offset %zu: the file ends in a record [GC-5]",
				    r->size);
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

/* Whether to go on: an oddity is counted, and refused only if the options are strict. */
static int note(struct reader *r, struct oddity *oddity, size_t at, const char *what)
{
	if (r->options->strict)
		return op_error_set(r->e, -EPROTO, "offset %zu: %s", at, what);
	if (!oddity->nr++)
		oddity->first = at;
	return 0;
}

#define A_ZERO_COUNT	"a record with count 0, left out [GC-6]"
#define A_ZERO_LEAF	"a record that begins with address 0, where some readers stop [GC-8]"
#define A_ZERO_CALLER	"a caller's address is 0 [GC-8]"

/* That of a call is the one before where it returns to [GC-7]. */
static uint64_t address_of(const struct reader *r, uint64_t i, uint64_t pc)
{
	return i && pc && r->version != CPUPROFILE_JAVA && !r->symbolised ? pc - 1 : pc;
}

static uint32_t place_of(struct reader *r, uint64_t address)
{
	const struct cpuprofile_symbol *symbol = cpuprofile_symbol_find(&r->symbols, address);
	uint32_t image = r->maps ? maps_text_image(r->maps, address) : PROFILE_NONE;

	if (!symbol)
		return profile_place(r->p, image, address, NULL, 0);
	return profile_place(r->p, image, address, r->symbols.lines + symbol->first_line,
			     symbol->nr_lines);
}

static int add_record(struct reader *r, const struct record *record)
{
	size_t size = r->words.size;
	uint32_t node = PROFILE_NONE;
	int err = 0;

	if (!record->count)
		return note(r, &r->zero_count, record->at, A_ZERO_COUNT);
	for (uint64_t i = record->nr_pcs; i-- && !err;) {
		size_t at = (size_t)i * size;
		uint64_t pc = cpuprofile_get(record->pcs + at, r->words);

		if (!pc)
			err = note(r, i ? &r->zero_caller : &r->zero_leaf,
				   record->at + 2 * size + at, i ? A_ZERO_CALLER : A_ZERO_LEAF);
		node = profile_node(r->p, node, place_of(r, address_of(r, i, pc)));
	}
	if (!err)
		profile_add_sample(r->p, node, 0)[0] = (int64_t)record->count;
	return err;
}

/* The mappings come last in the file, but are needed first: find where they begin. */
static int find_trailer(struct reader *r)
{
	size_t first = r->at;
	struct record record;
	int err = 0;

	while (left(r) && !is_trailer(r) && !err)
		err = take_record(r, &record);
	if (!err && left(r)) {
		r->at += 3 * r->words.size;
		r->trailer_end = r->at;
	}
	r->at = first;
	r->total = 0;
	return err;
}

static int skip_second_trailer(struct reader *r)
{
	size_t at = r->trailer_end;
	int err = 0;

	r->at = at;
	while (is_trailer(r) && !err) {
		err = format_doubt(r->options, r->e, "offset %zu: one more trailer, left out "
				   "[GC-8]", r->at);
		r->at += 3 * r->words.size;
	}
	r->trailer_end = r->at;
	return err;
}

static int read_text(struct reader *r)
{
	const char *text;
	size_t first = r->at, size;
	int err = skip_second_trailer(r);

	text = (const char *)r->bytes + r->trailer_end;
	size = r->size - r->trailer_end;
	r->at = first;
	if (err)
		return err;
	if (r->version == CPUPROFILE_JAVA)
		cpuprofile_java_symbols(r->p, text, size, &r->symbols);
	else
		err = maps_text_read(text, size, r->options, r->p, &r->maps, r->e);
	if (!memchr(text, 0, size))
		r->p->maps_text = profile_string_n(r->p, text, size);
	return err;
}

static void tell(struct reader *r, const struct oddity *oddity, const char *what)
{
	if (oddity->nr > 1)
		format_warn(r->options->warnings, "offset %zu: %s; %" PRIu64 " such in all",
			    oddity->first, what, oddity->nr);
	else if (oddity->nr)
		format_warn(r->options->warnings, "offset %zu: %s", oddity->first, what);
}

static void tell_oddities(struct reader *r)
{
	tell(r, &r->zero_count, A_ZERO_COUNT);
	tell(r, &r->zero_leaf, A_ZERO_LEAF);
	tell(r, &r->zero_caller, A_ZERO_CALLER);
}

/* What is whole before a fault is kept if that is asked for [GC-14]. */
static int salvaged(struct reader *r, int err)
{
	if (err != -EPROTO || !r->options->salvage)
		return err;
	format_warn(r->options->warnings, "%s: kept %u records before that, lost the last %zu "
		    "bytes of the file", r->e->text, r->p->nr_samples, left(r));
	return 0;
}

static int read_records(struct reader *r)
{
	size_t end = r->trailer_end;
	struct record record;
	int err = 0;

	while (!err && left(r) && !(end && is_trailer(r))) {
		err = take_record(r, &record);
		if (!err)
			err = add_record(r, &record);
	}
	if (!err && !end)
		err = format_doubt(r->options, r->e, "offset %zu: the file ends without a trailer, "
				   "and perhaps too early [GC-8]", r->size);
	return salvaged(r, err);
}

static void add_event(struct reader *r)
{
	struct profile_event event = {
		.name = profile_string(r->p, "cpu"), .unit = profile_string(r->p, "nanoseconds"),
		.period = r->period * NS_PER_US,
	};

	profile_add_event(r->p, &event);
}

/* A symbolised one has no mappings, but says which program it is of. */
static void add_binary(struct reader *r)
{
	struct profile_image image = { .path = r->binary, .kind = PROFILE_FILE };

	if (r->binary && r->p->main_image == PROFILE_NONE)
		r->p->main_image = profile_add_image(r->p, &image);
}

static int read_all(struct reader *r)
{
	int err = read_header(r);

	if (err)
		return err;
	r->p->symbolic_addresses = r->version == CPUPROFILE_JAVA;
	add_event(r);
	cpuprofile_words_remember(r->p, r->words);
	err = find_trailer(r);
	if (err && !(err == -EPROTO && r->options->salvage))
		return err;
	err = r->trailer_end ? read_text(r) : 0;
	if (err)
		return err;
	add_binary(r);
	err = read_records(r);
	if (err)
		return err;
	tell_oddities(r);
	if (r->options->drop_handler_frames && r->version != CPUPROFILE_JAVA)
		cpuprofile_drop_handler_frames(r->p, r->options->warnings);
	return 0;
}

static int read_cpuprofile(const unsigned char *bytes, size_t size,
			   const struct format_read_options *options, struct profile *p,
			   struct op_error *e)
{
	struct op_error ours = { "" };
	struct reader r = {
		.bytes = bytes, .size = size, .options = options, .p = p, .e = e ? e : &ours,
	};
	int err;

	r.at = cpuprofile_symbol_section(p, bytes, size, &r.symbols, &r.binary);
	r.symbolised = r.at != 0;
	err = read_all(&r);
	maps_text_free(r.maps);
	cpuprofile_symbols_free(&r.symbols);
	return err;
}

const struct profile_format format_cpuprofile = {
	.name = "cpuprofile",
	.suffix = "prof",
	.text = "Google CPU profile, as gperftools writes it",
	.one_event = true,
	.no_names = true,
	.detect = detect,
	.read = read_cpuprofile,
	.write = cpuprofile_write,
};
