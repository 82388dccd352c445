// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * control.c - connections on the control socket: read a request, run it, write the answer
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "daemon/control.h"
#include "daemon/control_requests.h"
#include "libutil/channel.h"
#include "libutil/clock.h"
#include "libutil/log.h"
#include "libutil/opener/ask.h"
#include "libutil/xalloc.h"

#define REQUEST_MS	5000	/* for a peer to send its whole request */
#define ANSWER_MS	10000	/* for a peer to read its whole answer */
#define DUMP_MS		100	/* between two dumps for users who are not owners */
#define NAMES_MS	5000	/* how long a dump waits for symbols of JIT code */
#define STATUS_MS	100	/* maximum age of the status that they get */
#define OTHERS_MAX	12	/* their connections */
#define ACCEPT_PAUSE_MS	1000	/* after accept() failed */

enum peer_state {
	PEER_FREE,
	PEER_ASKING,
	PEER_WAITS,			/* until the recorder is no longer busy */
	PEER_RUNNING,			/* its request keeps the recorder busy */
	PEER_WANTS_DUMP,
	PEER_GETS_DUMP,			/* its request keeps the recorder busy */
	PEER_WANTS_SHUTDOWN,
	PEER_ANSWERED,
};

struct peer {
	enum peer_state state;
	int fd;
	uid_t uid;
	pid_t pid;
	bool owner;			/* root or the daemon's own user: may request everything */
	int64_t deadline, since;	/* ms */
	char line[CHANNEL_LINE_MAX + 1];
	size_t len;
	struct strbuf answer;
	size_t sent;
};

struct control {
	struct control_config config;
	char *path;
	int fd;
	int64_t accept_at, dump_at;	/* ms: not before these */
	struct strbuf recent;		/* the cached status for users who are not owners */
	int64_t recent_until;
	struct peer peers[CONTROL_MAX_PEERS];
	bool shutdown_requested;
	bool busy;			/* with control_serve_busy() */
};

int control_open(const struct control_config *config, struct control **ret, struct op_error *e)
{
	struct control *c = xcalloc(1, sizeof(*c));

	c->config = *config;
	c->recent = (struct strbuf)STRBUF_INIT;
	c->path = session_control_path(config->session_dir);
	c->fd = config->listening ? config->listening : channel_listen(c->path, 0666, e);
	if (c->fd < 0) {
		int err = c->fd;

		free(c->path);
		free(c);
		return err;
	}
	*ret = c;
	return 0;
}

static void hang_up(struct peer *p)
{
	if (p->state == PEER_FREE)
		return;
	close(p->fd);
	strbuf_free(&p->answer);
	p->state = PEER_FREE;
}

void control_stop_listening(struct control *c)
{
	if (c->fd < 0)
		return;
	(void)opener_remove(c->path);
	close(c->fd);
	c->fd = -1;
}

void control_close(struct control *c)
{
	if (!c)
		return;
	for (int i = 0; i < CONTROL_MAX_PEERS; i++)
		hang_up(&c->peers[i]);
	control_stop_listening(c);
	strbuf_free(&c->recent);
	free(c->path);
	free(c);
}

/* Answers */

static void send_some(struct peer *p)
{
	while (p->sent < p->answer.len) {
		ssize_t n = send(p->fd, p->answer.text + p->sent, p->answer.len - p->sent,
				 MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n < 0)
			break;
		p->sent += n;
	}
	hang_up(p);	/* one request per connection */
}

static void answer(struct peer *p, int err, const struct op_error *e)
{
	if (!err) {
		strbuf_add(&p->answer, "ok\n");
	} else {
		strbuf_reset(&p->answer);
		strbuf_add(&p->answer, "error ");
		answer_add_line(&p->answer, e->text[0] ? e->text : strerror(-err));
	}
	p->state = PEER_ANSWERED;
	p->deadline = now_ms() + ANSWER_MS;
	send_some(p);
}

/* Requests */

static int run_now(struct control *c, const struct request *request, const char *argument,
		   struct peer *p, struct op_error *e)
{
	int err;

	if (p->owner || request->answer != ANSWER_RECENT)
		return request->run(&c->config, argument, &p->answer, e);
	if (now_ms() >= c->recent_until) {
		strbuf_reset(&c->recent);
		err = request->run(&c->config, argument, &c->recent, e);
		if (err)
			return err;
		c->recent_until = now_ms() + STATUS_MS;
	}
	strbuf_add(&p->answer, c->recent.text);
	return 0;
}

