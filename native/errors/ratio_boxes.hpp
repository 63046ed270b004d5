// Boxes of all coefficients at once; which features are used is decided on the way.
//
// A multiple of a model makes the same errors at the same cost, so only the ratios of its coefficients to one of them, the
// base, matter. The base is the one that weighs most: times the spread of its column. A box is a range of ratios for every
// feature, each counted by its place among all that whole coefficients can have: 0, and the fractions on both sides. A
// feature is *in* where its range leaves out 0, *out* where it is 0 alone, and *undecided* otherwise.
//
// All pairs, and the larger groups found so far, are sorted once for a box; its parts look at the first of them. Where a
// greedy packing comes near what closes a part, the best multipliers follow, and new groups join at their prices.
//
// Undecided features are split first, into out and in with either sign: narrow ranges are worth less. Where few are
// decided, greedy packings of the parts choose between the most loaded ones: many boxes follow.
#pragma once
#include "errors/ratio_data.hpp"

namespace supersparse::ratios {

enum { DONE = 0, PAUSED = 1, FOUND = 2, CROWDED = 5 };  // as the boxes of one support

// Works on the open boxes, the last first, until nothing is open or the work reaches `until`. A vector that costs at most
// `cut` is written to `vector`, and the result is FOUND; CROWDED where there is no room for the parts of a box.
int64_t run_ratio_boxes(const PointPairs& pairs, const Ratios& ratios, const BoxStack& stack, int64_t cut, int64_t until);

}  // namespace supersparse::ratios
