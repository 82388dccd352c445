/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpuprofile_bytes.h - build Google CPU profiles word by word, read them, and keep warnings */
#ifndef TESTS_UNIT_FORMATS_CPUPROFILE_BYTES_H
#define TESTS_UNIT_FORMATS_CPUPROFILE_BYTES_H

#include "formats/all_formats.h"
#include "formats/cpuprofile/cpuprofile.h"
#include "libutil/strbuf.h"
#include "tests/unit/tmpdir.h"

static const struct cpuprofile_words LE64 = { 8, false };

struct made {
	struct cpuprofile_words words;
	struct strbuf bytes;
};

static inline void add_words(struct made *m, const uint64_t *values, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		unsigned char bytes[8];

		cpuprofile_put(bytes, m->words, values[i]);
		strbuf_add_bytes(&m->bytes, bytes, m->words.size);
	}
}

static inline void free_made(struct made *m)
{
	strbuf_free(&m->bytes);
}

/* A variable that is freed at the end of its scope. */
#define MADE	struct made __attribute__((cleanup(free_made)))

#define WORDS(m, ...)                                                                          \
	add_words(m, (uint64_t[]){ __VA_ARGS__ },                                              \
		  sizeof((uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

#define HEADER		0, 3, 0, 10000, 0
#define TRAILER		0, 1, 0
#define MAPS		"00400000-00500000 r-xp 00000000 08:01 77          /bin/prog\n" \
			"00500000-00600000 rw-p 00100000 08:01 77          /bin/prog\n" \
			"70000000-70100000 r-xp 00002000 08:01 78          /lib/libx.so.1\n"

/* Three stacks, 14 samples. */
static inline void add_records(struct made *m)
{
	WORDS(m, 5, 2, 0x400100, 0x400201);
	WORDS(m, 8, 3, 0x70000010, 0x400301, 0x400201);
	WORDS(m, 1, 1, 0x550000);
}

static inline struct made make_bytes(struct cpuprofile_words words)
{
	return (struct made){ .words = words, .bytes = STRBUF_INIT };
}

static inline struct made make_usual(struct cpuprofile_words words)
{
	struct made m = make_bytes(words);

	WORDS(&m, HEADER);
	add_records(&m);
	WORDS(&m, TRAILER);
	strbuf_add(&m.bytes, MAPS);
	return m;
}

/* All warnings, one per line. */
static struct strbuf warned = STRBUF_INIT;

static inline void keep_warning(void *context, const char *text)
{
	(void)context;
	strbuf_addf(&warned, "%s\n", text);
}

static const struct format_warnings warnings = { keep_warning, NULL };

/* Read @bytes; @how has options. On success the caller frees *ret. */
static inline int read_bytes(const void *bytes, size_t size, const char *how, struct profile **ret,
			     struct op_error *e)
{
	struct format_read_options options = {
		.warnings = &warnings, .strict = strstr(how, "strict"),
		.salvage = strstr(how, "salvage"),
		.drop_handler_frames = strstr(how, "drop-handler-frames"),
	};
	struct profile *p = profile_new();
	unsigned char *copy = malloc(size + 1);	/* so that sanitizers see reads past the end */
	int err;

	memcpy(copy, bytes, size);
	strbuf_reset(&warned);
	err = format_cpuprofile.read(copy, size, &options, p, e);
	free(copy);
	if (err)
		profile_free(p);
	else
		*ret = p;
	return err;
}

/* Read @m, or end the test. */
static inline struct profile *read_made(const struct made *m, const char *how)
{
	struct op_error e = { "" };
	struct profile *p = NULL;
	int err = read_bytes(m->bytes.text, m->bytes.len, how, &p, &e);

	CHECK(!err, "%s", e.text);
	if (err)
		exit(1);
	return p;
}

static inline void check_refused(const struct made *m, const char *how, const char *why)
{
	struct op_error e = { "" };
	struct profile *p = NULL;

	if (read_bytes(m->bytes.text, m->bytes.len, how, &p, &e)) {
		CHECK(strstr(e.text, why), "expected '%s', got '%s'", why, e.text);
		CHECK(!strchr(e.text, '\n'), "one line");
		CHECK(strstr(e.text, "offset ") || strstr(e.text, "line "), "no place: %s", e.text);
	} else {
		CHECK(false, "accepted, expected '%s'", why);
		profile_free(p);
	}
}

/* Write @p. */
static inline struct strbuf write_profile(const struct profile *p, const char *pid)
{
	struct format_write_options options = { .warnings = &warnings, .pid = pid };
	struct strbuf out = STRBUF_INIT;
	struct op_error e = { "" };
	char *bytes = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&bytes, &size);

	strbuf_reset(&warned);
	CHECK(!format_cpuprofile.write(p, &options, f, &e), "%s", e.text);
	fclose(f);
	strbuf_add_bytes(&out, bytes, size);
	free(bytes);
	return out;
}

#endif
