// SPDX-License-Identifier: GPL-2.0-or-later
/* options.c - the words of a file of options come before those of the command line */
#include "fleet/push/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libdb/session/text_file.h"
#include "libutil/file.h"
#include "libutil/number.h"
#include "libutil/xalloc.h"
#include "pp/cli/common_options.h"

#define TIMEOUT		60
#define TIMEOUT_MAX	3600
#define CATCH_UP	10
#define CATCH_UP_MAX	10000
#define NAME_LETTERS	"abcdefghijklmnopqrstuvwxyz0123456789_-"

static struct raw {
	char *config, *credentials, *ca_file, *timeout, *catch_up;
	char *label, *rename, *drop, *privacy, *max_series;
	char *state_dir, *session_dir, *root;
	int once, status;
} raw;

static const struct poptOption table[] = {
	{ "config", 'c', POPT_ARG_STRING, &raw.config, 0,
	  "read options from this file, too (default " PUSH_CONFIG " if it exists)", "file" },
	{ "once", 0, POPT_ARG_NONE, &raw.once, 0,
	  "send what the history has, and end", NULL },
	{ "status", 0, POPT_ARG_NONE, &raw.status, 0,
	  "show what was sent to each target, and end", NULL },
	{ "label", 'l', POPT_ARG_STRING, &raw.label, 0,
	  "labels for all samples", "name=value,..." },
	{ "rename", 0, POPT_ARG_STRING, &raw.rename, 0,
	  "send these labels by other names", "old=new,..." },
	{ "drop", 0, POPT_ARG_STRING, &raw.drop, 0, "leave out these labels", "name,..." },
	{ "max-series", 0, POPT_ARG_STRING, &raw.max_series, 0,
	  "sets of labels of a slice; the rest becomes service 'other' (default 100)",
	  "number" },
	{ "privacy", 0, POPT_ARG_STRING, &raw.privacy, 0,
	  "hash or drop what leaves the machine: paths:hash, names:drop", "rule,..." },
	{ "credentials", 0, POPT_ARG_STRING, &raw.credentials, 0,
	  "folder of files TARGET.headers, as of systemd's LoadCredential=", "folder" },
	{ "ca-file", 0, POPT_ARG_STRING, &raw.ca_file, 0,
	  "trust the certificates in this file, not the system's", "file" },
	{ "timeout", 0, POPT_ARG_STRING, &raw.timeout, 0,
	  "wait so long for an answer (default 60)", "seconds" },
	{ "catch-up", 0, POPT_ARG_STRING, &raw.catch_up, 0,
	  "send old slices so many times as fast as they were taken (default 10)", "number" },
	{ "state-dir", 0, POPT_ARG_STRING, &raw.state_dir, 0,
	  "folder of how far each target is (default " PUSH_STATE_DIR ")", "path" },
	{ "session-dir", 0, POPT_ARG_STRING, &raw.session_dir, 0,
	  "folder of the history (default /var/lib/oprofile)", "path" },
	{ "root", 'R', POPT_ARG_STRING, &raw.root, 0, "find binaries below this folder", "path" },
	COMMON_OPTIONS_HELP,
	POPT_TABLEEND
};

const struct option_set push_option_set = {
	"oppush", table, "[OPTION...] [NAME=]KIND:PLACE..."
};

/* --- the file --- */

struct words {
	char **list;
	size_t nr, room;
};

static void add_word(struct words *w, char *word)
{
	xgrow(w->list, w->nr, w->room);
	w->list[w->nr++] = word;
}

static const char *add_line(void *context, char *line)
{
	size_t len;

	line += strspn(line, " \t");
	for (len = strlen(line); len && strchr(" \t\r", line[len - 1]);)
		line[--len] = '\0';
	if (!*line || *line == '#')
		return NULL;
	if (*line == '-' || *line == '=')
		return "expected NAME=VALUE, an option without its dashes";
	if (!strncmp(line, "config", 6) && (!line[6] || line[6] == '='))
		return "'config' cannot be in a file of options";
	if (!strncmp(line, "target=", 7)) {
		if (line[7] == '-' || !line[7])
			return "expected target=KIND:PLACE";
		add_word(context, xstrdup(line + 7));
	} else {
		add_word(context, xasprintf("--%s", line));
	}
	return NULL;
}

