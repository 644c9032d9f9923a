import type { LookReport } from 'warrenmq/operations'

/** What a look has seen. */
export function renderLook(report: LookReport, queue: string): readonly string[] {
  return [
    `${report.seen} of ${report.present} messages looked at in ${queue}.`,
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
          `It ended early: messages cannot be held longer. Only ${seen} of ${present} were looked at, and there may be more among the others.`,
        ]),
    ...(refreshed > 0
      ? [
          `${refreshed} were put at the end of ${queue}: giving them back would have deleted them at the delivery limit.`,
        ]
      : []),
  ]
}
