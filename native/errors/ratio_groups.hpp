// Groups of points in a box of all coefficients: what several rows demand together.
//
// If all points of a group are right, so are their means: that of the positive ones lies above that of the negative ones
// by the gap, and d, the difference of the two means, demands what that of a pair does (`ratio_pairs.hpp`). Points may have
// any weights in their means. One of them must be wrong where d falls short. The more points, the less the means differ in
// features that tell nothing, so that these help a group less than a pair.
//
// There are too many groups to look at all; those that were found are kept for the boxes that follow. Some grow out of
// those in the packing, by the one point that makes them cheapest. Others come from a linear program
// (`ratio_separation.hpp`). With the prices z of points and alpha of literals, a group costs less than 1 if its points cost
// nothing and
//
//     sum_{f in} max(low_f d_f, high_f d_f)  +  sum_{f undecided} alpha_f max(low_f d_f, high_f d_f)  <  gap ,
//
// so it consists of points that cannot all be right in a box in which each undecided feature has only its part alpha of
// the range. At the end undecided features have all of it: such points demand that one of them be wrong, whatever features
// are used, and what a packing leaves of their weights is added to it.
#pragma once
#include "errors/ratio_data.hpp"

namespace supersparse::ratios {

// Lets groups of the packing grow by one point where they then cost less; returns how many there are.
int64_t grow(const PointPairs& pairs, const BoxStack& stack, const BoxPart& part, int64_t kept);

// Puts groups into the packing that cannot all be right at the prices; returns how many there are.
int64_t add_separated(const PointPairs& pairs, const BoxStack& stack, const BoxPart& part, int64_t kept);

// Adds to a sum what the packing leaves of points that cannot all be right; stops above `enough`.
int64_t with_separated(const PointPairs& pairs, const BoxStack& stack, const BoxPart& part, int64_t sum, int64_t enough);

}  // namespace supersparse::ratios
