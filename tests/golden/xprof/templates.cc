// templates.cc - instances of one template, destructors, exceptions
#include <stdexcept>
#include <string>
#include <vector>

template <class T> static T sum(const std::vector<T> &v) { T s = 0;
	for (T x : v)
		s += x;
	return s;
}

struct counted {
	int n;
	explicit counted(int i) : n(i) { if (i == 7) throw std::logic_error("seven"); }
	~counted() { n = 0; }
};

static int risky(int i) { counted c(i); if (i > 3) throw std::runtime_error("x"); return c.n; }

int main()
{
	std::vector<int> a = {1, 2, 3};
	std::vector<long> b = {1, 2};
	auto add = [&](int x) { return x + (int)a.size(); };
	std::string text;
	int t = sum(a) + sum(b), k = 0;

	for (int i = 0; i < 9; i++)
		try { t += risky(i); } catch (const std::runtime_error &e) { t--; } catch (...) { t = add(t); }
	while (k < 10) { for (int j = 0; j < k; j++) { if (j == 3) continue; t += j; } k++; }
	do { k--; if (k & 1) { if (k == 5) goto out; continue; } t ^= k; } while (k > 0);
out:
	for (char c : text + "abc") t += c == 'b' ? 1 : 0;
	return t == 0;
}
