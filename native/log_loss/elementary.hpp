// e^x and log x as the log loss needs them, of one number (V = double) or of eight; both give the same bits.
#pragma once
#include "base/lanes.hpp"

namespace supersparse::log_loss {

template <class V>
struct BitsOf {
  using Type = EightInts;
};
template <>
struct BitsOf<double> {
  using Type = int64_t;
};
template <class V>
using Bits = typename BitsOf<V>::Type;

// e^x for x <= 0 within 2 + |x|/4 units of the last place; below -700 it is e^-700.
template <class V>
LANES_INLINE V exp_of_negative(V x) {
  x = x > -700.0 ? x : V{} - 700.0;
  const V moved = x * 1.4426950408889634 + 6755399441055744.0;  // 1.5 * 2^52: its last bits are the whole number k
  const V k = moved - 6755399441055744.0;
  V r = x - k * 6.93147180369123816490e-01;
  r = r - k * 1.90821492927058770002e-10;
  const V r2 = r * r, r4 = r2 * r2;
  // in pairs, which do not wait for each other
  const V ones = (1.0 + r) + r2 * (0.5 + r * 1.6666666666666666e-01);
  const V fourths = (4.1666666666666664e-02 + r * 8.333333333333333e-03) + r2 * (1.388888888888889e-03 + r * 1.984126984126984e-04);
  const V eighths = (2.48015873015873e-05 + r * 2.7557319223985893e-06) + r2 * (2.755731922398589e-07 + r * 2.505210838544172e-08);
  const V twelfths = 2.08767569878681e-09 + r * 1.6059043836821613e-10;
  const V p = ones + r4 * (fourths + r4 * (eighths + r4 * twelfths));
  return p * std::bit_cast<V>((std::bit_cast<Bits<V>>(moved) + 1023) << 52);
}

// log m for m from 1/sqrt 2 to sqrt 2.
template <class V>
LANES_INLINE V log_near_one(V m) {
  const V t = (m - 1.0) / (m + 1.0), s = t * t, s2 = s * s, s4 = s2 * s2;
  V q = (1.0 + s * (1.0 / 3.0)) + s2 * (0.2 + s * (1.0 / 7.0));
  q += s4 * ((1.0 / 9.0 + s * (1.0 / 11.0)) + s2 * (1.0 / 13.0 + s * (1.0 / 15.0)));
  q += s4 * s4 * (1.0 / 17.0 + s * (1.0 / 19.0));
  return 2.0 * t * q;
}

// log(1 + e) for e in [0, 1], within 4 * 2^-53 absolutely.
template <class V>
LANES_INLINE V log_of_one_plus(V e) {
  const V y = 1.0 + e;
  const auto large = y > 1.4142135623730951;
  return log_near_one<V>(y * (large ? V{} + 0.5 : V{} + 1.0)) + (large ? V{} + 0.6931471805599453 : V{});
}

// log x for x in [1e-300, 1], within 4 * 2^-53 + 2^-52 |log x|.
template <class V>
LANES_INLINE V log_of(V x) {
  const auto bits = std::bit_cast<Bits<V>>(x);
  const V m = std::bit_cast<V>((bits & 0x000FFFFFFFFFFFFF) | 0x3FF0000000000000);
  const auto large = m > 1.4142135623730951;
  // the exponent as a number: 2^52 + e, less 2^52
  const V exponent = std::bit_cast<V>((bits >> 52) | 0x4330000000000000) - 4503599627370496.0;
  const V k = (exponent - 1023.0) + (large ? V{} + 1.0 : V{});
  return log_near_one<V>(m * (large ? V{} + 0.5 : V{} + 1.0)) + k * 0.6931471805599453;
}

// log(1 + e^-v) of the positive weight and log(1 + e^v) of the negative; w receives e^-|v|.
template <class V>
LANES_INLINE V loss_of_row(V v, V positive, V negative, V& w) {
  const V away = v > 0.0 ? v : -v;
  w = exp_of_negative<V>(-away);
  const V tail = log_of_one_plus<V>(w);
  return positive * ((v > 0.0 ? V{} : -v) + tail) + negative * ((v > 0.0 ? v : V{}) + tail);
}

}  // namespace supersparse::log_loss