static void run_request(struct control *c, struct peer *p, char *line)
{
	struct op_error e = { "" };
	const struct request *request;
	const char *argument;
	int err;

	request = request_find(line, &argument);
	err = request_check(request, line, argument, p->owner, &e);
	if (!err && c->busy && !request->while_busy) {
		p->state = PEER_WAITS;
		return;
	}
	log_about(LOG_MISC, "request '%.60s' of user %d, pid %d%s", line, (int)p->uid, (int)p->pid,
		  err ? ": refused" : "");
	if (!err && !request->run) {
		p->state = request->answer == ANSWER_DUMPED ? PEER_WANTS_DUMP : PEER_WANTS_SHUTDOWN;
		p->since = now_ms();
		c->shutdown_requested |= p->state == PEER_WANTS_SHUTDOWN;
		return;
	}
	p->state = PEER_RUNNING;
	if (!err)
		err = run_now(c, request, argument, p, &e);
	answer(p, err, &e);
}

static void read_some(struct control *c, struct peer *p)
{
	ssize_t n = read(p->fd, p->line + p->len, CHANNEL_LINE_MAX - p->len);
	struct op_error e;
	char *end;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		hang_up(p);
		return;
	}
	end = memchr(p->line + p->len, '\n', n);
	p->len += n;
	if (end) {
		*end = '\0';
		run_request(c, p, p->line);
	} else if (p->len == CHANNEL_LINE_MAX) {
		answer(p,
		       op_error_set(&e, -EINVAL, "request too long: at most %d characters",
				    CHANNEL_LINE_MAX),
		       &e);
	}
}

/*
 * One dump answers all peers that wait. Users who are not owners must not keep the daemon busy:
 * if only they wait, there is one dump in DUMP_MS.
 */
static void serve_dumps(struct control *c)
{
	struct op_error e = { "" };
	bool any = false, owner = false;
	int err;

	for (int i = 0; i < CONTROL_MAX_PEERS; i++)
		if (c->peers[i].state == PEER_WANTS_DUMP) {
			any = true;
			owner |= c->peers[i].owner;
		}
	if (!any || (!owner && now_ms() < c->dump_at))
		return;
	for (int i = 0; i < CONTROL_MAX_PEERS; i++)
		if (c->peers[i].state == PEER_WANTS_DUMP)
			c->peers[i].state = PEER_GETS_DUMP;
	err = recorder_dump(c->config.recorder, &e);
	c->dump_at = now_ms() + DUMP_MS;
	for (int i = 0; i < CONTROL_MAX_PEERS; i++)
		if (c->peers[i].state == PEER_GETS_DUMP)
			answer(&c->peers[i], err, &e);
}

static bool waits_long_for_dump(const struct peer *p)
{
	return (p->state == PEER_WANTS_DUMP || p->state == PEER_GETS_DUMP) &&
	       now_ms() - p->since >= NAMES_MS;
}

/* While files of JIT code are read, which may take minutes. All samples are written then. */
static void serve_late_dumps(struct control *c)
{
	struct op_error e = { "" };
	bool any = false;
	int err;

	for (int i = 0; i < CONTROL_MAX_PEERS; i++)
		any |= waits_long_for_dump(&c->peers[i]);
	if (!any || now_ms() < c->dump_at)
		return;
	err = recorder_dump_samples(c->config.recorder, &e);
	if (err == -EBUSY)
		return;
	c->dump_at = now_ms() + DUMP_MS;
	for (int i = 0; i < CONTROL_MAX_PEERS; i++)
		if (waits_long_for_dump(&c->peers[i])) {
			strbuf_add(&c->peers[i].answer, "pending names\n");
			answer(&c->peers[i], err, &e);
		}
}

/* Connections */

/* The oldest connection: of users who are not owners, or of those that sent no request yet. */
static struct peer *oldest(struct control *c, bool others)
{
	struct peer *found = NULL;

	for (int i = 0; i < CONTROL_MAX_PEERS; i++) {
		struct peer *p = &c->peers[i];

		if (others ? p->state == PEER_FREE || p->owner : p->state != PEER_ASKING)
			continue;
		if (!found || p->since < found->since)
			found = p;
	}
	return found;
}

static int nr_others(const struct control *c)
{
	int nr = 0;

	for (int i = 0; i < CONTROL_MAX_PEERS; i++)
		nr += c->peers[i].state != PEER_FREE && !c->peers[i].owner;
	return nr;
}

/*
 * A free place for one more peer, if need be made by closing another connection. Users who are not
 * owners have only some of the places and give way to owners, so that they cannot lock owners out;
 * after them a connection without a request gives way.
 */
static struct peer *make_room(struct control *c, bool owner)
{
	struct peer *victim = NULL;

	if (!owner && nr_others(c) >= OTHERS_MAX)
		victim = oldest(c, true);
	for (int i = 0; i < CONTROL_MAX_PEERS && !victim; i++)
		if (c->peers[i].state == PEER_FREE)
			return &c->peers[i];
	if (!victim && owner)
		victim = oldest(c, true);
	if (!victim && owner)
		victim = oldest(c, false);
	if (victim)
		hang_up(victim);
	return victim;
}

