import type { RedrivePreview } from '../recovery/preview-redrive.ts'
import { describeKept } from '../recovery/render-recovery.ts'

/** The plan of a re-drive for people. */
export function renderPreview(preview: RedrivePreview): readonly string[] {
  const { queue, moving, matching, seen, present, isWhole } = preview
  const limited = moving < matching ? ` (${matching} match)` : ''
  return [
    `${moving} of ${present} messages would move out of ${queue}${limited}:`,
    ...preview.targets.map(({ target, count, why, secondFailure }) => {
      const again = secondFailure === undefined ? '' : `; a second failure: ${secondFailure}`
      return `  ${count} to ${target} (known by ${why}${again})`
    }),
    ...preview.keeping.map(({ reason, count }) => `  ${count} stay: ${describeKept(reason)} (${reason})`),
    ...preview.refusals.map((problem) => `  refused: ${problem}`),
    ...(preview.areRoutesProved
      ? []
      : [
          '  Not proved: where these routes lead. There is no management API to ask, and what has no route stays.',
        ]),
    ...(isWhole ? [] : [`  This is not all: only ${seen} of ${present} messages could be looked at.`]),
  ]
}
