// Good cards before the proof.
#pragma once
#include "questions/decode.hpp"

namespace supersparse {

// From the fit of a set: for a range of slopes, choose the best points of one question after the other in the quadratic
// model, then change single points as long as the exact objective falls.
void improve(const Problem& problem, const Cells& cells, const Fit& fit, Incumbents& incumbents, Clock& clock);

}  // namespace supersparse
