# Tern. `make` builds build/tern; `make run` shows it working; `make test` tests everything.
# CFG=release|debug|asan|tsan|hostile   CC=gcc|clang   V=1 shows commands
CFG     ?= release
PREFIX  ?= /usr/local
DESTDIR ?=
ifeq ($(origin CC),default)
CC := $(shell command -v gcc || command -v clang || echo cc)
endif
BUILD   := $(if $(filter release,$(CFG)),build,build/$(CFG))
Q       := $(if $(V),,@)

WARN    := -Wall -Wextra -Wpedantic -Werror -Wno-overlength-strings
CFLAGS_release := -O2 -DNDEBUG
CFLAGS_debug   := -O0 -g3
CFLAGS_asan    := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
CFLAGS_tsan    := -O1 -g -fsanitize=thread
CFLAGS_hostile := -O1 -g -DTERN_HOSTILE
CPPFLAGS := -D_GNU_SOURCE -Iinclude -Isrc -I$(BUILD)/gen
CFLAGS  := -std=c11 -fPIC -fno-math-errno -ffp-contract=off $(WARN) $(CFLAGS_$(CFG)) $(EXTRA_CFLAGS)
LDLIBS  := -lm -lpthread -ldl

SRC     := $(sort $(wildcard src/*/*.c src/*/*/*.c src/*/*/*/*.c))
OBJ     := $(SRC:%.c=$(BUILD)/%.o)
CMD     := $(sort $(wildcard cmd/tern/*.c))
CMDOBJ  := $(CMD:%.c=$(BUILD)/%.o)

all: $(BUILD)/tern

$(BUILD)/libtern.a: $(OBJ)
	@mkdir -p $(@D)
	$(Q)rm -f $@ && ar rcs $@ $(OBJ)

$(BUILD)/tern: $(CMDOBJ) $(BUILD)/libtern.a
	$(Q)$(CC) $(CFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

-include $(OBJ:.o=.d) $(CMDOBJ:.o=.d)

clean:
	rm -rf build

.PHONY: all clean
