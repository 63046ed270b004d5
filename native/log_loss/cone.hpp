// The relaxation of a box of points on one support: quadratics in turn, each solved over the box's cone.
//
// A box allows a·low_j <= beta_j <= a·high_j. The loss is expanded to second order, the least value of that in the cone
// is where it is expanded next. The columns are few, so the work is in the passes over the rows, and a good start saves
// most of them. `quadratic_below` then finds a quadratic below the loss of all cards that matter.
//
// At a point v = (intercept, beta) let g be the gradient of the loss and h_i the second derivative of row i. The second
// derivative of a row's loss falls by at most e^-u when its logit moves by u, so for every step d
//
//     loss(v + d)  >=  loss(v) + g·d + Σ_i h_i·(e^-u_i + u_i - 1),     u_i = |x_i·d|,
//
// and where u_i <= R_i the last sum is at least d·Q·d/2, with Q = Σ_i w_i·x_i·x_i' and w_i = 2·h_i·(e^-R_i + R_i -
// 1)/R_i². The R_i hold on an ellipsoid around v. At the relaxed optimum of a box g·d is at least about 0 for every card
// of the box. If loss(v) + d·Q·d/2 reaches the threshold on all of the ellipsoid's surface, then a card outside, where
// the sum is larger still, is not below the threshold; and inside the quadratic is below the loss. Parts of the box cost
// k³ operations then, whatever the number of rows. Where that does not exclude them, loss and gradient at one more point
// often do, since the second derivative in the region is above the matrix Σ_i h_i·e^-R_i·x_i·x_i'.
#pragma once
#include <vector>

#include "base/array.hpp"
#include "log_loss/relaxation.hpp"

namespace supersparse::log_loss {

// a·low <= beta <= a·high for slopes a up to slope_high; a is 1 if it is not free.
struct Cone {
  Floats low, high;
  bool slope_is_free;
  double slope_high;
};

// The least value of a quadratic over a cone, by an active set method: the sides on which columns lie change one at a
// time.
class ConeSearch {
 public:
  // A lower bound of the quadratic, near its least value. point = (a, b, beta...) is the start and receives the end.
  double least(Matrix<double> model, const Cone& cone, Floats point);

 private:
  // The system of the least value with the columns on their sides: over the `count` others and, if true, the slope.
  bool set_up(Matrix<double> model, const Cone& cone, double a, int64_t& count);
  std::vector<double> h_, new_;
  std::vector<int64_t> side_;  // -1 and 1: at low and high; 2: low and high are one; 0: between
};

// Relaxes a box until its bound passes the threshold, or cannot and a step gains less than `accuracy`.
//
// point = (a, b, beta...) is the start and receives the end, `gradient` the gradient there, `model` the expansion, and
// the first rows of `work` logits, residuals and curvature. dual receives the tangent's constant and gradient at the
// best bound.
Relaxed relax_box(const Sample& sample, const Cone& cone, double threshold, Floats limits, double accuracy, Floats point,
                  Floats dual, Matrix<double> work, Floats gradient, Matrix<double> model);

// Makes a quadratic for the cards of a box; returns 0 if none is of use, 2 if all are above the threshold.
//
// `relax_box` has ended at point = (a, b, beta...) with loss f and gradient g. Receives: kBelow, the quadratic, without
// the intercept; kConvex, the factor of a matrix that the second derivative of the loss is above in the region; kRegion,
// the matrix, centre and squared radius of the region.
int quadratic_below(const Sample& sample, const Cone& cone, double threshold, Floats limits, Floats point, double f,
                    Floats g, Matrix<double> work, Cube<double> out);

// Whether all cards of a part of the box are above the threshold, by loss and gradient at one point.
bool is_above(const Sample& sample, const Cone& cone, double threshold, Floats limits, Floats point, Matrix<double> work,
              Floats gradient, Cube<double> quadratic);

}  // namespace supersparse::log_loss
