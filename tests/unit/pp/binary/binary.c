/* SPDX-License-Identifier: GPL-2.0-or-later */
/* binary.c - read this program's own symbols, and check the rules with a made-up table */
#include "tests/tap.h"

#include "pp/binary/binary.h"
#include "pp/binary/demangle_name.h"
#include "pp/binary/shorten_name.h"

static const struct code_symbol *find(const struct binary *b, const char *name)
{
	for (size_t i = 0; i < b->nr_symbols; i++)
		if (!strcmp(b->symbols[i].name, name))
			return &b->symbols[i];
	return NULL;
}

TEST(own_symbols)
{
	struct binary_options options = { .root = "" };
	struct op_error e = { "" };
	const struct code_symbol *s;
	struct binary b;

	CHECK(!binary_open("/proc/self/exe", &options, &b, &e), "%s", e.text);
	CHECK(b.from == SYMBOLS_TABLE && b.is_file, "from .symtab");
	s = find(&b, "main");
	CHECK(s && s->end > s->start && s->section != UINT32_MAX, "main");
	for (size_t i = 1; i < b.nr_symbols; i++)
		CHECK(b.symbols[i - 1].end <= b.symbols[i].start, "no overlap at %zu", i);
	binary_close(&b);
}

TEST(linkage_table)
{
#if defined(__x86_64__) || defined(__aarch64__)
	struct binary_options options = { .root = "" };
	size_t nr_entries = 0;
	struct op_error e;
	struct binary b;

	CHECK(!binary_open("/proc/self/exe", &options, &b, &e), "open");
	for (size_t i = 0; i < b.nr_symbols; i++) {
		const char *name = b.symbols[i].name, *at = strstr(name, "@plt");

		if (at && !at[4]) {
			CHECK(b.symbols[i].end - b.symbols[i].start <= 16, "%s", name);
			nr_entries++;
		}
	}
	CHECK(nr_entries > 5, "%zu entries", nr_entries);
	binary_close(&b);
	options.compat = true;
	CHECK(!binary_open("/proc/self/exe", &options, &b, &e), "open");
	CHECK(!find(&b, "malloc@plt"), "none in compatibility mode");
	binary_close(&b);
#endif
}

TEST(not_object_files)
{
	static const char *const paths[] = { "/dev/null", "/etc/passwd", "/", "/no/such/file" };
	struct binary_options options = { .root = "" };

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct op_error e = { "" };
		struct binary b;

		CHECK(binary_open(paths[i], &options, &b, &e) < 0, "%s", paths[i]);
		CHECK(*e.text, "%s: a reason", paths[i]);
	}
}

/* A label is a symbol, unless it lies in a function that has a size. */
TEST(labels)
{
	struct code_symbol symbols[] = {
		{ .start = 10, .end = 30, .name = "f" },
		{ .start = 20, .name = "in_f", .is_label = true },
		{ .start = 40, .name = "lone", .is_label = true },
		{ .start = 50, .end = 55, .name = "g" },
	};
	struct code_section section = { .start = 0, .end = 100, .name = ".text" };
	struct binary b = { .symbols = symbols, .nr_symbols = 4, .sections = &section,
			    .nr_sections = 1 };

	binary_finish(&b);
	CHECK(b.nr_symbols == 3 && !strcmp(b.symbols[1].name, "lone"), "%zu", b.nr_symbols);
	CHECK(b.symbols[0].end == 30 && b.symbols[1].end == 50 && b.symbols[2].end == 55, "ends");
}

