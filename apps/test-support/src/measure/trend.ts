/** One sample of a measurement: a time or a count, and a quantity. */
export type Sample = readonly [x: number, y: number]

/** The trend of a quantity. */
export interface Trend {
  /** The slope of the best-fitting line, in y per x. */
  readonly slope: number
  /** The upper end of the 95 % confidence interval of the slope. It is an upper bound for a leak. */
  readonly upper: number
}

/**
 * Fits a line by least squares. The first quarter of the samples is ignored, because caches fill during that
 * time.
 */
export function trendOf(samples: readonly Sample[]): Trend {
  const settled = samples.slice(Math.ceil(samples.length / 4))
  const freedom = settled.length - 2
  if (freedom < 1) throw new RangeError(`A trend needs more than ${samples.length} samples`)
  const [meanX, meanY] = [mean(settled.map(([x]) => x)), mean(settled.map(([, y]) => y))]
  const spread = sum(settled.map(([x]) => (x - meanX) ** 2))
  const slope = sum(settled.map(([x, y]) => (x - meanX) * (y - meanY))) / spread
  const residuals = sum(settled.map(([x, y]) => (y - meanY - slope * (x - meanX)) ** 2))
  return { slope, upper: slope + studentT(freedom) * Math.sqrt(residuals / freedom / spread) }
}

/**
 * Returns the 97.5 % quantile of Student's t-distribution, accurate to 1 % from three degrees of freedom on.
 */
const studentT = (freedom: number): number => 1.96 + 2.37 / freedom + 2.8 / freedom ** 2

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
const mean = (values: readonly number[]): number => sum(values) / values.length
