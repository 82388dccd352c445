/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chains - sample one command with its callers, without a daemon, and print what came
 *
 *	chains [-t] [-k] DEPTH COMMAND...
 *
 * -t: user stacks are walked by unwind tables, which it makes when they are asked for, else along
 * frame pointers. With -t what comes before the command's own table is left out. Prints a line for
 * each different chain of the command's process: how many samples had it, how it ended (enum
 * op_stack_end, and "+fp" where frame pointers were followed), and its frames, innermost first, with
 * a ';' between: functions of the command by name, those of the kernel as "[k]" or, with -k, by name,
 * "?" for others. Last a line "samples N bad M": M words that are not what doc/event-buffer.md says.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "op_abi.h"
#include "unwind_build.h"
#include "unwind_vdso.h"

#define FS OPROFILEFS_MOUNT "/"

static void die(const char *what)
{
	fprintf(stderr, "chains: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void set(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		die(file);
	close(fd);
}

/* ---- names of functions ---- */

struct symbol {
	uint64_t address;
	const char *name;
};

struct symbols {
	struct symbol *list;
	size_t nr;
};

static struct symbols program, kernel;

static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static void add_symbol(struct symbols *s, uint64_t address, const char *name)
{
	if (!(s->nr & (s->nr - 1)))
		s->list = realloc(s->list, (s->nr ? 2 * s->nr : 1) * sizeof(*s->list));
	if (!s->list)
		die("memory");
	s->list[s->nr++] = (struct symbol){ address, name };
}

static const char *name_of(const struct symbols *s, uint64_t address)
{
	size_t low = 0, high = s->nr;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (s->list[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? s->list[low - 1].name : "?";
}

static uint64_t offset_of(const char *elf, uint64_t address)
{
	const Elf64_Ehdr *e = (const void *)elf;
	const Elf64_Phdr *p = (const void *)(elf + e->e_phoff);

	for (int i = 0; i < e->e_phnum; i++)
		if (p[i].p_type == PT_LOAD && address >= p[i].p_vaddr &&
		    address < p[i].p_vaddr + p[i].p_filesz)
			return address - p[i].p_vaddr + p[i].p_offset;
	return 0;
}

/* The command's functions by their offset in its file, as samples have them. */
static void read_program(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	const Elf64_Shdr *sections;
	const Elf64_Ehdr *e;
	const char *elf;
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		die(path);
	elf = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (elf == MAP_FAILED)
		die(path);
	close(fd);
	e = (const void *)elf;
	sections = (const void *)(elf + e->e_shoff);
	for (int i = 0; i < e->e_shnum; i++) {
		const Elf64_Sym *sym = (const void *)(elf + sections[i].sh_offset);
		const char *names = elf + sections[sections[i].sh_link].sh_offset;

		if (sections[i].sh_type != SHT_SYMTAB)
			continue;
		for (size_t n = sections[i].sh_size / sizeof(*sym); n--; sym++)
			if (ELF64_ST_TYPE(sym->st_info) == STT_FUNC && sym->st_value)
				add_symbol(&program, offset_of(elf, sym->st_value),
					   names + sym->st_name);
	}
	qsort(program.list, program.nr, sizeof(*program.list), by_address);
}

static void read_kernel(void)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	unsigned long long address;
	char type, name[256];

	while (f && fscanf(f, "%llx %c %255s%*[^\n]", &address, &type, name) == 3)
		if (strchr("tTwW", type))
			add_symbol(&kernel, address, strdup(name));
	if (f)
		fclose(f);
	qsort(kernel.list, kernel.nr, sizeof(*kernel.list), by_address);
}

/* ---- the stream ---- */

static op_word *words;
static size_t nr_words;
static size_t first_told;	/* chains before are not printed */

static struct { op_word tgid, cookie; bool user; } now;
static op_word program_cookie;
static const char *program_path;
static pid_t command;
static unsigned long nr_samples, nr_bad;

static char **lines;
static size_t nr_lines;

static char line[128 * (OP_STACK_DEPTH_MAX + 1)];
static size_t line_length;

static void add_frame(op_word address, bool leaf)
{
	const char *name = "?";

	if (!now.user)
		name = kernel.nr ? name_of(&kernel, address - !leaf) : "[k]";
	else if (now.cookie == program_cookie)
		name = name_of(&program, address - !leaf);
	if (line_length < sizeof(line) - 256)
		line_length += sprintf(line + line_length, "%s%.200s", leaf ? "" : ";", name);
}

static void end_chain(op_word end, bool told)
{
	static const char *const names[NR_OP_STACK_ENDS] = {
		"complete", "truncated", "no-table", "bad-frame", "unreadable", "short-copy",
		"no-user", "untold",
	};
	op_word kind = end & OP_STACK_END_MASK;
	char *text;

	nr_samples++;
	if (kind >= NR_OP_STACK_ENDS ||
	    (end & ~(op_word)(OP_STACK_END_MASK | OP_STACK_FRAME_POINTERS))) {
		nr_bad++;
		return;
	}
	if ((pid_t)now.tgid != command || !told)
		return;
	if (asprintf(&text, "%s%s %s", names[kind], end & OP_STACK_FRAME_POINTERS ? "+fp" : "",
		     line) < 0)
		die("memory");
	lines = realloc(lines, (nr_lines + 1) * sizeof(*lines));
	if (!lines)
		die("memory");
	lines[nr_lines++] = text;
}

/* Whether the command's own file is what @cookie stands for. */
static bool is_program(int fd, op_word cookie)
{
	char name[4096];
	struct op_cookie_path ask = {
		.cookie = cookie, .buf = (op_word)(uintptr_t)name, .len = sizeof(name) };

	return !ioctl(fd, OP_IOC_COOKIE_PATH, &ask) && !strcmp(name, program_path);
}

static void cookie_switch(int fd, op_word cookie)
{
	now.cookie = cookie;
	if (cookie != OP_NO_COOKIE && !program_cookie && is_program(fd, cookie))
		program_cookie = cookie;
}

/* Decode @nr words, whole records: everything has been drained. */
static void decode(int fd, const op_word *w, size_t nr)
{
	bool in_chain = false, leaf = false;

	for (size_t i = 0; i + 1 < nr;) {
		if (w[i] != OP_ESCAPE) {
			nr_bad += !in_chain || (w[i + 1] != 0);
			if (leaf)
				line_length = 0;
			add_frame(w[i], leaf);
			leaf = false;
			i += 2;
			continue;
		}
		switch (w[i + 1]) {
		case OP_TRACE_BEGIN:
			nr_bad += in_chain;
			in_chain = leaf = true;
			i += 2;
			break;
		case OP_STACK_END:
			nr_bad += !in_chain || leaf;
			end_chain(w[i + 2], i >= first_told);
			in_chain = false;
			i += 3;
			break;
		case OP_CTX_SWITCH:
			now.tgid = w[i + 6];
			i += 7;
			break;
		case OP_CPU_SWITCH:
		case OP_WANT_TABLE:
			i += 3;
			break;
		case OP_COOKIE_SWITCH:
			cookie_switch(fd, w[i + 2]);
			i += 3;
			break;
		case OP_KERNEL_ENTER:
		case OP_USER_ENTER:
			now.user = w[i + 1] == OP_USER_ENTER;
			i += 2;
			break;
		case OP_ANON_MAP:
			i += 2 + OP_ANON_MAP_WORDS;
			break;
		case OP_MODULE_LOADED:
			i += 2;
			break;
		case OP_MODULE_RANGE:
			i += 2 + OP_MODULE_RANGE_WORDS;
			break;
		default:
			nr_bad++;
			i += 2;
		}
	}
}


static void take(int fd)
{
	static op_word piece[1 << 16];
	ssize_t n;

	while ((n = read(fd, piece, sizeof(piece))) > 0) {
		words = realloc(words, nr_words * sizeof(*words) + n);
		if (!words)
			die("memory");
		memcpy(words + nr_words, piece, n);
		nr_words += n / sizeof(*words);
	}
}

/* Make the table of what @cookie stands for, and give it to the module. */
static void give_table(int fd, op_word cookie)
{
	struct op_unwind_push push = { .cookie = cookie };
	struct op_unwind_table *table = NULL;
	struct unwind_table vdso;
	size_t len;
	int err, image;

	if (cookie == OP_COOKIE_VDSO) {
		err = unwind_vdso_table(&vdso);
		table = err ? NULL : (void *)vdso.blob;
		len = vdso.len;
	} else {
		image = ioctl(fd, OP_IOC_COOKIE_FD, &cookie);
		err = image < 0 ? -errno : unwind_build_fd(image, 64 << 20, &table, &len, NULL);
		close(image);
	}
	if (err) {
		printf("no table of %llx: %s\n", (unsigned long long)cookie, strerror(-err));
		return;
	}
	push.data = (uintptr_t)table;
	push.len = len;
	if (ioctl(fd, OP_IOC_UNWIND_TABLE, &push))
		printf("table of %llx not taken: %s\n", (unsigned long long)cookie,
		       strerror(errno));
	free(table);
	if (is_program(fd, cookie)) {
		set(FS "dump", "1");
		take(fd);
		first_told = nr_words;
	}
}

/* What has been asked for in the words from @at on. */
static void give_tables(int fd, size_t at)
{
	for (; at + 2 < nr_words; at++)
		if (words[at] == OP_ESCAPE && words[at + 1] == OP_WANT_TABLE)
			give_table(fd, words[at + 2]);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void print_lines(void)
{
	qsort(lines, nr_lines, sizeof(*lines), by_text);
	for (size_t i = 0, n; i < nr_lines; i += n) {
		for (n = 1; i + n < nr_lines && !strcmp(lines[i], lines[i + n]); n++)
			;
		printf("%zu %s\n", n, lines[i]);
	}
	printf("samples %lu bad %lu\n", nr_samples, nr_bad);
}

int main(int argc, char **argv)
{
	bool tables = false, kernel_names = false;
	size_t seen = 0;
	int fd, option, status;

	while ((option = getopt(argc, argv, "+tk")) > 0) {
		tables |= option == 't';
		kernel_names |= option == 'k';
	}
	argc -= optind;
	argv += optind;
	if (argc < 2) {
		fprintf(stderr, "usage: chains [-t] [-k] DEPTH COMMAND...\n");
		return 2;
	}
	program_path = argv[1];
	read_program(program_path);
	if (kernel_names)
		read_kernel();
	set(FS "backtrace_depth", argv[0]);
	set(FS "unwind/memory", tables ? "65536" : "0");
	fd = open(FS "buffer", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		die("buffer");
	set(FS "enable", "1");
	command = fork();
	if (!command) {
		execv(program_path, argv + 1);
		_exit(127);
	}
	do {
		take(fd);
		if (tables)
			give_tables(fd, seen);
		seen = nr_words;
		usleep(20000);
	} while (!waitpid(command, &status, WNOHANG));
	set(FS "enable", "0");
	take(fd);
	decode(fd, words, nr_words);
	print_lines();
	return status;
}
