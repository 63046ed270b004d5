// The loops over rows and cells of the tree over supports, in the versions of base/versions.hpp; all give the same bits.
#pragma once
#include <cstdint>

#include "base/versions.hpp"

namespace supersparse::errors {

constexpr int64_t kBlock = 16;  // cells that `first_conflict` looks at together: lists are that much longer

// The bits of one word by which a point can differ from another, and what they are worth there: those that only it has
// (`here`) and those that only the other has (`there`).
struct WordMasks {
  uint64_t here, there, covers_here, covers_there;
};

struct TreeLoops {
  // count += literals in the words of a point and of n others, which are `stride` apart; covered |= those in the model
  void (*add_distances)(int64_t n, uint64_t own, const uint64_t* others, int64_t stride, WordMasks masks, int64_t* count,
                        uint64_t* covered);
  // the first a of `from` ... n - 1 with near + key[a] - sum over t of |given[t stride + a] - own[t]| >= 0, else n
  int64_t (*first_conflict_32)(int64_t from, int64_t n, int32_t near, const int32_t* key, int64_t n_wide,
                               const int32_t* given, int64_t stride, const int32_t* own);
  int64_t (*first_conflict_64)(int64_t from, int64_t n, int64_t near, const int64_t* key, int64_t n_wide,
                               const int64_t* given, int64_t stride, const int64_t* own);
};

extern const TreeLoops tree_baseline;
#ifdef SUPERSPARSE_X86
extern const TreeLoops tree_avx2, tree_avx512;
constexpr const TreeLoops* kTreeLoops[] = {&tree_baseline, &tree_avx2, &tree_avx512};
#else
constexpr const TreeLoops* kTreeLoops[] = {&tree_baseline};
#endif

inline const TreeLoops& tree_loops() { return *kTreeLoops[loop_version()]; }

}  // namespace supersparse::errors
