// Boxes of coefficients on one signed support: bounded, split, evaluated.
//
// Signs are folded into the data, so all coefficients are positive and sit in sorted arrays of allowed magnitudes; a box
// is a range of indices for each feature and, where b is restricted, for b. The bound is what its vectors cost at least:
// cells of opposite classes that no vector of the box can both get right are matched.
#pragma once
#include "errors/support.hpp"

namespace supersparse::errors {

struct Box {
  Ints low, high;  // indices by feature, then of b
};

// What the bounds of boxes work in: made once for each support, not once for each box.
struct BoxSpace {
  std::vector<int64_t> least, most;  // magnitudes in the box; later twice the middle (or wide features), and the width
  std::vector<int64_t> largest;      // entry of each column, by its size
  std::vector<int64_t> left_up, left_down, up_key, down_key, up, down, spare, place;
  std::vector<int32_t> keys_32, entries_32;  // of positives, where 32 bits hold them
  std::vector<int64_t> keys_64, entries_64;

  explicit BoxSpace(const SupportData& data);
};

// Smallest l1 norm in a box.
int64_t least_l1(const SupportData& data, const Box& box);

// The fixed cost of a box: what its cheapest vector pays, short of any loss beyond the base loss.
int64_t least_fixed_cost(const SupportData& data, const Box& box);

// Whether every vector of a box breaks a limit on the largest score, which is linear in it.
bool scores_too_high(const SupportData& data, const Box& box);

// Bounds the loss beyond the base loss within a box: a greedy matching of pairs that cannot both be right.
//
// A and B are the least and the largest magnitudes in the box. A positive i and a negative j conflict when the largest
// possible score difference, sum over f of (d_f > 0 ? B_f d_f : A_f d_f) with d = x_i - x_j, is too small: both right
// needs score_i - score_j >= 2 in integer scores, and >= 1 where the threshold is free. Twice that difference is
// (A + B) d + sum over f of W_f |d_f| with W = B - A: a difference of mid-box scores, computed once for each cell, and a
// term for the dimensions of W > 0 alone.
//
// Each conflict loses at least the smaller weight, and matched weights are used once, so the sum is a valid bound
// whatever the order. With rounded data each |d_f| may be off by 1, which the slack adds back. Where b is restricted, a
// cell that is wrong for every b and vector of the box pays alone. Stops above `enough`, or when that is out of reach.
int64_t loss_bound(const SupportData& data, const Box& box, int64_t enough, BoxSpace& space);

// Bounds the whole cost within a box; stops above `enough`.
int64_t cost_bound(const SupportData& data, const Box& box, int64_t enough, BoxSpace& space);

// The dimension to split: largest width times spread of its column.
int64_t widest(const SupportData& data, const Box& box);

// Last index of the lower half of a dimension; the last dimension may be b.
int64_t split_at(const SupportData& data, int64_t dimension, int64_t low, int64_t high);

// The vectors that are looked for: of cost at most `cut` and, with `ties`, of l1 below `best_l1`.
struct Wanted {
  int64_t cut, best_l1;
  bool ties;
};

// Works through a stack of boxes, `top` of them open.
//
// Such a vector is written to `hit` (indices, then b) and the result is FOUND; the caller judges it and calls again.
// With rounded data, or limits that only the evaluator knows, every vector that survives the bound is handed over. FULL
// asks for a longer stack.
struct Ended {
  Result result;
  int64_t top, spent;  // boxes left open, boxes looked at
};
Ended run_boxes(const SupportData& data, Cube<int64_t> stack, int64_t top, const Wanted& wanted, int64_t budget,
                Ints hit, BoxSpace& space);

}  // namespace supersparse::errors
