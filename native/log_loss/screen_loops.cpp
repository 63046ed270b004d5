// Compiled once for each version, with ROWS_VERSION its name.
#include "log_loss/screen_loops.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "log_loss/by_eights.hpp"
#if defined(__BMI2__) || defined(__AVX2__)
#include <immintrin.h>
#endif

namespace supersparse::log_loss {
namespace {

constexpr int64_t kWordRows = 64, kTile = 1024;

// All bits of a lane where its bit of the byte is set.
LANES_INLINE EightInts lanes_of(uint64_t byte) {
  const EightInts bit = {1, 2, 4, 8, 16, 32, 64, 128};
  return ((EightInts{} + static_cast<int64_t>(byte)) & bit) != 0;
}

void scores(const uint64_t* const* columns, const double* factors, int64_t m, double b, double* out, int64_t words) {
  for (int64_t w = 0; w < words; w++) {
    Eight z[8];
    for (int part = 0; part < 8; part++) z[part] = all(b);
    for (int64_t j = 0; j < m; j++) {
      const uint64_t word = columns[j][w];
      if (!word) continue;
      const Eight factor = all(factors[j]), zero = all(0.0);
      for (int part = 0; part < 8; part++) z[part] += choose(lanes_of(word >> (8 * part) & 255), factor, zero);
    }
    for (int part = 0; part < 8; part++) store(out + w * kWordRows + 8 * part, z[part]);
  }
}

// In 32 lanes over blocks of 2,048 rows: a sum of n terms is off by at most (69 + n / 2048) 2^-53 of their magnitudes.
double sum_where(const uint64_t* bits, const double* v, int64_t words) {
  double total = 0;
  for (int64_t start = 0; start < words; start += 32) {
    const int64_t end = std::min<int64_t>(words, start + 32);
    Eight sums[4] = {all(0.0), all(0.0), all(0.0), all(0.0)};
    const Eight zero = all(0.0);
    for (int64_t w = start; w < end; w++) {
      const uint64_t word = bits[w];
      if (!word) continue;
      const double* of = v + w * kWordRows;
      for (int part = 0; part < 8; part++)
        sums[part % 4] += choose(lanes_of(word >> (8 * part) & 255), load(of + 8 * part), zero);
    }
    total += sum((sums[0] + sums[1]) + (sums[2] + sums[3]));
  }
  return total;
}

#if defined(__AVX512BW__)
using Whole16 = __m512i;
LANES_INLINE Whole16 load16(const int16_t* x) { return _mm512_loadu_si512(x); }
LANES_INLINE Whole16 add_products(Whole16 sum, Whole16 a, Whole16 b) { return _mm512_add_epi32(sum, _mm512_madd_epi16(a, b)); }
LANES_INLINE Whole16 nothing16() { return _mm512_setzero_si512(); }
constexpr int64_t kWhole16 = 32;
#elif defined(__AVX2__)
using Whole16 = __m256i;
LANES_INLINE Whole16 load16(const int16_t* x) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x)); }
LANES_INLINE Whole16 add_products(Whole16 sum, Whole16 a, Whole16 b) { return _mm256_add_epi32(sum, _mm256_madd_epi16(a, b)); }
LANES_INLINE Whole16 nothing16() { return _mm256_setzero_si256(); }
constexpr int64_t kWhole16 = 16;
#else
using Whole16 = int32_t;
LANES_INLINE Whole16 load16(const int16_t* x) { return *x; }
LANES_INLINE Whole16 add_products(Whole16 sum, Whole16 a, Whole16 b) { return sum + a * b; }
LANES_INLINE Whole16 nothing16() { return 0; }
constexpr int64_t kWhole16 = 1;
#endif

LANES_INLINE int32_t total_of(const Whole16& sums) {
  int32_t lanes[sizeof(Whole16) / sizeof(int32_t)], total = 0;
  std::memcpy(lanes, &sums, sizeof lanes);
  for (int32_t lane : lanes) total += lane;
  return total;
}

