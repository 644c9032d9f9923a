import type { RestoreReport } from 'warrenmq/operations'

/** What became of the records of a backup. */
export function renderRestore(report: RestoreReport): readonly string[] {
  const { file, records, restored, restoredBefore, alreadyThere, queue } = report
  const { notRemoved, duplicatesPossible, mayBeBack, unreadable, isDamaged } = report
  return [
    `${restored} of ${records} messages restored into ${queue}.`,
    ...tell(
      duplicatesPossible - mayBeBack,
      'copies too many may be in the queue now, because an earlier run was interrupted',
    ),
    ...tell(
      mayBeBack,
      'copies too many may be in the queue now, because a crash of RabbitMQ can have brought back what was removed',
    ),
    ...tell(notRemoved, 'had not been removed: the discard was interrupted before them'),
    ...tell(
      restoredBefore,
      `were put back by an earlier run, wherever they are now; to put them back once more, delete ${file}.restored`,
    ),
    ...tell(alreadyThere, 'are in the queue already'),
    ...tell(unreadable, 'more cannot be read'),
    ...(isDamaged ? [`  ${file} is damaged; keep it as it is. All that can be read of it was used`] : []),
    ...report.failures.map(({ kind, count }) => `  ${count} ${failureWords[kind]}`),
  ]
}

function tell(count: number, words: string): readonly string[] {
  return count > 0 ? [`  ${count} ${words}`] : []
}

const failureWords: Readonly<Record<RestoreReport['failures'][number]['kind'], string>> = {
  unroutable: 'were not taken: there is no such queue any more; declare it, and run it again for these',
  refused:
    'were not taken: the queue refused them, as a full one does; make room, and run it again for these',
  unanswered: 'may be there or not: the broker did not answer; run it again for these',
  'too-large':
    'were not taken: they are larger than this version of RabbitMQ takes, and running it again does not help',
}
