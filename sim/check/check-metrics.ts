import type { MetricsNote } from '../actors/ledger.ts'
import type { Evidence } from './evidence.ts'

/** Every handler that came to its end is counted once, as settled or as stale, and nothing counts as handled that was not. */
export function checkMetrics(evidence: Evidence): void {
  for (const note of evidence.ledger.metrics) {
    const problem = findProblem(note, evidence)
    if (problem) evidence.violate('metrics', `${note.process}: ${problem}`)
  }
}

function findProblem(
  { text, runs, skipped }: MetricsNote,
  { faults, ledger, scenario }: Evidence,
): string | undefined {
  const ended = runs.filter(({ result }) => result !== undefined).length
  const succeeded = runs.filter(({ result }) => result === 'succeed').length
  const settled = count(text, 'warren_deliveries_settled_total')
  const acknowledged = count(text, 'warren_deliveries_settled_total', 'outcome="acknowledge"')
  const stale = count(text, 'warren_deliveries_stale_total')
  const remembered = count(text, 'warren_deliveries_remembered_total')
  if (settled + stale + remembered < ended)
    return `${ended} handlers ended, and it counts ${settled} settled and ${stale} stale`
  if (acknowledged > succeeded + remembered + skipped)
    return `it counts ${acknowledged} acknowledged, and ${succeeded} handlers succeeded`
  const isQuiet =
    faults.length === 0 &&
    !scenario.isDeduped &&
    [...ledger.accounts.values()].every(({ plan }) => !plan.isBroken && !plan.steps.includes('die'))
  if (isQuiet && settled !== ended) return `${ended} handlers ended, and it counts ${settled} settled`
  if (isQuiet && acknowledged !== succeeded)
    return `${succeeded} handlers succeeded, and it counts ${acknowledged}`
  return undefined
}

function count(text: string, name: string, label = ''): number {
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) && line.includes(label))
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}
