/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * header.c - the first lines of a report: what was counted, how, where and when
 *
 * The original's lines come first and are a stable interface; ours follow [RP-4].
 */
#include "pp/report/format/text.h"

#include <inttypes.h>
#include <string.h>

#include "events/cpu/type.h"
#include "events/data.h"
#include "libdb/session/thread_sample.h"
#include "libutil/local_time.h"
#include "libutil/plain_text.h"
#include "pp/select/event_scale.h"

static bool is_timer(const struct sample_header *header)
{
	const struct cpu_type *type = cpu_type_by_number(header->cpu_type, header->version);

	return type && !strcmp(type->name, "timer");
}

static void cpu_line(const struct sample_header *header, FILE *out)
{
	const struct cpu_type *type = cpu_type_by_number(header->cpu_type, header->version);

	if (type)
		fprintf(out, "CPU: %s", type->pretty);
	else if (header->cpu_type == UINT32_MAX)	/* of a profile of another tool */
		fputs("CPU: unknown", out);
	else
		fprintf(out, "CPU: type %" PRIu32 " of sample files 0x%" PRIx32, header->cpu_type,
			header->version);
	if (header->cpu_mhz > 0)
		fprintf(out, ", speed %g MHz (estimated)", header->cpu_mhz);
	fprintf(out, "\n");
}

static void put_description(const char *text, FILE *out)
{
	if (*text)
		fprintf(out, " (%s)", text);
}

/* The original names the event by its code, whatever the file is called [RP-12]. */
static void event_line(const struct profile_class *class, const struct text_options *o, FILE *out)
{
	const struct sample_header *h = &class->header;
	struct event_description text;

	if (is_timer(h) && (o->compat || strcmp(class->template.event, THREAD_SAMPLE) != 0)) {
		fprintf(out, "Profiling through timer interrupt\n");
		return;
	}
	if (!strcmp(class->template.event, THREAD_SAMPLE)) {
		text = (struct event_description){ THREAD_SAMPLE, "microseconds of a thread", "" };
		snprintf(text.mask_desc, sizeof(text.mask_desc), "%s",
			 h->unit_mask == THREAD_SAMPLE_CPU ? "of its CPU time" : "as time passes");
	} else {
		event_describe(o->events, class->template.event, h->event, h->unit_mask,
			       o->compat, &text);
	}
	fprintf(out, "Counted %s events", o->compat ? text.name : class->template.event);
	put_description(text.desc, out);
	fprintf(out, " with a unit mask of 0x%02" PRIx32, h->unit_mask);
	put_description(text.mask_desc, out);
	fprintf(out, " count %" PRIu64 "\n", class->template.count);
}

static void number_line(const char *text, int64_t n, FILE *out)
{
	if (n == SAMPLE_ALL)
		fprintf(out, "%s all\n", text);
	else
		fprintf(out, "%s %" PRId64 "\n", text, n);
}

static void cgroup_line(const char *cgroup, FILE *out)
{
	fputs("Processes of control group ", out);
	plain_put(*cgroup ? cgroup : "all", out);
	putc('\n', out);
}

static void class_lines(const struct arrangement *a, const struct text_options *o, FILE *out)
{
	event_line(&a->classes[0], o, out);
	for (size_t c = 0; c < a->nr_classes; c++) {
		const struct profile_template *t = &a->classes[c].template;

		if (a->axis == AXIS_EVENT && c > 0)
			event_line(&a->classes[c], o, out);
		else if (a->axis == AXIS_TGID)
			number_line("Processes with a thread group ID of", t->tgid, out);
		else if (a->axis == AXIS_TID)
			number_line("Processes with a thread ID of", t->tid, out);
		else if (a->axis == AXIS_CPU)
			number_line("Samples on CPU", t->cpu, out);
		else if (a->axis == AXIS_CGROUP)
			cgroup_line(t->cgroup, out);
	}
}

static void put_time(uint64_t seconds, FILE *out)
{
	char text[64];

	if (local_time((int64_t)seconds, "%Y-%m-%d %H:%M:%S %Z", text, sizeof(text)))
		fputs(text, out);
	else
		fprintf(out, "%" PRIu64, seconds);
}

static void times(const struct session_info *info, FILE *out)
{
	if (!info->start_time)
		return;
	fputs(", started ", out);
	put_time(info->start_time, out);
	if (info->end_time > info->start_time)
		fprintf(out, ", %" PRIu64 " s", info->end_time - info->start_time);
}

/* [ME-2] */
static void multiplexed_lines(const struct event_times *times, FILE *out)
{
	for (size_t i = 0; i < times->nr; i++) {
		struct strbuf text = STRBUF_INIT;

		if (!event_is_multiplexed(&times->event[i]))
			continue;
		event_multiplexed_text(times, &times->event[i], &text);
		fputs("Multiplexed: ", out);
		plain_put(text.text, out);
		putc('\n', out);
		strbuf_free(&text);
	}
}

static void session_lines(const struct report_session *s, FILE *out)
{
	const struct session_info *info = &s->info;

	fputs("Session: ", out);
	plain_put(s->samples, out);
	if (!s->has_info) {
		fputs("\n", out);
		return;
	}
	times(info, out);
	if (*info->profiled) {
		fputs(strcmp(info->collector, "import") ? "\nProfiled: " : "\nImported: ", out);
		plain_put(info->profiled, out);
	}
	if (info->period_ns) {
		fprintf(out, "\nTimer period: %" PRIu64 " ns", info->period_ns);
		if (*info->events) {
			fputs(", for ", out);
			plain_put(info->events, out);
		}
	}
	/* most formats that can be imported do not have it */
	if (*info->host || *info->machine || *info->kernel) {
		fputs("\nHost: ", out);
		plain_put(*info->host ? info->host : "unknown", out);
		fputs(", ", out);
		plain_put(*info->machine ? info->machine : "unknown machine", out);
		fputs(", kernel ", out);
		plain_put(*info->kernel ? info->kernel : "unknown", out);
	}
	fputs("\nCollector: ", out);
	plain_put(*info->collector ? info->collector : "unknown", out);
	fputs(", model ", out);
	plain_put(*info->model ? info->model : "unknown", out);
	putc('\n', out);
	if (s->has_counts && s->counts.throttled)
		fprintf(out, "Throttled: %" PRIu64 " interrupts were skipped\n",
			s->counts.throttled);
	multiplexed_lines(&s->times, out);
}

void format_header(const struct arrangement *a, const struct session_list *const *sessions,
		   size_t nr, const struct text_options *options, FILE *out)
{
	if (options->no_header || !a->nr_classes)
		return;
	cpu_line(&a->classes[0].header, out);
	class_lines(a, options, out);
	if (options->compat)
		return;
	for (size_t i = 0; i < nr; i++)
		for (size_t k = 0; k < sessions[i]->nr; k++)
			session_lines(&sessions[i]->sessions[k], out);
	if (options->title) {
		fputs("Command: ", out);
		plain_put(options->title, out);
		putc('\n', out);
	}
}
