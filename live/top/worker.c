// SPDX-License-Identifier: GPL-2.0-or-later
/* worker.c - events in, lines out */
#include "live/top/worker.h"

#include <string.h>

#include "libutil/clock.h"
#include "libutil/file.h"

#define COST_SHARE	100		/* a reading may take a hundredth of the time, [OT-3] */
#define WAIT_MAX_MS	10000

/* The first time that binaries are opened says nothing about the next time: the lesser of two. */
static uint32_t wait_of(uint64_t cost, uint64_t last)
{
	const uint64_t ms = (cost < last ? cost : last) * COST_SHARE / NS_PER_MS;

	return ms < WAIT_MAX_MS ? (uint32_t)ms : WAIT_MAX_MS;
}

void top_work(int from, int to, const struct top_place *place, enum demangle_style demangle)
{
	struct strbuf lines = STRBUF_INIT;
	struct top_frame frame = { .wait_ms = 0 };
	struct top_event event;
	uint64_t last = 0;
	struct top_model m;
	struct top *t;

	top_model_init(&m, 80, 24);
	t = top_new(place, demangle, &m);
	while (!m.is_over && !file_read_fd(from, &event, sizeof(event))) {
		enum top_change change = TOP_SAME_ROWS;

		if (event.type == TOP_TICK) {
			uint64_t cost;

			*m.message = '\0';
			cost = top_refresh(t, event.seconds);
			frame.wait_ms = wait_of(cost, last);
			last = cost;
			event.trouble[sizeof(event.trouble) - 1] = '\0';
			if (*event.trouble)
				memcpy(m.message, event.trouble, sizeof(m.message));
		} else if (event.type == TOP_KEY) {
			change = top_key(&m, event.a);
		} else if (event.type == TOP_CLICK) {
			change = top_click(&m, (unsigned int)event.a, (unsigned int)event.b);
		} else {
			m.width = (unsigned int)event.a;
			m.height = (unsigned int)event.b;
			change = TOP_OTHER_ROWS;
		}
		top_apply(t, change);
		strbuf_reset(&lines);
		top_print(&m, &lines);
		frame.size = (uint32_t)lines.len;
		frame.is_over = m.is_over;
		frame.is_frozen = m.is_frozen;
		if (file_write_fd(to, &frame, sizeof(frame)) ||
		    file_write_fd(to, lines.text, lines.len))
			break;
	}
	strbuf_free(&lines);
	top_free(t);
	top_model_free(&m);
}
