// What tests look at within the search for good models.
#include "errors/descent.hpp"
#include "errors/lines.hpp"
#include "kernel.hpp"

using namespace supersparse;

extern "C" {

SUPERSPARSE_API int32_t ss_probe_best_b(const Ints* scores, const SearchData* data, int64_t centre, int64_t window,
                                        const Ints* b, int64_t* answer) {
  return guarded([&] {
    LineRoom room(*data, window);
    const LossAt best = best_b(*scores, *data, centre, window, room.jumps);
    (*b)[0] = best.b;
    *answer = best.loss;
  });
}

SUPERSPARSE_API int32_t ss_probe_best_b_anywhere(const Ints* scores, const SearchData* data, const Ints* b, int64_t* answer) {
  return guarded([&] {
    const LossAt best = best_b_anywhere(*scores, *data);
    (*b)[0] = best.b;
    *answer = best.loss;
  });
}

SUPERSPARSE_API int32_t ss_probe_line_at_fixed_b(const Ints* scores, const SearchData* data, int64_t j, int64_t current,
                                                 int64_t b, const Ints* totals, int64_t* answer) {
  return guarded([&] {
    *answer = loss_at(*scores, *data, b);
    line_at_fixed_b(*answer, *scores, *data, j, current, b, *totals);
  });
}

SUPERSPARSE_API int32_t ss_probe_best_on_line(const Ints* scores, const SearchData* data, int64_t j, int64_t index, int64_t b,
                                              int64_t may_be_zero, int64_t may_be_used, int64_t window, const Ints* found,
                                              int64_t* answer) {
  return guarded([&] {
    LineRoom room(*data, window);
    int64_t work = 0;
    const OnLine best = best_on_line(*scores, *data, j, index, b, may_be_zero, may_be_used, window, room, work);
    (*found)[0] = best.at;
    (*found)[1] = best.b;
    *answer = best.cost;
  });
}

SUPERSPARSE_API int32_t ss_probe_model_penalty(const SearchData* data, const Ints* index, const Ints* size, int64_t* answer) {
  return guarded([&] {
    const ModelPenalty model = model_penalty(*data, *index);
    (*size)[0] = model.size;
    *answer = model.total;
  });
}

SUPERSPARSE_API int32_t ss_probe_excess(const SearchData* data, const Ints* index, int64_t* answer) {
  return guarded([&] { *answer = excess(*data, *index); });
}

SUPERSPARSE_API int32_t ss_probe_next_random(const Words* state, int64_t* answer) {
  return guarded([&] { *answer = next_random((*state)[0]); });
}

SUPERSPARSE_API int32_t ss_probe_shuffle(const Ints* order, const Words* state, int64_t* answer) {
  return guarded([&] {
    shuffle(*order, (*state)[0]);
    *answer = 0;
  });
}

}  // extern "C"