int push_config_words(char *text, size_t len, const char *path, char ***ret, size_t *ret_nr,
		      struct op_error *e)
{
	struct text_lines lines = { text, text + len, path, TEXT_LAST_ACCEPTED, 0 };
	struct words w = { NULL, 0, 0 };
	int err = text_each_line(&lines, add_line, &w, e);

	if (err) {
		push_config_free(w.list, w.nr);
		return err;
	}
	*ret = w.list;
	*ret_nr = w.nr;
	return 0;
}

void push_config_free(char **words, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		free(words[i]);
	free(words);
}

/* No words if there is no file and none was asked for. */
static int read_config(const char *given, char ***ret, size_t *ret_nr, struct op_error *e)
{
	const char *path = given ? given : PUSH_CONFIG;
	char *text;
	size_t len;
	int err = file_read_all(path, PUSH_CONFIG_MAX, &text, &len);

	*ret = NULL;
	*ret_nr = 0;
	if (err == -ENOENT && !given)
		return 0;
	if (err)
		return op_error_set(e, err, "cannot read '%s': %s", path, strerror(-err));
	err = push_config_words(text, len, path, ret, ret_nr, e);
	free(text);
	return err;
}

/* --- targets --- */

static const struct push_kind *kind_of(const char *text, size_t len)
{
	for (size_t i = 0; push_kinds[i]; i++)
		if (strlen(push_kinds[i]->name) == len && !memcmp(push_kinds[i]->name, text, len))
			return push_kinds[i];
	return NULL;
}

static char *kind_names(void)
{
	struct strbuf names = STRBUF_INIT;

	for (size_t i = 0; push_kinds[i]; i++)
		strbuf_addf(&names, "%s%s", !i ? "" : push_kinds[i + 1] ? ", " : " or ",
			    push_kinds[i]->name);
	return strbuf_steal(&names);
}

int push_target_parse(const char *text, struct push_target *ret, struct op_error *e)
{
	const char *colon = strchr(text, ':'), *equal = strchr(text, '=');
	const char *kind = equal && colon && equal < colon ? equal + 1 : text;
	struct push_target t = { .kind = NULL };
	char *names;
	int err;

	t.kind = colon ? kind_of(kind, (size_t)(colon - kind)) : NULL;
	if (!t.kind || !colon[1]) {
		names = kind_names();
		err = op_error_set(e, -EINVAL, "invalid target '%.*s': expected KIND:PLACE or "
				   "NAME=KIND:PLACE, KIND being %s",
				   (int)strcspn(text, ":"), text, names);
		free(names);
		return err;
	}
	t.name = kind == text ? xstrdup(t.kind->name)
			      : xasprintf("%.*s", (int)(equal - text), text);
	t.place = xstrdup(colon + 1);
	if (!*t.name || t.name[strspn(t.name, NAME_LETTERS)])
		err = op_error_set(e, -EINVAL, "invalid name '%s' of a target: expected lower-case "
				   "letters, digits, - and _", t.name);
	else
		err = t.kind->is_local ? 0 : http_check_url(t.place, t.kind->has_query, e);
	if (err) {
		free(t.name);
		free(t.place);
		return err;
	}
	*ret = t;
	return 0;
}

static int add_target(struct push_options *o, const char *text, struct op_error *e)
{
	struct push_target *t = &o->targets[o->nr_targets];
	int err;

	if (o->nr_targets == PUSH_TARGETS_MAX)
		return op_error_set(e, -EINVAL, "more than %d targets", PUSH_TARGETS_MAX);
	err = push_target_parse(text, t, e);
	if (err)
		return err;
	for (size_t i = 0; i < o->nr_targets; i++)
		if (!strcmp(o->targets[i].name, t->name))
			err = op_error_set(e, -EINVAL, "two targets are called '%s'; name them: "
					   "NAME=KIND:PLACE", t->name);
	o->nr_targets++;
	return err;
}

