# Benchmarks
bench_of = $(foreach t,$(1),$(eval $(call bench_program,$(t),tests/bench/$(t).c $(2),$(3),$(4))))
$(call bench_of,store stacks,,libdb.a)
$(call bench_of,replay replay_stacks,tests/fake_collector.c,libdaemon.a)
$(call bench_of,perf_cpu perf_stacks,,libdaemon.a)
$(call bench_of,report,,libpp.a)
$(call bench_of,proto,,libformats.a)
$(call bench_of,line_lookup,,libannotate.a)
$(O)/tests/bench/unwind.o: cflags += -fomit-frame-pointer
$(call bench_of,unwind,,libunwind.a,-ldw -lelf)

# with the library as other programs have it; sampler_slowdown is run by sampler_slowdown.bench,
# which finds the rival
sampler_benches := $(addprefix $(O)/bench/,sampler_cost sampler_slowdown)
benches += $(O)/bench/sampler_cost
bench-programs: $(sampler_benches)
all_objs += $(patsubst $(O)/bench/%,$(O)/tests/bench/%.o,$(sampler_benches))
$(sampler_benches): LIBS := -L$(O)/lib -loprofsampler '-Wl,-rpath,$$ORIGIN/../lib' -ldl -lpthread
$(sampler_benches): $(O)/bench/%: $(O)/tests/bench/%.o | $(O)/lib/liboprofsampler.so
	$(link)

# for collect_cost.bench
$(eval $(call test_tool,collect_cost,tests/bench/collect_cost.c,libdaemon.a))

# for history.bench
$(eval $(call test_tool,mkweek,tests/bench/mkweek.c,libdb.a,-lm))
