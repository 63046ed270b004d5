// Compiled once for each version, with ROWS_VERSION its name. No library function with a body is called here: the linker
// would keep one version of it for all machines.
#include "errors/ratio_loops.hpp"

namespace supersparse::ratios {
namespace {

#define RATIOS_INLINE static inline __attribute__((always_inline))

constexpr float kPerFactor = 8.0f;  // buckets for a sum of factors of 1

RATIOS_INLINE float larger(float a, float b) { return b > a ? b : a; }
RATIOS_INLINE float smaller(float a, float b) { return b < a ? b : a; }

void add_larger(int64_t n, const float* __restrict d, float low, float high, float* __restrict reach) {
  for (int64_t q = 0; q < n; q++) reach[q] += larger(low * d[q], high * d[q]);
}

void add_given(int64_t n, const float* __restrict d, float low, float high, float up, float down,
               const float* __restrict missing, float* __restrict total, float* __restrict cost) {
  for (int64_t q = 0; q < n; q++) {
    const float a = low * d[q], b = high * d[q];
    total[q] += larger(a, b);
    cost[q] += larger(down * smaller(missing[q], a), up * smaller(missing[q], b));
  }
}

void begin_groups(int64_t n, float gap, const float* __restrict reach, float* __restrict missing, float* __restrict total,
                  float* __restrict cost) {
  for (int64_t q = 0; q < n; q++) {
    missing[q] = gap - reach[q];
    total[q] = 0;
    cost[q] = 0;
  }
}

void write_keys(int64_t n, const float* __restrict missing, const float* __restrict total, const float* __restrict cost,
                int32_t* __restrict key) {
  const float last = kBuckets - 1;
  for (int64_t q = 0; q < n; q++) {
    float k = 1.0f + smaller(last - 2.0f, kPerFactor * cost[q] / missing[q]);
    k = total[q] < missing[q] ? 0.0f : k;
    key[q] = static_cast<int32_t>(missing[q] <= 0.0f ? last : k);
  }
}

void write_larger(int64_t n, const float* __restrict before, const float* __restrict d, float low, float high,
                  float* __restrict reach) {
  for (int64_t c = 0; c < n; c++) reach[c] = before[c] + larger(low * d[c], high * d[c]);
}

void write_moved(int64_t n, const float* __restrict point, float part, float rest, float* __restrict d) {
  for (int64_t i = 0; i < n; i++) d[i] = part * point[i] + rest;
}

void write_costs(int64_t n, const float* __restrict missing, const float* __restrict total, const float* __restrict rest,
                 const float* __restrict price, float* __restrict cost) {
  for (int64_t i = 0; i < n; i++) {
    float share = rest[i] / missing[i];
    share = total[i] < missing[i] ? 0.0f : share;
    const float sum = price[i] + share;
    cost[i] = missing[i] <= 0.0f ? 1e30f : sum;
  }
}

void subtract(int64_t n, float times, const float* __restrict numbers, float* __restrict to) {
  for (int64_t j = 0; j < n; j++) to[j] -= times * numbers[j];
}

void combine(int64_t n, int64_t n_rows, const float* times, const float* rows, int64_t stride, float* __restrict to) {
  for (int64_t j = 0; j < n; j++) to[j] = 0;
  for (int64_t t = 0; t < n_rows; t++) {
    const float* __restrict row = rows + t * stride;
    const float own = times[t];
    for (int64_t j = 0; j < n; j++) to[j] -= own * row[j];
  }
}

void write_lengths(int64_t n, float zero, const float* __restrict left, const float* __restrict change,
                   float* __restrict length) {
  for (int64_t i = 0; i < n; i++) {
    const float far = larger(0.0f, left[i]) / change[i];
    length[i] = change[i] > zero ? far : 1e30f;
  }
}

void add(int64_t n, double times, const double* __restrict numbers, double* __restrict score) {
  for (int64_t i = 0; i < n; i++) score[i] += times * numbers[i];
}

}  // namespace

#define RATIOS_JOIN(a, b) a##b
#define RATIOS_NAME(version) RATIOS_JOIN(ratios_, version)
extern const RatioLoops RATIOS_NAME(ROWS_VERSION);
const RatioLoops RATIOS_NAME(ROWS_VERSION) = {add_larger, add_given, begin_groups, write_keys,
                                                     write_larger, write_moved, write_costs, subtract,
                                                     combine, write_lengths, add};

}  // namespace supersparse::ratios
