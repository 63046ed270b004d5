// The loops over pairs, groups and limits of the ratio bound, in the versions of base/versions.hpp; all give the
// same bits.
#pragma once
#include <cstdint>

#include "base/versions.hpp"

namespace supersparse::ratios {

struct RatioLoops {
  // reach += max(low d, high d)
  void (*add_larger)(int64_t n, const float* d, float low, float high, float* reach);
  // what an undecided feature can give to each pair, and the price of as much of that as it needs, join their sums
  void (*add_given)(int64_t n, const float* d, float low, float high, float up, float down, const float* missing,
                    float* total, float* cost);
  // missing = gap - reach, and sums that are empty
  void (*begin_groups)(int64_t n, float gap, const float* reach, float* missing, float* total, float* cost);
  // the bucket of each pair: 0 where nothing helps, the last where nothing is missing
  void (*write_keys)(int64_t n, const float* missing, const float* total, const float* cost, int32_t* key);
  // reach = before + max(low d, high d)
  void (*write_larger)(int64_t n, const float* before, const float* d, float low, float high, float* reach);
  // the difference of means with each point in turn as one more member
  void (*write_moved)(int64_t n, const float* point, float part, float rest, float* d);
  // the price of one more point each, and of what is then missing; very much where nothing is
  void (*write_costs)(int64_t n, const float* missing, const float* total, const float* rest, const float* price, float* cost);
  // to -= times numbers
  void (*subtract)(int64_t n, float times, const float* numbers, float* to);
  // to = - sum of times[t] row t
  void (*combine)(int64_t n, int64_t n_rows, const float* times, const float* rows, int64_t stride, float* to);
  // how far a step can go until each of these is 0: max(0, left) / change where change is above `zero`, else very far
  void (*write_lengths)(int64_t n, float zero, const float* left, const float* change, float* length);
  // score += times numbers
  void (*add)(int64_t n, double times, const double* numbers, double* score);
};

extern const RatioLoops ratios_baseline;
#ifdef SUPERSPARSE_X86
extern const RatioLoops ratios_avx2, ratios_avx512;
constexpr const RatioLoops* kLoops[] = {&ratios_baseline, &ratios_avx2, &ratios_avx512};
#else
constexpr const RatioLoops* kLoops[] = {&ratios_baseline};
#endif

inline const RatioLoops& loops() { return *kLoops[loop_version()]; }

constexpr int kBuckets = 128;

}  // namespace supersparse::ratios
