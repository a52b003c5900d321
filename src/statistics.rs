//! Calculates means with confidence intervals, and whether two means differ.
//!
//! Formulas: the sample variance by Welford; intervals and tests by Student's t distribution, for two means with the
//! degrees of freedom of Welch and Satterthwaite; for rates the interval of Wilson. The distribution is calculated
//! from the regularized incomplete beta function, as a continued fraction (Abramowitz and Stegun, 26.5.8 and 26.7.1),
//! and Lanczos' approximation of the logarithm of the gamma function.

/// Intervals contain the true value in 19 of 20 cases.
pub const CONFIDENCE: f64 = 0.95;

/// Count, mean and spread of numbers that are added one by one.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Moments {
    count: u64,
    mean: f64,
    /// The sum of the squared distances from the mean.
    squares: f64,
}

/// The range in which a value probably lies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The difference between two means.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    /// The first mean minus the second.
    pub mean: f64,
    /// The interval of the difference.
    pub interval: Interval,
    /// The probability of a difference at least this large if there is none.
    pub p_value: f64,
}

impl Moments {
    /// Adds a number.
    pub fn add(&mut self, value: f64) {
        self.count += 1;
        let from_old = value - self.mean;
        self.mean += from_old / self.count as f64;
        self.squares += from_old * (value - self.mean);
    }

    /// Returns the count of numbers.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the mean; 0 if there are no numbers.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// Returns the interval of the mean; `None` for fewer than two numbers.
    pub fn interval(&self) -> Option<Interval> {
        let error = self.squared_error()?.sqrt();
        let half = error * t_quantile(f64::midpoint(1.0, CONFIDENCE), self.count as f64 - 1.0);
        Some(Interval { low: self.mean - half, high: self.mean + half })
    }

    /// Returns the interval of a rate, if the numbers are zeros and ones; `None` if there are no numbers.
    pub fn rate_interval(&self) -> Option<Interval> {
        if self.count == 0 {
            return None;
        }
        /// The normal distribution's 97.5% quantile: half of the width of its interval.
        const Z: f64 = 1.959_963_984_540_054;
        let (n, rate) = (self.count as f64, self.mean);
        let center = (rate + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
        let half = Z / (1.0 + Z * Z / n) * (rate * (1.0 - rate) / n + Z * Z / (4.0 * n * n)).sqrt();
        Some(Interval { low: (center - half).max(0.0), high: (center + half).min(1.0) })
    }

    /// Returns the difference by Welch's test; `None` if either side has fewer than two numbers.
    pub fn difference(&self, other: &Self) -> Option<Difference> {
        let (own, its) = (self.squared_error()?, other.squared_error()?);
        let mean = self.mean - other.mean;
        let error = (own + its).sqrt();
        if error == 0.0 {
            // All numbers on each side are equal.
            let p_value = if mean == 0.0 { 1.0 } else { 0.0 };
            return Some(Difference { mean, interval: Interval { low: mean, high: mean }, p_value });
        }
        let part = |squared: f64, count: u64| squared * squared / (count as f64 - 1.0);
        let freedom = (own + its).powi(2) / (part(own, self.count) + part(its, other.count));
        let half = error * t_quantile(f64::midpoint(1.0, CONFIDENCE), freedom);
        let interval = Interval { low: mean - half, high: mean + half };
        Some(Difference { mean, interval, p_value: two_sided(mean / error, freedom) })
    }

    /// Returns the square of the mean's standard error.
    fn squared_error(&self) -> Option<f64> {
        let count = self.count as f64;
        (self.count > 1).then(|| self.squares / (count - 1.0) / count)
    }
}

/// Returns the probability of a value at least this far from 0 in Student's distribution.
fn two_sided(t: f64, freedom: f64) -> f64 {
    incomplete_beta(freedom / (freedom + t * t), freedom / 2.0, 0.5)
}

/// Returns the value below which a share of Student's distribution lies; `share` is from 0.5 to below 1.
fn t_quantile(share: f64, freedom: f64) -> f64 {
    let below = |t: f64| 1.0 - two_sided(t, freedom) / 2.0;
    let (mut low, mut high) = (0.0, 1.0);
    while below(high) < share && high < 1e12 {
        high *= 2.0;
    }
    // Twice the number of bits of a float.
    for _ in 0..106 {
        let middle = f64::midpoint(low, high);
        if below(middle) < share { low = middle } else { high = middle }
    }
    high
}

/// Returns the regularized incomplete beta function.
fn incomplete_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    // The fraction converges fast on this side of the mean.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(1.0 - x, b, a);
    }
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (1.0 - x).ln()).exp();
    front * fraction(x, a, b) / a
}

