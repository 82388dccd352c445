// SPDX-License-Identifier: GPL-2.0-or-later
/* processes.c - stats/processes: what the tasks with samples are called [SS-69] */
#include "libdb/session/processes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libdb/session/name.h"
#include "libdb/session/text_file.h"
#include "libutil/file.h"
#include "libutil/sorted.h"
#include "libutil/xalloc.h"

#define PROCESSES_FILE	"processes"
#define PROCESSES_LIMIT	(32 * 1024 * 1024)	/* bytes */

static void add_number(struct strbuf *line, int64_t n)
{
	if (n == SAMPLE_ALL)
		strbuf_add(line, "- ");
	else
		strbuf_addf(line, "%" PRId64 " ", n);
}

/* A name that is '-' itself is written as an escape. */
static void add_name(struct strbuf *line, const char *name, char end)
{
	if (!strcmp(name, "-"))
		strbuf_add(line, "\\055");
	else if (!*name)
		strbuf_add(line, "-");
	else
		text_add_escaped(line, name, true);
	strbuf_add_char(line, end);
}

int session_processes_append(const char *stats_dir, const struct session_process *process)
{
	struct strbuf line = STRBUF_INIT;
	char *path = path_join(stats_dir, PROCESSES_FILE);
	int err;

	add_number(&line, process->tgid);
	add_number(&line, process->tid);
	add_name(&line, process->comm, ' ');
	add_name(&line, process->started_as, ' ');
	add_name(&line, process->app, '\n');
	err = text_append(path, line.text, line.len);
	strbuf_free(&line);
	free(path);
	return err;
}

static bool parse_number(const char *word, int64_t *ret)
{
	uint64_t n = 0;

	if (word && !strcmp(word, "-"))
		*ret = SAMPLE_ALL;
	else if (text_parse_decimal(word, &n) && n <= UINT32_MAX)
		*ret = (int64_t)n;
	else
		return false;
	return true;
}

static bool parse_name(char *word, const char **ret)
{
	if (!word || !*word)
		return false;
	*ret = strcmp(word, "-") ? word : "";
	return !**ret || text_unescape(word);
}

static const char *parse_line(void *context, char *line)
{
	struct session_processes *all = context;
	struct session_process p = { 0 };
	char *rest = line, *tgid = text_next_word(&rest), *tid = text_next_word(&rest);

	if (!parse_number(tgid, &p.tgid) || !parse_number(tid, &p.tid))
		return "expected two numbers, each of 32 bits or '-'";
	if (!parse_name(text_next_word(&rest), &p.comm) ||
	    !parse_name(text_next_word(&rest), &p.started_as) ||
	    !parse_name(text_next_word(&rest), &p.app) || (rest && *rest))
		return "expected three names after the numbers";
	if (all->nr == SESSION_PROCESSES_MAX)
		return "too many processes";
	xgrow(all->processes, all->nr, all->room);
	all->processes[all->nr++] = p;
	return NULL;
}

static int compare(const void *a, const void *b)
{
	const struct session_process *x = a, *y = b;
	int order = (x->tgid > y->tgid) - (x->tgid < y->tgid);

	if (!order)
		order = strcmp(x->app, y->app);
	return order ? order : (x->tid > y->tid) - (x->tid < y->tid);
}

int session_processes_parse(char *text, size_t len, const char *name,
			    struct session_processes *ret, struct op_error *e)
{
	struct text_lines lines = { text, text + len, name, TEXT_LAST_IGNORED, 0 };
	struct session_processes all = { 0 };
	int err = text_each_line(&lines, parse_line, &all, e);

	if (err) {
		free(all.processes);	/* @text stays the caller's */
		return err;
	}
	if (all.nr)
		qsort(all.processes, all.nr, sizeof(*all.processes), compare);
	all.text = text;
	*ret = all;
	return 0;
}

int session_processes_read(const char *stats_dir, struct session_processes *ret,
			   struct op_error *e)
{
	char *path = path_join(stats_dir, PROCESSES_FILE), *text = NULL;
	size_t len;
	int err = file_read_all(path, PROCESSES_LIMIT, &text, &len);

	if (!err)
		err = session_processes_parse(text, len, path, ret, e);
	if (err)
		free(text);
	free(path);
	return err;
}

void session_processes_free(struct session_processes *all)
{
	free(all->processes);
	free(all->text);
	*all = (struct session_processes){ 0 };
}

const struct session_process *session_processes_find(const struct session_processes *all,
						     int64_t tgid, size_t *ret_nr)
{
	size_t low = first_not(all->nr, i, all->processes[i].tgid < tgid), end;

	for (end = low; end < all->nr && all->processes[end].tgid == tgid; end++)
		;
	*ret_nr = end - low;
	return low < end ? &all->processes[low] : NULL;
}

void session_started_as(char *argv0)
{
	size_t len = strcspn(argv0, " \t\n");

	if (len && argv0[len] && argv0[len - 1] == ':')
		len--;
	argv0[len] = '\0';
	if (*argv0 == '-')
		memmove(argv0, argv0 + 1, len);
}
