// Pairs and groups of opposite points in a box of all coefficients: what they demand, and which to look at.
//
// Coefficients are seen as ratios to one of them (`ratio_boxes.hpp`). With d = x_i - x_j for a positive point i and a
// negative point j, both can be right only if the ratios r have sum_f r_f d_f >= gap. Let
//
//     reach = sum_{f in} max(low_f d_f, high_f d_f)    and    c_f = max(low_f d_f, high_f d_f) >= 0, f undecided.
//
// Where reach < gap, the undecided features must make up for what is missing, and each can give c_f at most, with the
// sign of d_f alone. So with z for "wrong" and alpha for "literal used" the pair demands
//
//     z_i + z_j + sum_f min(1, c_f / (gap - reach)) alpha_f >= 1 ,
//
// and z_i + z_j >= 1 where sum c_f is too small as well. This is a pair cover that knows how large coefficients are:
// `exact/pair_covers.py` has those that do not, and `ratio_prices.hpp` makes a bound of these. The pairs of which most is to be
// hoped have the least sum of factors, each at the price of its literal: what is in demand in a box will be in demand in
// its parts.
//
// A pair is the smallest group. If all points of a larger one are right, any weighted mean of its positive points lies
// above any of its negative points by the gap, so that with d for the difference of two such means it demands the same,
// with z of all its points (`ratio_groups.hpp`).
//
// Sums are in 32-bit floating point and in one order, so that every machine sees the same. A product r d is off by at most
// three parts in 2^24, and each sum on the way by one; `gap` is smaller than the true one by more than all of this
// together (`exact/ratio_data.least_gap`), and factors are rounded up by more than c_f is off.
#pragma once
#include "errors/ratio_data.hpp"

namespace supersparse::ratios {

// Orders the pairs that fall short by their keys, at least about `most`; returns their number.
int64_t sorted_by_key(Array<int32_t> key, Ints order, int64_t most);

// Puts listed group c into the packing at `kept`, with its factors.
void write_factors(Singles low, Singles high, Ints undecided, const PairList& listed, int64_t c, int64_t kept);

// Whether all points of a group may be taken once more; takes them.
bool has_room(Ints member, Ints left);

// How many points a group has.
int64_t size_of(Ints member);

// Puts the first n pairs of the order into the packing, not too many of one point; returns how many.
int64_t choose_groups(const BoxPart& part, const PairList& listed, int64_t n);

}  // namespace supersparse::ratios
