// Search over coefficients: exact line searches and swaps of features.
#pragma once
#include "errors/lines.hpp"

namespace supersparse {

// xorshift64*: advances and returns a number from 0 to 2^31 - 1.
inline int64_t next_random(uint64_t& state) {
  uint64_t x = state;
  x ^= x >> 12;
  x ^= x << 25;
  x ^= x >> 27;
  state = x;
  return static_cast<int64_t>((x * 2685821657736338717u) >> 33);
}

// Permutes in place, every order equally likely.
void shuffle(Ints order, uint64_t& state);

struct ModelPenalty {
  int64_t total, size;  // what a model's features pay, and how many it uses
};
ModelPenalty model_penalty(const SearchData& data, Ints index);

// Fills the scores of a model, the intercept left out.
void rescore(const SearchData& data, Ints index, Ints scores);

// The price of what a model counts beyond its limits.
int64_t excess(const SearchData& data, Ints index);

// The cost of a model with the best threshold near 0, or of all where all are allowed, limits included; kNothing / 2 if it is
// too large.
LossAt price_of(const SearchData& data, Ints index, int64_t window);

// Improves a model until no line and no swap helps, or the budget of touched rows is spent. Changes `index`, `intercept` and
// `scores`; returns the cost reached, the tie-break included.
int64_t descend(const SearchData& data, Ints index, int64_t& intercept, Ints scores, int64_t window, int64_t budget,
                uint64_t& state, int64_t& work);

}  // namespace supersparse
