// Search for good cards: supports by their logistic regression, then points by rounding and single moves.
#pragma once
#include "log_loss/cards.hpp"

namespace supersparse::log_loss {

// Add one column to each support of a beam; the best, sorted by loss, replace new_members.
// Supports are sorted lists of columns. Those where a column would have less than `least` of the fewest points it can have
// come last. Returns how many there are.
int64_t extend(const RiskData& data, const Support& support, Matrix<int64_t> members, Matrix<double> points, int64_t n_members,
               int64_t size, Ints allowed, int64_t tries, double least, Matrix<int64_t> new_members, Matrix<double> new_points,
               Floats losses);

// Loss and penalty of a card on the support at hand, quickly calibrated; infinite if not allowed.
// More than `enough` may be an estimate, from a calibration that was given up. What it breaks of limits on rates is added,
// so that moves lead to cards that obey them.
double card_value(const RiskData& data, const Support& support, Ints index, int64_t k, Floats start, double enough);

// Round the regression point = (b, beta) on k columns at several slopes, and polish the best.
// Only what comes within `near` of the best card is polished; a negative `near` offers the rounding itself. It `keeps`
// cards as `offer` does.
void round_support(const RiskData& data, const Support& support, const Best& best, Ints low, Ints high, Ints columns, int64_t k,
                   Floats point, double near, bool keeps);

}  // namespace supersparse::log_loss
