import { restoreBackup } from '../../recovery/backup/restore-backup.ts'
import { audited } from '../audited.ts'
import { addBrokerOptions } from '../broker-options.ts'
import type { CliCommand } from '../command.ts'
import { addAcceptOption, readAccept } from '../dlq-options.ts'
import { withRecoveryLine } from '../recovery-line.ts'

/** `warren dlq restore`: the messages of a backup into their queue, each once. */
export const dlqRestore: CliCommand = {
  name: 'dlq restore',
  summary: 'put the messages of a backup into their queue, each once, however often it is run',
  example: 'warren dlq restore orders.backup',
  configure: (command) => {
    command
      .argument('<file>')
      .option('--to <queue>', 'the queue (default: the one that the backup was made of)')
      .option('--by <name>', 'who (also WARREN_OPERATOR; default: your user name)')
    addAcceptOption(command)
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
            }),
          describe: ({ queue: target, records: all, restored: done }) => [
            { target, result: `${done} of ${all} restored from ${file}` },
          ],
        },
      )
      const { records, restored, restoredBefore, alreadyThere, failed, queue } = report
      terminal.say(`${restored} of ${records} messages restored into ${queue}.`)
      if (restoredBefore > 0) terminal.say(`  ${restoredBefore} were restored by an earlier run`)
      if (alreadyThere > 0) terminal.say(`  ${alreadyThere} stand in the queue already`)
      if (failed > 0) terminal.say(`  ${failed} were not taken by the broker; run it again for these`)
      terminal.result(report)
      return failed > 0 ? 3 : 0
    }),
}
