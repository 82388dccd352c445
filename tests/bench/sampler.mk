sampler_cost := $(O)/bench/sampler_cost
benches += $(sampler_cost)
all_objs += $(O)/tests/bench/sampler_cost.o
$(sampler_cost): LIBS := -L$(O)/lib -lsampler '-Wl,-rpath,$$ORIGIN/../lib' -lpthread
$(sampler_cost): $(O)/tests/bench/sampler_cost.o | $(O)/lib/libsampler.so
	$(link)

# run by sampler_slowdown.bench, which finds the rival
sampler_slowdown := $(O)/bench/sampler_slowdown
bench-programs: $(sampler_slowdown)
all_objs += $(O)/tests/bench/sampler_slowdown.o
$(sampler_slowdown): LIBS := -L$(O)/lib -lsampler '-Wl,-rpath,$$ORIGIN/../lib' -ldl -lpthread
$(sampler_slowdown): $(O)/tests/bench/sampler_slowdown.o | $(O)/lib/libsampler.so
	$(link)
