import {
  describeDamage,
  escapeLine,
  type IncomingMessage,
  type LookReport,
  RecoveryError,
  readBackup,
} from 'warrenmq/operations'
import type { Terminal } from './output/terminal.ts'

/** Shows the messages of a file that `warren dlq snapshot` or `dlq backup` wrote, in the order of the queue. */
export async function lookAtSnapshot(fields: {
  readonly file: string
  /** That it must be of. */
  readonly queue: string
  readonly terminal: Terminal
  /** How many, from the head. @default all */
  readonly count?: number
  readonly onMessage: (message: IncomingMessage) => void
}): Promise<LookReport> {
  const { file, queue, terminal, count = Number.POSITIVE_INFINITY, onMessage } = fields
  let seen = 0
  const summary = await readBackup(file, (line) => {
    if (line.kind !== 'record' || seen >= count) return
    seen += 1
    onMessage({ ...line.record, bodyBytes: line.record.body.length })
  })
  const { header, seal, records } = summary
  if (header.queue !== queue) throw unfit(file, `It is for the queue "${header.queue}", not for "${queue}".`)
  const damage = describeDamage(summary)
  if (damage !== undefined) throw unfit(file, damage)
  if (!seal) throw unfit(file, 'It was interrupted. Make a new one.')
  terminal.say(`As of ${seal.sealedAt}, from ${escapeLine(file)}.`)
  return { present: records, seen, refreshed: 0, isWhole: true }
}

function unfit(file: string, why: string): RecoveryError {
  return new RecoveryError({
    code: 'BACKUP_INVALID',
    message: `${file} cannot be read as a snapshot. ${why}`,
  })
}
