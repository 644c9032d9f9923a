/** A family of numbers as Prometheus knows them. */
export interface Metric {
  /** Unique, in the spelling of Prometheus. */
  readonly name: string
  /** One line that says what is counted, and in which unit. */
  readonly help: string
  /** What may be done with the numbers: a counter only grows. */
  readonly type: 'counter' | 'gauge' | 'histogram'
  /** One number for each set of labels. */
  readonly samples: readonly Sample[]
}

/** One number of a metric. */
export interface Sample {
  /** Follows the name of the metric, such as `_bucket`. */
  readonly suffix?: string
  /** What tells it from others of the family, such as the queue. */
  readonly labels: Readonly<Record<string, string>>
  /** The number, in the unit that `help` names. */
  readonly value: number
}

/**
 * The text that Prometheus scrapes (exposition format 0.0.4).
 * @example
 * ```ts
 * const text = renderMetrics([{ name: 'up', help: 'Whether it runs.', type: 'gauge', samples: [{ labels: {}, value: 1 }] }])
 * ```
 */
export function renderMetrics(metrics: readonly Metric[]): string {
  return metrics.map(renderMetric).join('')
}

function renderMetric({ name, help, type, samples }: Metric): string {
  const lines = samples.map(
    ({ suffix = '', labels, value }) => `${name}${suffix}${renderLabels(labels)} ${renderValue(value)}\n`,
  )
  return `# HELP ${name} ${escapeText(help, /[\\\n]/g)}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

function renderLabels(labels: Sample['labels']): string {
  const entries = Object.entries(labels).map(([name, value]) => `${name}="${escapeText(value, /[\\\n"]/g)}"`)
  return entries.length === 0 ? '' : `{${entries.join(',')}}`
}

function renderValue(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  return String(value)
}

function escapeText(text: string, unsafe: RegExp): string {
  return text.replace(unsafe, (found) => (found === '\n' ? '\\n' : `\\${found}`))
}
