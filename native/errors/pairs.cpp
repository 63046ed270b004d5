#include "errors/pairs.hpp"

#include <algorithm>
#include <functional>

#include "errors/tree_loops.hpp"

namespace supersparse::errors {
namespace {

// The literal under which a rank `above` scores more than a rank `below`.
int64_t literal_between(int64_t feature, int32_t above, int32_t below) {
  return above > below ? positive_literal(feature) : negative_literal(feature);
}

// Number of allowed literals of the pair, or -1 when the model has one already. `above` holds the ranks of the positive
// point, `below` those of the negative one.
int64_t distance(Array<int32_t> above, Array<int32_t> below, Flags allowed, Flags covering) {
  int64_t count = 0;
  for (int64_t f = 0; f < above.size; f++) {
    if (above[f] == below[f]) continue;
    const int64_t literal = literal_between(f, above[f], below[f]);
    if (covering[literal]) return -1;
    count += allowed[literal];
  }
  return count;
}

// The larger gain of a feature's two literals, at least 0.
int64_t gain_of(int64_t feature, Ints load, Ints penalty, Flags allowed) {
  int64_t gain = 0;
  for (int64_t literal : {positive_literal(feature), negative_literal(feature)}) {
    if (allowed[literal]) gain = std::max(gain, load[literal] - penalty[literal]);
  }
  return gain;
}

// The same from one point to many, for binary features packed 64 to a word. Each mask tells which bits of a point count:
// where it is the positive one, those that it alone has are positive literals.
void fill_packed(const Points& points, int64_t i, Ints distances, Words covered) {
  std::fill(distances.begin(), distances.end(), 0);
  std::fill(covered.begin(), covered.end(), 0);
  const int here = points.is_positive ? 0 : 1, there = 1 - here;
  const Matrix<uint64_t>&masks = points.masks, &others = points.other_bits;
  for (int64_t w = 0; w < others.columns && others.rows > 0; w++) {
    const WordMasks own{masks(here, w), masks(there, w), masks(2 + here, w), masks(2 + there, w)};
    tree_loops().add_distances(others.rows, points.bits(i, w), &others(0, w), others.columns, own, distances.data,
                               covered.data);
  }
  for (int64_t t = 0; t < distances.size; t++) distances[t] = covered[t] ? -1 : distances[t];
}

}  // namespace

std::vector<uint64_t> in_words(Flags flags) {
  std::vector<uint64_t> words((flags.size + 63) / 64);
  for (int64_t t = 0; t < flags.size; t++) words[t / 64] |= static_cast<uint64_t>(flags[t] != 0) << (t % 64);
  return words;
}

int64_t nearest_pairs(const Points& points, int64_t most, Ints candidates, Array<int32_t> mine,
                      Array<int32_t> theirs) {
  const int64_t p = points.ranks.columns, n = candidates.size;
  int64_t filled = 0;
  std::vector<int64_t> distances(n), counts(p + 2);
  std::vector<uint64_t> covered(n);
  for (int64_t i = 0; i < points.ranks.rows; i++) {
    if (points.masks.rows > 0) {
      fill_packed(points, i, view(distances), view(covered));
    } else {
      const Array<int32_t> own = points.ranks.row(i);
      for (int64_t t = 0; t < n; t++) {
        const Array<int32_t> other = points.others.row(candidates[t]);
        distances[t] = distance(points.is_positive ? own : other, points.is_positive ? other : own, points.allowed,
                                points.covering);
      }
    }
    std::fill(counts.begin(), counts.end(), 0);
    for (int64_t own : distances) {
      if (own >= 0) counts[own]++;
    }
    int64_t limit = 0, taken = 0;
    while (limit <= p && taken + counts[limit] <= most) taken += counts[limit++];
    int64_t spare = most - taken;
    // of equally near points take a different stretch each time: partners should not be the same few
    const int64_t begin = (i * 7919) % std::max<int64_t>(1, n);
    for (int64_t turn = 0; turn < n; turn++) {
      const int64_t t = turn + begin < n ? turn + begin : turn + begin - n;
      if (distances[t] < 0 || distances[t] > limit) continue;
      if (distances[t] == limit) {
        if (spare == 0) continue;
        spare--;
      }
      mine[filled] = static_cast<int32_t>(i);
      theirs[filled++] = static_cast<int32_t>(candidates[t]);
    }
  }
  return filled;
}

int64_t pair_literals(Matrix<int32_t> positive_ranks, Matrix<int32_t> negative_ranks, Array<int32_t> positive,
                      Array<int32_t> negative, Flags allowed, Ints start, Array<int32_t> literal) {
  int64_t count = 0;
  for (int64_t q = 0; q < positive.size; q++) {
    const Array<int32_t> above = positive_ranks.row(positive[q]), below = negative_ranks.row(negative[q]);
    start[q] = count;
    for (int64_t f = 0; f < above.size; f++) {
      if (above[f] == below[f]) continue;
      const int64_t name = literal_between(f, above[f], below[f]);
      if (!allowed[name]) continue;
      if (count < literal.size) literal[count] = static_cast<int32_t>(name);
      count++;
    }
  }
  start[positive.size] = count;
  return count;
}

Gained most_gained(Ints load, Ints penalty, Flags allowed, int64_t most) {
  const int64_t n = load.size / 2;  // features
  std::vector<int64_t> gain(n);
  for (int64_t f = 0; f < n; f++) gain[f] = gain_of(f, load, penalty, allowed);
  Gained gained{0, 0};
  if (most < n && most > 0) {
    std::nth_element(gain.begin(), gain.begin() + most - 1, gain.end(), std::greater<>());
    gained.least = gain[most - 1];
  }
  for (int64_t t = 0; t < std::min(most, n); t++) gained.sum += gain[t];
  return gained;
}

void literal_bounds(int64_t total, Ints load, Ints penalty, Flags allowed, Gained gained, Ints bound) {
  for (int64_t f = 0; f < load.size / 2; f++) {
    const int64_t others = gained.sum - std::max(gain_of(f, load, penalty, allowed), gained.least);
    for (int64_t literal : {positive_literal(f), negative_literal(f)}) {
      bound[literal] = total - (load[literal] - penalty[literal]) - others;
    }
  }
}

int64_t without_literal(Array<int32_t> pairs, Matrix<uint64_t> masks, int64_t literal, Array<int32_t> kept) {
  const uint64_t bit = uint64_t{1} << (literal % 64);
  int64_t n = 0;
  for (int32_t q : pairs) {
    kept[n] = q;
    n += !(masks(q, literal / 64) & bit);
  }
  return n;
}

std::vector<int32_t> fewest_first(Matrix<uint64_t> masks, Array<int32_t> chosen, Words allowed) {
  std::vector<int32_t> size(chosen.size), order(chosen.size);
  std::vector<int64_t> place(64 * allowed.size + 2);
  for (int64_t s = 0; s < chosen.size; s++) {
    size[s] = static_cast<int32_t>(count_common(masks.row(chosen[s]), allowed));
    place[size[s] + 1]++;
  }
  for (size_t c = 0; c + 1 < place.size(); c++) place[c + 1] += place[c];
  for (int64_t s = 0; s < chosen.size; s++) order[place[size[s]]++] = static_cast<int32_t>(s);
  return order;
}

int64_t pack_masks(Array<int32_t> pairs, Array<int32_t> positive, Array<int32_t> negative, Matrix<uint64_t> masks,
                   Words allowed, Ints capacity, Ints left_positive, Ints left_negative, Ints load, int64_t enough,
                   Ints multiplier) {
  int64_t total = 0;
  for (int32_t s : fewest_first(masks, pairs, allowed)) {
    const int32_t q = pairs[s], i = positive[q], j = negative[q];
    int64_t u = std::min(left_positive[i], left_negative[j]);
    if (u <= 0) continue;
    const Words own = masks.row(q);
    each_common(own, allowed, [&](int64_t name) { u = std::min(u, capacity[name] - load[name]); });
    if (u <= 0) continue;
    left_positive[i] -= u;
    left_negative[j] -= u;
    total += u;
    each_common(own, allowed, [&](int64_t name) { load[name] += u; });
    multiplier[s] = u;
    if (total > enough) break;
  }
  return total;
}

}  // namespace supersparse::errors
