// The loops over rows of the log loss, in the versions of base/versions.hpp; all give the same bits. Rows are merged:
// `positive` and `negative` hold the weight of each class in a row, so a row at logit z costs
// positive log(1 + e^-z) + negative log(1 + e^z).
//
// A sum runs in eight lanes over blocks of rows, which keeps the rounding error of a sum of n terms below
// (kBlock + n / kBlock) 2^-53 of the sum of their magnitudes.
#pragma once
#include <cstdint>

#include "base/versions.hpp"

namespace supersparse::log_loss {

constexpr int64_t kBlock = 256;

// Sums over residuals r (first derivatives), at logits z: of r, of r z, of |r z|.
struct Slopes {
  double total, moment, size;
};

// Loss at logits a score + b, and its derivatives: sums of residuals r and curvatures c, alone and with the scores s.
struct Line {
  double loss, r, rs, c, cs, css;
};

// Sums of residuals and curvatures alone, and the least and largest of numbers.
struct InterceptSums {
  double r, c;
};
struct Span {
  double least, most;
};

// What a bound needs in addition: sums of r z, |r z| and |r|.
struct LineSizes {
  double moment, size, residuals;
};

struct Loops {
  // the loss at logits z; e receives e^-|z|
  double (*loss_at)(const double* z, const double* positive, const double* negative, double* e, int64_t n);
  // residual and curvature of each row, from z and e = e^-|z|
  Slopes (*slopes_at)(const double* z, const double* e, const double* positive, const double* negative, double* residual,
                      double* curve, int64_t n);
  double (*loss_on_line)(const double* score, double a, double b, const double* positive, const double* negative, int64_t n);
  Line (*line)(const double* score, double a, double b, const double* positive, const double* negative, int64_t n);
  InterceptSums (*intercept_sums)(const double* score, double a, double b, const double* positive, const double* negative,
                                  int64_t n);
  Span (*span)(const double* x, int64_t n);
  Line (*line_and_sizes)(const double* score, double a, double b, const double* positive, const double* negative, int64_t n,
                         LineSizes* sizes);
  // the weighted entropy of risks: the least loss of rows that have these risks
  double (*entropy_of)(const double* risk, const double* positive, const double* negative, int64_t n);
  double (*total)(const double* x, int64_t n);
  double (*dot)(const double* x, const double* y, int64_t n);
  // sums of r x, c x, c x^2 and c x s
  void (*column_sums)(const double* x, const double* residual, const double* curve, const double* score, int64_t n, double* out);
  // z += factor x
  void (*add_column)(double* z, double factor, const double* x, int64_t n);
  // z += factors[0] a + factors[1] b + factors[2] c + factors[3] d
  void (*add_four)(double* z, const double* factors, const double* a, const double* b, const double* c, const double* d, int64_t n);
  // out = x y entry by entry; returns its sum
  double (*times)(double* out, const double* x, const double* y, int64_t n);
  // out[0 to 3] += v a, v b, v c, v d
  void (*dots_of_four)(const double* v, const double* a, const double* b, const double* c, const double* d, int64_t n, double* out);
  // the same for v and w, which has its own row of results
  void (*dots_of_two_by_four)(const double* v, const double* w, const double* a, const double* b, const double* c,
                              const double* d, int64_t n, double* of_v, double* of_w);
  // codes of rows with another column: ids = ids wide + ranks
  void (*append_code)(int32_t* ids, int32_t wide, const int32_t* ranks, int64_t n);
};

extern const Loops loops_baseline;
#ifdef SUPERSPARSE_X86
extern const Loops loops_avx2, loops_avx512;
constexpr const Loops* kLoops[kVersions] = {&loops_baseline, &loops_avx2, &loops_avx512};
#else
constexpr const Loops* kLoops[kVersions] = {&loops_baseline};
#endif

inline const Loops& loops() { return *kLoops[loop_version()]; }

}  // namespace supersparse::log_loss
