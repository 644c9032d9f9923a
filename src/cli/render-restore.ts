import type { RestoreReport } from '../recovery/backup/restore-backup.ts'

/** What became of the records of a backup. */
export function renderRestore(report: RestoreReport): readonly string[] {
  const { records, restored, restoredBefore, alreadyThere, queue } = report
  return [
    `${restored} of ${records} messages restored into ${queue}.`,
    ...(restoredBefore > 0 ? [`  ${restoredBefore} were restored by an earlier run`] : []),
    ...(alreadyThere > 0 ? [`  ${alreadyThere} stand in the queue already`] : []),
    ...report.failures.map(({ kind, count }) => `  ${count} were not taken: ${failureWords[kind]}`),
  ]
}

const failureWords: Readonly<Record<RestoreReport['failures'][number]['kind'], string>> = {
  unroutable: 'there is no such queue any more; declare it, and run it again for these',
  refused: 'the queue refused them, as a full one does; make room, and run it again for these',
  unanswered: 'the broker did not answer; run it again for these',
  'too-large': 'they are larger than this version of RabbitMQ takes, and running it again does not help',
}
