#include "errors/ratio_boxes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "errors/lines.hpp"
#include "errors/ratio_groups.hpp"
#include "errors/ratio_loops.hpp"
#include "errors/ratio_pairs.hpp"
#include "errors/ratio_prices.hpp"

namespace supersparse::ratios {
namespace {

constexpr double kPromising = 0.7;  // where a greedy packing comes to this part of what closes the box
constexpr double kNear = 0.95;      // where the best multipliers come to this part of it, groups grow
constexpr int kPackings = 3;        // by the best multipliers, two of them with new groups
constexpr double kMoreThanEnough = 1.015;  // some of it is lost in whole numbers
constexpr int kCandidates = 4;             // features whose parts are looked at before one of them is split
constexpr double kPerRow = 2.4;            // times as many boxes for a wrong row more that is missing

// Whether a feature with this range is used by every vector.
bool is_in(int64_t low, int64_t high) { return low > 0 || high < 0; }

// Whether some vectors use a feature with this range, and some do not.
bool is_undecided(int64_t low, int64_t high) { return low <= 0 && 0 <= high && low < high; }

// The ratio at a place, negative ones below 0.
float ratio(Singles value, int64_t place) { return place >= 0 ? value[place] : -value[-place]; }

// The parts of a range, the first to be looked at last.
struct Ranges {
  int n;
  std::array<std::array<int64_t, 2>, 3> ends;
};

// A run's work on its boxes, with what its steps need.
class Run {
 public:
  Run(const PointPairs& pairs, const Ratios& ratios, const BoxStack& stack, int64_t cut);
  int64_t until(int64_t work);

 private:
  void set_prices(IntTable load) const;
  int64_t fixed_cost(Ints low, Ints high) const;
  int64_t sort_groups(Ints low, Ints high) const;
  void list_groups(int64_t f, int64_t low, int64_t high, int64_t n) const;
  BoxPart begin_part(int64_t split, Ints low, Ints high);
  int64_t pack_listed(const BoxPart& part, IntTable load, int64_t enough, int64_t& kept) const;
  double missing_rows(Ints low, Ints high, IntTable load);
  bool bound_box(int64_t split, Ints low, Ints high, IntTable load);
  int64_t pack_at_prices(const BoxPart& part, IntTable load, int64_t sum, int64_t kept, int64_t enough);
  bool drop_literals(const BoxPart& part, Ints low, Ints high, IntTable load, int64_t missing) const;
  int64_t feature_to_split(Ints low, Ints high, IntTable load) const;
  Ranges ranges_of(int64_t low, int64_t high) const;
  void write_part(int64_t box, int64_t to, int64_t f, int64_t low, int64_t high) const;
  int64_t best_split(int64_t f);
  void split(int64_t f);
  bool write_vector(int64_t base, Ints place) const;
  int64_t cost_of_vector();
  int64_t write_best(Ints place);

