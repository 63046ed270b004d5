// One support within a slice: merged, bounded as a whole, then searched box by box in two phases.
//
// The first phase looks only for strict improvements: if a vector can be doubled within its sets, a model in the upper
// half has the same predictions, size and C0, so only vectors with some coefficient (or b) in the upper half of its values
// are needed. The second phase looks over all vectors for ties with a smaller l1.
#pragma once
#include "errors/boxes.hpp"

namespace supersparse::errors {

// The phases of a search. A piece of the first, which has other pieces too, ends without the second.
enum Phase : int64_t { IMPROVING = 1, TIES, PIECE };

// What a model as good as the best one costs, what the next better could cost, and the best one's l1 norm.
struct Cuts {
  int64_t tie, strict, l1;
};

// Searches the support on top until the slice's work reaches `until`; DONE when it is closed.
//
// Other results are those of `run_boxes`; the open boxes and the phase then stay in the state.
Result search_support(const TreeData& data, const SliceState& state, int64_t part, const Cuts& cuts, int64_t until);

}  // namespace supersparse::errors