static void accept_peers(struct control *c)
{
	struct peer *p;
	uid_t uid;
	pid_t pid;
	int fd;

	/* bounded, so that a burst of connections does not starve those that are open */
	for (int i = 0; i < CONTROL_MAX_PEERS; i++) {
		bool owner;

		fd = channel_accept(c->fd, &uid, &pid);
		if (fd == -EAGAIN)
			return;
		if (fd < 0) {
			c->accept_at = now_ms() + ACCEPT_PAUSE_MS;
			log_about(LOG_MISC, "cannot accept a connection: %s", strerror(-fd));
			return;
		}
		owner = uid == 0 || uid == geteuid();
		p = make_room(c, owner);
		if (!p) {
			close(fd);
			continue;
		}
		*p = (struct peer) {
			.state = PEER_ASKING, .fd = fd, .uid = uid, .pid = pid, .owner = owner,
			.since = now_ms(), .deadline = now_ms() + REQUEST_MS, .answer = STRBUF_INIT,
		};
	}
}

static void limit_timeout(int *timeout_ms, int64_t at)
{
	int64_t left = at - now_ms();

	if (left < 0)
		left = 0;
	if (*timeout_ms < 0 || left < *timeout_ms)
		*timeout_ms = left;
}

int control_poll(struct control *c, struct pollfd *fds, int *timeout_ms)
{
	int nr = 1;

	fds[0] = (struct pollfd) { .fd = c->fd, .events = POLLIN };
	if (c->accept_at > now_ms()) {
		fds[0].fd = -1;
		limit_timeout(timeout_ms, c->accept_at);
	}
	for (int i = 0; i < CONTROL_MAX_PEERS; i++, nr++) {
		const struct peer *p = &c->peers[i];

		fds[nr] = (struct pollfd) { .fd = -1 };
		if (p->state == PEER_ASKING || p->state == PEER_ANSWERED) {
			fds[nr].fd = p->fd;
			fds[nr].events = p->state == PEER_ASKING ? POLLIN : POLLOUT;
			limit_timeout(timeout_ms, p->deadline);
		} else if (p->state == PEER_WAITS) {
			*timeout_ms = 0;
		} else if (p->state == PEER_WANTS_DUMP) {
			limit_timeout(timeout_ms, c->dump_at);
		}
	}
	return nr;
}

/* Those that came while the recorder was busy. */
static void run_waiting(struct control *c)
{
	for (int i = 0; i < CONTROL_MAX_PEERS; i++)
		if (c->peers[i].state == PEER_WAITS)
			run_request(c, &c->peers[i], c->peers[i].line);
}

static bool is_late(const struct peer *p)
{
	return (p->state == PEER_ASKING || p->state == PEER_ANSWERED) && now_ms() >= p->deadline;
}

/* The daemon itself may be late, after writing samples: read what has arrived, then check. */
static void serve_peers(struct control *c, const struct pollfd *fds, int nr)
{
	for (int i = 1; i < nr; i++) {
		struct peer *p = &c->peers[i - 1];

		if (fds[i].fd < 0 || p->state == PEER_FREE)
			continue;
		if (!fds[i].revents && !is_late(p))
			continue;
		if (p->state == PEER_ASKING)
			read_some(c, p);
		else if (p->state == PEER_ANSWERED)
			send_some(p);
		if (is_late(p))
			hang_up(p);
	}
	if (nr && fds[0].revents)
		accept_peers(c);
}

void control_serve(struct control *c, const struct pollfd *fds, int nr)
{
	run_waiting(c);
	serve_peers(c, fds, nr);
	serve_dumps(c);
}

void control_serve_busy(struct control *c)
{
	struct pollfd fds[CONTROL_MAX_FDS];
	int timeout = 0, nr = control_poll(c, fds, &timeout);

	c->busy = true;
	if (poll(fds, (nfds_t)nr, 0) >= 0)
		serve_peers(c, fds, nr);
	serve_late_dumps(c);
	c->busy = false;
}

bool control_shutdown_requested(const struct control *c)
{
	return c->shutdown_requested;
}

void control_answer_shutdown(struct control *c, int err, const struct op_error *e)
{
	for (int i = 0; i < CONTROL_MAX_PEERS; i++) {
		struct peer *p = &c->peers[i];

		if (p->state != PEER_WANTS_SHUTDOWN)
			continue;
		answer(p, err, e);
		if (p->state == PEER_ANSWERED) {
			poll(&(struct pollfd) { .fd = p->fd, .events = POLLOUT }, 1, 1000);
			send_some(p);
		}
	}
}
