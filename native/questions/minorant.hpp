// A quadratic below the loss, for all cards below a threshold.
#pragma once
#include "questions/additive.hpp"

namespace supersparse {

// Matrix H_k with loss(beta + u) >= fit.loss + fit.slope.u + 1/2 u' H_k u for every u with loss(beta + u) < fit.loss + room.
// False where the space spanned is in doubt or the fit is not close enough to its optimum: then there is no minorant.
bool minorant(const Cells& cells, const Fit& fit, double room, Vector& second_order);

}  // namespace supersparse
