import { formatCounted, type RestoreReport } from 'warrenmq/operations'

/** What became of the records of a backup. */
export function renderRestore(report: RestoreReport): readonly string[] {
  const { file, records, restored, restoredBefore, alreadyThere, queue } = report
  const { notRemoved, duplicatesPossible, mayBeBack, unreadable, isDamaged } = report
  return [
    `${restored} of ${formatCounted(records, 'message')} restored into ${queue}.`,
    ...tellCopies(duplicatesPossible - mayBeBack, 'an earlier run was interrupted'),
    ...tellCopies(mayBeBack, 'a crash of RabbitMQ may have brought back what was removed'),
    ...tell(notRemoved, 'had not been removed: the discard was interrupted before them'),
    ...tell(
      restoredBefore,
      `put back by an earlier run, wherever they are now; to put them back again, delete ${file}.restored`,
    ),
    ...tell(alreadyThere, 'already in the queue'),
    ...tell(unreadable, 'more could not be read'),
    ...(isDamaged ? [`  ${file} is damaged; keep it as it is. Everything readable in it was used`] : []),
    ...report.failures.map(({ kind, count }) => `  ${count} ${failureWords[kind]}`),
  ]
}

function tellCopies(count: number, because: string): readonly string[] {
  const copies = formatCounted(count, 'extra copy', 'extra copies')
  return count > 0 ? [`  up to ${copies} in the queue now, because ${because}`] : []
}

function tell(count: number, words: string): readonly string[] {
  return count > 0 ? [`  ${count} ${words}`] : []
}

const failureWords: Readonly<Record<RestoreReport['failures'][number]['kind'], string>> = {
  unroutable: 'not accepted: the queue no longer exists; declare it, and run the command again for these',
  refused:
    'not accepted: the queue refused them, as a full queue does; make room, and run the command again for these',
  unanswered: 'may or may not be there: the broker did not answer; run the command again for these',
  'too-large':
    'not accepted: larger than this version of RabbitMQ allows; running the command again will not help',
}