static const struct {
	const char *name, *ours, *plain;
} names[] = {
	{ "f(int)", "f(int)", NULL },
	{ "std::vector<int, std::allocator<int> >::size()", "vector<int>::size()", NULL },
	{ "std::set<int, std::less<int>, std::allocator<int> >", "set<int>", NULL },
	{ "std::map<int, long, std::less<int>, std::allocator<std::pair<int const, long> > >",
	  "map<int, long>", NULL },
	{ "std::basic_string<char, std::char_traits<char>, std::allocator<char> >", "string",
	  NULL },
	{ "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >",
	  "string", "__cxx11::string" },
	{ "std::basic_ostream<wchar_t, std::char_traits<wchar_t> >", "wostream", NULL },
	{ "std::vector<std::list<int, std::allocator<int> >, "
	  "std::allocator<std::list<int, std::allocator<int> > > >",
	  "vector<list<int>>", "vector<list<int>, allocator<list<int>>>" },
	{ "__gnu_cxx::__normal_iterator<int const*, std::vector<int, std::allocator<int> > >",
	  "vector<int>::const_iterator", NULL },
	{ "operator<", "operator<", NULL },
	{ "a::operator<<(int)", "a::operator<<(int)", NULL },
	{ "f<(a)1>(b->c)", "f<(a)1>(b->c)", NULL },
	{ "xstd::y", "xstd::y", NULL },
	{ "vector<", "vector<", NULL },
	{ "vector<int, allocator<int>", "vector<int, allocator<int>", NULL },
	{ ">>>>", ">>>>", NULL },
	{ "", "", NULL },
};

TEST(short_names)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *text = strdup(names[i].name);

		shorten_name(text, false);
		CHECK(!strcmp(text, names[i].ours), "'%s' became '%s'", names[i].name, text);
		strcpy(text, names[i].name);
		shorten_name(text, true);
		CHECK(!strcmp(text, names[i].plain ? names[i].plain : names[i].ours),
		      "'%s' became '%s'", names[i].name, text);
		free(text);
	}
}

static const char *const brief[][2] = {
	{ "main", "main" },
	{ "f(int)", "f" },
	{ "geo::Disc::area() const", "geo::Disc::area" },
	{ "int& std::map<int, int, std::less<int>, std::allocator<std::pair<int const, int> > >::"
	  "operator[](int const&)", "std::map<...>::operator[]" },
	{ "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::"
	  "_M_append(char const*, unsigned long)", "std::string::_M_append" },
	{ "std::__1::vector<int, std::__1::allocator<int>>::push_back(int&&)",
	  "std::vector<...>::push_back" },
	{ "void std::sort<A*, B>(A*, A*, B) [clone .isra.0]", "std::sort<...> [clone .isra.0]" },
	{ "unsigned long f<(a)1, (b<2>)3>(b->c)", "f<...>" },
	{ "std::ostream& operator<< <char>(std::ostream&, char const*)", "operator<<<...>" },
	{ "bool operator< <int>(a<int> const&, a<int> const&)", "operator<<...>" },
	{ "a::operator==<int>(int) const", "a::operator==<...>" },
	{ "a::operator()(int) const &", "a::operator()" },
	{ "a::operator->() const", "a::operator->" },
	{ "a<int>::operator std::vector<int>() const", "a<...>::operator std::vector<...>" },
	{ "operator new(unsigned long)", "operator new" },
	{ "(anonymous namespace)::f(int)", "(anonymous namespace)::f" },
	{ "void g(std::vector<int>)::{lambda(auto:1)#2}::operator()<int>(int) const",
	  "g::{lambda#2}::operator()<...>" },
	{ "non-virtual thunk to a::f(int)", "non-virtual thunk to a::f" },
	{ "std::to_string[abi:cxx11](int)", "std::to_string[abi:cxx11]" },
	{ "decltype(auto) f<int>(int)", "f<...>" },
	{ "f(int)@@V1", "f@@V1" },
	{ "std::vector<int>::size() const (inlined)", "std::vector<...>::size (inlined)" },
	/* other languages, and what is not a function */
	{ "<alloc::vec::Vec<u8,alloc::Global> as core::ops::drop::Drop>::drop",
	  "<alloc::vec::Vec<...> as core::ops::drop::Drop>::drop" },
	{ "core::ops::function::FnOnce::call_once{{vtable.shim}}",
	  "core::ops::function::FnOnce::call_once{{vtable.shim}}" },
	{ "main.(*Tree).walk.func1", "main.(*Tree).walk.func1" },
	{ "W.<init>(int, java.lang.String)", "W.<init>" },
	{ "JS:~<anonymous> /tmp/a (1)/b(2).js:1:13", "JS:~<anonymous> /tmp/a (1)/b(2).js:1:13" },
	{ "[cc1+0x7a1230]", "[cc1+0x7a1230]" },
	{ "anon (tgid:12 range:0x1000-0x2000)", "anon (tgid:12 range:0x1000-0x2000)" },
	{ "<img src=x onerror=1>", "<img src=x onerror=1>" },
	/* malformed */
	{ "f<", "f<" }, { "f<int(", "f<int(" }, { ">>>>", ">>>>" }, { "", "" }, { "a)b", "a)b" },
	{ "{{{{{{{{{{{{{{{{{{{{{{{{", "{{{{{{{{{{{{{{{{{{{{{{{{" }, { "operator", "operator" },
};

