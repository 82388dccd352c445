// SPDX-License-Identifier: GPL-2.0-or-later
/* format.c - ocount's report, in OProfile's layout */
#include "operf/ocount/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "libutil/clock.h"

#define NAME_ROOM	8		/* between the longest name and the next column */
#define SUBJECT_WIDTH	10
#define COUNT_WIDTH	25

static bool is_by_cpu(enum count_mode mode)
{
	return mode == COUNT_SYSTEM || mode == COUNT_CPUS;
}

static void add_duration(uint64_t ns, struct strbuf *out)
{
	uint64_t s = ns / NS_PER_SECOND;

	if (!s)
		strbuf_addf(out, "%" PRIu64 " nanoseconds.\n", ns);
	else if (s < 60)
		strbuf_addf(out, "%" PRIu64 ".%" PRIu64 " seconds.\n", s,
			    ns % NS_PER_SECOND / (NS_PER_SECOND / 10));
	else
		strbuf_addf(out, "%" PRIu64 " minute(s) and %" PRIu64 " seconds.\n", s / 60,
			    s % 60);
}

static const char *subject_of(const struct count_format *f)
{
	switch (f->mode) {
	case COUNT_COMMAND:
		return f->command;
	case COUNT_SYSTEM:
		return "the whole system";
	case COUNT_CPUS:
		return "the specified CPU(s)";
	case COUNT_THREADS:
		return "thread(s)";
	default:
		return "process(es)";
	}
}

/* "1,234,567" */
static void with_commas(uint64_t n, char text[32])
{
	char digits[24];
	size_t len = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, n);

	for (size_t i = 0; i < len; i++) {
		*text++ = digits[i];
		if (i + 1 < len && (len - i - 1) % 3 == 0)
			*text++ = ',';
	}
	*text = '\0';
}

static int name_width(const struct count_format *f, const struct count_row *rows, size_t nr)
{
	size_t longest = strlen("Event");

	for (size_t i = 0; i < nr; i++) {
		size_t len = strlen(f->names[rows[i].event]);

		longest = len > longest ? len : longest;
	}
	return (int)longest + NAME_ROOM;
}

static bool any_scaled(const struct count_row *rows, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (rows[i].running_ns < rows[i].enabled_ns)
			return true;
	return false;
}

static void format_table(const struct count_format *f, const struct count_row *rows, size_t nr,
			 struct strbuf *out)
{
	int width = name_width(f, rows, nr);
	char count[32], subject[16];

	strbuf_addf(out, "\t%-*s", width, "Event");
	if (f->separate)
		strbuf_addf(out, "%-*s", SUBJECT_WIDTH, is_by_cpu(f->mode) ? "CPU" : "Task ID");
	strbuf_addf(out, "%-*s%s\n", COUNT_WIDTH, "Count", "% time counted");
	for (size_t i = 0; i < nr; i++) {
		strbuf_addf(out, "\t%-*s", width, f->names[rows[i].event]);
		snprintf(subject, sizeof(subject), "%d", rows[i].subject);
		if (f->separate)
			strbuf_addf(out, "%-*s", SUBJECT_WIDTH, subject);
		with_commas(rows[i].count, count);
		strbuf_addf(out, "%-*s%.2f\n", COUNT_WIDTH, count, count_percent(&rows[i]));
	}
}

static void format_brief(const struct count_format *f, const struct count_row *rows, size_t nr,
			 struct strbuf *out)
{
	if (f->at)
		strbuf_addf(out, "timestamp,%lld.%ld\n", (long long)f->at->tv_sec,
			    f->at->tv_nsec / 100000000);
	for (size_t i = 0; i < nr; i++) {
		if (f->separate)
			strbuf_addf(out, "%d,", rows[i].subject);
		strbuf_addf(out, "%s,%" PRIu64 ",%.2f\n", f->names[rows[i].event], rows[i].count,
			    count_percent(&rows[i]));
	}
}

void count_format(const struct count_format *f, const struct count_row *rows, size_t nr,
		  uint64_t ns, struct strbuf *out)
{
	if (f->brief) {
		format_brief(f, rows, nr, out);
		return;
	}
	strbuf_add(out, "\n");
	if (f->at)
		strbuf_addf(out, "Current time (seconds since epoch): %lld.%ld\n",
			    (long long)f->at->tv_sec, f->at->tv_nsec / 100000000);
	strbuf_add(out, "Events were actively counted for ");
	add_duration(ns, out);
	strbuf_addf(out, "Event counts (%s) for %s:\n", any_scaled(rows, nr) ? "scaled" : "actual",
		    subject_of(f));
	format_table(f, rows, nr, out);
}
