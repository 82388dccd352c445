// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * screen.c - curses, which sends the terminal only what changed: no flicker
 *
 * What comes from the worker is not trusted: it is text, and drawn as such.
 */
#include "live/top/screen.h"

#include <curses.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libutil/channel.h"
#include "libutil/clock.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"
#include "live/top/worker.h"

#define DUMP_MS		1000	/* the daemon's time to write its samples */
#define WHEEL_ROWS	3

enum { PAIR_HOT = 1, PAIR_TITLE };

struct state {
	const struct top_screen *screen;
	int64_t last_ms, next_ms;	/* of ticks */
	bool is_over, is_frozen;
};

/* --- the worker --- */

static int look_of(char c)
{
	switch (c) {
	case 't':
		return A_BOLD | (has_colors() ? COLOR_PAIR(PAIR_TITLE) : 0);
	case 'h':
		return A_UNDERLINE;
	case 's':
		return A_REVERSE;
	case 'b':
		return A_BOLD | (has_colors() ? COLOR_PAIR(PAIR_HOT) : 0);
	case 'k':
		return A_DIM;
	}
	return A_NORMAL;
}

/* Nothing is cleared first: curses compares what is drawn with what the terminal has. */
static void draw(const char *lines)
{
	for (int y = 0; y < LINES; y++) {
		size_t n = strcspn(lines, "\n");

		move(y, 0);
		if (n) {
			attrset(look_of(*lines));
			addnstr(lines + 1, (int)n - 1);
		}
		attrset(A_NORMAL);
		clrtoeol();
		lines += n + (lines[n] == '\n');
	}
	refresh();
}

static bool exchange(struct state *s, const struct top_event *event)
{
	struct top_frame frame;
	char *lines;
	bool is_read;

	if (file_write_fd(s->screen->to, event, sizeof(*event)) ||
	    file_read_fd(s->screen->from, &frame, sizeof(frame)) || frame.size > TOP_BYTES_MAX)
		return false;
	lines = xcalloc((size_t)frame.size + 1, 1);
	is_read = !file_read_fd(s->screen->from, lines, frame.size);
	if (is_read)
		draw(lines);
	free(lines);
	s->is_over = frame.is_over;
	s->is_frozen = frame.is_frozen;
	if (event->type == TOP_TICK) {
		int64_t wait = frame.wait_ms > (uint32_t)s->screen->delay_ms
			       ? (int64_t)frame.wait_ms : s->screen->delay_ms;

		s->next_ms = now_ms() + wait;
	}
	return is_read;
}

static bool tick(struct state *s)
{
	struct top_event event = { .type = TOP_TICK };
	struct op_error why = { "" };
	int64_t now;
	int err = channel_ask(s->screen->control, "dump", DUMP_MS, NULL, &why);

	if (err == -ECONNREFUSED || err == -ENOENT)
		snprintf(event.trouble, sizeof(event.trouble), "the daemon has ended");
	else if (err)
		snprintf(event.trouble, sizeof(event.trouble), "the daemon: %.140s",
			 *why.text ? why.text : strerror(-err));
	now = now_ms();
	event.seconds = (double)(now - s->last_ms) / 1000;
	s->last_ms = now;
	return exchange(s, &event);
}

/* --- the terminal --- */

static bool send(struct state *s, int type, int a, int b)
{
	return exchange(s, &(struct top_event){ .type = type, .a = a, .b = b });
}

static int bounded(int size)
{
	return size < 1 ? 1 : size > TOP_SIZE_MAX ? TOP_SIZE_MAX : size;
}

static bool send_size(struct state *s)
{
	return send(s, TOP_RESIZE, bounded(COLS), bounded(LINES));
}

static bool send_mouse(struct state *s)
{
	bool is_sent = true;
	MEVENT m;

	if (getmouse(&m) != OK)
		return true;
	if (m.bstate & (BUTTON1_PRESSED | BUTTON1_CLICKED | BUTTON1_DOUBLE_CLICKED))
		return send(s, TOP_CLICK, m.x, m.y);
#ifdef BUTTON5_PRESSED
	for (int i = 0; i < WHEEL_ROWS && is_sent; i++)
		if (m.bstate & (BUTTON4_PRESSED | BUTTON5_PRESSED))
			is_sent = send(s, TOP_KEY,
				       m.bstate & BUTTON4_PRESSED ? TOP_UP : TOP_DOWN, 0);
#endif
	return is_sent;
}

static int key_of(int c)
{
	switch (c) {
	case KEY_UP:		return TOP_UP;
	case KEY_DOWN:		return TOP_DOWN;
	case KEY_PPAGE:		return TOP_PAGE_UP;
	case KEY_NPAGE:		return TOP_PAGE_DOWN;
	case KEY_HOME:		return TOP_HOME;
	case KEY_END:		return TOP_END;
	case KEY_LEFT:		return TOP_ESCAPE;
	case KEY_RIGHT:
	case KEY_ENTER:
	case '\r':		return TOP_ENTER;
	case KEY_BACKSPACE:
	case '\b':		return TOP_BACKSPACE;
	}
	return c;
}

/* All that was typed so far. */
static bool send_keys(struct state *s)
{
	bool is_sent = true;
	int c;

	while (is_sent && !s->is_over && (c = getch()) != ERR) {
		if (c == KEY_RESIZE)
			is_sent = send_size(s);
		else if (c == KEY_MOUSE)
			is_sent = send_mouse(s);
		else if (c == '\f')
			clearok(curscr, TRUE);
		else if (key_of(c) <= TOP_END)
			is_sent = send(s, TOP_KEY, key_of(c), 0);
	}
	return is_sent;
}

static bool run(struct state *s)
{
	struct pollfd terminal = { STDIN_FILENO, POLLIN, 0 };
	bool is_well = send_size(s) && tick(s);

	while (is_well && !s->is_over) {
		const int64_t left = s->next_ms - now_ms();
		int n = poll(&terminal, 1, s->is_frozen ? -1 : left > 0 ? (int)left : 0);

		if (n > 0 && !(terminal.revents & POLLIN))
			return true;	/* the terminal is gone */
		/* after a signal, too: curses tells that the size changed */
		is_well = send_keys(s);
		if (is_well && !s->is_over && !s->is_frozen && now_ms() >= s->next_ms)
			is_well = tick(s);
	}
	return is_well;
}

int top_screen_run(const struct top_screen *screen, struct op_error *e)
{
	struct state s = { .screen = screen, .last_ms = now_ms() };
	SCREEN *terminal = newterm(NULL, stdout, stdin);
	const char *type = getenv("TERM");
	bool is_well;

	if (!terminal)
		return op_error_set(e, -ENOTTY, "cannot use a terminal of type '%s'; set TERM",
				    type ? type : "");
	cbreak();
	noecho();
	nonl();
	curs_set(0);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(50);
	mouseinterval(0);
	mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED
#ifdef BUTTON5_PRESSED
		  | BUTTON5_PRESSED
#endif
		  , NULL);
	if (screen->color && has_colors()) {
		start_color();
		use_default_colors();
		init_pair(PAIR_HOT, COLOR_RED, -1);
		init_pair(PAIR_TITLE, COLOR_CYAN, -1);
	}
	is_well = run(&s);
	endwin();
	delscreen(terminal);
	return is_well ? 0 : op_error_set(e, -EPIPE, "the process that reads samples has ended");
}
