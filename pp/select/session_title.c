/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_title.c - name a session by what was profiled, for titles [PI-14] */
#include "pp/select/sessions.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/local_time.h"
#include "libutil/plain_text.h"
#include "libutil/strbuf.h"

#define COMMAND_CHARS	80	/* of a command line; the rest is left out */
#define NR_NAMED	3	/* sessions */

/* The command without the folder of its program, on one line. */
static void add_command(const char *command, struct strbuf *out)
{
	size_t program = strcspn(command, " "), chars = 0;

	while (program && command[program - 1] != '/')
		program--;
	command += program;
	for (; *command && chars < COMMAND_CHARS; chars++) {
		size_t n = plain_length(command);

		if (n)
			strbuf_add_bytes(out, command, n);
		else
			strbuf_add_char(out, strchr("\t\n", *command) ? ' ' : '?');
		command += n ? n : 1;
	}
	if (*command)
		strbuf_add(out, "…");
}

static void add_time(const char *format, uint64_t seconds, struct strbuf *out)
{
	char text[32];

	if (local_time((int64_t)seconds, format, text, sizeof(text)))
		strbuf_add(out, text);
}

/* " DATE TIME to TIME", the second date only if it is another day. */
static void add_span(const struct session_info *info, struct strbuf *out)
{
	struct strbuf first = STRBUF_INIT, last = STRBUF_INIT;

	if (!info->start_time)
		return;
	strbuf_add(out, info->end_time ? ", " : ", since ");
	add_time("%Y-%m-%d %H:%M", info->start_time, out);
	add_time("%Y-%m-%d", info->start_time, &first);
	add_time("%Y-%m-%d", info->end_time, &last);
	if (info->end_time / 60 > info->start_time / 60)
		add_time(strcmp(first.text, last.text) ? " to %Y-%m-%d %H:%M" : " to %H:%M",
			 info->end_time, out);
	strbuf_free(&first);
	strbuf_free(&last);
}

static void add_title(const struct report_session *s, bool with_name, struct strbuf *out)
{
	bool is_path = strchr(s->name, '/');

	if (s->has_info && *s->info.profiled) {
		add_command(s->info.profiled, out);
	} else if (s->has_info && *s->info.host) {
		add_command(s->info.host, out);
		add_span(&s->info, out);
	} else {
		strbuf_addf(out, "session %s", s->name);
		return;
	}
	if (with_name || (!is_path && strcmp(s->name, SESSION_CURRENT)))
		strbuf_addf(out, " (%s)", s->name);
}

static char *title_of(const struct session_list *list, bool with_names)
{
	struct strbuf title = STRBUF_INIT;

	for (size_t i = 0; i < list->nr && i < NR_NAMED; i++) {
		strbuf_add(&title, i ? "; " : "");
		add_title(&list->sessions[i], with_names, &title);
	}
	if (list->nr > NR_NAMED)
		strbuf_addf(&title, " and %zu more", list->nr - NR_NAMED);
	return strbuf_steal(&title);
}

char *sessions_title(const struct session_list *list)
{
	return title_of(list, false);
}

char *sessions_title_of_two(const struct session_list *first, const struct session_list *second)
{
	char *a = title_of(first, false), *b = title_of(second, false);
	struct strbuf title = STRBUF_INIT;

	if (!strcmp(a, b)) {
		free(a);
		free(b);
		a = title_of(first, true);
		b = title_of(second, true);
	}
	strbuf_addf(&title, "%s → %s", a, b);
	free(a);
	free(b);
	return strbuf_steal(&title);
}
