// SPDX-License-Identifier: GPL-2.0-or-later
/* path.c - split, join and resolve paths */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "libutil/file.h"
#include "libutil/strbuf.h"
#include "libutil/xalloc.h"

const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

char *path_join(const char *dir, const char *name)
{
	size_t n = strlen(dir);

	while (n > 1 && dir[n - 1] == '/')
		n--;
	while (*name == '/')
		name++;
	return xasprintf("%.*s%s%s", (int)n, dir, n && dir[n - 1] == '/' ? "" : "/", name);
}

/* Append the components of @rest to the absolute path @out, resolving "." and "..". */
static void add_components(struct strbuf *out, const char *rest)
{
	while (*rest) {
		size_t n = strcspn(rest, "/");

		if (n == 2 && !memcmp(rest, "..", 2)) {
			strbuf_truncate(out, (size_t)(path_base(out->text) - out->text));
			if (out->len > 1)
				strbuf_truncate(out, out->len - 1);
		} else if (n && !(n == 1 && *rest == '.')) {
			if (out->len > 1)
				strbuf_add_char(out, '/');
			strbuf_add_bytes(out, rest, n);
		}
		rest += n;
		rest += *rest == '/';
	}
}

/*
 * realpath() resolves the longest leading part that exists; the rest is only normalized, so that
 * an image that was removed still has one spelling of its path.
 */
char *path_absolute(const char *path)
{
	struct strbuf out = STRBUF_INIT;
	char *cwd = NULL, *whole, *real;
	size_t cut;

	if (*path != '/') {
		cwd = getcwd(NULL, 0);
		if (!cwd)
			return NULL;
	}
	whole = path_join(cwd ? cwd : "/", path);
	free(cwd);
	for (cut = strlen(whole);;) {
		char saved = whole[cut];

		whole[cut] = '\0';
		real = realpath(cut ? whole : "/", NULL);
		whole[cut] = saved;
		if (real || !cut)
			break;
		while (cut && whole[--cut] != '/')
			;
	}
	strbuf_add(&out, real ? real : "/");
	add_components(&out, whole + cut);
	free(real);
	free(whole);
	return strbuf_steal(&out);
}

char *path_program_dir(void)
{
	char *self = realpath("/proc/self/exe", NULL);

	if (!self)
		return xstrdup(".");
	self[path_base(self) - self] = '\0';
	if (self[1])
		self[strlen(self) - 1] = '\0';
	return self;
}
