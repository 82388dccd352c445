sampler_cost := $(O)/bench/sampler_cost
benches += $(sampler_cost)
all_objs += $(O)/tests/bench/sampler_cost.o
$(sampler_cost): LIBS := -L$(O)/lib -lsampler '-Wl,-rpath,$$ORIGIN/../lib' -lpthread
$(sampler_cost): $(O)/tests/bench/sampler_cost.o | $(O)/lib/libsampler.so
	$(link)
