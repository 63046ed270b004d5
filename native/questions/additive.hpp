// The additive logistic fit of a set of questions: a height for every answer, the first answer of each question 0.
//
// R(T) = the least loss over all real heights of the answers of T. Every card whose questions lie in T has one of these
// heights, so its loss is at least R(T); R falls when T grows. The fit is free: an order of answers is not asked for, which
// only lowers R, and an answer outside the order needs no care.
#pragma once
#include "base/dense.hpp"
#include "questions/cells.hpp"

namespace supersparse {

// Where the heights of a set's answers stand among the parameters: 0 is the offset.
struct Layout {
  std::vector<int> first;     // parameter of answer 1 of each question
  std::vector<int> heights;   // number of heights of each question (answers - 1)
  std::vector<int> column;    // question (its place) of each height, from parameter 1 on
  int size = 1;

  Layout() = default;
  Layout(const Problem& problem, const std::vector<int>& set);
};

struct Fit {
  Layout layout;
  Vector heights;         // by parameter
  Vector logits, slope;   // by row of the cells; gradient by parameter
  Vector hessian;         // size x size, exact up to rounding: no ridge
  double loss = 0;
  double decrement = 0;   // squared Newton decrement at `heights`
  double extent = 0;      // a bound on sum |u| over all deviations u from `heights` to those of an allowed card
  bool converged = false;
  // A bound on the loss of every allowed card over the set; minus infinity where the fit did not converge.
  double lower = 0;

  Fit() = default;
  Fit(const Problem& problem, const std::vector<int>& set) : layout(problem, set), heights(layout.size, 0.0) {}
};

// Weighted products of the indicators of answers (with the offset first), for curvatures h by row.
void products(const Cells& cells, const Layout& layout, const double* h, Vector& out);
// Logits of heights.
void logits_of(const Cells& cells, const Layout& layout, const Vector& heights, Vector& out);
// Newton's method from fit.heights until the decrement is below `accuracy`.
void fit_additive(const Cells& cells, double reach, double accuracy, Fit& fit);
// x' K x for every row, x its indicators with the offset.
void leverages(const Cells& cells, const Layout& layout, const Vector& inverse, Vector& out);

// The loss of an additive fit as a quadratic of its heights alone, the offset eliminated:
// loss = constant + 1/2 (u - centre)' G (u - centre).
struct Quadratic {
  int size = 0;
  Vector G, centre, pull;  // pull = G centre
  double constant = 0;
  double energy = 0;       // centre' G centre
  double residual = 0;     // largest part of the gradient that no centre accounts for: G lost its curvature there
};
// From a fit's loss and gradient and any matrix of second order (its own for a prediction, a minorant's for a bound).
Quadratic quadratic_of(const Fit& fit, const Vector& second_order);

}  // namespace supersparse
