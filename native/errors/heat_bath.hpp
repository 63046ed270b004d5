// Annealing by heat bath: a feature gives its place to one drawn from all features, with a good value.
//
// A step empties a place of the model and tries every feature there: a few values first, then, for the most promising
// features, the values around the best, each with the best threshold of a grid. What comes in is drawn, the likelier the less
// it costs. Between such steps two features in use change their values together. Without heat the best comes in, and the walk
// is a descent by swaps. For free thresholds only: there a row is positive from a total of -b on.
#pragma once
#include "errors/descent.hpp"

namespace supersparse {

// Takes steps while cooling from `hot` to `cold`, as far as the budget goes; returns the best cost seen.
//
// `progress` counts the steps done, and those in a row that changed nothing: without heat the walk ends when no place has a
// better feature. `noise` holds draws of the Gumbel distribution, in 1/256. `index`, `intercept[0]` and `scores` follow the
// walk; `best_index` and `intercept[1]` receive the best model.
int64_t heat_bath(const SearchData& data, Ints index, Ints intercept, Ints scores, Ints best_index, int64_t hot, int64_t cold,
                  int64_t steps, Ints progress, Ints noise, int64_t window, int64_t budget, uint64_t& state, int64_t& work);

}  // namespace supersparse
