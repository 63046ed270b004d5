// Multipliers for the groups of `ratio_pairs.hpp`: the bound of a box.
//
// Multipliers u >= 0 with sum u <= weight at every point, and sum u (factor of l) <= penalty of l at every literal, prove
// that every vector of a box loses sum u beyond the penalties of the features that are in. Factors are rounded up to
// 1/1024 and weights are counted in 1/1024, so this is done in whole numbers.
//
// First each group in turn is given what its points and literals have left. That is two or three wrong rows below the best
// there is. A linear program guesses better multipliers, which are packed likewise:
//
//     maximise sum u    so that    sum u <= weight at every point,    sum u (factor of l) <= penalty at every literal
//
// It is solved by the simplex method in 32-bit floating point, so its result is only a guess, packed in whole numbers.
// With B for the part of the matrix where limits are met with equality and multipliers are not 0, only the inverse of B is
// kept: it is small, as the bound of a box is. Groups can join at any time. Limits are off by a little, a different part
// each, so that no step is in vain.
//
// The matrix itself is never written down: a group knows its points, and each point the groups it is in, as a chain. Rows
// of the inverse are zero from their end to the next multiple of kLanes, so that loops over them run in whole vectors.
#pragma once
#include "errors/ratio_data.hpp"

namespace supersparse::ratios {

// Gives each group in turn what its points and literals have left; returns the sum, and fills `load`, (2, features) in
// 1/kFine^2. Little at first, or, where that is guided, what was guessed. Stops above `enough`.
int64_t pack_groups(const PairList& listed, int64_t kept, Ints undecided, Ints penalty, int64_t enough, bool is_guided,
                    IntTable load);

// Begins with no multipliers.
void begin_prices(const Prices& prices, const PointPairs& pairs, Ints undecided);

// Lets groups of the packing join, from `first` to before `end`.
void add_groups(const Prices& prices, const PairList& listed, int64_t points, Ints undecided, int64_t first, int64_t end);

// Takes steps while they gain, until the sum of multipliers is more than enough; returns their number.
int64_t solve_prices(const Prices& prices, const PairList& listed, int64_t points, int64_t kept, float enough);

// Writes multipliers to `guess` in 1/kFine, gains of groups too, and the prices to `demand` and `rate`.
void read_prices(const Prices& prices, const PairList& listed, int64_t points, Ints undecided, int64_t kept);

}  // namespace supersparse::ratios
