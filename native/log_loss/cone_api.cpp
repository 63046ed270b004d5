// The C functions of the proof of risk cards, which `engine/risk/proof_kernels.py` declares.
#include "kernel.hpp"
#include "log_loss/completions.hpp"
#include "log_loss/projection.hpp"
#include "log_loss/relaxation.hpp"

using namespace supersparse;
using namespace supersparse::log_loss;

namespace {

Sample sample_of(const RiskData& data, Ints columns) { return {data.x, columns, data.positive, data.negative, data.n_rows()}; }

void tell(const Relaxed& relaxed, Floats found, int64_t* answer) {
  found[0] = relaxed.bound;
  found[1] = relaxed.loss;
  *answer = relaxed.passed;
}

}  // namespace

extern "C" {

SUPERSPARSE_API int32_t ss_relax(const RiskData* data, const Ints* columns, const Floats* low, const Floats* high, const Ints* optional,
                 const Floats* cost, int64_t room, double slope_low, double slope_high, double threshold, double haste,
                 const Floats* point, const Floats* dual, const Matrix<double>* work, const Matrix<double>* gram,
                 const Floats* found, int64_t* answer) {
  return guarded([&] {
    tell(relax(sample_of(*data, *columns), {*low, *high, *optional, *cost, room},
               {data->slope_is_free != 0, slope_low, slope_high}, threshold, data->limits, *point, *dual, *work, *gram, haste),
         *found, answer);
  });
}

SUPERSPARSE_API int32_t ss_relax_open(const RiskData* data, const Ints* columns, const Floats* low, const Floats* high,
                      const Ints* optional, const Floats* cost, int64_t room, double slope_high, double threshold,
                      const Floats* point, const Floats* dual, const Matrix<double>* work, const Matrix<double>* gram,
                      const Floats* found, int64_t* answer) {
  return guarded([&] {
    tell(relax_open(sample_of(*data, *columns), {*low, *high, *optional, *cost, room}, slope_high, threshold, data->limits,
                    *point, *dual, *work, *gram),
         *found, answer);
  });
}

SUPERSPARSE_API int32_t ss_run_completions(const RiskData* data, const Support* support, const Boxes* boxes, const Best* best,
                           const BitSets* bits, const Cells* cells, const Ints* used, const Ints* candidates, int64_t room,
                           const Ints* low, const Ints* high, const Floats* start, double loss_floor, const Floats* least_cost,
                           int64_t budget, int64_t* answer) {
  return guarded([&] {
    const PartialSupport partial{*used, *candidates, room, *low, *high, *start, loss_floor, *least_cost};
    *answer = run_completions(*data, *support, *boxes, *best, *bits, *cells, partial, budget);
  });
}

}  // extern "C"
