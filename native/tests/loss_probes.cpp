// What tests look at within the log loss of rows, supports and cards.
#include "kernel.hpp"
#include "log_loss/cards.hpp"
#include "log_loss/elementary.hpp"

using namespace supersparse;
using namespace supersparse::log_loss;

extern "C" {

SUPERSPARSE_API int32_t ss_probe_logarithms(const Floats* x, const Floats* out, int64_t*) {
  return guarded([&] {
    for (int64_t i = 0; i < x->size; i++) (*out)[i] = log_of<double>((*x)[i]);
  });
}

SUPERSPARSE_API int32_t ss_probe_entropy(const Floats* risk, const Floats* positive, const Floats* negative, const Floats* out,
                                         int64_t*) {
  return guarded([&] { (*out)[0] = entropy_of(*risk, *positive, *negative, risk->size); });
}

SUPERSPARSE_API int32_t ss_probe_scores(const Matrix<double>* x, const Ints* columns, const Floats* point, int64_t first,
                                        const Floats* z, int64_t*) {
  return guarded([&] { scores_at(*z, *point, first, *x, *columns, columns->size, x->columns); });
}

SUPERSPARSE_API int32_t ss_probe_dots(const Matrix<double>* x, const Ints* columns, const Floats* v, const Floats* out, int64_t*) {
  return guarded([&] { dots(*v, *x, *columns, columns->size, x->columns, *out); });
}

SUPERSPARSE_API int32_t ss_probe_curvature(const Matrix<double>* x, const Ints* columns, const Floats* weights,
                                           const Matrix<double>* h, int64_t*) {
  return guarded([&] { curvature_of(*x, *columns, *weights, columns->size, x->columns, *h); });
}

// The number of merged rows of a support of columns.
SUPERSPARSE_API int32_t ss_probe_load(const RiskData* data, const Support* support, const Ints* columns, int64_t* answer) {
  return guarded([&] {
    load(*data, *support, *columns, columns->size);
    *answer = support->state[kRows];
  });
}

// found = (loss, bound) of a card on the support at hand
SUPERSPARSE_API int32_t ss_probe_card_loss(const RiskData* data, const Support* support, const Ints* index, const Floats* fit,
                                           const Floats* found, int64_t*) {
  return guarded([&] {
    const CardLoss card = card_loss(*data, *support, *index, index->size, *fit, Accuracy::full, kInfinity);
    (*found)[0] = card.loss;
    (*found)[1] = card.bound;
  });
}

}  // extern "C"
