// Loops over rows, eight at a time, of what is compiled once for each version.
#pragma once
#include "base/lanes.hpp"
#include "log_loss/loops.hpp"

namespace supersparse::log_loss {
namespace {

// Eight of the rows: all of them, or the first `count` of them with 0 in the other lanes.
struct Whole {
  LANES_INLINE Eight of(const double* x) { return load(x); }
  LANES_INLINE void put(double* x, Eight value) { store(x, value); }
};
struct Part {
  int64_t count;
  Eight of(const double* x) const { return load_first(x, count); }
  void put(double* x, Eight value) const { store_first(x, count, value); }
};

template <class Body>
LANES_INLINE void by_eights(int64_t from, int64_t to, Body body) {
  int64_t i = from;
  for (; i + kLanes <= to; i += kLanes) body(i, Whole{});
  if (i < to) body(i, Part{to - i});
}

// A block at a time: body(from, to), then what it has added up goes to the totals.
template <class Body>
LANES_INLINE void by_blocks(int64_t n, Body body) {
  for (int64_t start = 0; start < n; start += kBlock) body(start, n - start < kBlock ? n : start + kBlock);
}

}  // namespace
}  // namespace supersparse::log_loss
