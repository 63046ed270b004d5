// The C functions of the search for good models, see `engine/search/kernels.py`.
#include <algorithm>

#include "errors/annealing.hpp"
#include "errors/descent.hpp"
#include "errors/heat_bath.hpp"
#include "errors/lines.hpp"
#include "kernel.hpp"

using namespace supersparse;

namespace {

void check_model(const SearchData& data, Ints index, Ints scores) {
  require(index.size == data.features() && scores.size == data.rows(), "a model needs a value for each feature");
  for (int64_t j = 0; j < index.size; j++)
    require(index[j] >= 0 && index[j] < data.n_values[j], "the index of a value is out of range");
}

}  // namespace

extern "C" {

SUPERSPARSE_API int32_t ss_loss_by_b(const Ints* scores, int64_t step, int64_t half, const Ints* positive,
                                     const Ints* negative, const Ints* starts, const Ints* losses, int64_t* answer) {
  return guarded([&] {
    const int64_t most = 2 * scores->size;
    require(positive->size == scores->size && negative->size == scores->size && step > 0, "scores and weights differ");
    require(starts->size >= most && losses->size > most, "there is too little room for the steps of the loss");
    LossByB by;
    loss_by_b(*scores, step, half, *positive, *negative, by);
    std::copy(by.starts.begin(), by.starts.end(), starts->begin());
    std::copy(by.losses.begin(), by.losses.end(), losses->begin());
    *answer = static_cast<int64_t>(by.starts.size());
  });
}

SUPERSPARSE_API int32_t ss_least_over_b(const Ints* starts, const Ints* losses, int64_t low, int64_t high, const Ints* b,
                                        int64_t* answer) {
  return guarded([&] {
    require(losses->size == starts->size + 1 && b->size == 1, "each step has a loss");
    LossByB by;
    by.starts.assign(starts->begin(), starts->end());
    by.losses.assign(losses->begin(), losses->end());
    const LossAt least = least_over_b(by, low, high);
    (*b)[0] = least.b;
    *answer = least.loss;
  });
}

SUPERSPARSE_API int32_t ss_price_of(const SearchData* data, const Ints* index, int64_t window, const Ints* b,
                                    int64_t* answer) {
  return guarded([&] {
    check_model(*data, *index, data->positive);
    const LossAt price = price_of(*data, *index, window);
    (*b)[0] = price.b;
    *answer = price.loss;
  });
}

SUPERSPARSE_API int32_t ss_rescore(const SearchData* data, const Ints* index, const Ints* scores, int64_t* answer) {
  return guarded([&] {
    check_model(*data, *index, *scores);
    rescore(*data, *index, *scores);
    *answer = 0;
  });
}

SUPERSPARSE_API int32_t ss_descend(const SearchData* data, const Ints* index, const Ints* intercept, const Ints* scores,
                                   int64_t window, int64_t budget, const Words* state, const Ints* work, int64_t* answer) {
  return guarded([&] {
    check_model(*data, *index, *scores);
    *answer = descend(*data, *index, (*intercept)[0], *scores, window, budget, (*state)[0], (*work)[0]);
  });
}

SUPERSPARSE_API int32_t ss_anneal(const SearchData* data, const Ints* index, const Ints* intercept, const Ints* scores,
                                  const Ints* best_index, double hot, double cold, int64_t moves, int64_t settled,
                                  int64_t window, const Words* state, const Ints* work, int64_t* answer) {
  return guarded([&] {
    check_model(*data, *index, *scores);
    require(intercept->size == 2 && best_index->size == index->size, "there is no room for the best model");
    *answer = anneal(*data, *index, *intercept, *scores, *best_index, hot, cold, moves, settled != 0, window, (*state)[0],
                     (*work)[0]);
  });
}

SUPERSPARSE_API int32_t ss_heat_bath(const SearchData* data, const Ints* index, const Ints* intercept, const Ints* scores,
                                     const Ints* best_index, int64_t hot, int64_t cold, int64_t steps, const Ints* progress,
                                     const Ints* noise, int64_t window, int64_t budget, const Words* state, const Ints* work,
                                     int64_t* answer) {
  return guarded([&] {
    check_model(*data, *index, *scores);
    require(intercept->size == 2 && best_index->size == index->size, "there is no room for the best model");
    require(progress->size == 2 && noise->size > 0, "a walk needs its progress and noise");
    *answer = heat_bath(*data, *index, *intercept, *scores, *best_index, hot, cold, steps, *progress, *noise, window, budget,
                        (*state)[0], (*work)[0]);
  });
}

}  // extern "C"