  const PointPairs& pairs;
  const Ratios& ratios;
  const BoxStack& stack;
  const PairList& listed;
  const Ints number;
  const int64_t cut, features;
  const float gap;
  std::vector<float> ends;  // scratch, for parts
  std::vector<int64_t> state, packed, scores;
  LossByB losses;
};

Run::Run(const PointPairs& pairs, const Ratios& ratios, const BoxStack& stack, int64_t cut)
    : pairs(pairs), ratios(ratios), stack(stack), listed(stack.listed), number(stack.number), cut(cut),
      features(stack.low.columns), gap(static_cast<float>(ratios.gap)), ends(2 * features), state(2 * features),
      packed(2 * features), scores(pairs.columns.columns) {}

// The prices of literals, by their loads.
void Run::set_prices(IntTable load) const {
  for (int64_t f = 0; f < features; f++)
    for (int64_t side = 0; side < 2; side++) {
      const double most = static_cast<double>(kFine * kFine) * static_cast<double>(std::max<int64_t>(1, pairs.penalty[f]));
      const double part = static_cast<double>(load(side, f)) / most;
      listed.price(side, f) = static_cast<float>(kLeastPrice + (1.0 - kLeastPrice) * std::min(1.0, part));
    }
}

// The base cost and the penalties of features that are in; the others are out where no place is left.
int64_t Run::fixed_cost(Ints low, Ints high) const {
  int64_t cost = pairs.base_cost, size = 0;
  for (int64_t f = 0; f < features; f++)
    if (is_in(low[f], high[f])) cost += pairs.penalty[f], size++;
  if (size >= pairs.max_size)
    for (int64_t f = 0; f < features; f++)
      if (!is_in(low[f], high[f])) low[f] = high[f] = 0;
  return size <= pairs.max_size ? cost : kVeryMuch;
}

// Sorts the groups of a box that fall short by the price of what is missing; returns how many.
int64_t Run::sort_groups(Ints low, Ints high) const {
  const RatioLoops& run = loops();
  const int64_t n = pairs.n_pairs + std::min(number[NEXT], kMostGroups);
  float *missing = stack.block.row(0).data, *total = stack.block.row(1).data, *cost = stack.block.row(2).data;
  for (int64_t start = 0; start < n; start += kBlock) {
    const int64_t size = std::min(n - start, kBlock);
    const Singles reach = stack.reach.slice(start, start + size);
    std::fill(reach.begin(), reach.end(), 0.0f);
    for (int64_t f = 0; f < features; f++)
      if (is_in(low[f], high[f]))
        run.add_larger(size, pairs.difference.row(f).data + start, ratio(ratios.value, low[f]), ratio(ratios.value, high[f]),
                       reach.data);
    run.begin_groups(size, gap, reach.data, missing, total, cost);
    for (int64_t f = 0; f < features; f++)
      if (is_undecided(low[f], high[f]))
        run.add_given(size, pairs.difference.row(f).data + start, ratio(ratios.value, low[f]), ratio(ratios.value, high[f]),
                      listed.price(0, f), listed.price(1, f), missing, total, cost);
    run.write_keys(size, missing, total, cost, stack.key.data + start);
  }
  return sorted_by_key(stack.key.slice(0, n), stack.order, kSorted);
}

// Lists the first groups of a box, not too many of one point, and their reach without a feature. Its parts look at these
// alone.
void Run::list_groups(int64_t f, int64_t low, int64_t high, int64_t n) const {
  int64_t m = 0;
  std::fill(listed.left.begin(), listed.left.end(), kListedPerPoint);
  for (int64_t z = 0; z < n && m < kFirstListed; z++) {
    const int64_t q = stack.order[z];
    if (!has_room(pairs.member.row(q), listed.left)) continue;
    const float d = pairs.difference(f, q);
    const float own = is_in(low, high) ? std::max(ratio(ratios.value, low) * d, ratio(ratios.value, high) * d) : 0.0f;
    listed.pair[m] = q;
    copy(pairs.member.row(q), listed.member.row(m));
    listed.before[m] = stack.reach[q] - own;
    m++;
  }
  for (int64_t g = 0; g < features; g++) {
    const Singles d = pairs.difference.row(g), near = listed.difference.row(g);
    for (int64_t c = 0; c < m; c++) near[c] = d[listed.pair[c]];
  }
  number[LISTED] = m;
}

// Fills scratch space with the data of a part of a box that the bound needs.
BoxPart Run::begin_part(int64_t split, Ints low, Ints high) {
  const Singles all = view(ends);
  const Ints own = view(state);
  const BoxPart part{gap, split, all.slice(0, features), all.slice(features, 2 * features), own.slice(0, features),
                     own.slice(features, 2 * features)};
  int64_t n = 0;
  for (int64_t f = 0; f < features; f++) {
    part.low[f] = ratio(ratios.value, low[f]);
    part.high[f] = ratio(ratios.value, high[f]);
    part.used[f] = is_in(low[f], high[f]);
    if (is_undecided(low[f], high[f])) part.undecided[n++] = f;
  }
  return {gap, split, part.low, part.high, part.used, part.undecided.slice(0, n)};
}

// Chooses groups for a packing and packs them greedily; returns the sum, and how many they are in `kept`.
int64_t Run::pack_listed(const BoxPart& part, IntTable load, int64_t enough, int64_t& kept) const {
  const RatioLoops& run = loops();
  const int64_t m = number[LISTED], n = part.undecided.size;
  run.begin_groups(m, gap, listed.reach.data, listed.missing.data, listed.total.data, listed.cost.data);
  for (int64_t f : part.undecided)
    run.add_given(m, listed.difference.row(f).data, part.low[f], part.high[f], listed.price(0, f), listed.price(1, f),
                  listed.missing.data, listed.total.data, listed.cost.data);
  run.write_keys(m, listed.missing.data, listed.total.data, listed.cost.data, listed.key.data);
  kept = choose_groups(part, listed, sorted_by_key(listed.key.slice(0, m), listed.order, m));
  number[WORK] += m * (n + 3) / 4 + kept * (n + 2);
  copy(pairs.weight, listed.left);
  return pack_groups(listed, kept, part.undecided, pairs.penalty, enough, false, load);
}

// By how many wrong rows a greedy packing falls short of closing a box, below 0 where it does not.
double Run::missing_rows(Ints low, Ints high, IntTable load) {
  const int64_t enough = (cut - fixed_cost(low, high)) * kFine;
  if (enough < 0) return -1;
  int64_t kept;
  const int64_t sum = pack_listed(begin_part(-1, low, high), load, enough, kept);
  return static_cast<double>(enough - sum) / static_cast<double>(kFine);
}

// Packs again by the best multipliers while that comes near `enough`; returns the best sum, whose loads are in `load`.
int64_t Run::pack_at_prices(const BoxPart& part, IntTable load, int64_t sum, int64_t kept, int64_t enough) {
  const int64_t points = pairs.weight.size, n = part.undecided.size;
  const IntTable other{packed.data(), 2, features};
  const float limit = static_cast<float>(kMoreThanEnough * static_cast<double>(enough) / static_cast<double>(kFine));
  int64_t joined = 0;
  begin_prices(stack.prices, pairs, part.undecided);
  for (int again = 0; again < kPackings; again++) {
    const double least = (again == 0 ? kPromising : kNear) * static_cast<double>(enough);
    if (sum > enough || static_cast<double>(sum) <= least) break;
    if (again > 0) {
      kept = grow(pairs, stack, part, kept);
      kept = add_separated(pairs, stack, part, kept);
      if (kept == joined) break;
    }
    add_groups(stack.prices, listed, points, part.undecided, joined, kept);
    joined = kept;
    const int64_t steps = solve_prices(stack.prices, listed, points, kept, limit);
    read_prices(stack.prices, listed, points, part.undecided, kept);
    number[WORK] += kept * (10 * steps + n / 3 + 6);
    copy(pairs.weight, listed.left);
    const int64_t better = pack_groups(listed, kept, part.undecided, pairs.penalty, enough, true, other);
    if (better <= sum) continue;
    sum = better;
    copy(other.row(0), load.row(0));
    copy(other.row(1), load.row(1));
    copy(listed.left, listed.rest);
  }
  return sum;
}

// Drops the literals whose penalty, less their load, is more than what is missing: a vector with one of them costs too much.
// Returns whether there were any.
bool Run::drop_literals(const BoxPart& part, Ints low, Ints high, IntTable load, int64_t missing) const {
  bool changed = false;
  for (int64_t f : part.undecided) {
    const int64_t least = (pairs.penalty[f] * kFine - missing) * kFine;
    if (high[f] > 0 && load(0, f) < least) high[f] = 0, changed = true;
    if (low[f] < 0 && load(1, f) < least) low[f] = 0, changed = true;
  }
  return changed;
}

// Whether a vector of a box may cost at most the cut, as far as the listed groups tell; fills `load`. Drops the literals
// that no such vector has.
bool Run::bound_box(int64_t split, Ints low, Ints high, IntTable load) {
  for (int again = 0; again < 2; again++) {
    const int64_t enough = (cut - fixed_cost(low, high)) * kFine;
    if (enough < 0) return false;
    const BoxPart part = begin_part(split, low, high);
    int64_t kept;
    int64_t sum = pack_listed(part, load, enough, kept);
    copy(listed.left, listed.rest);
    sum = pack_at_prices(part, load, sum, kept, enough);
    if (static_cast<double>(sum) > kPromising * static_cast<double>(enough))
      sum = with_separated(pairs, stack, part, sum, enough);
    if (sum > enough) return false;
    if (!drop_literals(part, low, high, load, enough - sum)) break;
  }
  return true;
}

// The undecided feature of most load, else the one with the widest range; -1 for one vector.
int64_t Run::feature_to_split(Ints low, Ints high, IntTable load) const {
  double width = -1;
  int64_t widest = -1, most = -1, loaded = -1;
  for (int64_t f = 0; f < features; f++) {
    if (is_undecided(low[f], high[f])) {
      const int64_t own = std::max(load(0, f), load(1, f));
      if (own > most) most = own, loaded = f;
    } else if (low[f] < high[f]) {
      const double wide = static_cast<double>(ratio(ratios.value, high[f]) - ratio(ratios.value, low[f])) * pairs.spread[f];
      if (wide > width) width = wide, widest = f;
    }
  }
  return loaded >= 0 ? loaded : widest;
}

// Where to split a range of positive ratios: at the geometric mean where it is long, else halfway. The last place with at
// most that ratio, but not the last of all.
int64_t middle_place(Singles value, int64_t low, int64_t high) {
  const float near = value[low], far = value[high];
  const bool is_long = static_cast<double>(far) > 2.0 * static_cast<double>(near);
  const double most = is_long ? std::sqrt(near * far) : 0.5 * static_cast<double>(near + far);
  int64_t a = low, b = high - 1;
  while (a < b) {
    const int64_t middle = (a + b + 1) / 2;
    if (static_cast<double>(value[middle]) <= most)
      a = middle;
    else
      b = middle - 1;
  }
  return a;
}

Ranges Run::ranges_of(int64_t low, int64_t high) const {
  if (is_in(low, high)) {
    const int64_t middle = low > 0 ? middle_place(ratios.value, low, high) : -middle_place(ratios.value, -high, -low) - 1;
    return {2, {{{low, middle}, {middle + 1, high}}}};
  }
  Ranges found{1, {}};
  if (low < 0) found.ends[found.n++] = {low, -1};
  if (high > 0) found.ends[found.n++] = {1, high};
  return found;
}

// Writes the part of a box in which a feature has this range, and what listed groups reach in it.
void Run::write_part(int64_t box, int64_t to, int64_t f, int64_t low, int64_t high) const {
  copy(stack.low.row(box), stack.low.row(to));
  copy(stack.high.row(box), stack.high.row(to));
  stack.low(to, f) = low;
  stack.high(to, f) = high;
  const bool counts = is_in(low, high);
  loops().write_larger(number[LISTED], listed.before.data, listed.difference.row(f).data,
                       counts ? ratio(ratios.value, low) : 0.0f, counts ? ratio(ratios.value, high) : 0.0f, listed.reach.data);
}

// The undecided feature of most load that comes after another; -1 for none.
int64_t next_loaded(Ints low, Ints high, IntTable load, int64_t before) {
  int64_t best = -1, most = -1;
  const int64_t limit = std::max(load(0, before), load(1, before));
  for (int64_t f = 0; f < low.size; f++) {
    const int64_t size = std::max(load(0, f), load(1, f));
    const bool comes_after = size < limit || (size == limit && f > before);
    if (is_undecided(low[f], high[f]) && comes_after && size > most) best = f, most = size;
  }
  return best;
}

// About how many boxes it takes to close one that misses this many rows.
double boxes_for(double missing) {
  if (missing < 0) return 0;
  const int64_t whole = static_cast<int64_t>(missing);
  double number = 1.0 + (kPerRow - 1.0) * (missing - static_cast<double>(whole));
  for (int64_t row = 0; row < whole; row++) number *= kPerRow;
  return number;
}

// The one of the most loaded features whose parts are closest to closing; `f` is loaded most.
int64_t Run::best_split(int64_t f) {
  const int64_t top = number[TOP] - 1;
  const Ints low = stack.low.row(top), high = stack.high.row(top);
  int64_t undecided = 0, best = f;
  for (int64_t g = 0; g < features; g++) undecided += is_undecided(low[g], high[g]);
  if (!is_undecided(low[f], high[f]) || 4 * undecided < 3 * features) return f;
  double least = std::numeric_limits<double>::infinity();
  for (int tried = 0; tried < kCandidates && f >= 0; tried++) {
    double boxes = 0;
    const Ranges ranges = ranges_of(low[f], high[f]);
    for (int r = 0; r < ranges.n; r++) {
      write_part(top, top + 1, f, ranges.ends[r][0], ranges.ends[r][1]);
      boxes += boxes_for(missing_rows(stack.low.row(top + 1), stack.high.row(top + 1), stack.load.layer(top + 1)));
    }
    if (boxes < least) best = f, least = boxes;
    f = next_loaded(low, high, stack.load.layer(top), f);
  }
  return best;
}

// Puts the parts of the last box that may have a vector within the cut in its place.
void Run::split(int64_t f) {
  const int64_t top = number[TOP] - 1;
  const Ranges ranges = ranges_of(stack.low(top, f), stack.high(top, f));
  const int64_t box = top + ranges.n;  // out of the way: the parts begin at `top`
  int64_t to = top;
  copy(stack.low.row(top), stack.low.row(box));
  copy(stack.high.row(top), stack.high.row(box));
  for (int r = 0; r < ranges.n; r++) {
    write_part(box, to, f, ranges.ends[r][0], ranges.ends[r][1]);
    to += bound_box(f, stack.low.row(to), stack.high.row(to), stack.load.layer(to));
  }
  number[TOP] = to;
}

// Writes the whole coefficients with these ratios to a base; false where there are none.
bool Run::write_vector(int64_t base, Ints place) const {
  for (int64_t f = 0; f < features; f++) {
    const double exact = ratios.exact[std::abs(place[f])];
    const int64_t size = static_cast<int64_t>(exact * static_cast<double>(base) + 0.5);
    if (static_cast<double>(size) / static_cast<double>(base) != exact || size > ratios.limit(place[f] <= 0, f)) return false;
    stack.vector[f] = place[f] > 0 ? size : -size;
  }
  return true;
}

// The cost of the vector at its best b.
int64_t Run::cost_of_vector() {
  int64_t cost = 0;
  std::fill(scores.begin(), scores.end(), 0);
  for (int64_t f = 0; f < features; f++) {
    if (stack.vector[f] == 0) continue;
    const Ints column = pairs.columns.row(f);
    cost += pairs.penalty[f];
    for (int64_t i = 0; i < column.size; i++) scores[i] += stack.vector[f] * column[i];
  }
  loss_by_b(view(scores), pairs.step, pairs.half, pairs.row_positive, pairs.row_negative, losses);
  return cost + least_over_b(losses, -kVeryMuch, kVeryMuch).loss;
}

// Writes the best vector with these ratios; returns its cost, or very much where there is none.
int64_t Run::write_best(Ints place) {
  int64_t best = 0, least = kVeryMuch;
  for (int64_t base = ratios.most; base > 0; base--) {
    if (!write_vector(base, place)) continue;
    number[WORK] += pairs.columns.columns * 20;
    const int64_t cost = cost_of_vector();
    if (cost < least) best = base, least = cost;
  }
  if (best) write_vector(best, place);
  return least;
}

int64_t Run::until(int64_t work) {
  while (number[TOP] > 0) {
    if (number[WORK] >= work) return PAUSED;
    const int64_t top = number[TOP] - 1;
    if (top + 4 > stack.low.rows) return CROWDED;  // three parts, and a copy of the box
    const Ints low = stack.low.row(top), high = stack.high.row(top);
    const int64_t f = feature_to_split(low, high, stack.load.layer(top));
    if (f < 0) {
      number[TOP] = top;
      number[WORK] += features;
      if (write_best(low) <= cut) return FOUND;
      continue;
    }
    set_prices(stack.load.layer(top));
    list_groups(f, low[f], high[f], sort_groups(low, high));
    number[WORK] += stack.reach.size * (features + 5) / 6;
    split(best_split(f));  // lists are the same for all undecided ones
  }
  return DONE;
}

}  // namespace

int64_t run_ratio_boxes(const PointPairs& pairs, const Ratios& ratios, const BoxStack& stack, int64_t cut, int64_t until) {
  return Run(pairs, ratios, stack, cut).until(until);
}

}  // namespace supersparse::ratios
