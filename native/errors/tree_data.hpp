// The flat arrays that a slice of the tree over supports reads and writes, as `engine/exact/tree_data.py` has them.
//
// `TreeData` is one case of the intercept and never changes. `SliceState` belongs to one thread: a stack of open parts,
// nodes and supports mixed, the open boxes of the support on top, and what is known of the literals that the part on top
// begins with.
#pragma once
#include "base/array.hpp"

namespace supersparse::errors {

// The pool of opposite pairs; the literals of pair q are literal[start[q] : start[q + 1]].
struct Pairs {
  Array<int32_t> positive, negative;
  Ints start;
  Array<int32_t> literal;
  Matrix<uint64_t> mask;  // (pairs, words): the same literals, 64 to a word
  Ints positive_weight, negative_weight;  // of the points
};

// The data of the tree's nodes other than pairs; see `exact/instance.py` and `exact/literals.py`.
struct Branching {
  Ints literal_penalty;
  int64_t fixed_cost;  // of the root
  int64_t max_features;
  Ints forced;  // features that every model has
  Ints twin_of;
  Ints after;  // over literals
  Matrix<int64_t> limit_weight;  // (limits, literals)
  Ints limit_most;
  Matrix<int64_t> limit_side;  // (limits on signs, literals)
};

// The distinct rows.
struct Rows {
  Matrix<int32_t> ranks;
  Ints n_ranks;
  Matrix<int64_t> columns;
  Ints positive, negative;
  Ints true_positive, true_negative;  // before prices on rates
  Matrix<int64_t> rate_positive, rate_negative;  // (limits on rates, rows)
  Ints rate_most;
};

// Magnitudes, penalties and limits of each literal's coefficient, and the intercept: see `support.hpp`.
struct Coefficients {
  Ints counts, first, stride;
  Matrix<int64_t> table;
  Flags is_full;    // whether a literal's magnitudes are 1, 2, ..., n
  int64_t doubles;  // 1 where a vector of full magnitudes can be doubled without changing its cost
  int64_t lists;    // 1 where every vector within the cut is wanted, not only better ones
  int64_t empty_penalty;
  Ints literal_surcharge;
  Matrix<int64_t> magnitude_extra;
  Matrix<int64_t> score_rate;  // (limits on the largest score, literals)
  Ints score_most;
  int64_t step, slack, judged, half, shift, l1_penalty, is_flat;
  Ints intercept_extra;
  int64_t intercept_low, intercept_high;
  Ints intercepts;
  Matrix<int64_t> outer_intercepts;  // (ranges, 2): indices of the b that cannot be doubled
  int64_t counts_b;
};

// One case of the intercept as the slices read it.
struct TreeData {
  Pairs pairs;
  Branching branching;
  Rows rows;
  Coefficients coefficients;
};

// The kinds of open parts.
enum Kind : int64_t { NODE, SUPPORT };
// The columns of `SliceState::part`; the literals come last.
enum PartColumn : int64_t { KIND, BOUND, THETA, SIZE, PHASE, LITERALS };
// The entries of `SliceState::number`: open parts, open boxes of the part on top, work done in touched rows, levels of
// `pair` and `cell` that hold, nodes with one place left, literals that packings judged there and dropped.
enum Number : int64_t { TOP, BOX_TOP, WORK, PAIRS_KNOWN, CELLS_KNOWN, NODES, JUDGED, DROPPED };
// The rows of `SliceState::level`.
enum LevelRow : int64_t { PAIR_COUNT, PAIR_PREFIX, CELL_COUNT, CELL_PREFIX };
// The rows of `SliceState::scratch`: names in use, and weights of cells, which are 0 between uses.
enum ScratchRow : int64_t { NAMED, UP, DOWN };
// How boxes and slices end: nothing is open, the work is done, a vector is found, the stack of boxes is too short; a
// better model is known, there is no room for the parts of a node.
enum Result : int64_t { DONE, PAUSED, FOUND, FULL, OUTDATED, CROWDED };

// The open parts of a slice and its scratch space.
//
// Level d of `pair` holds the pairs that the first d literals of the prefix leave uncovered, and level d of `cell` the
// rows merged on the first d features; the last level serves all that are deeper.
struct SliceState {
  Ints number;
  Matrix<int64_t> part;  // (parts, 5 + most literals)
  Matrix<Flag> allowed;  // (parts, literals)
  Ints boxes;            // (flat) of the support on top: low and high of each, one number a literal and one for b
  Ints hit;              // the magnitudes found, as indices, then b
  Matrix<int64_t> level;    // (4, levels)
  Matrix<int32_t> pair;     // (levels, pairs)
  Matrix<int32_t> cell;     // (levels, rows)
  Array<int32_t> name;      // scratch for numbering cells: -1 between uses
  Matrix<int64_t> scratch;  // (3, as long as `name`)
};

}  // namespace supersparse::errors
