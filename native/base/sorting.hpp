// Stable orders of whole numbers.
#pragma once
#include "base/array.hpp"

namespace supersparse {

// The indices that sort `keys`, equal keys in their old order.
std::vector<int64_t> order_of(Ints keys);

// Sorts the first n items, which rise, by their keys, equal keys by the item. `spare` and `place` are scratch, for n
// and for 2n + 2 numbers.
void sort_by(Ints key, Ints items, int64_t n, Ints spare, Ints place);

}  // namespace supersparse
