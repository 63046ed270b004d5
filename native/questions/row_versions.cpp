#include <atomic>
#include <cstring>

#include "questions/rows.hpp"

#ifdef SUPERSPARSE_X86
#include <cpuid.h>
#endif

namespace supersparse {
namespace {

#ifdef SUPERSPARSE_X86
constexpr const RowLoops* kVersions[] = {&rows_baseline, &rows_avx2, &rows_avx512};
#else
constexpr const RowLoops* kVersions[] = {&rows_baseline};
#endif

const RowLoops* best_here() {
#ifdef SUPERSPARSE_X86
  // Asked of the processor itself: not every compiler brings the library behind __builtin_cpu_supports.
  unsigned a, b, c, d, low, high;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c >> 27 & 1)) return &rows_baseline;  // the system keeps wide registers
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  if ((low & 0x6) != 0x6 || !__get_cpuid_count(7, 0, &a, &b, &c, &d)) return &rows_baseline;
  const bool avx512 = (low & 0xe6) == 0xe6 && (b >> 16 & 1) && (b >> 17 & 1) && (b >> 31 & 1);  // F, DQ, VL
  if (avx512) return &rows_avx512;
  if (b >> 5 & 1) return &rows_avx2;
#endif
  return &rows_baseline;
}

std::atomic<const RowLoops*> chosen{best_here()};

}  // namespace

const RowLoops& row_loops() { return *chosen.load(std::memory_order_relaxed); }

bool choose_row_loops(const char* name) {
  const RowLoops* best = best_here();
  const bool any = std::strcmp(name, "best") == 0;
  for (const RowLoops* version : kVersions) {
    if (any ? version == best : std::strcmp(version->name, name) == 0) {
      chosen = version;
      return true;
    }
    if (version == best) break;  // those after it do not run here
  }
  return false;
}

}  // namespace supersparse