TEST(brief_names)
{
	for (size_t i = 0; i < sizeof(brief) / sizeof(brief[0]); i++) {
		char *text = brief_name(brief[i][0]);

		CHECK(!strcmp(text, brief[i][1]), "'%s' became '%s'", brief[i][0], text);
		free(text);
	}
}

static const char *const mangled[][2] = {
	{ "main", "main" },
	{ "_Z1fi", "f(int)" },
	{ "_Z1fi@@V1", "f(int)@@V1" },
	{ "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad" },
	{ "_RNvCskwGfYPst2Cb_3foo16example_function", "foo::example_function" },
	{ "_Zbroken@V", "_Zbroken@V" },
	{ "LW;b(I)J", "W.b(int)" },
	{ "Ljava/util/List;add(ILjava/lang/Object;)V",
	  "java.util.List.add(int, java.lang.Object)" },
	{ "LA$B;<init>([[ZLa/C;[DFSCBJ)V",
	  "A$B.<init>(boolean[][], a.C, double[], float, short, char, byte, long)" },
	{ "LA$$Lambda$14.0x0000000800c03000;run()V", "A$$Lambda$14.0x0000000800c03000.run()" },
	/* a name of something else, or cut */
	{ "LW;b(I)J~4", "LW;b(I)J~4" },
	{ "LW;b(I)", "LW;b(I)" },
	{ "LW;b(V)V", "LW;b(V)V" },
	{ "LW;b(La/C)V", "LW;b(La/C)V" },
	{ "LW;(I)V", "LW;(I)V" },
	{ "L;b(I)V", "L;b(I)V" },
	{ "LZ4_compress", "LZ4_compress" },
	{ "_", "_" },
	{ "", "" },
};

TEST(demangled_names)
{
	for (size_t i = 0; i < sizeof(mangled) / sizeof(mangled[0]); i++) {
		char *name = strdup(mangled[i][0]), *text = demangle_name(name, DEMANGLE_NORMAL);

		CHECK(!strcmp(text, mangled[i][1]), "'%s' became '%s'", mangled[i][0], text);
		CHECK(!strcmp(name, mangled[i][0]), "'%s' stays", mangled[i][0]);
		if (text != name)
			free(text);
		free(name);
	}
}

TEST(short_java_names)
{
	char name[] = "La/b/W;b(ILjava/lang/Object;[La/b/C;Lc/D/0x10;)La/E;";
	char *text = demangle_name(name, DEMANGLE_SMART);

	CHECK(!strcmp(text, "a.b.W.b(int, Object, C[], D.0x10)"), "'%s'", text);
	free(text);
}

/* Each part is twice as long as the one before: 2^30 letters without a limit. */
TEST(name_with_huge_expansion)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char name[512] = "_Z1f1AIiiE", *text;
	size_t n = strlen(name);

	for (int i = 0; i < 30; i++)
		n += snprintf(name + n, sizeof(name) - n, "S_IS%c_S%c_E", digits[i], digits[i]);
	text = demangle_name(name, DEMANGLE_SMART);
	CHECK(text == name, "%zu letters", strlen(text));
}

TEST_MAIN()