/// Returns its continued fraction, by Lentz' method.
fn fraction(x: f64, a: f64, b: f64) -> f64 {
    const TINY: f64 = 1e-300;
    const MAX_TERMS: usize = 10_000;
    let away_from_zero = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut numerator = 1.0;
    let mut denominator = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut result = denominator;
    for term in 1..MAX_TERMS {
        let m = term as f64;
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut change = 1.0;
        for coefficient in [even, odd] {
            denominator = 1.0 / away_from_zero(1.0 + coefficient * denominator);
            numerator = away_from_zero(1.0 + coefficient / numerator);
            change = denominator * numerator;
            result *= change;
        }
        if (change - 1.0).abs() < f64::EPSILON {
            break;
        }
    }
    result
}

/// Returns the logarithm of the gamma function of a positive number, to 15 digits: Lanczos with g = 7 and nine terms.
fn ln_gamma(x: f64) -> f64 {
    const G: f64 = 7.0;
    const TERMS: [f64; 9] = [
        0.999_999_999_999_809_9,
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    let x = x - 1.0;
    let sum = TERMS[1..].iter().zip(1..).fold(TERMS[0], |sum, (term, index)| sum + term / (x + f64::from(index)));
    let base = x + G + 0.5;
    0.5 * (2.0 * std::f64::consts::PI).ln() + (x + 0.5) * base.ln() - base + sum.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments(values: &[f64]) -> Moments {
        values.iter().fold(Moments::default(), |mut moments, value| {
            moments.add(*value);
            moments
        })
    }

    fn near(found: f64, expected: f64, within: f64) {
        assert!((found - expected).abs() <= within, "{found} instead of {expected}");
    }

    #[test]
    fn the_gamma_function_is_that_of_the_tables() {
        for (x, expected) in
            [(1.0, 0.0), (2.0, 0.0), (5.0, 24_f64.ln()), (0.5, 0.572_364_942_924_700_1), (11.0, 3_628_800_f64.ln())]
        {
            near(ln_gamma(x), expected, 1e-13 * expected.abs().max(1.0));
        }
    }

    /// Values from printed tables of Student's distribution.
    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (freedom, expected) in [
            (1.0, 12.706_204_736),
            (2.0, 4.302_652_730),
            (5.0, 2.570_581_836),
            (10.0, 2.228_138_852),
            (30.0, 2.042_272_456),
            (120.0, 1.979_930_405),
            (1e9, 1.959_963_985),
        ] {
            near(t_quantile(0.975, freedom), expected, 1e-6);
        }
        // With one degree of freedom, the distribution is Cauchy's, which has a closed form.
        for t in [0.1, 1.0, 3.0, 50.0] {
            near(two_sided(t, 1.0), 1.0 - 2.0 / std::f64::consts::PI * f64::atan(t), 1e-12);
        }
        // With two degrees, this is the closed form.
        for t in [0.1_f64, 1.0, 3.0, 50.0] {
            near(two_sided(t, 2.0), 1.0 - t / (2.0 + t * t).sqrt(), 1e-12);
        }
    }

    /// Two numbers each give two degrees of freedom if the spreads are equal: calculated by hand.
    #[test]
    fn means_differ_as_worked_out_by_hand() {
        let (a, b) = (moments(&[1.0, 3.0]), moments(&[5.0, 7.0]));
        let difference = a.difference(&b).unwrap();
        // The squared errors are 1 and 1, so t is -4 / sqrt(2).
        near(difference.mean, -4.0, 1e-12);
        near(difference.p_value, 1.0 - 8_f64.sqrt() / 10_f64.sqrt(), 1e-12);
        near(difference.interval.low, -4.0 - 2_f64.sqrt() * 4.302_652_730, 1e-6);
        near(a.interval().unwrap().high, 2.0 + 12.706_204_736, 1e-6);
        assert!(moments(&[1.0]).difference(&b).is_none() && moments(&[1.0]).interval().is_none());
        assert_eq!(moments(&[2.0, 2.0]).difference(&moments(&[3.0, 3.0])).unwrap().p_value, 0.0);
        assert_eq!(moments(&[2.0, 2.0]).difference(&moments(&[2.0, 2.0])).unwrap().p_value, 1.0);
    }

    /// Wilson's interval of 1 in 10, as published: 0.0179 to 0.4042.
    #[test]
    fn rates_have_wilsons_interval() {
        let mut values = [0.0; 10];
        values[3] = 1.0;
        let Interval { low, high } = moments(&values).rate_interval().unwrap();
        near(low, 0.0179, 5e-5);
        near(high, 0.4042, 5e-5);
        assert_eq!(moments(&[0.0; 4]).rate_interval().unwrap().low, 0.0);
        assert!(moments(&[]).rate_interval().is_none());
    }

    /// 95% intervals miss the true mean in one of twenty cases.
    #[test]
    fn intervals_hold_as_often_as_they_say() {
        let mut state = 12_345_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let missed = (0..4000)
            .filter(|_| {
                let values: Vec<f64> = (0..12).map(|_| random() + random() + random()).collect();
                let Interval { low, high } = moments(&values).interval().unwrap();
                !(low..=high).contains(&1.5)
            })
            .count();
        assert!((140..=260).contains(&missed), "{missed} of 4000");
    }
}
