// SPDX-License-Identifier: GPL-2.0-or-later
/* imported.c - any text as stats/imported of a session that is exported */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libdb/session/session.h"
#include "libutil/file.h"
#include "pp/exchange/export/profile.h"
#include "pp/exchange/import/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char dir[] = "/tmp/fuzz-imported-XXXXXX";
static char *path;

static void remove_dir(void)
{
	file_remove_tree(dir);
}

static uint32_t place(struct profile *p, uint32_t image, uint64_t address, const char *name)
{
	struct profile_function f = { .name = profile_string(p, name) };
	struct profile_line line = { .function = profile_function(p, &f) };

	return profile_place(p, image, address, &line, 1);
}

static void prepare(void)
{
	const struct import_session_options how = {
		.session_dir = dir, .name = SESSION_CURRENT, .origin = "fuzz"
	};
	struct profile *p = profile_new();
	const struct profile_event event = { profile_string(p, "cpu"),
					     profile_string(p, "nanoseconds"), 1000, 0 };
	const struct profile_image image = { .path = profile_string(p, "/no/prog"),
					     .start = 0x400000, .limit = 0x500000 };
	struct import_session_sums sums;
	struct notices notices = { 0 };
	uint32_t nodes[3];

	if (!mkdtemp(dir))
		abort();
	atexit(remove_dir);
	profile_add_event(p, &event);
	profile_add_image(p, &image);
	nodes[0] = place(p, 0, 0x401000, "leaf");
	nodes[1] = place(p, 0, 0x402000, "main");
	nodes[2] = place(p, PROFILE_NONE, 0x10, "nowhere");
	profile_add_sample(p, profile_stack(p, nodes, 3), 0)[0] = 5;
	profile_add_sample(p, profile_stack(p, nodes + 2, 1), 0)[0] = 3;
	if (import_session(p, &how, &sums, &notices, &(struct op_error){ "" }))
		abort();
	notices_free(&notices);
	profile_free(p);
	path = session_stats_path(dir, SESSION_CURRENT, "imported");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct profile_spec spec = { 0 };
	const struct spec_list none = { 0 };
	const struct merge nothing = { 0 };
	const struct collect_options collecting = { .session_dir = dir, .spec = &spec,
		.merge = &nothing, .image_path = &none, .files_only = true };
	const struct export_options exporting = { .symbols = true };
	struct notices notices = { 0 };
	struct profile *p = NULL;
	struct collection c;

	if (!path)
		prepare();
	if (file_write_atomic(path, data, size, 0600) ||
	    collect(&collecting, &c, &notices, NULL) ||
	    export_profile(&c, &exporting, &p, &notices, NULL))
		abort();
	if (profile_total(p, 0) + (p->nr_events > 1 ? profile_total(p, 1) : 0) != 8)
		abort();	/* whatever else is wrong, numbers are the sample files' */
	profile_free(p);
	collection_free(&c);
	notices_free(&notices);
	return 0;
}
