#include "errors/nodes.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/sorting.hpp"

namespace supersparse::errors {
namespace {

// 1 if a literal is on the positive side of a limit on signs, plus 2 if one is on the negative side.
int sides(Ints side, Ints literals) {
  int found = 0;
  for (int64_t name : literals) found |= side[name] > 0 ? 1 : (side[name] < 0 ? 2 : 0);
  return found;
}

// The total weight of the literals in one limit.
int64_t weight_of(Ints weight, Ints literals) {
  int64_t total = 0;
  for (int64_t name : literals) total += weight[name];
  return total;
}

// `keep_possible` for one limit on sums: others can lower a sum by the `room` smallest negative weights.
bool keep_within(Ints weight, int64_t most, int64_t now, Flags allowed, int64_t room) {
  const int64_t n = allowed.size / 2;
  std::vector<int64_t> offered(n);
  for (int64_t name = 0; name < allowed.size; name++) {
    if (allowed[name]) offered[feature_of(name)] = std::min(offered[feature_of(name)], weight[name]);
  }
  const std::vector<int64_t> order = order_of(view(offered));
  std::vector<Flag> is_helper(n);
  int64_t helped = 0;
  for (int64_t t = 0; t < std::min(room, n); t++) {
    helped += offered[order[t]];
    is_helper[order[t]] = 1;
  }
  if (now + helped > most) return false;
  const int64_t all_but_one = helped - (room <= n ? offered[order[room - 1]] : 0);
  for (int64_t name = 0; name < allowed.size; name++) {
    const int64_t f = feature_of(name), others = is_helper[f] ? helped - offered[f] : all_but_one;
    if (now + weight[name] + others > most) allowed[name] = 0;
  }
  return true;
}

// The packings of one node: pairs in their order, each given what its points and literals have left.
class Packing {
 public:
  Packing(const Pairs& pairs, Array<int32_t> chosen, Flags allowed, Ints penalty)
      : pairs_(pairs), allowed_(allowed), penalty_(penalty), load_(allowed.size), refused_(allowed.size) {
    std::vector<uint64_t> words = in_words(allowed);
    order_ = fewest_first(pairs.mask, chosen, view(words));
    for (int32_t& place : order_) place = chosen[place];
  }

  // The sum of the multipliers where the capacity of a literal is its penalty and theta; stops once it exceeds `enough`.
  // The refused of a literal adds up what it cannot take.
  int64_t sum(int64_t theta, int64_t enough) {
    left_positive_.assign(pairs_.positive_weight.begin(), pairs_.positive_weight.end());
    left_negative_.assign(pairs_.negative_weight.begin(), pairs_.negative_weight.end());
    std::fill(load_.begin(), load_.end(), 0);
    std::fill(refused_.begin(), refused_.end(), 0);
    int64_t total = 0;
    for (int32_t q : order_) {
      int64_t& left_up = left_positive_[pairs_.positive[q]];
      int64_t& left_down = left_negative_[pairs_.negative[q]];
      int64_t u = std::min(left_up, left_down);
      if (u <= 0) continue;
      const Array<int32_t> literals = pairs_.literal.slice(pairs_.start[q], pairs_.start[q + 1]);
      if (theta < kUnlimited) {
        u = capacity(literals, theta, u);
        if (u <= 0) continue;
      }
      left_up -= u;
      left_down -= u;
      total += u;
      for (int32_t name : literals) load_[name] += u;  // that of others is not read
      if (total > enough) break;
    }
    return total;
  }

  Ints load() { return view(load_); }
  Ints refused() { return view(refused_); }

 private:
  // What the literals have left of `asked`.
  int64_t capacity(Array<int32_t> literals, int64_t theta, int64_t asked) {
    int64_t u = asked;
    for (int32_t name : literals) {
      if (!allowed_[name]) continue;
      const int64_t spare = penalty_[name] + theta - load_[name];
      u = std::min(u, spare);
      if (spare <= 0) refused_[name] = std::min(kUnlimited, refused_[name] + asked);
    }
    return u;
  }

