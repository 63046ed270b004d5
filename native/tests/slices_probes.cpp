// What tests in Python ask of one support, its boxes and its packings; a search calls them from other functions alone.
#include <algorithm>

#include "errors/boxes.hpp"
#include "errors/nodes.hpp"
#include "kernel.hpp"

using namespace supersparse;
using namespace supersparse::errors;

extern "C" {

SUPERSPARSE_API int32_t ss_probe_cell_weights(const Ints* cell, const Ints* positive, const Ints* negative,
                                              const Ints* up, const Ints* down, const Ints* row, int64_t*) {
  return guarded([&] { cell_weights(*cell, *positive, *negative, *up, *down, *row); });
}

// Fills `net` and `weight` as far as they go; gives how many cells there are.
SUPERSPARSE_API int32_t ss_probe_net_cells(const Matrix<int64_t>* x, const Ints* heavy, const Ints* light,
                                           const Matrix<int64_t>* net, const Ints* weight, int64_t* answer) {
  return guarded([&] {
    const NetCells found = net_cells(*x, *heavy, *light);
    *answer = static_cast<int64_t>(found.weight.size());
    std::copy(found.x.begin(), found.x.end(), net->data);
    std::copy(found.weight.begin(), found.weight.end(), weight->begin());
  });
}

SUPERSPARSE_API int32_t ss_probe_spreads(const Matrix<int64_t>* x, const Ints* weight, const Floats* spread, int64_t*) {
  return guarded([&] {
    const std::vector<double> found = spreads(*x, *weight);
    std::copy(found.begin(), found.end(), spread->begin());
  });
}

SUPERSPARSE_API int32_t ss_probe_evaluate(const SupportData* data, const Ints* vector, int64_t b_low, int64_t b_high,
                                          int64_t within_rates, const Ints* b, int64_t* answer) {
  return guarded([&] {
    const LossAt found = (within_rates ? evaluate_within_rates : evaluate_vector)(*data, *vector, b_low, b_high);
    *answer = found.loss;
    (*b)[0] = found.b;
  });
}

SUPERSPARSE_API int32_t ss_probe_least_l1(const SupportData* data, const Ints* low, const Ints* high, int64_t* answer) {
  return guarded([&] { *answer = least_l1(*data, {*low, *high}); });
}

SUPERSPARSE_API int32_t ss_probe_least_fixed_cost(const SupportData* data, const Ints* low, const Ints* high,
                                                  int64_t* answer) {
  return guarded([&] { *answer = least_fixed_cost(*data, {*low, *high}); });
}

SUPERSPARSE_API int32_t ss_probe_scores_too_high(const SupportData* data, const Ints* low, const Ints* high,
                                                 int64_t* answer) {
  return guarded([&] { *answer = scores_too_high(*data, {*low, *high}); });
}

SUPERSPARSE_API int32_t ss_probe_loss_bound(const SupportData* data, const Ints* low, const Ints* high, int64_t enough,
                                            int64_t* answer) {
  return guarded([&] {
    BoxSpace space(*data);
    *answer = loss_bound(*data, {*low, *high}, enough, space);
  });
}

SUPERSPARSE_API int32_t ss_probe_widest(const SupportData* data, const Ints* low, const Ints* high, int64_t* answer) {
  return guarded([&] { *answer = widest(*data, {*low, *high}); });
}

SUPERSPARSE_API int32_t ss_probe_split_at(const SupportData* data, int64_t dimension, int64_t low, int64_t high,
                                          int64_t* answer) {
  return guarded([&] { *answer = split_at(*data, dimension, low, high); });
}

// Fills in the boxes left open and those looked at.
SUPERSPARSE_API int32_t ss_probe_run_boxes(const SupportData* data, const Cube<int64_t>* stack, int64_t top, int64_t cut,
                                           int64_t best_l1, int64_t ties, int64_t budget, const Ints* hit,
                                           const Ints* counts, int64_t* answer) {
  return guarded([&] {
    BoxSpace space(*data);
    const Ended ended = run_boxes(*data, *stack, top, {cut, best_l1, ties != 0}, budget, *hit, space);
    *answer = ended.result;
    (*counts)[0] = ended.top;
    (*counts)[1] = ended.spent;
  });
}

// Fills in the theta of the bound and the packings tried.
SUPERSPARSE_API int32_t ss_probe_pack_node(const Pairs* pairs, const Array<int32_t>* chosen, const Flags* allowed,
                                           const Ints* penalty, int64_t room, int64_t theta, int64_t enough,
                                           const Ints* load, const Ints* refused, const Ints* by_literal,
                                           const Ints* counts, int64_t* answer) {
  return guarded([&] {
    const Packed packed = pack_node(*pairs, *chosen, *allowed, *penalty, room, theta, enough, *load, *refused, *by_literal);
    *answer = packed.bound;
    (*counts)[0] = packed.theta;
    (*counts)[1] = packed.tried;
  });
}

SUPERSPARSE_API int32_t ss_probe_literal_bounds(int64_t total, const Ints* load, const Ints* penalty, const Flags* allowed,
                                                int64_t gained, int64_t least, const Ints* bound, int64_t*) {
  return guarded([&] { literal_bounds(total, *load, *penalty, *allowed, {gained, least}, *bound); });
}

}  // extern "C"
