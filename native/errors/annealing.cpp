#include "errors/annealing.hpp"

#include <algorithm>
#include <cmath>

namespace supersparse {
namespace {

// A step under way: which features moved, where they were, and what that adds to the penalty.
struct Move {
  int count = 0;
  int64_t feature[2], before[2], added = 0;
};

// Changes one coefficient, if the step drawn is allowed; `size` follows.
void change_one(const SearchData& data, Ints index, Ints scores, bool settled, uint64_t& state, Move& move, int64_t& size,
                int64_t& work) {
  const int64_t p = index.size;
  int64_t j = next_random(state) % p;
  if (settled && size > 0 && index[j] == data.zero[j] && next_random(state) % 3 != 0)
    while (index[j] == data.zero[j]) j = j + 1 < p ? j + 1 : 0;
  const int64_t old = index[j], n = data.n_values[j], zero = data.zero[j];
  int64_t now = zero;
  if (!(old != zero && zero >= 0 && next_random(state) % 8 == 0)) {
    int64_t reach = 1;
    while (4 * reach < n && next_random(state) % 2 == 0) reach *= 2;
    const int64_t length = 1 + next_random(state) % reach;
    now = old + (next_random(state) % 2 == 0 ? length : -length);
    if (now < 0 || now >= n) return;
  }
  if (move.count == 1 && move.feature[0] == j) return;
  const int64_t grows = (now != zero) - (old != zero);
  if (size + grows > data.max_size && grows > 0) return;
  size += grows;
  move.feature[move.count] = j;
  move.before[move.count++] = old;
  move.added += data.value_penalty(j, now) - data.value_penalty(j, old);
  index[j] = now;
  add_column(scores, data, j, data.values(j, now) - data.values(j, old));
  work += data.start[j + 1] - data.start[j];
}

}  // namespace

int64_t anneal(const SearchData& data, Ints index, Ints intercept, Ints scores, Ints best_index, double hot, double cold,
               int64_t moves, bool settled, int64_t window, uint64_t& state, int64_t& work) {
  std::vector<int64_t> jumps(2 * window + 3);
  rescore(data, index, scores);
  LossAt at = best_b(scores, data, intercept[0], window, jumps);
  const ModelPenalty model = model_penalty(data, index);
  int64_t size = model.size, penalty = model.total, cost = at.loss + penalty + excess(data, index), best = cost;
  intercept[1] = at.b;
  std::copy(index.begin(), index.end(), best_index.begin());
  const double ratio = cold / hot;
  for (int64_t step = 0; step < moves; step++) {
    const double temperature = hot * std::pow(ratio, static_cast<double>(step) / static_cast<double>(moves));
    Move move;
    int64_t new_size = size;
    const int tries = next_random(state) % 3 == 0 ? 2 : 1;
    for (int k = 0; k < tries; k++) change_one(data, index, scores, settled, state, move, new_size, work);
    if (move.count == 0) continue;
    const LossAt now = best_b(scores, data, at.b, window, jumps);
    work += scores.size + window;
    const int64_t new_cost = now.loss + penalty + move.added + excess(data, index);
    if (new_cost <= cost || static_cast<double>(next_random(state)) / 2147483648.0 <
                                std::exp(static_cast<double>(cost - new_cost) / temperature)) {
      cost = new_cost;
      penalty += move.added;
      at.b = now.b;
      size = new_size;
      if (cost < best) {
        best = cost;
        intercept[1] = at.b;
        std::copy(index.begin(), index.end(), best_index.begin());
      }
      continue;
    }
    while (move.count-- > 0) {
      const int64_t j = move.feature[move.count], before = move.before[move.count];
      add_column(scores, data, j, data.values(j, before) - data.values(j, index[j]));
      index[j] = before;
    }
  }
  intercept[0] = at.b;
  return best;
}

}  // namespace supersparse
