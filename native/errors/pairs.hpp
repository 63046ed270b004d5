// Opposite pairs: the nearest points of the other class, their literals, and the bounds of a packing.
//
// A slice of the tree lists the literals of each pair (`nodes.cpp` packs them). A certificate has them as bits, 64 to a
// word, and packs them here. `engine/exact/pair_covers.py` has the inequality.
#pragma once
#include <bit>

#include "base/array.hpp"

namespace supersparse::errors {

constexpr int64_t kUnlimited = int64_t{1} << 60;  // a capacity that no packing uses up

// The numbering of `engine/exact/literals.py`: a feature with a positive coefficient, and with a negative one.
constexpr int64_t positive_literal(int64_t feature) { return 2 * feature; }
constexpr int64_t negative_literal(int64_t feature) { return 2 * feature + 1; }
constexpr int64_t feature_of(int64_t literal) { return literal >> 1; }

// Calls with the index of each bit of row q that is also in `mask`.
template <class Visit>
void each_common(Array<uint64_t> own, Array<uint64_t> mask, Visit visit) {
  for (int64_t w = 0; w < mask.size; w++) {
    for (uint64_t rest = own[w] & mask[w]; rest; rest &= rest - 1) visit(64 * w + std::countr_zero(rest));
  }
}

inline int64_t count_common(Array<uint64_t> own, Array<uint64_t> mask) {
  int64_t count = 0;
  for (int64_t w = 0; w < mask.size; w++) count += std::popcount(own[w] & mask[w]);
  return count;
}

// Flags as bits.
std::vector<uint64_t> in_words(Flags flags);

// For each point, at most `most` uncovered opposite points with the fewest literals, of the `candidates`. `masks` holds
// the four literal masks for the packed form of binary features, and has no rows where the data are not binary. Gives
// how many (point, opposite) it has written to `mine` and `theirs`, which have `most` places for each point.
struct Points {
  Matrix<int32_t> ranks, others;
  bool is_positive;
  Matrix<uint64_t> bits, other_bits, masks;
  Flags allowed, covering;
};
int64_t nearest_pairs(const Points& points, int64_t most, Ints candidates, Array<int32_t> mine, Array<int32_t> theirs);

// Lists the allowed literals of each pair, like the rows of a sparse matrix, where `literal` has the places; gives how
// many there are. The literals of pair q are literal[start[q] : start[q + 1]].
int64_t pair_literals(Matrix<int32_t> positive_ranks, Matrix<int32_t> negative_ranks, Array<int32_t> positive,
                      Array<int32_t> negative, Flags allowed, Ints start, Array<int32_t> literal);

// The `most` largest (load - penalty)+ over features, and the least of them. A feature enters with one sign only, so
// only its better literal counts.
struct Gained {
  int64_t sum, least;
};
Gained most_gained(Ints load, Ints penalty, Flags allowed, int64_t most);

// Fills bound[l] with a bound on the rest of the cost when literal l is in the model.
//
// Taking l leaves room for most - 1 others. Its own term may be negative; if its feature was among the largest gains it
// gives that place back, else the least of them gives way.
void literal_bounds(int64_t total, Ints load, Ints penalty, Flags allowed, Gained gained, Ints bound);

// Writes the pairs that do not have a literal to `kept`, which has room for all and may be `pairs`; gives how many.
int64_t without_literal(Array<int32_t> pairs, Matrix<uint64_t> masks, int64_t literal, Array<int32_t> kept);

// The places of the chosen pairs by their number of allowed literals, equal ones in their old order.
std::vector<int32_t> fewest_first(Matrix<uint64_t> masks, Array<int32_t> chosen, Words allowed);

// Packs pairs greedily, fewest allowed literals first; gives the sum of the multipliers u.
//
// Keeps the sum of u at each point within its weight (`left`, changed) and the load of each literal within its capacity.
// Stops once the sum exceeds `enough`. Fills `load`, and u of each pair.
int64_t pack_masks(Array<int32_t> pairs, Array<int32_t> positive, Array<int32_t> negative, Matrix<uint64_t> masks,
                   Words allowed, Ints capacity, Ints left_positive, Ints left_negative, Ints load, int64_t enough,
                   Ints multiplier);

}  // namespace supersparse::errors
