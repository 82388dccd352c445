// SPDX-License-Identifier: GPL-2.0-or-later
/* log.c - the daemon's log file and its topics */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "libutil/file.h"
#include "libutil/local_time.h"
#include "libutil/log.h"
#include "libutil/plain_text.h"
#include "libutil/service_manager.h"
#include "libutil/strbuf.h"
#include "libutil/xalloc.h"

unsigned int log_topics;

static int fd = STDERR_FILENO;
static char *file_path;

static const struct {
	const char *word;
	unsigned int topics;
} words[] = {
	{"all", LOG_ALL},	{"sfile", LOG_SFILE}, {"arcs", LOG_ARCS}, {"samples", LOG_SAMPLES},
	{"module", LOG_MODULE}, {"misc", LOG_MISC},   {"ext", LOG_EXT},
};

static unsigned int topics_of(const char *word, size_t len)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i].word) == len && !memcmp(words[i].word, word, len))
			return words[i].topics;
	return 0;
}

int log_topics_parse(const char *list, unsigned int *ret, struct op_error *e)
{
	unsigned int all = 0;

	for (;;) {
		size_t len = strcspn(list, ",");
		unsigned int topics = topics_of(list, len);

		if (!topics)
			return op_error_set(e, -EINVAL, "unknown verbose option '%.*s': expected "
					    "all, sfile, arcs, samples, module, misc or ext",
					    (int)len, list);
		all |= topics;
		if (!list[len])
			break;
		list += len + 1;
	}
	*ret = all;
	return 0;
}

static int open_append(const char *path)
{
	int new = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
		       0644);

	return new < 0 ? -errno : new;
}

int log_open(const char *path, struct op_error *e)
{
	int new = open_append(path);

	if (new < 0)
		return op_error_set(e, new, "cannot open log file '%s': %s", path, strerror(-new));
	log_close();
	fd = new;
	file_path = xstrdup(path);
	return 0;
}

void log_reopen(void)
{
	int new;

	if (!file_path)
		return;
	new = open_append(file_path);
	if (new < 0)
		return;
	close(fd);
	fd = new;
}

void log_close(void)
{
	if (file_path)
		close(fd);
	fd = STDERR_FILENO;
	free(file_path);
	file_path = NULL;
}

int log_fd(void)
{
	return fd;
}

void log_text(const char *text)
{
	(void)!file_write_fd(fd, text, strlen(text));
}

/* Lines of the journal have one already. */
static void add_time(struct strbuf *line)
{
	char when[LOG_DATE_SIZE];

	if (!service_is_journal(fd) &&
	    local_time(time(NULL), "%Y-%m-%d %H:%M:%S ", when, sizeof(when)))
		strbuf_add(line, when);
}

void log_line(const char *format, ...)
{
	struct strbuf line = STRBUF_INIT;
	va_list args;

	add_time(&line);
	va_start(args, format);
	strbuf_vaddf(&line, format, args);
	va_end(args);
	plain_text(line.text, line.len);
	strbuf_add_char(&line, '\n');
	log_text(line.text);
	strbuf_free(&line);
}

const char *log_date(char text[LOG_DATE_SIZE])
{
	if (!local_time(time(NULL), "%a %b %e %H:%M:%S %Y", text, LOG_DATE_SIZE))
		*text = '\0';
	return text;
}
