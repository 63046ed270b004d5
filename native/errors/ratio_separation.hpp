// Points of a box that cannot all be right, whatever its coefficients: a linear program that finds them.
//
// Some points of both classes can all be right only if some ratios r of the box leave every positive one above every
// negative one by the gap. Weights that sum to 1 over the positive points, and to 1 over the negative ones, prove that
// none does: with d for the difference of the two weighted means,
//
//     sum_f max(low_f d_f, high_f d_f) < gap .
//
// The least such sum over all weights is a linear program, whose dual finds the ratios with the widest gap. It is solved
// by the simplex method from one pair of points, in floating point and only until the sum is below the gap; the weights it
// ends with are then put into the inequality itself. At most two points more than there are features have weights.
#pragma once
#include "errors/ratio_data.hpp"

namespace supersparse::ratios {

// Looks for taken points that cannot all be right in a box, and writes their weights. Returns the number of steps,
// negative where no such points were found.
int64_t separate(const Separation& s, int64_t n_positive, Singles low, Singles high, double gap);

}  // namespace supersparse::ratios
