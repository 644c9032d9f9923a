import type { PreviewTarget, RedrivePreview } from 'warrenmq'
import { describeKept, formatCounted } from 'warrenmq/operations'

/** The plan of a re-drive for people. */
export function renderPreview(preview: RedrivePreview): readonly string[] {
  const { queue, moving, matching, seen, present, isWhole } = preview
  const limited = moving < matching ? ` (${matching} match)` : ''
  return [
    `${moving} of ${formatCounted(present, 'message')} would move out of ${queue}${limited}:`,
    ...preview.targets.flatMap(renderTarget),
    ...preview.keeping.map(({ reason, count }) => `  ${count} would stay: ${describeKept(reason)}`),
    ...(preview.missing === 0
      ? []
      : [`  No longer in the queue: ${preview.missing} of the chosen messages.`]),
    ...preview.refusals.map((problem) => `  refused: ${problem}`),
    ...(preview.areRoutesProved
      ? []
      : ['  Routes are not proved: there is no management API to ask. Messages without a route stay.']),
    ...(isWhole
      ? []
      : [
          `  This is not everything: only ${seen} of ${formatCounted(present, 'message')} could be looked at.`,
        ]),
  ]
}

/** One more is known, so that it can be told that there are more. */
const mostKeysShown = 3

function renderTarget(planned: PreviewTarget): readonly string[] {
  const { target, count, why, secondFailure, keyChanges, keysBefore } = planned
  const again = secondFailure === undefined ? '' : `; a second failure: ${secondFailure}`
  const shown = keysBefore.slice(0, mostKeysShown).map((key) => `"${key}"`)
  const keys = [...shown, ...(keysBefore.length > mostKeysShown ? ['…'] : [])].join(', ')
  return [
    `  ${count} to ${target} (route: ${why}${again})`,
    ...(keyChanges === 0
      ? []
      : [
          `    ${keyChanges} of these will have a different routing key there; it was ${keys}. The header x-original-routing-key keeps it.`,
          '    With --to exchange they keep their key, and every queue that is bound to it gets them again.',
        ]),
  ]
}
