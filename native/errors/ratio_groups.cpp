#include "errors/ratio_groups.hpp"

#include <algorithm>
#include <cstdlib>

#include "errors/ratio_loops.hpp"
#include "errors/ratio_pairs.hpp"
#include "errors/ratio_separation.hpp"

namespace supersparse::ratios {
namespace {

constexpr double kHardlyDearer = -0.03;  // groups grow that gain at least so much: those with multipliers gain 0
constexpr float kCheaper = 0.9f;         // what a new group costs at most; all others cost 1 or more
constexpr int64_t kMostGrown = 6;        // points of a group that grew; more gain little
constexpr float kFree = 0.02f;           // what a point may cost that a linear program looks at
constexpr int kAtOnce = 6;               // groups from linear programs, without a point in common
constexpr float kFar = 1e30f;

struct Addition {
  float cost;
  int64_t point;
};

// The mean of a feature over the members from `first` to before `end`, 0 where there are none.
float mean_of(Singles points, Ints member, int64_t first, int64_t end) {
  float total = 0;
  int64_t n = 0;
  for (int64_t i : member)
    if (first <= i && i < end) total += points[i], n++;
  return total / static_cast<float>(std::max<int64_t>(1, n));
}

// The point that makes a group cheapest, and the cost of the group, added to its present points.
Addition best_addition(const PointPairs& pairs, const PairList& listed, const BoxPart& part, Ints member) {
  const RatioLoops& run = loops();
  const int64_t n_up = pairs.n_positive, all = pairs.point.columns;
  const Singles low = part.low, high = part.high;
  Addition best{kFar, -1};
  for (int side = 0; side < 2; side++) {
    const int64_t first = side == 0 ? 0 : n_up, end = side == 0 ? n_up : all, n = end - first;
    const auto near = [&](int64_t row) { return listed.near.row(row).slice(first, end); };
    const Singles d = near(0), reach = near(1), missing = near(2), total = near(3), rest = near(4);
    const int64_t size = std::count_if(member.begin(), member.end(), [&](int64_t i) { return first <= i && i < end; });
    const float own_part = (side == 0 ? 1.0f : -1.0f) / static_cast<float>(size + 1);
    const float kept_part = static_cast<float>(size) / static_cast<float>(size + 1);
    std::fill(reach.begin(), reach.end(), 0.0f);
    for (const bool is_in : {true, false}) {
      if (!is_in) run.begin_groups(n, part.gap, reach.data, missing.data, total.data, rest.data);
      for (int64_t f = 0; f < low.size; f++) {
        if ((low[f] == 0 && high[f] == 0) || (part.used[f] == 1) != is_in) continue;
        const float up = mean_of(pairs.point.row(f), member, 0, n_up), down = mean_of(pairs.point.row(f), member, n_up, all);
        const float own = side == 0 ? up : -down, other = side == 0 ? -down : up;
        run.write_moved(n, pairs.point.row(f).data + first, own_part, own * kept_part + other, d.data);
        if (is_in)
          run.add_larger(n, d.data, low[f], high[f], reach.data);
        else
          run.add_given(n, d.data, low[f], high[f], listed.rate(0, f), listed.rate(1, f), missing.data, total.data, rest.data);
      }
    }
    run.write_costs(n, missing.data, total.data, rest.data, listed.demand.data + first, d.data);
    for (int64_t i : member)
      if (first <= i && i < end) d[i - first] = kFar;
    for (int64_t i = 0; i < n; i++)
      if (d[i] < best.cost) best = {d[i], first + i};
  }
  return best;
}

// A number for a set of points, whatever their order.
int64_t name_of(Ints member) {
  uint64_t name = 0;
  for (int64_t i : member) {
    if (i < 0) continue;
    const uint64_t x = static_cast<uint64_t>(i + 1) * 0x9e3779b97f4a7c15ull;
    name += x ^ static_cast<uint64_t>(static_cast<int64_t>(x) >> 29);
  }
  return static_cast<int64_t>(name);
}

// Writes the difference of a group's weighted means, right to one part in 2^24 of the column's range.
void write_difference(const PointPairs& pairs, Ints member, Floats weight, int64_t to) {
  for (int64_t f = 0; f < pairs.exact.rows; f++) {
    const Ints exact = pairs.exact.row(f);
    double d = 0;
    for (int64_t i : member) {
      if (i < 0) break;
      const double above = weight[i] * static_cast<double>(exact[i] - exact[member[0]]);
      d += i < pairs.n_positive ? above : -above;
    }
    pairs.difference(f, to) = static_cast<float>(d);
  }
}

// Keeps a group; returns its place, or -1 where one of these points is kept already.
int64_t keep_group(const PointPairs& pairs, Ints number, Ints member, Floats weight) {
  const int64_t name = name_of(member);
  for (int64_t g = 0; g < std::min(number[NEXT], kMostGroups); g++)
    if (pairs.name[g] == name) return -1;
  const int64_t g = number[NEXT]++ % kMostGroups, to = pairs.n_pairs + g;
  pairs.name[g] = name;
  copy(member, pairs.member.row(to));
  write_difference(pairs, member, weight, to);
  return to;
}

// Lists a group that was found in a part of a box, for the parts that follow too; returns its place.
int64_t list_group(const PointPairs& pairs, const BoxStack& stack, int64_t q, const BoxPart& part) {
  const PairList& listed = stack.listed;
  const int64_t c = stack.number[LISTED]++;
  listed.pair[c] = q;
  copy(pairs.member.row(q), listed.member.row(c));
  float before = 0, reach = 0, total = 0;
  for (int64_t f = 0; f < part.low.size; f++) {
    const float d = pairs.difference(f, q), gift = std::max(part.low[f] * d, part.high[f] * d);
    listed.difference(f, c) = d;
    if (part.used[f]) {
      reach += gift;
      before += f == part.split ? 0.0f : gift;
    } else {
      total += gift;
    }
  }
  listed.before[c] = before;
  listed.reach[c] = reach;
  listed.missing[c] = part.gap - reach;
  listed.key[c] = total < listed.missing[c] ? 0 : 1;
  return c;
}

// Writes the weights of the points of a group that make plain means.
void write_equal_weights(Ints member, int64_t n_positive, Floats weight) {
  const Ints points = member.slice(0, size_of(member));
  const int64_t up = std::count_if(points.begin(), points.end(), [&](int64_t i) { return i < n_positive; });
  for (int64_t i : points) weight[i] = 1.0 / static_cast<double>(i < n_positive ? up : points.size - up);
}

// Puts the group of `member` into the packing, if it is new; returns how many there are.
int64_t join(const PointPairs& pairs, const BoxStack& stack, const BoxPart& part, int64_t kept) {
  const Ints member = stack.member;
  const int64_t n_negative = pairs.weight.size - pairs.n_positive;
  const int64_t q = member[2] < 0 ? member[0] * n_negative + member[1] - pairs.n_positive
                                  : keep_group(pairs, stack.number, member, stack.separation.weight);
  if (q < 0) return kept;
  const int64_t c = list_group(pairs, stack, q, part);
  if (stack.listed.missing[c] <= 0) return kept;
  write_factors(part.low, part.high, part.undecided, stack.listed, c, kept);
  return kept + 1;
}

// Writes the points that have weights, and takes them no more; false where they are too many.
bool write_members(const BoxStack& stack) {
  const Separation& s = stack.separation;
  int64_t size = 0;
  for (int64_t i = 0; i < s.weight.size; i++) {
    if (s.weight[i] <= 0) continue;
    s.is_taken[i] = 0;
    if (size < kMembers) stack.member[size] = i;
    size++;
  }
  for (int64_t k = size; k < kMembers; k++) stack.member[k] = -1;
  return size <= kMembers;
}

bool is_full(const BoxStack& stack, int64_t kept) { return kept == kMostPacked || stack.number[LISTED] == kMostListed; }

}  // namespace

int64_t grow(const PointPairs& pairs, const BoxStack& stack, const BoxPart& part, int64_t kept) {
  const PairList& listed = stack.listed;
  const Ints member = stack.member;
  const int64_t before = kept;
  for (int64_t s = 0; s < before && !is_full(stack, kept); s++) {
    if (listed.size[s] >= kMostGrown || listed.gain[s] < kHardlyDearer) continue;
    copy(listed.member.row(listed.place[s]), member);
    auto [price, point] = best_addition(pairs, listed, part, member);
    stack.number[WORK] += listed.demand.size * part.low.size / 3;
    for (int64_t k = 0; k < listed.size[s]; k++) price += listed.demand[member[k]];
    if (price > kCheaper) continue;
    member[listed.size[s]] = point;
    write_equal_weights(member, pairs.n_positive, stack.separation.weight);
    kept = join(pairs, stack, part, kept);
  }
  return kept;
}

int64_t add_separated(const PointPairs& pairs, const BoxStack& stack, const BoxPart& part, int64_t kept) {
  const PairList& listed = stack.listed;
  const Separation& s = stack.separation;
  for (int64_t i = 0; i < s.is_taken.size; i++) s.is_taken[i] = listed.demand[i] <= kFree;
  for (int64_t f = 0; f < part.low.size; f++) {
    stack.least[f] = part.low[f] * (part.used[f] ? 1.0f : listed.rate(1, f) / kCheaper);
    stack.most[f] = part.high[f] * (part.used[f] ? 1.0f : listed.rate(0, f) / kCheaper);
  }
  for (int again = 0; again < kAtOnce && !is_full(stack, kept); again++) {
    const int64_t steps = separate(s, pairs.n_positive, stack.least, stack.most, part.gap);
    stack.number[WORK] += std::abs(steps) * s.is_taken.size * part.low.size / 2;
    if (steps < 0) break;
    if (write_members(stack)) kept = join(pairs, stack, part, kept);
  }
  return kept;
}

int64_t with_separated(const PointPairs& pairs, const BoxStack& stack, const BoxPart& part, int64_t sum, int64_t enough) {
  const Separation& s = stack.separation;
  const Ints rest = stack.listed.rest;
  while (sum <= enough) {
    for (int64_t i = 0; i < rest.size; i++) s.is_taken[i] = rest[i] > std::min(enough - sum, kFine - 1);
    const int64_t steps = separate(s, pairs.n_positive, part.low, part.high, part.gap);
    stack.number[WORK] += std::abs(steps) * rest.size * part.low.size / 2;
    if (steps < 0) break;
    int64_t least = kVeryMuch;
    for (int64_t i = 0; i < rest.size; i++)
      if (s.weight[i] > 0) least = std::min(least, rest[i]);
    for (int64_t i = 0; i < rest.size; i++)
      if (s.weight[i] > 0) rest[i] -= least;
    sum += least;
  }
  return sum;
}

}  // namespace supersparse::ratios
