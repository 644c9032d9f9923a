import { escapeLine } from '../../message/escape-text.ts'
import { depthOf } from '../../recovery/count-queue.ts'
import { type CauseGroup, createCauseGroups } from '../../recovery/group-causes.ts'
import { lookAtQueue } from '../../recovery/look-at-queue.ts'
import { addBrokerOptions } from '../broker-options.ts'
import type { CliCommand } from '../command.ts'
import { addCountOption, addLookOptions, addWhereOption, readLook, readWhere } from '../dlq-options.ts'
import { withRecoveryLine } from '../recovery-line.ts'
import { renderLook } from '../render-look.ts'
import { createPassTeller } from '../tell-progress.ts'
import type { Terminal } from '../terminal.ts'

/** `warren dlq causes`: why messages are dead, grouped. */
export const dlqCauses: CliCommand = {
  name: 'dlq causes',
  summary: 'why the messages of a dead-letter queue are dead, grouped by cause',
  example: 'warren dlq causes billing.orders.dlq',
  configure: (command) => {
    command.argument('<queue>')
    addBrokerOptions(command)
    addWhereOption(command)
    addLookOptions(command)
    addCountOption(command)
  },
  run: (input, terminal) => {
    const queue = input.args[0]!
    const select = readWhere(input.options)
    return withRecoveryLine(input, async (line) => {
      const groups = createCauseGroups()
      const { count = Number.POSITIVE_INFINITY } = input.options as { count?: number }
      const tellOne = createPassTeller(terminal, Math.min(count, await depthOf(line.consuming, queue)))
      const report = await lookAtQueue({
        ...{ ...line, queue, ...readLook(input.options) },
        ...(Number.isFinite(count) && { count }),
        onMessage: (message) => {
          tellOne()
          if (select(message)) groups.add(message)
        },
      })
      const causes = groups.list()
      for (const text of renderLook(report, queue)) terminal.say(text)
      for (const cause of causes) tell(cause, terminal)
      terminal.result({ queue, ...report, causes })
      return report.isWhole ? 0 : 3
    })
  },
}

function tell({ id, label, count, first, last, sample }: CauseGroup, { say, paint }: Terminal): void {
  const facts = [
    ...(first === undefined ? [] : [`first ${first}`]),
    ...(last === undefined ? [] : [`last ${last}`]),
    ...(sample === undefined ? [] : [`such as ${escapeLine(sample)}`]),
  ]
  say(`${String(count).padStart(10)}  ${paint('bold', id)}  ${escapeLine(label)}`)
  if (facts.length > 0) say(`${' '.repeat(12)}${facts.join(', ')}`)
}
