// One card: its rows merged, its least loss, and whether it may obey the limits on rates.
//
// Rates are judged here with a margin, by a fit that is as good as rounding allows: what is rejected breaks a limit for
// certain, and what passes is judged exactly elsewhere.
#pragma once
#include "log_loss/bound.hpp"

namespace supersparse::log_loss {

// Rows that are equal on the support become one; returns their number.
int64_t merge_rows(const RiskData& data, const Support& support, int64_t k);

// Make these columns the support at hand, unless they are.
void load(const RiskData& data, const Support& support, Ints columns, int64_t k);

struct CardLoss {
  double loss, bound;
};
// The least loss of one card on the support's merged rows, and a lower bound of it.
// fit = (slope, intercept, ...) is the start and receives the best, and how far both can be from it. The bound and these
// distances are only filled in if accurate; otherwise a loss above `enough` may be a guess.
CardLoss card_loss(const RiskData& data, const Support& support, Ints index, int64_t k, Floats fit, Accuracy accuracy, double enough);

// By how much a card breaks the limits on rates, as shares of their weights; 0 if it may obey. Rows near the threshold
// count as what obeys.
double rates_broken(const RiskData& data, const Support& support, Ints index, int64_t k, Floats fit);

// Whether predictions by cell can obey each limit on rates, and all of them together. Rows that are equal on the support
// are predicted alike. True where their cells are not known.
bool support_may_obey(const RiskData& data, const Support& support);

// Whether a card obeys the limits on supports and scores.
bool obeys_limits(const RiskData& data, const Support& support, Ints index, int64_t k);

// What the values of a card cost.
double penalty_of(const RiskData& data, const Support& support, Ints index, int64_t k);

// Calibrate a card and keep it if it is the best so far; returns the lower bound of its value.
// Nothing happens unless a quick calibration comes within `only_if` of the best. Where there is room for cards, one whose
// bound is below the best, and that may obey the limits on rates, is listed; the best then stays as it is, unless it
// `keeps` a card by its value and what it breaks.
double offer(const RiskData& data, const Support& support, const Best& best, Ints index, int64_t k, Floats start,
             double only_if, bool keeps);

}  // namespace supersparse::log_loss
