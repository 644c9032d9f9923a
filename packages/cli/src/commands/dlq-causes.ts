import type { CauseGroup } from 'warrenmq'
import { causesRequestSchema, createCauseGroups, parseGroupBy, parseRequest } from 'warrenmq/operations'
import type { CliCommand } from '../command.ts'
import { addBrokerOptions } from '../options/broker-options.ts'
import {
  addQueueOptions,
  addSnapshotOption,
  addWhereOption,
  readCount,
  readQueueRequest,
  requestOption,
  saidOnce,
} from '../options/request-options.ts'
import { renderCause, renderSplitHint } from '../output/render-cause.ts'
import { renderLook } from '../output/render-look.ts'
import type { Terminal } from '../output/terminal.ts'
import { withMessages } from '../with-messages.ts'

const fields = causesRequestSchema.properties ?? {}

/** `warren dlq causes`: why messages are dead, grouped. */
export const dlqCauses: CliCommand = {
  name: 'dlq causes',
  summary: 'show why the messages of a dead-letter queue died, grouped by cause',
  example: 'warren dlq causes billing.orders.dlq --group-by body.gateway',
  configure: (command) => {
    command.argument('<queue>')
    const once = saidOnce('Separate the fields with commas: type,body.gateway.')
    command.addOption(requestOption('--group-by <fields>', fields.groupBy).argParser(once))
    addBrokerOptions(command)
    addWhereOption(command, fields)
    addQueueOptions(command, fields)
    command.addOption(requestOption('--count <n>', fields.count).argParser(readCount))
    addSnapshotOption(command)
  },
  run: (input, terminal) => {
    const { options, args } = input
    const asked = {
      queue: args[0],
      ...readQueueRequest(options),
      count: options.count,
      groupBy: options.groupBy,
    }
    const request = parseRequest('dlq causes', asked, causesRequestSchema)
    const { queue, count = Number.POSITIVE_INFINITY, groupBy } = request
    const groups = createCauseGroups(
      groupBy === undefined ? { splits: 'all' } : { groupBy: parseGroupBy(groupBy) },
    )
    return withMessages({ input, terminal, request, count }, async (look) => {
      const report = await look((message) => groups.add(message))
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
