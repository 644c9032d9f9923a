import { type DiscardReport, discardMessages } from '../../recovery/backup/discard-messages.ts'
import { depthOf } from '../../recovery/count-queue.ts'
import { audited } from '../audited.ts'
import { addBrokerOptions } from '../broker-options.ts'
import type { CliCommand, CommandInput, ExitCode } from '../command.ts'
import { addYesOption, confirm } from '../confirm-options.ts'
import { addAcceptOption, addWhereOption, readAccept, readCount, readWhere } from '../dlq-options.ts'
import { type RecoveryLine, withRecoveryLine } from '../recovery-line.ts'
import type { Terminal } from '../terminal.ts'

/** `warren dlq discard`: remove messages, each of them into a backup. */
export const dlqDiscard: CliCommand = {
  name: 'dlq discard',
  summary: 'remove messages from a queue; they are in a file, written, synced and checked, before they go',
  example: 'warren dlq discard billing.orders.dlq --where "died>30d" --out old-orders.backup',
  configure: (command) => {
    command
      .argument('<queue>')
      .requiredOption('--out <file>', 'the backup of what is removed; an interrupted one is gone on with')
      .option('--limit <n>', 'remove at most so many', readCount)
      .option('--by <name>', 'who (also WARREN_OPERATOR; default: your user name)')
    addWhereOption(command)
    addAcceptOption(command)
    addYesOption(command)
    addBrokerOptions(command)
  },
  run: (input, terminal) => {
    const select = readWhere(input.options)
    return withRecoveryLine(input, (line) => discard({ input, terminal, line, select }))
  },
}

async function discard(fields: {
  input: CommandInput
  terminal: Terminal
  line: RecoveryLine
  select: ReturnType<typeof readWhere>
}): Promise<ExitCode> {
  const { input, terminal, line, select } = fields
  const { out, limit, where } = input.options as { out: string; limit?: number; where?: string }
  const queue = input.args[0]!
  const which = where === undefined ? 'all' : 'those that match'
  const present = await depthOf(line.consuming, queue)
  const question = `Remove ${which} of the ${present} messages in ${queue} into ${out}?`
  const answer = await confirm(question, { options: input.options, terminal })
  if (answer !== 'yes') {
    const hint = answer === 'nobody' ? ': say --yes to do it without a question' : ''
    terminal.say(`Nothing was removed${hint}.`)
    return answer === 'no' ? 0 : 1
  }
  const report = await audited(
    { line, terminal },
    {
      ...{ action: 'discard', target: queue },
      work: () =>
        discardMessages({
          ...{ ...line, queue, file: out, select, ...readAccept(input.options) },
          ...(limit !== undefined && { limit }),
        }),
      describe: ({ removed, left, file }) => [{ result: `${removed} removed into ${file}, ${left} left` }],
    },
  )
  tell(report, queue, terminal)
  terminal.result({ queue, ...report })
  return report.isDone ? 0 : 3
}

function tell({ removed, left, file, isDone }: DiscardReport, queue: string, { say }: Terminal): void {
  say(`${removed} messages removed into ${file}; ${left} are in ${queue}.`)
  if (!isDone) say('Some that look like the removed ones are still there. Run the same command again.')
}
