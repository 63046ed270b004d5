// A slice of the tree over supports: open parts, depth first, for so much work.
//
// A node represents the proper extensions of its literals: the supports that contain all of them and at least one more
// literal that is still allowed. The support of exactly those literals is not part of the node; if a model may stop there,
// it became a support of its own when the node was made. Nodes are bounded, literals that cannot be in a better model are
// dropped, and a node is split on its most loaded literal: in the model, or not.
#pragma once
#include "errors/support_search.hpp"

namespace supersparse::errors {

// Works on the parts of the state, the last first, until nothing is open or the work reaches `until`.
//
// `shared` is written by others: the cut that holds now, and how many threads have nothing to do; once the work has
// reached `least`, the slice ends early for them. Alone, a thread passes a `least` that is not below `until`.
Result run_slice(const TreeData& data, const SliceState& state, Ints shared, const Cuts& cuts, int64_t until,
                 int64_t least);

}  // namespace supersparse::errors
