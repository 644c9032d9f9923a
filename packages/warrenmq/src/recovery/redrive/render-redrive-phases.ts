import { redriveArrows } from './redrive-phase.ts'

/** The phases of a re-drive as a Mermaid drawing, from the table that the state machine goes by. */
export function renderRedrivePhases(): string {
  const name = (phase: string): string => phase.replaceAll('-', '_')
  const labels = [...new Set(redriveArrows.flatMap(({ from, to }) => [from, to]))]
    .filter((phase) => phase.includes('-'))
    .map((phase) => `  state "${phase}" as ${name(phase)}`)
  const arrows = redriveArrows.map(({ from, to, when }) => `  ${name(from)} --> ${name(to)}: ${when}`)
  return ['stateDiagram-v2', ...labels, '  [*] --> locking', ...arrows, '  over --> [*]', ''].join('\n')
}
