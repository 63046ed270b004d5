// What tests look at within the proof of risk cards.
#include "kernel.hpp"
#include "log_loss/cards.hpp"
#include "log_loss/cone.hpp"
#include "log_loss/projection.hpp"
#include "log_loss/proof_loops.hpp"

using namespace supersparse;
using namespace supersparse::log_loss;

namespace {

struct ConeProblem {  // `ConeProblem` of tests/engine/risk/probes.py
  Matrix<double> x;
  Ints columns;
  Floats positive, negative, low, high;
  int64_t slope_is_free;
  double slope_high, threshold;
  Floats limits;

  Sample sample() const { return {x, columns, positive, negative, x.columns}; }
  Cone cone() const { return {low, high, slope_is_free != 0, slope_high}; }
};

}  // namespace

extern "C" {

// found = (bound, loss)
SUPERSPARSE_API int32_t ss_probe_relax_box(const ConeProblem* problem, double accuracy, const Floats* point,
                                           const Floats* dual, const Matrix<double>* work, const Floats* gradient,
                                           const Matrix<double>* model, const Floats* found, int64_t* answer) {
  return guarded([&] {
    const Relaxed relaxed = relax_box(problem->sample(), problem->cone(), problem->threshold, problem->limits, accuracy,
                                      *point, *dual, *work, *gradient, *model);
    (*found)[0] = relaxed.bound;
    (*found)[1] = relaxed.loss;
    *answer = relaxed.passed;
  });
}

SUPERSPARSE_API int32_t ss_probe_quadratic_below(const ConeProblem* problem, const Floats* point, double loss,
                                                 const Floats* gradient, const Matrix<double>* work, const Cube<double>* out,
                                                 int64_t* answer) {
  return guarded([&] {
    *answer = quadratic_below(problem->sample(), problem->cone(), problem->threshold, problem->limits, *point, loss, *gradient,
                              *work, *out);
  });
}

// found = (bound,)
SUPERSPARSE_API int32_t ss_probe_least_in_cone(const ConeProblem* problem, const Cube<double>* quadratic, const Floats* point,
                                               const Floats* found, int64_t* answer) {
  return guarded([&] {
    (*found)[0] = ConeSearch().least(quadratic->layer(kBelow), problem->cone(), *point);
    *answer = 0;
  });
}

SUPERSPARSE_API int32_t ss_probe_is_above(const ConeProblem* problem, const Floats* point, const Matrix<double>* work,
                                          const Floats* gradient, const Cube<double>* quadratic, int64_t* answer) {
  return guarded([&] {
    *answer = is_above(problem->sample(), problem->cone(), problem->threshold, problem->limits, *point, *work, *gradient,
                       *quadratic);
  });
}

// Of a support with a last column: found receives the loss without it, and, for each threshold, whether it is excluded;
// `step` the last Newton step.
SUPERSPARSE_API int32_t ss_probe_last_column(const RiskData* data, const Support* support, const Ints* columns,
                                             const Floats* thresholds, const Floats* step, const Floats* found,
                                             int64_t* answer) {
  return guarded([&] {
    const int64_t k = columns->size - 1;
    std::vector<double> point(k + 1);
    WithoutLast without(*data, k + 1);
    *answer = without.fit(*support, *columns, k, view(point));
    (*found)[0] = without.loss();
    for (int64_t t = 0; *answer && t < thresholds->size; t++)
      (*found)[1 + t] = without.excludes(*columns, k, (*thresholds)[t], *step);
  });
}

}  // extern "C"
