import { formatCounted, type LookReport } from 'warrenmq/operations'

/** What a look has seen. */
export function renderLook(report: LookReport, queue: string): readonly string[] {
  return [
    `${report.seen} of ${formatCounted(report.present, 'message')} looked at in ${queue}.`,
    ...renderLookLimits(report, queue),
  ]
}

/** What one has to know of a look beside what it shows. */
export function renderLookLimits(report: LookReport, queue: string): readonly string[] {
  const { isWhole, seen, present, refreshed } = report
  return [
    ...(isWhole
      ? []
      : [
          `Ended early: messages could not be held any longer. Only ${seen} of ${present} were looked at; the others may hold more.`,
        ]),
    ...(refreshed > 0
      ? [
          `${refreshed} moved to the end of ${queue}: returning them would have deleted them at the delivery limit.`,
        ]
      : []),
  ]
}
