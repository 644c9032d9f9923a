import type { Bench } from './benches.ts'

/** One line of the report: a figure of one bench on one version of RabbitMQ, or its mean over several. */
export interface Result {
  readonly bench: string
  /** The version; of a mean those that it is taken over. */
  readonly rabbitmq: string
  readonly against: string
  readonly metric: string
  /** The median of the runs: ours ÷ theirs in the same round, or ours − theirs in MiB for memory. Of a mean the mean. */
  readonly ratio: number
  readonly target: string
  readonly meets: boolean
  /** Per round; of a mean per version. */
  readonly runs: readonly number[]
}

/**
 * The geometric means over versions that are asked for: a ratio of 2 on one and of ½ on another is a tie, as it
 * should be. None where only one version was measured.
 */
export function meanOverVersions(results: readonly Result[], benches: readonly Bench[]): readonly Result[] {
  return benches.flatMap(({ name, targets }) =>
    targets.flatMap(({ against, metric, meanAtLeast }) => {
      const found = results.filter(
        (result) => result.bench === name && result.against === against && result.metric === metric,
      )
      if (meanAtLeast === undefined || found.length < 2) return []
      const runs = found.map(({ ratio }) => ratio)
      const ratio = Number(geometricMean(runs).toFixed(3))
      return {
        bench: name,
        rabbitmq: `mean of ${found.map(({ rabbitmq }) => rabbitmq).join(', ')}`,
        against,
        metric,
        ratio,
        runs,
        target: `>= ${meanAtLeast}`,
        meets: ratio >= meanAtLeast,
      }
    }),
  )
}

function geometricMean(ratios: readonly number[]): number {
  return Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length)
}
