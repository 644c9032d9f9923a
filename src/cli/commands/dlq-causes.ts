import { createCauseGroups } from '../../recovery/group-causes.ts'
import { lookAtQueue } from '../../recovery/look-at-queue.ts'
import { addBrokerOptions } from '../broker-options.ts'
import type { CliCommand } from '../command.ts'
import { addAcceptOption, addCountOption, addWhereOption, readAccept, readWhere } from '../dlq-options.ts'
import { withRecoveryLine } from '../recovery-line.ts'

/** `warren dlq causes`: why messages are dead, grouped. */
export const dlqCauses: CliCommand = {
  name: 'dlq causes',
  summary: 'why the messages of a dead-letter queue are dead, grouped by cause',
  example: 'warren dlq causes billing.orders.dlq',
  configure: (command) => {
    command.argument('<queue>')
    addBrokerOptions(command)
    addWhereOption(command)
    addAcceptOption(command)
    addCountOption(command)
  },
  run: (input, terminal) => {
    const queue = input.args[0]!
    const select = readWhere(input.options)
    return withRecoveryLine(input, async (line) => {
      const groups = createCauseGroups()
      const report = await lookAtQueue({
        ...{ ...line, queue, ...readAccept(input.options) },
        ...(typeof input.options.count === 'number' && { count: input.options.count }),
        onMessage: (message) => {
          if (select(message)) groups.add(message)
        },
      })
      const causes = groups.list()
      terminal.say(`${report.seen} of ${report.present} messages looked at in ${queue}.`)
      for (const { id, label, count, last } of causes) {
        const when = last === undefined ? '' : `  last ${last}`
        terminal.say(`${String(count).padStart(10)}  ${terminal.paint('bold', id)}  ${label}${when}`)
      }
      terminal.result({ queue, ...report, causes })
      return 0
    })
  },
}
