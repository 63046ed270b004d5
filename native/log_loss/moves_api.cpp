#include "kernel.hpp"
#include "log_loss/moves.hpp"

using namespace supersparse;
using namespace supersparse::log_loss;

extern "C" {

SUPERSPARSE_API int32_t ss_tighten(const Matrix<double>* values, const Ints* zero, const Floats* scale, const Ints* columns,
                                   const Ints* optional, const Floats* cost, const Floats* dual, int64_t room, double threshold,
                                   const Ints* low, const Ints* high, int64_t* answer) {
  return guarded([&] {
    *answer = tighten(*values, *zero, *scale, *columns, *optional, *cost, *dual, room, threshold, *low, *high);
  });
}

SUPERSPARSE_API int32_t ss_extend(const RiskData* data, const Support* support, const Matrix<int64_t>* members,
                                  const Matrix<double>* points, int64_t n_members, int64_t size, const Ints* allowed,
                                  int64_t tries, double least, const Matrix<int64_t>* new_members,
                                  const Matrix<double>* new_points, const Floats* losses, int64_t* answer) {
  return guarded([&] {
    *answer = extend(*data, *support, *members, *points, n_members, size, *allowed, tries, least, *new_members, *new_points,
                     *losses);
  });
}

SUPERSPARSE_API int32_t ss_round_support(const RiskData* data, const Support* support, const Best* best, const Ints* low,
                                         const Ints* high, const Ints* columns, int64_t k, const Floats* point, double near,
                                         int64_t keeps, int64_t*) {
  return guarded([&] { round_support(*data, *support, *best, *low, *high, *columns, k, *point, near, keeps); });
}

// `value` has one entry and receives the loss and penalty of the card.
SUPERSPARSE_API int32_t ss_improve(const RiskData* data, const Support* support, const Best* best, const SwapRecord* settled,
                                   const Ints* low, const Ints* high, int64_t most, const Ints* index, int64_t few,
                                   int64_t tries, const Floats* value, int64_t*) {
  return guarded([&] {
    (*value)[0] = improve(*data, *support, *best, *settled, *low, *high, most, *index, few, tries);
  });
}

}  // extern "C"
