# Completion for three shells, of each program that users call
completion := $(patsubst $(O)/bin/%,$(O)/completion/bash/%,$(filter-out %/oprofiled,$(programs)))
$(completion): $(O)/completion/bash/%: $(O)/bin/% $(addprefix packaging/completion/,generate generate.awk values)
	$(call say,GEN)packaging/completion/generate $< $(O)/completion
