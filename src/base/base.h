/* The door to base/: memory, strings, containers, sources, diagnostics, threads, JSON, reports,
 * settings. */
#ifndef BASE_BASE_H
#define BASE_BASE_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/error.h"
#include "base/format.h"
#include "base/json.h"
#include "base/map.h"
#include "base/report.h"
#include "base/settings.h"
#include "base/source.h"
#include "base/str.h"
#include "base/thread.h"
#include "base/vec.h"

#endif
