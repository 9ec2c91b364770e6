// Anderson mixing: the next point of a fixed-point iteration from the last few.
//
// Problem: x <- g(x) converges, but only by a constant factor a step, and each g costs a pass.
// Method: near the solution the residual f(x) = g(x) - x is nearly linear. So of all combinations
// of the last points whose coefficients add up to 1, take that whose combined residual is
// smallest, and go to the same combination of their images g(x). In the form of Walker and Ni
// (SIAM J. Numer. Anal. 49, 2011): with the differences of successive residuals and images as the
// columns of F and G, the coefficients c minimise |f - F c|, and the next point is g - G c.
// c comes from the normal equations of kDepth unknowns; directions in which they are singular to
// working precision are left out, so nearly equal residuals do no harm.
// Where a step would be absurdly long the history is forgotten and the plain step taken.
// Cost: 2 * (kDepth + 1) vectors, and about 2 * kDepth sums of products a step.
// Thread rules: one thread at a time; work is spread over the calling TBB arena, results do not
// depend on its size, to the bit.
#pragma once

#include <Eigen/Core>
#include <deque>

namespace ziggurat::balance {

class AndersonMixer {
 public:
  // Differences that are remembered. Fewer need more rounds; more gain little.
  static constexpr Eigen::Index kDepth = 5;
  // No coordinate moves further than this in a mixed step.
  static constexpr double kLongestStep = 10;

  // Moves point from x to the next one. Requires: residual = g(x) - x, finite, and of the length
  // of all before.
  void advance(Eigen::ArrayXd& point, const Eigen::ArrayXd& residual);

 private:
  struct Difference {
    Eigen::ArrayXd residual;
    Eigen::ArrayXd image;
  };

  void remember(const Eigen::ArrayXd& residual, const Eigen::ArrayXd& image);
  [[nodiscard]] Eigen::VectorXd coefficients(const Eigen::ArrayXd& residual) const;
  // g - G c.
  [[nodiscard]] Eigen::ArrayXd mixed(const Eigen::ArrayXd& image,
                                     const Eigen::VectorXd& coefficients) const;

  std::deque<Difference> differences_;  // the oldest first
  Eigen::MatrixXd products_;            // of the differences of residuals with one another
  Eigen::ArrayXd last_residual_;
  Eigen::ArrayXd last_image_;
};

}  // namespace ziggurat::balance