/* --- all --- */

static int parse_number(const char *option, const char *text, unsigned int otherwise,
			unsigned int max, unsigned int *ret, struct op_error *e)
{
	uint64_t n = otherwise;

	if (text && number_parse_range(text, 1, max, &n))
		return op_error_set(e, -EINVAL, "invalid value '%s' for --%s: expected 1 to %u",
				    text, option, max);
	*ret = (unsigned int)n;
	return 0;
}

static char *take(char **text)
{
	char *taken = *text;

	*text = NULL;
	return taken;
}

static int parse(const struct command_line *line, struct push_options *o, struct op_error *e)
{
	const char *credentials = getenv("CREDENTIALS_DIRECTORY");	/* systemd's */
	int err = push_rules_parse(raw.label, raw.rename, raw.drop, raw.privacy, raw.max_series,
				   &o->rules, e);

	o->once = raw.once;
	o->status = raw.status;
	o->root = take(&raw.root);
	o->ca_file = take(&raw.ca_file);
	o->credentials = raw.credentials ? take(&raw.credentials)
			 : credentials ? xstrdup(credentials) : NULL;
	o->state_dir = raw.state_dir ? take(&raw.state_dir) : xstrdup(PUSH_STATE_DIR);
	o->session_dir = xstrdup(option_session_dir_quietly(raw.session_dir, true));
	if (!err)
		err = parse_number("timeout", raw.timeout, TIMEOUT, TIMEOUT_MAX, &o->timeout_s, e);
	if (!err)
		err = parse_number("catch-up", raw.catch_up, CATCH_UP, CATCH_UP_MAX, &o->catch_up,
				   e);
	for (size_t i = 0; !err && i < line->nr_args; i++)
		err = add_target(o, line->args[i], e);
	if (!err && !o->nr_targets && !o->status)
		err = op_error_set(e, -EINVAL, "no target; specify one, as folder:/srv/profiles "
				   "or pyroscope:https://HOST (see --help)");
	return err;
}

/* The program's name, the words of the file, then the rest. */
static const char **join_words(int argc, const char **argv, char **words, size_t nr)
{
	const char **all = xcalloc((size_t)argc + nr + 1, sizeof(*all));

	all[0] = argv[0];
	for (size_t i = 0; i < nr; i++)
		all[1 + i] = words[i];
	for (int i = 1; i < argc; i++)
		all[nr + (size_t)i] = argv[i];
	return all;
}

int push_options_parse(int argc, const char **argv, struct push_options *ret, struct op_error *e)
{
	struct push_options o = { .nr_targets = 0 };
	struct command_line line;
	const char **all = NULL;
	char **words = NULL;
	size_t nr = 0;
	int err = command_line_read(&push_option_set, argc, argv, &line, e);

	o.asked = line.asked;
	if (!err && o.asked == ASKED_WORK)
		err = read_config(raw.config, &words, &nr, e);
	if (!err && nr) {
		all = join_words(argc, argv, words, nr);
		command_line_end(&push_option_set, &line);
		err = command_line_read(&push_option_set, argc + (int)nr, all, &line, e);
		o.asked = line.asked;
	}
	if (!err && o.asked == ASKED_WORK)
		err = parse(&line, &o, e);
	command_line_end(&push_option_set, &line);
	push_config_free(words, nr);
	free(all);
	*ret = o;
	return err;
}

void push_options_free(struct push_options *o)
{
	push_rules_free(&o->rules);
	for (size_t i = 0; i < o->nr_targets; i++) {
		free(o->targets[i].name);
		free(o->targets[i].place);
	}
	free(o->session_dir);
	free(o->root);
	free(o->state_dir);
	free(o->credentials);
	free(o->ca_file);
}