// Four by four columns at a time, by tiles of rows that stay in the processor's cache. A block beyond the last column has it
// once more, and what comes of that is not kept.
void gram(const int16_t* const* x, int64_t columns, int64_t rows, const int16_t* weights, int64_t n, int32_t* out, int64_t stride) {
  alignas(64) int16_t weighed[4][kTile];
  for (int64_t i = 0; i < rows; i++) std::fill_n(out + i * stride + i, columns - i, 0);
  for (int64_t start = 0; start < n; start += kTile) {
    const int64_t size = std::min(n - start, kTile);
    for (int64_t i = 0; i < rows; i += 4) {
      for (int64_t q = 0; q < 4; q++) {
        const int16_t *from = x[std::min(i + q, columns - 1)] + start, *w = weights + start;
        for (int64_t r = 0; r < size; r++) weighed[q][r] = static_cast<int16_t>(-from[r] & w[r]);
      }
      for (int64_t k = i; k < columns; k += 4) {
        const int16_t* of[4];
        for (int64_t q = 0; q < 4; q++) of[q] = x[std::min(k + q, columns - 1)] + start;
        Whole16 sums[16];
        for (Whole16& own : sums) own = nothing16();
        for (int64_t r = 0; r < size; r += kWhole16) {
          const Whole16 a = load16(of[0] + r), b = load16(of[1] + r), c = load16(of[2] + r), d = load16(of[3] + r);
#pragma GCC unroll 4
          for (int q = 0; q < 4; q++) {
            const Whole16 w = load16(weighed[q] + r);
            sums[4 * q] = add_products(sums[4 * q], w, a);
            sums[4 * q + 1] = add_products(sums[4 * q + 1], w, b);
            sums[4 * q + 2] = add_products(sums[4 * q + 2], w, c);
            sums[4 * q + 3] = add_products(sums[4 * q + 3], w, d);
          }
        }
        for (int64_t q = 0; q < 4 && i + q < rows; q++)
          for (int64_t s = 0; s < 4 && k + s < columns; s++)
            if (k + s >= i + q) out[(i + q) * stride + k + s] += total_of(sums[4 * q + s]);
      }
    }
  }
}

// The bits of x where `mask` has ones, next to each other.
LANES_INLINE uint64_t compress(uint64_t x, uint64_t mask) {
#ifdef __BMI2__
  return _pext_u64(x, mask);
#else
  uint64_t out = 0;
  for (uint64_t at = 1; mask; at <<= 1, mask &= mask - 1)
    if (x & mask & (0 - mask)) out |= at;
  return out;
#endif
}

void repack(const Move* moves, int64_t words, const uint64_t* from, uint64_t* to) {
  const auto put = [&](uint64_t bits, int32_t at, int shift, int count) {
    if (!bits) return;
    to[at] |= bits << shift;
    if (shift + count > kWordRows) to[at + 1] |= bits >> (kWordRows - shift);
  };
  for (int64_t w = 0; w < words; w++) {
    const Move& move = moves[w];
    put(compress(from[w], move.ones), move.ones_at, move.ones_shift, move.ones_count);
    put(compress(from[w], move.zeros), move.zeros_at, move.zeros_shift, move.zeros_count);
  }
}

int64_t count_ones(const uint64_t* x, int64_t words) {
  int64_t total = 0;
  for (int64_t w = 0; w < words; w++) total += std::popcount(x[w]);
  return total;
}

LANES_INLINE int32_t shared(const uint64_t* x, const uint64_t* y, int64_t from, int64_t to) {
  int32_t total = 0;
  for (int64_t w = from; w < to; w++) total += std::popcount(x[w] & y[w]);
  return total;
}

