/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inlined.cc - functions inlined into each other, with a label in each copy
 *
 * Labels are "at.NAME.NUMBER", so that tests find places without knowing what the compiler made.
 */
#define INLINE inline __attribute__((always_inline))
#define NOT_INLINED __attribute__((noinline))
#define AT(name) asm volatile("at." name ".%=: nop" : : : "memory")

struct point {
	double x, y;
};

namespace shapes {
INLINE double square(double v)
{
	AT("square");
	return v * v;
}

template <typename T> INLINE double norm(const T &p)
{
	AT("norm");
	return square(p.x) + square(p.y);
}
}

namespace {
INLINE double weight(const point &p)
{
	AT("weight");
	return shapes::norm(p) / 2;
}
}

/* Inlined into total(), and called by main(). */
struct scale {
	static double (*volatile out_of_line)(double);
	static inline double half(double v)
	{
		AT("half");
		return v / 2;
	}
};
double (*volatile scale::out_of_line)(double) = scale::half;

NOT_INLINED double total(const point &p)
{
	auto twice = [](double v) __attribute__((always_inline)) {
		AT("twice");
		return 2 * v;
	};

	AT("total");
	return twice(weight(p)) + scale::half(p.y);
}

int main(int argc, char **)
{
	point p = { double(argc), 1 };

	AT("main");
	return total(p) + scale::out_of_line(p.x) > 7;
}
