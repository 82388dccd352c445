// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * control_requests.c - the table of requests, and what each does
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "daemon/control_requests.h"
#include "daemon/control_status.h"
#include "libutil/plain_text.h"

void answer_add_line(struct strbuf *answer, const char *text)
{
	for (; *text; text++)
		strbuf_add_char(answer, plain_char(*text));
	strbuf_add_char(answer, '\n');
}

static int do_ping(const struct control_config *config, const char *argument, struct strbuf *text,
		   struct op_error *e)
{
	(void)config, (void)argument, (void)text, (void)e;
	return 0;
}

static int do_status(const struct control_config *config, const char *argument,
		     struct strbuf *text, struct op_error *e)
{
	(void)argument, (void)e;
	status_format(config, text);
	return 0;
}

static int do_start(const struct control_config *config, const char *argument, struct strbuf *text,
		    struct op_error *e)
{
	int err = recorder_start(config->recorder, e);
	char *note = err ? NULL : recorder_take_note(config->recorder);

	(void)argument;
	if (note) {
		strbuf_add(text, "note ");
		answer_add_line(text, note);
	}
	free(note);
	return err;
}

static int do_stop(const struct control_config *config, const char *argument, struct strbuf *text,
		   struct op_error *e)
{
	(void)argument, (void)text;
	return recorder_stop(config->recorder, e);
}

static int do_reset(const struct control_config *config, const char *argument, struct strbuf *text,
		    struct op_error *e)
{
	(void)argument, (void)text;
	return recorder_reset(config->recorder, e);
}

static int do_save(const struct control_config *config, const char *argument, struct strbuf *text,
		   struct op_error *e)
{
	(void)text;
	return recorder_save(config->recorder, argument, e);
}

static const struct request requests[] = {
	{ "ping",     true,  false, ANSWER_NOW, do_ping },
	{ "status",   true,  false, ANSWER_RECENT, do_status },
	{ "dump",     true,  false, ANSWER_DUMPED, NULL },
	{ "start",    false, false, ANSWER_NOW, do_start },
	{ "stop",     false, false, ANSWER_NOW, do_stop },
	{ "reset",    false, false, ANSWER_NOW, do_reset },
	{ "save",     false, true,  ANSWER_NOW, do_save },
	{ "shutdown", false, false, ANSWER_ENDED, NULL },
};

/* Only what can be printed is quoted back. */
static void make_printable(char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			*text = '?';
}

const struct request *request_find(char *line, const char **ret_argument)
{
	size_t len;

	make_printable(line);
	len = strcspn(line, " ");
	*ret_argument = line[len] ? line + len + 1 : "";
	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
		if (strlen(requests[i].word) == len && !memcmp(requests[i].word, line, len))
			return &requests[i];
	return NULL;
}

int request_check(const struct request *request, const char *line, const char *argument, bool owner,
		  struct op_error *e)
{
	if (!request)
		return op_error_set(e, -EINVAL, "unknown request '%.40s'", line);
	if (!request->anybody && !owner)
		return op_error_set(e, -EPERM,
				    "only root or the user that runs the daemon may ask for '%s'",
				    request->word);
	if (request->argument != (argument[0] != '\0'))
		return op_error_set(e, -EINVAL, "'%s' %s", request->word,
				    request->argument ? "needs an argument" : "takes no argument");
	return 0;
}
