// Compiled once for each version, with ROWS_VERSION its name.
#include "log_loss/proof_loops.hpp"

#include <bit>

#include "log_loss/by_eights.hpp"
#include "log_loss/elementary.hpp"

namespace supersparse::log_loss {
namespace {

double move_risks(const double* residual, const double* curve, const double* shift, const double* positive,
                  const double* negative, double* risk, double* moved, int64_t n) {
  double total = 0;
  by_blocks(n, [&](int64_t from, int64_t to) __attribute__((always_inline)) {
    Eight part = all(0.0);
    by_eights(from, to, [&](int64_t i, auto eight) __attribute__((always_inline)) {
      const Eight own = eight.of(positive + i), weight = own + eight.of(negative + i);
      const Eight wanted = (eight.of(residual + i) + own + eight.of(curve + i) * eight.of(shift + i)) / larger(weight, all(1e-300));
      const Eight p = smaller(larger(wanted, all(0.0)), all(1.0)), r = weight * p - own;
      eight.put(risk + i, p);
      eight.put(moved + i, r);
      part += r;
    });
    total += sum(part);
  });
  return total;
}

double region_weights(const double* curve, const double* leverage, double factor, double* out, int64_t n) {
  Eight total = all(0.0);
  by_eights(0, n, [&](int64_t i, auto eight) __attribute__((always_inline)) {
    const Eight reach = eight.of(leverage + i), r = factor * reach, far = larger(r, all(0.05));
    const Eight wide = 2.0 * (exp_of_negative<Eight>(-far) + far - 1.0) / (far * far);
    const Eight weight = eight.of(curve + i) * choose(r < 0.05, 1.0 - r / 3.0, wide) * (1 - 1e-10);
    eight.put(out + i, weight);
    total += weight * reach * reach;
  });
  return sum(total);
}

void least_weights(const double* curve, const double* leverage, double factor, double* out, int64_t n) {
  by_eights(0, n, [&](int64_t i, auto eight) __attribute__((always_inline)) {
    eight.put(out + i, eight.of(curve + i) * exp_of_negative<Eight>(-factor * eight.of(leverage + i)) * (1 - 1e-10));
  });
}

LANES_INLINE int64_t shared(const uint64_t* x, const uint64_t* y, int64_t from, int64_t to) {
  int64_t counts[4] = {0, 0, 0, 0}, w = from;
  for (; w + 4 <= to; w += 4)
    for (int lane = 0; lane < 4; lane++) counts[lane] += std::popcount(x[w + lane] & y[w + lane]);
  for (; w < to; w++) counts[0] += std::popcount(x[w] & y[w]);
  return (counts[0] + counts[1]) + (counts[2] + counts[3]);
}

SharedOnes shared_ones(const uint64_t* x, const uint64_t* y, int64_t split, int64_t words) {
  return {shared(x, y, 0, split), shared(x, y, split, words)};
}

}  // namespace

#define PROOF_LOOPS_JOIN(a, b) a##b
#define PROOF_LOOPS_NAME(version) PROOF_LOOPS_JOIN(proof_loops_, version)
extern const ProofLoops PROOF_LOOPS_NAME(ROWS_VERSION);
const ProofLoops PROOF_LOOPS_NAME(ROWS_VERSION) = {move_risks, region_weights, least_weights, shared_ones};

}  // namespace supersparse::log_loss
