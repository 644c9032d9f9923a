import { restoreBackup } from 'warrenmq/operations'
import { audited } from '../audited.ts'
import type { CliCommand } from '../command.ts'
import { addBrokerOptions } from '../options/broker-options.ts'
import { addAcceptOption, addByOption, readAccept } from '../options/dlq-options.ts'
import { renderRestore } from '../output/render-restore.ts'
import { createProgressTeller, mostlyShort } from '../output/tell-progress.ts'
import { withRecoveryLine } from '../recovery-line.ts'

/** `warren dlq restore`: the messages of a backup into their queue, each once. */
export const dlqRestore: CliCommand = {
  name: 'dlq restore',
  summary: 'put back what a discard removed, or what a backup holds and its queue does not; each once',
  example: 'warren dlq restore orders.backup',
  configure: (command) => {
    command
      .argument('<file>')
      .option('--to <queue>', 'the queue (default: the one that the backup was made of)')
    addAcceptOption(command)
    addByOption(command)
    addBrokerOptions(command)
  },
  run: (input, terminal) =>
    withRecoveryLine(input, async (line) => {
      const { to } = input.options
      const file = input.args[0]!
      const report = await audited(
        { line, terminal },
        {
          ...{ action: 'restore', target: typeof to === 'string' ? to : file },
          work: () =>
            restoreBackup({
              ...{ ...line, ...readAccept(input.options), file },
              ...(typeof to === 'string' && { queue: to }),
              onProgress: createProgressTeller({ terminal, lineEvery: mostlyShort }),
            }),
          describe: ({ queue: target, records: all, restored: done }) => [
            { target, result: `${done} of ${all} restored from ${file}` },
          ],
        },
      )
      for (const text of renderRestore(report)) terminal.say(text)
      terminal.result(report)
      return report.failed > 0 || report.isDamaged ? 3 : 0
    }),
}
