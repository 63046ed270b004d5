// Eight doubles that are added, multiplied and compared together. The compiler lowers them to the instructions it may use;
// as every sum runs in the same eight lanes and no product is contracted with a sum, each version gives the same bits.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

namespace supersparse {

constexpr int kLanes = 8;
typedef double Eight __attribute__((vector_size(64)));
typedef int64_t EightInts __attribute__((vector_size(64)));

#define LANES_INLINE static inline __attribute__((always_inline))

LANES_INLINE Eight load(const double* from) {
  Eight out;
  std::memcpy(&out, from, sizeof out);
  return out;
}
LANES_INLINE void store(double* to, Eight value) { std::memcpy(to, &value, sizeof value); }
// The first `count` of eight numbers, the other lanes as in `rest`.
LANES_INLINE Eight load_first(const double* from, int64_t count, Eight rest = Eight{}) {
#ifdef __AVX512F__
  return Eight(_mm512_mask_loadu_pd(__m512d(rest), static_cast<__mmask8>((1u << count) - 1), from));
#else
  for (int lane = 0; lane < count; lane++) rest[lane] = from[lane];
  return rest;
#endif
}
LANES_INLINE void store_first(double* to, int64_t count, Eight value) {
#ifdef __AVX512F__
  _mm512_mask_storeu_pd(to, static_cast<__mmask8>((1u << count) - 1), __m512d(value));
#else
  for (int lane = 0; lane < count; lane++) to[lane] = value[lane];
#endif
}
LANES_INLINE Eight all(double value) { return Eight{} + value; }
LANES_INLINE Eight choose(EightInts condition, Eight yes, Eight no) { return condition ? yes : no; }
LANES_INLINE Eight larger(Eight a, Eight b) { return choose(a > b, a, b); }
LANES_INLINE Eight smaller(Eight a, Eight b) { return choose(a < b, a, b); }
LANES_INLINE Eight magnitude(Eight a) { return larger(a, -a); }
// ((a0 + a4) + (a2 + a6)) + ((a1 + a5) + (a3 + a7)), by halves
LANES_INLINE double sum(Eight a) {
  const auto four = __builtin_shufflevector(a, a, 0, 1, 2, 3) + __builtin_shufflevector(a, a, 4, 5, 6, 7);
  const auto two = __builtin_shufflevector(four, four, 0, 1) + __builtin_shufflevector(four, four, 2, 3);
  return two[0] + two[1];
}
LANES_INLINE double least(Eight a) {
  double out = a[0];
  for (int lane = 1; lane < kLanes; lane++) out = a[lane] < out ? a[lane] : out;
  return out;
}

// e^x for -700 <= x <= 700 (x is clamped). x = k ln 2 + r with |r| <= 0.3466 and Taylor's sum to r^13: what is cut off is
// at most 0.3466^14/14! = 4e-18 of the value; with the rounding of Horner's scheme the relative error is below 4e-16.
LANES_INLINE Eight exponential(Eight x) {
  const Eight magic = all(6755399441055744.0);  // 1.5 * 2^52: adding it rounds to a whole number
  x = smaller(larger(x, all(-700.0)), all(700.0));
  const Eight k = (x * 1.4426950408889634 + magic) - magic;
  Eight r = x - k * 6.93147180369123816490e-01;
  r = r - k * 1.90821492927058770002e-10;
  Eight sum = all(1.6059043836821613e-10);
  const double terms[] = {2.08767569878681e-09,   2.505210838544172e-08, 2.755731922398589e-07, 2.7557319223985893e-06,
                          2.48015873015873e-05,   1.984126984126984e-04, 1.388888888888889e-03, 8.333333333333333e-03,
                          4.1666666666666664e-02, 1.6666666666666666e-01, 0.5, 1.0, 1.0};
  for (double term : terms) sum = sum * r + term;
  const EightInts exponent = __builtin_convertvector(k, EightInts) + 1023;
  const EightInts bits = exponent << 52;
  Eight scale;
  std::memcpy(&scale, &bits, sizeof scale);
  return sum * scale;
}

// log x for normal x > 0: x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt 2), and the minimax polynomial of fdlibm in
// s = f / (2 + f), whose error is below 2^-58; in all less than 2 units of the last place.
LANES_INLINE Eight logarithm(Eight x) {
  EightInts bits;
  std::memcpy(&bits, &x, sizeof bits);
  const EightInts shifted = bits - 0x3fe6a09e667f3bcdLL;  // the bits of sqrt(1/2)
  const EightInts k = shifted >> 52;
  bits = bits - (k << 52);
  Eight mantissa;
  std::memcpy(&mantissa, &bits, sizeof mantissa);
  const Eight f = mantissa - 1.0, power = __builtin_convertvector(k, Eight);
  const Eight s = f / (2.0 + f), z = s * s, half = 0.5 * f * f;
  Eight tail = all(1.479819860511658591e-01);
  const double terms[] = {1.531383769920937332e-01, 1.818357216161805012e-01, 2.222219843214978396e-01,
                          2.857142874366239149e-01, 3.999999999940941908e-01, 6.666666666666735130e-01};
  for (double term : terms) tail = tail * z + term;
  tail = tail * z;
  return power * 6.93147180369123816490e-01 - ((half - (s * (half + tail) + power * 1.90821492927058770002e-10)) - f);
}

// log(1 + e^z) = max(z, 0) + log(1 + e^-|z|): absolute error below 4e-16 plus 1e-16 of the value.
LANES_INLINE Eight softplus(Eight z) { return larger(z, all(0.0)) + logarithm(1.0 + exponential(-magnitude(z))); }

}  // namespace supersparse
