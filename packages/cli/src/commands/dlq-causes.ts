import type { CauseGroup } from 'warrenmq'
import { createCauseGroups, depthOf, lookAtQueue, parseGroupBy } from 'warrenmq/operations'
import type { CliCommand } from '../command.ts'
import { addBrokerOptions } from '../options/broker-options.ts'
import {
  addCountOption,
  addLookOptions,
  addWhereOption,
  readLook,
  readWhere,
  saidOnce,
} from '../options/dlq-options.ts'
import { renderCause, renderSplitHint } from '../output/render-cause.ts'
import { renderLook } from '../output/render-look.ts'
import { createPassTeller } from '../output/tell-progress.ts'
import type { Terminal } from '../output/terminal.ts'
import { withRecoveryLine } from '../recovery-line.ts'

/** `warren dlq causes`: why messages are dead, grouped. */
export const dlqCauses: CliCommand = {
  name: 'dlq causes',
  summary: 'why the messages of a dead-letter queue are dead, grouped by cause',
  example: 'warren dlq causes billing.orders.dlq --group-by body.gateway',
  configure: (command) => {
    command.argument('<queue>')
    command.option(
      '--group-by <fields>',
      'tell messages of one cause apart by type, key, exchange, queue, attempts, header.NAME or body.PATH; several with commas between',
      saidOnce('Write the fields with commas between: type,body.gateway.'),
    )
    addBrokerOptions(command)
    addWhereOption(command)
    addLookOptions(command)
    addCountOption(command)
  },
  run: (input, terminal) => {
    const queue = input.args[0]!
    const select = readWhere(input.options)
    const { count = Number.POSITIVE_INFINITY, groupBy } = input.options as {
      count?: number
      groupBy?: string
    }
    const groups = createCauseGroups(
      groupBy === undefined ? { splits: 'all' } : { groupBy: parseGroupBy(groupBy) },
    )
    return withRecoveryLine(input, async (line) => {
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
      const hint = renderSplitHint(causes)
      if (hint !== undefined) terminal.say(hint)
      terminal.result({ queue, ...report, causes })
      return report.isWhole ? 0 : 3
    })
  },
}

function tell(group: CauseGroup, { say, paint }: Terminal): void {
  const { count, id, label, below } = renderCause(group)
  say(`${count}  ${paint('bold', id)}  ${label}`)
  for (const line of below) say(`${' '.repeat(12)}${line}`)
}
