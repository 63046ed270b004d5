// A node within a slice: its limits on support, signs and score, and the packing of its uncovered pairs.
//
// `engine/exact/literals.py` says how limits become sums over literals, `engine/exact/pair_covers.py` has the inequality.
#pragma once
#include "errors/pairs.hpp"
#include "errors/tree_data.hpp"

namespace supersparse::errors {

// Whether a feature, or a literal, is among the literals.
bool uses(Ints literals, int64_t feature);
bool has(Ints literals, int64_t literal);

// Whether a model of exactly these literals is allowed.
bool may_stop(const Branching& b, Ints literals);

// Disallows literals that no extension within the limits can have; false if there is no extension. `LiteralLimits.keep`
// gives the reasons.
bool keep_possible(const Branching& b, Ints literals, Flags allowed, int64_t room);

// Finds the pairs that these literals leave uncovered; gives the level of `state.pair` with them.
int64_t pairs_of(const Pairs& pairs, const SliceState& state, Ints literals);

// Bounds the rest of a node's cost, and by literal; fills the load of each literal and what it refused.
//
// With room for all undecided features, the capacity of a literal is its penalty. Under a size limit, more capacity,
// penalty + theta, may pay off: at most `room` literals take it back. theta is tried near `theta`, which was best with
// as much room; others seldom pay. With a minus sign it was best with more room: then larger ones are tried while they
// are better, else smaller ones. If it is 0, the whole range is tried.
struct Packed {
  int64_t bound, theta, tried;  // theta of the bound, packings tried
};
Packed pack_node(const Pairs& pairs, Array<int32_t> chosen, Flags allowed, Ints penalty, int64_t room, int64_t theta,
                 int64_t enough, Ints load, Ints refused, Ints by_literal);

}  // namespace supersparse::errors
