import type { RunReport } from '../run-one.ts'

/** So many lines of a story are shown of a failure. */
const mostLines = 60

/** A run in words: what went wrong, what led to it, and how to see it again. */
export function renderRun(report: RunReport): string {
  const { seed, profile, layout, hash, violations, story = [], needed } = report
  const only = needed ? ` --only ${needed.join(',')}` : ''
  const lines = story.length > mostLines && violations.length > 0 ? story.slice(-mostLines) : story
  return [
    `seed ${seed} on ${profile}, layout ${layout}, hash ${hash}: ${violations.length === 0 ? 'all promises kept' : `${violations.length} broken`}`,
    ...violations.slice(0, 5).map(({ rule, detail }) => `  ${rule}: ${detail.slice(0, 1500)}`),
    ...lines.map((line, index) => `  ${String(index + 1).padStart(3)}. ${line}`),
    ...(violations.length > 0
      ? [`  again: npm run -s sim -- --seed ${seed} --profile ${profile} --story${only}`]
      : []),
  ].join('\n')
}

/** All runs in a few lines. */
export function renderSummary(
  reports: readonly RunReport[],
  { tookMs, times }: { tookMs: number; times: number },
): string {
  const broken = reports.filter(({ violations }) => violations.length > 0)
  const virtualMs = times * sum(reports.map((report) => report.virtualMs))
  const faults = reports.flatMap((report) => report.faults.map(({ kind }) => kind))
  const kinds = [...new Set(faults)]
    .sort()
    .map((kind) => `${kind} ${faults.filter((each) => each === kind).length}`)
  return [
    `${reports.length} seeds${times > 1 ? ', each run twice' : ''}, ${broken.length} with a broken promise; ${faults.length} faults: ${kinds.join(', ')}`,
    `${(virtualMs / 3_600_000).toFixed(1)} virtual hours in ${(tookMs / 1000).toFixed(1)} s (${Math.round(virtualMs / tookMs)} times as fast), ` +
      `${Math.round(((times * reports.length) / tookMs) * 60_000)} runs a minute, ${times * sum(reports.map(({ events }) => events))} events`,
    ...(broken.length > 0
      ? [`broken: ${broken.map(({ seed, profile }) => `${seed}/${profile}`).join(' ')}`]
      : []),
  ].join('\n')
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
