// Simulated annealing of a model, by steps of single values.
#pragma once
#include "errors/descent.hpp"

namespace supersparse {

// Walks for `moves` steps while cooling from `hot` to `cold`; returns the best cost seen.
//
// Moves are steps of mixed length in one coefficient, now and then in two at once, or a coefficient set to 0; once `settled`,
// mostly of what is in use. A model beyond a limit pays for it. `index`, `intercept[0]` and `scores` follow the walk;
// `best_index` and `intercept[1]` receive the best model.
int64_t anneal(const SearchData& data, Ints index, Ints intercept, Ints scores, Ints best_index, double hot, double cold,
               int64_t moves, bool settled, int64_t window, uint64_t& state, int64_t& work);

}  // namespace supersparse
