// Compiled once for each version, with ROWS_VERSION its name. No library function with a body is called here: the linker
// would keep one version of it for all machines.
#include "errors/tree_loops.hpp"

namespace supersparse::errors {
namespace {

void add_distances(int64_t n, uint64_t own, const uint64_t* __restrict others, int64_t stride, WordMasks masks,
                   int64_t* __restrict count, uint64_t* __restrict covered) {
  for (int64_t t = 0; t < n; t++) {
    const uint64_t here = own & ~others[t * stride], there = ~own & others[t * stride];
    covered[t] |= (here & masks.covers_here) | (there & masks.covers_there);
    uint64_t x = (here & masks.here) | (there & masks.there);  // the bits of both are different ones
    x = x - ((x >> 1) & 0x5555555555555555);
    x = (x & 0x3333333333333333) + ((x >> 2) & 0x3333333333333333);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f;
    x += x >> 8;
    x += x >> 16;
    x += x >> 32;
    count[t] += static_cast<int64_t>(x & 0x7f);
  }
}

template <class T>
struct Cells;
template <>
struct Cells<int32_t> {
  typedef int32_t Vector __attribute__((vector_size(64)));
  typedef int32_t Unaligned __attribute__((vector_size(64), aligned(4), may_alias));
  static constexpr uint64_t kSigns = 0x8000000080000000;
};
template <>
struct Cells<int64_t> {
  typedef int64_t Vector __attribute__((vector_size(64)));
  typedef int64_t Unaligned __attribute__((vector_size(64), aligned(8), may_alias));
  static constexpr uint64_t kSigns = 0x8000000000000000;
};

template <class T>
int64_t first_conflict(int64_t from, int64_t n, T near, const T* key, int64_t n_wide, const T* given, int64_t stride,
                       const T* own) {
  using Vector = typename Cells<T>::Vector;
  using Unaligned = typename Cells<T>::Unaligned;
  constexpr int64_t kLanes = 64 / sizeof(T);
  for (int64_t a = from; a < n; a += kLanes) {
    Vector spare = *reinterpret_cast<const Unaligned*>(key + a) + near;
    for (int64_t t = 0; t < n_wide; t++) {
      const Vector away = *reinterpret_cast<const Unaligned*>(given + t * stride + a) - own[t];
      const Vector negative = away < 0;
      spare -= (away ^ negative) - negative;
    }
    typedef uint64_t Words __attribute__((vector_size(64)));
    const Words words = reinterpret_cast<Words>(spare);
    uint64_t all = words[0];
    for (int w = 1; w < 8; w++) all &= words[w];
    if ((all & Cells<T>::kSigns) == Cells<T>::kSigns) continue;
    for (int64_t b = 0; b < kLanes; b++) {
      if (spare[b] >= 0) return a + b < n ? a + b : n;
    }
  }
  return n;
}

}  // namespace

#define TREE_JOIN(a, b) a##b
#define TREE_NAME(version) TREE_JOIN(tree_, version)
extern const TreeLoops TREE_NAME(ROWS_VERSION);
const TreeLoops TREE_NAME(ROWS_VERSION) = {add_distances, first_conflict<int32_t>, first_conflict<int64_t>};

}  // namespace supersparse::errors
