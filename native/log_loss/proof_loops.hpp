// The loops over rows of projections, of quadratics below the loss and of cells, in the versions of base/versions.hpp.
#pragma once
#include <cstdint>

#include "base/versions.hpp"

namespace supersparse::log_loss {

struct SharedOnes {
  int64_t before, after;
};

struct ProofLoops {
  // Moves risks as far as logits that move by `shift`, to first order, or to 0 or 1. `risk` and `moved` receive the
  // risks and their residuals, of which the sum is returned.
  double (*move_risks)(const double* residual, const double* curve, const double* shift, const double* positive,
                       const double* negative, double* risk, double* moved, int64_t n);
  // w_i for R_i = factor·leverage_i; returns Σ w_i·leverage_i².
  double (*region_weights)(const double* curve, const double* leverage, double factor, double* out, int64_t n);
  // h_i·e^-R_i
  void (*least_weights)(const double* curve, const double* leverage, double factor, double* out, int64_t n);
  // how many ones two sets of bits share up to a word, and from it on
  SharedOnes (*shared_ones)(const uint64_t* x, const uint64_t* y, int64_t split, int64_t words);
};

extern const ProofLoops proof_loops_baseline;
#ifdef SUPERSPARSE_X86
extern const ProofLoops proof_loops_avx2, proof_loops_avx512;
constexpr const ProofLoops* kProofLoops[kVersions] = {&proof_loops_baseline, &proof_loops_avx2, &proof_loops_avx512};
#else
constexpr const ProofLoops* kProofLoops[kVersions] = {&proof_loops_baseline};
#endif

inline const ProofLoops& proof_loops() { return *kProofLoops[loop_version()]; }

}  // namespace supersparse::log_loss
