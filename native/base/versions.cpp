#include "base/versions.hpp"

#include <atomic>
#include <cstring>

#ifdef SUPERSPARSE_X86
#include <cpuid.h>
#endif

namespace supersparse {
namespace {

constexpr const char* kNames[] = {"baseline", "avx2", "avx512"};

int best_here() {
#ifdef SUPERSPARSE_X86
  // Asked of the processor itself: not every compiler brings the library behind __builtin_cpu_supports.
  unsigned a, b, c, d, low, high;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c >> 27 & 1)) return 0;  // the system keeps wide registers
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  if ((low & 0x6) != 0x6 || !__get_cpuid_count(7, 0, &a, &b, &c, &d)) return 0;
  if (!(b >> 5 & 1) || !(b >> 8 & 1)) return 0;  // AVX2, BMI2
  const bool avx512 = (low & 0xe6) == 0xe6 && (b >> 16 & 1) && (b >> 17 & 1) && (b >> 30 & 1) && (b >> 31 & 1);
  return avx512 ? 2 : 1;  // F, DQ, BW, VL
#endif
  return 0;
}

std::atomic<int> chosen{best_here()};

}  // namespace

int loop_version() { return chosen.load(std::memory_order_relaxed); }

const char* loop_version_name() { return kNames[loop_version()]; }

bool choose_loop_version(const char* name) {
  const int best = best_here();
  const bool any = std::strcmp(name, "best") == 0;
  for (int version = best; version >= 0; version--) {
    if (any || std::strcmp(kNames[version], name) == 0) {
      chosen = version;
      return true;
    }
  }
  return false;
}

}  // namespace supersparse
