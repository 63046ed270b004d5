#include "errors/descent.hpp"

#include <algorithm>
#include <numeric>

namespace supersparse {
namespace {

constexpr int64_t kWide = 100;  // with more features than this, only the most promising ones are tried in full
constexpr int64_t kPromising = 12;

struct Descent {
  const SearchData& data;
  const Ints index;
  int64_t& intercept;
  const Ints scores;
  const int64_t window;
  const int64_t limit;  // of work
  int64_t& work;
  LineRoom room{data, window};
  int64_t cost = 0, penalty = 0, size = 0;

  int64_t value(int64_t j) const { return data.values(j, index[j]); }

  OnLine on_line(int64_t j, bool may_be_zero, bool may_be_used) {
    return best_on_line(scores, data, j, index[j], intercept, may_be_zero, may_be_used, window, room, work);
  }

  // Searches the line of one feature after the other and takes what helps; whether the budget sufficed for all features.
  bool change_one(const std::vector<int64_t>& order) {
    for (int64_t j : order) {
      if (work >= limit) return false;
      const int64_t old = value(j);
      if (old == 0 && size >= data.max_size) continue;
      const int64_t current = data.value_penalty(j, index[j]);
      const OnLine line = on_line(j, data.zero[j] >= 0, true);
      if (penalty - current + line.cost >= cost) continue;
      const int64_t now = data.values(j, line.at);
      add_column(scores, data, j, now - old);
      cost = penalty - current + line.cost;
      penalty += data.value_penalty(j, line.at) - current;
      size += (now != 0) - (old != 0);
      index[j] = line.at;
      intercept = line.b;
    }
    return true;
  }

  // Puts another feature in the place of one in use, the first time that helps.
  void swap_one(const std::vector<int64_t>& order) {
    for (int64_t out : order) {
      const int64_t old = value(out);
      if (old == 0 || data.zero[out] < 0) continue;
      const int64_t spared = data.value_penalty(out, index[out]) - data.value_penalty(out, data.zero[out]);
      add_column(scores, data, out, -old);
      OnLine best{cost, 0, 0};
      int64_t best_j = -1;
      const bool is_wide = index.size > kWide;
      const std::vector<int64_t> promising =
          is_wide ? most_promising(scores, data, index, intercept, kPromising, room, work) : std::vector<int64_t>();
      for (int64_t j : is_wide ? promising : order) {
        if (work >= limit) break;
        if (j == out || value(j) != 0) continue;
        const OnLine line = on_line(j, false, true);
        const int64_t total = penalty - spared - data.value_penalty(j, index[j]) + line.cost;
        if (line.cost < kNothing / 2 && total < best.cost) {
          best = {total, line.at, line.b};
          best_j = j;
        }
      }
      if (best_j >= 0) {
        add_column(scores, data, best_j, data.values(best_j, best.at));
        penalty += data.value_penalty(best_j, best.at) - data.value_penalty(best_j, index[best_j]) - spared;
        index[out] = data.zero[out];
        index[best_j] = best.at;
        intercept = best.b;
        cost = best.cost;
        return;
      }
      add_column(scores, data, out, old);
      if (work >= limit) return;
    }
  }
};

}  // namespace

void shuffle(Ints order, uint64_t& state) {
  for (int64_t t = order.size - 1; t > 0; t--) std::swap(order[t], order[next_random(state) % (t + 1)]);
}

ModelPenalty model_penalty(const SearchData& data, Ints index) {
  ModelPenalty model{0, 0};
  for (int64_t j = 0; j < index.size; j++) {
    model.total += data.value_penalty(j, index[j]);
    model.size += data.values(j, index[j]) != 0;
  }
  return model;
}

void rescore(const SearchData& data, Ints index, Ints scores) {
  std::fill(scores.begin(), scores.end(), 0);
  for (int64_t j = 0; j < index.size; j++)
    if (const int64_t value = data.values(j, index[j])) add_column(scores, data, j, value);
}

int64_t excess(const SearchData& data, Ints index) {
  int64_t price = 0;
  for (int64_t limit = 0; limit < data.limit_most.size; limit++) {
    int64_t counted = 0;
    for (int64_t j = 0; j < index.size; j++) counted += data.limit_term(limit, j, index[j]);
    if (counted > data.limit_most[limit])
      price += std::min<int64_t>(8, counted - data.limit_most[limit]) * data.limit_price[limit];
  }
  for (int64_t group = 0; group + 1 < data.group_start.size; group++) {
    int64_t above = 0, below = 0;
    for (int64_t t = data.group_start[group]; t < data.group_start[group + 1]; t++) {
      const int64_t j = data.group_feature[t], value = data.values(j, index[j]);
      above += value > 0;
      below += value < 0;
    }
    price += std::min<int64_t>({8, above, below}) * data.group_price;
  }
  return price;
}

LossAt price_of(const SearchData& data, Ints index, int64_t window) {
  std::vector<int64_t> scores(data.rows()), jumps(2 * window + 3);
  rescore(data, index, view(scores));
  const LossAt found =
      data.intercepts.size ? best_b(view(scores), data, 0, window, jumps) : best_b_anywhere(view(scores), data);
  const ModelPenalty model = model_penalty(data, index);
  if (model.size > data.max_size) return {kNothing / 2, found.b};
  return {found.loss + model.total + excess(data, index), found.b};
}

int64_t descend(const SearchData& data, Ints index, int64_t& intercept, Ints scores, int64_t window, int64_t budget,
                uint64_t& state, int64_t& work) {
  Descent at{data, index, intercept, scores, window, work + budget, work};
  std::vector<int64_t> order(index.size);
  std::iota(order.begin(), order.end(), 0);
  const LossAt began = best_b(scores, data, intercept, window, at.room.jumps);
  intercept = began.b;
  const ModelPenalty model = model_penalty(data, index);
  at.penalty = model.total;
  at.size = model.size;
  at.cost = began.loss + model.total;
  while (work < at.limit) {
    if (index.size > kWide) order = most_promising(scores, data, index, intercept, kPromising, at.room, work);
    shuffle(view(order), state);
    const int64_t before = at.cost;
    if (!at.change_one(order)) return at.cost;
    if (at.cost < before) continue;
    at.swap_one(order);
    if (at.cost == before) break;
  }
  return at.cost;
}

}  // namespace supersparse