  const Pairs& pairs_;
  Flags allowed_;
  Ints penalty_;
  std::vector<int32_t> order_;
  std::vector<int64_t> load_, refused_, left_positive_, left_negative_;
};

// The theta to try after `last`: larger ones while they are better, else smaller ones; -1 to end.
int64_t following_theta(int64_t first, int64_t last, int64_t best) {
  if (last == first || (last == best && last > first)) return last < kUnlimited / 16 ? last * 17 / 10 + 1 : -1;
  if (best > first || (last < first && last != best)) return -1;
  return std::min(first, last) > 1 ? std::min(first, last) * 6 / 10 : -1;
}

// The capacities beyond the penalty to try: near the parent's, or the whole range if that is 0.
std::vector<int64_t> thetas(const Pairs& pairs, int64_t theta) {
  if (theta != 0) {
    const int64_t near = std::abs(theta);
    return {near, std::max<int64_t>(1, near * 6 / 10), near * 17 / 10};
  }
  int64_t least = kUnlimited;
  const auto sum = [&](Ints weights) {
    int64_t total = 0;
    for (int64_t w : weights) {
      total = std::min(kUnlimited, total + w);
      least = std::min(least, w);
    }
    return total;
  };
  const int64_t ups = sum(pairs.positive_weight), downs = sum(pairs.negative_weight);
  least = std::max<int64_t>(1, least / 2);
  std::vector<int64_t> tries;
  for (int64_t widest = std::min(ups, downs); widest > least && tries.size() < 200; widest = widest * 7 / 10) {
    tries.push_back(widest);
  }
  if (tries.empty()) tries.push_back(1);
  return tries;
}

}  // namespace

bool uses(Ints literals, int64_t feature) {
  return std::any_of(literals.begin(), literals.end(), [&](int64_t name) { return feature_of(name) == feature; });
}

bool has(Ints literals, int64_t literal) { return std::find(literals.begin(), literals.end(), literal) != literals.end(); }

bool may_stop(const Branching& b, Ints literals) {
  for (int64_t f : b.forced) {
    if (!uses(literals, f)) return false;
  }
  for (int64_t limit = 0; limit < b.limit_side.rows; limit++) {
    if (sides(b.limit_side.row(limit), literals) == 3) return false;
  }
  for (int64_t limit = 0; limit < b.limit_most.size; limit++) {
    if (weight_of(b.limit_weight.row(limit), literals) > b.limit_most[limit]) return false;
  }
  return true;
}

bool keep_possible(const Branching& b, Ints literals, Flags allowed, int64_t room) {
  for (int64_t limit = 0; limit < b.limit_side.rows; limit++) {
    const Ints side = b.limit_side.row(limit);
    const int found = sides(side, literals);
    if (found == 3) return false;
    for (int64_t name = 0; name < allowed.size; name++) {
      if ((found == 1 && side[name] < 0) || (found == 2 && side[name] > 0)) allowed[name] = 0;
    }
  }
  for (int64_t limit = 0; limit < b.limit_most.size; limit++) {
    const Ints weight = b.limit_weight.row(limit);
    if (!keep_within(weight, b.limit_most[limit], weight_of(weight, literals), allowed, room)) return false;
  }
  return true;
}

int64_t pairs_of(const Pairs& pairs, const SliceState& state, Ints literals) {
  const int64_t last = state.pair.rows - 1, size = literals.size;
  int64_t known = 0;
  while (known < std::min(size, state.number[PAIRS_KNOWN]) && state.level(PAIR_PREFIX, known) == literals[known]) known++;
  for (int64_t d = known; d < size; d++) {
    const int64_t at = std::min(d, last), below = std::min(d + 1, last);
    const Array<int32_t> here = state.pair.row(at).slice(0, state.level(PAIR_COUNT, at));
    state.level(PAIR_COUNT, below) = without_literal(here, pairs.mask, literals[d], state.pair.row(below));
    state.level(PAIR_PREFIX, d) = literals[d];
    state.number[WORK] += state.level(PAIR_COUNT, at);
  }
  if (known < size) state.number[PAIRS_KNOWN] = size <= last ? size : last - 1;
  return std::min(size, last);
}

Packed pack_node(const Pairs& pairs, Array<int32_t> chosen, Flags allowed, Ints penalty, int64_t room, int64_t theta,
                 int64_t enough, Ints load, Ints refused, Ints by_literal) {
  int64_t undecided = 0;
  for (int64_t f = 0; f < allowed.size / 2; f++) undecided += allowed[2 * f] || allowed[2 * f + 1];
  const bool has_room = room >= undecided, is_single = !has_room && room == 1;
  const int64_t most = has_room ? undecided : room;
  const std::vector<int64_t> tries =
      has_room ? std::vector<int64_t>{0} : (is_single ? std::vector<int64_t>{kUnlimited} : thetas(pairs, theta));
  const bool is_given = theta != 0 && most == room && room > 1;
  Packing packing(pairs, chosen, allowed, penalty);
  Packed best{-(int64_t{1} << 62), 0, 0};
  int64_t best_total = 0, candidate = tries[0];
  while (candidate >= 0) {
    const int64_t stop_above = candidate >= kUnlimited ? kUnlimited : std::min(kUnlimited, enough + most * candidate);
    const int64_t total = packing.sum(candidate, stop_above);
    const int64_t bound = total - most_gained(packing.load(), penalty, allowed, most).sum;
    best.tried++;
    if (bound > best.bound) {
      best.bound = bound;
      best.theta = candidate;
      best_total = total;
      std::copy(packing.load().begin(), packing.load().end(), load.begin());
      std::copy(packing.refused().begin(), packing.refused().end(), refused.begin());
    }
    if (best.bound > enough || (is_given && theta > 0 && 10 * best.bound < 9 * enough)) break;
    if (is_given && theta < 0) {
      candidate = following_theta(-theta, candidate, best.theta);
    } else {
      candidate = best.tried < static_cast<int64_t>(tries.size()) ? tries[best.tried] : -1;
    }
  }
  literal_bounds(best_total, load, penalty, allowed, most_gained(load, penalty, allowed, most), by_literal);
  return best;
}

}  // namespace supersparse::errors