void count_parts(Segments segments, const uint64_t* x, const int32_t* ones, const uint64_t* const* masks, int64_t parts,
                 int32_t* out) {
  const auto words = [&](int64_t s) { return std::max(1, (segments.length[s] + 63) / 64); };
  if (parts == 1) {
    std::copy_n(ones, segments.count, out);
  } else if (parts == 2) {
    for (int64_t s = 0; s < segments.count; s++) {
      const int64_t from = segments.first[s];
      const int32_t one = shared(x, masks[0], from, from + words(s));
      out[2 * s] = ones[s] - one, out[2 * s + 1] = one;
    }
  } else {
    const uint64_t *a = masks[0], *b = masks[1], *c = masks[2];
    for (int64_t s = 0; s < segments.count; s++) {
      const int64_t from = segments.first[s], to = from + words(s);
      int32_t of_a = 0, of_b = 0, of_c = 0;
      for (int64_t w = from; w < to; w++) {
        of_a += std::popcount(x[w] & a[w]);
        of_b += std::popcount(x[w] & b[w]);
        of_c += std::popcount(x[w] & c[w]);
      }
      int32_t* own = out + 4 * s;
      own[0] = ones[s] - of_a - of_b - of_c, own[1] = of_a, own[2] = of_b, own[3] = of_c;
    }
  }
}

constexpr double kLeastPivot = 1e-2, kSafer = 1 + 1e-4;

template <bool swept>
LANES_INLINE int64_t screen(const ScreenRow& row, int64_t from, int64_t to, int32_t* left) {
  const Eight zero = all(0.0), one = all(1.0), z_j = all(row.z_j), least = all(kLeastPivot);
  const Eight factor = all(row.factor), scale_j = all(row.scale_j), enough = all(row.enough);
  int64_t count = 0;
  for (int64_t k = from; k < to; k += kLanes) {
    const int64_t here = std::min<int64_t>(kLanes, to - k);
    const auto of = [&](const double* v) { return here == kLanes ? load(v + k) : load_first(v + k, here); };
    const Eight scale = of(row.scale), z = of(row.z);
    const Eight rho = (swept ? of(row.products) - factor * of(row.swept) : of(row.products)) * scale * scale_j;
    const Eight pivot = one - rho * rho, inverse = one / larger(pivot, least);
    const Eight step_j = (z_j - rho * z) * inverse, step_k = (z - rho * z_j) * inverse;
    const Eight gain = (z_j * step_j + z * step_k) * kSafer + row.base;
    Eight up = all(row.reached), down = up;
    const auto add = [&](Eight step, Eight r0, Eight r1, Eight r2, Eight r3) __attribute__((always_inline)) {
      const Eight plus = larger(step, zero), minus = plus - step;
      up += plus * r0 + minus * r1;
      down += plus * r2 + minus * r3;
    };
    add(step_j, all(row.reach_j[0]), all(row.reach_j[1]), all(row.reach_j[2]), all(row.reach_j[3]));
    add(step_k, of(row.reach[0]), of(row.reach[1]), of(row.reach[2]), of(row.reach[3]));
    if constexpr (swept) {
      const Eight step_i = row.step_i - row.back_j * step_j - of(row.back) * step_k;
      add(step_i, all(row.reach_i[0]), all(row.reach_i[1]), all(row.reach_i[2]), all(row.reach_i[3]));
    }
    const Eight v = larger(up, down) * kSafer;
    const Eight kappa = one + v * (row.ratio[0] + v * (row.ratio[1] + v * row.ratio[2]));
    const EightInts passes = (pivot > least) & (scale > zero) & (v < 0.999) & (gain * kappa < enough);
#ifdef __AVX512DQ__
    for (uint32_t fails = ~_mm512_movepi64_mask(__m512i(passes)) & ((1u << here) - 1); fails; fails &= fails - 1)
      left[count++] = static_cast<int32_t>(k + std::countr_zero(fails));
#else
    for (int64_t lane = 0; lane < here; lane++)
      if (!passes[lane]) left[count++] = static_cast<int32_t>(k + lane);
#endif
  }
  return count;
}

int64_t screen_row(const ScreenRow& row, int64_t from, int64_t to, int32_t* left) {
  return row.back ? screen<true>(row, from, to, left) : screen<false>(row, from, to, left);
}

}  // namespace

#define SCREEN_LOOPS_JOIN(a, b) a##b
#define SCREEN_LOOPS_NAME(version) SCREEN_LOOPS_JOIN(screen_loops_, version)
extern const ScreenLoops SCREEN_LOOPS_NAME(ROWS_VERSION);
const ScreenLoops SCREEN_LOOPS_NAME(ROWS_VERSION) = {scores, sum_where, gram, repack, count_ones, count_parts, screen_row};

}  // namespace supersparse::log_loss
