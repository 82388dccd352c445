// SPDX-License-Identifier: GPL-2.0-or-later
/* images.c - symbols and debug information of the images with most samples */
#include "control/opdoctor/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/file.h"
#include "libutil/number.h"
#include "libutil/xalloc.h"
#include "pp/binary/binary.h"
#include "pp/binary/debug_server.h"
#include "pp/binary/object_file.h"
#include "pp/report/missing_symbols.h"
#include "pp/report/populate.h"
#include "pp/select/samples.h"

#define HOTTEST		5

uint64_t samples_of_file(const struct arranged_file *file)
{
	struct notices ignored = { 0 };
	struct sample_header header;
	uint64_t n;

	if (samples_count_file(file, &header, &n, &ignored))
		n = 0;
	notices_free(&ignored);
	return n;
}

uint64_t samples_of_image(const struct inverted_image *image)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < image->nr_apps; i++)
		for (size_t k = 0; k < image->apps[i].nr; k++)
			sum += samples_of_file(image->apps[i].files[k]);
	return sum;
}

static bool has_lines(const char *path)
{
	struct object_file f;
	bool has;

	if (!path || object_file_open(path, &f, NULL))
		return false;
	has = object_section_find(&f, ".debug_info") || object_section_find(&f, ".zdebug_info");
	object_file_close(&f);
	return has;
}

/* The server of this distribution, which may not be configured. */
static const char *server_of(const struct machine *m)
{
	static const char *const servers[][2] = {
		{ "debian", "https://debuginfod.debian.net" },
		{ "ubuntu", "https://debuginfod.ubuntu.com" },
		{ "fedora", "https://debuginfod.fedoraproject.org" },
		{ "arch", "https://debuginfod.archlinux.org" },
		{ "centos", "https://debuginfod.centos.org" },
	};
	char *path = machine_path(m, "/etc/os-release"), *text = NULL;
	const char *ret = "https://debuginfod.elfutils.org", *id = NULL;

	if (!file_read_all(path, 1 << 16, &text, NULL))
		id = strncmp(text, "ID=", 3) ? strstr(text, "\nID=") : text;
	for (size_t i = 0; id && i < sizeof(servers) / sizeof(servers[0]); i++) {
		const char *value = strchr(id, '=') + 1;
		size_t len = strlen(servers[i][0]);

		value += *value == '"';
		if (!strncmp(value, servers[i][0], len) && strchr("\"\n", value[len]))
			ret = servers[i][1];
	}
	free(text);
	free(path);
	return ret;
}

static void advise_debug(const struct machine *m, struct findings *f)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	if (urls && *urls)
		finding_advise(f, "install its debug symbol package; if the server in "
			       "DEBUGINFOD_URLS has it, reports fetch it by themselves");
	else
		finding_advise(f, "install its debug symbol package, or let reports fetch it: "
			       "export DEBUGINFOD_URLS=%s", server_of(m));
}

static void add_file(const struct machine *m, const struct report_image *image,
		     const struct binary *b, const char *share, struct findings *f)
{
	if (b->from == SYMBOLS_SNAPSHOT) {
		finding_add(f, VERDICT_OK, "hot image", "%s of '%s': functions have names, from "
			    "the session", share, image->name);
	} else if (b->from == SYMBOLS_NONE || b->from == SYMBOLS_DYNAMIC) {
		finding_add(f, VERDICT_POOR, "hot image", "%s of '%s': stripped, and no debug "
			    "file: %s", share, image->name, b->from == SYMBOLS_NONE
			    ? "functions have no names" : "only exported functions have names");
		advise_debug(m, f);
	} else if (has_lines(image->found) || has_lines(b->debug_path)) {
		finding_add(f, VERDICT_OK, "hot image", "%s of '%s': names and source lines",
			    share, image->name);
	} else {
		finding_add(f, VERDICT_OK, "hot image", "%s of '%s': functions have names; no "
			    "source lines", share, image->name);
		if (image->kind == IMAGE_FILE)
			advise_debug(m, f);
	}
}

static void add_image(const struct machine *m, struct collection *c,
		      const struct inverted_image *inverted, const char *share,
		      struct findings *f)
{
	const struct populate_options options = { .root = c->root };
	const struct report_image *image = inverted->image;
	struct notices notices = { 0 };
	struct binary b;

	populate_open_image(inverted, &options, c->finder, &b, &notices);
	if (b.from == SYMBOLS_SNAPSHOT || b.is_file) {
		add_file(m, image, &b, share, f);
	} else if (image->is_kernel) {
		finding_add(f, VERDICT_POOR, "hot image", "%s of '%s': the kernel's functions have "
			    "no names", share, image->name);
		finding_advise(f, "opreport -l --verbose prints why");
	} else if (image->kind == IMAGE_FILE) {
		finding_add(f, VERDICT_POOR, "hot image", "%s of '%s': the file is not here", share,
			    image->name);
		finding_advise(f, "name a folder that has it with opreport --image-path=");
	} else {
		finding_add(f, VERDICT_NOTE, "hot image", "%s of '%s': code made at run time",
			    share, image->name);
	}
	binary_close(&b);
	notices_free(&notices);
}

static void probe_debug_server(struct findings *f)
{
	struct debug_server *server;
	struct op_error e = { "" };
	int err = debug_server_open(&server, &e);

	if (err == -ENOENT) {
		finding_add(f, VERDICT_NOTE, "debuginfod", "DEBUGINFOD_URLS is not set: debug "
			    "files are not fetched");
	} else if (err) {
		finding_add(f, VERDICT_POOR, "debuginfod", "%.*s", (int)strcspn(e.text, ";"),
			    e.text);
		finding_advise(f, "install libdebuginfod1");
	} else {
		finding_add(f, VERDICT_OK, "debuginfod", "reports fetch missing debug files from "
			    "%s", getenv("DEBUGINFOD_URLS"));
		debug_server_close(server);
	}
}

void probe_images(const struct machine *m, struct collection *c, const struct inversion *inversion,
		  uint64_t total, struct findings *f)
{
	uint64_t *samples = xcalloc(inversion->nr_images + 1, sizeof(*samples));

	for (size_t i = 0; i < inversion->nr_images; i++)
		samples[i] = samples_of_image(&inversion->images[i]);
	for (int n = 0; n < HOTTEST && inversion->nr_images; n++) {
		char share[PERCENT_TEXT];
		size_t best = 0;

		for (size_t i = 1; i < inversion->nr_images; i++)
			if (samples[i] > samples[best])
				best = i;
		if (!image_is_worth_a_line((double)samples[best], (double)total))
			break;
		number_format_percent(share, (double)samples[best], (double)total);
		add_image(m, c, &inversion->images[best], share, f);
		samples[best] = 0;
	}
	free(samples);
	probe_debug_server(f);
}
