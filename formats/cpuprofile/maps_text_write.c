// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * maps_text_write.c - images at addresses, as lines of /proc/PID/maps
 *
 * Those lines have no room for a build-id; the brief form, which Go's pprof reads, has. So an image
 * with a build-id has both, and which comes first is which a reader takes: google-pprof, which
 * reads brief lines of libraries as if they were mapped from the file's first byte, must not see
 * that one first if they are not [GC-22].
 */
#include <string.h>

#include "formats/cpuprofile/maps_text.h"

/* As the kernel does it: a newline would end the line. */
static void write_path(const char *path, FILE *out)
{
	for (; *path; path++)
		if (*path == '\n')
			fputs("\\012", out);
		else
			putc(*path, out);
}

static void write_full(const struct profile_image *image, const char *path, FILE *out)
{
	fprintf(out, "%08llx-%08llx r-xp %08llx 00:00 %-11d ", (unsigned long long)image->start,
		(unsigned long long)image->limit, (unsigned long long)image->offset, 0);
	write_path(path, out);
	putc('\n', out);
}

static void write_brief(const struct profile *p, const struct profile_image *image,
			const char *path, FILE *out)
{
	const char *build_id = profile_text(p, image->build_id);

	if (!*build_id || !*path || strpbrk(path, " \t\n"))
		return;
	fprintf(out, "%08llx-%08llx: %s (@%llx) %s\n", (unsigned long long)image->start,
		(unsigned long long)image->limit, path, (unsigned long long)image->offset,
		build_id);
}

void maps_text_write(const struct profile *p, const bool *wanted, FILE *out)
{
	for (uint32_t i = 0; i < p->nr_images; i++) {
		const struct profile_image *image = &p->images[i];
		const char *path = profile_text(p, image->path);
		bool brief_last = image->offset && strstr(path, ".so");

		if (image->start >= image->limit || (wanted && !wanted[i]))
			continue;
		if (!brief_last)
			write_brief(p, image, path, out);
		write_full(image, path, out);
		if (brief_last)
			write_brief(p, image, path, out);
	}
}
