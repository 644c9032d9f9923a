import type { DeadLetter } from 'warrenmq'
import { escapeLine, parseRequest, peekRequestSchema, readDeadLetter, toJson } from 'warrenmq/operations'
import type { CliCommand } from '../command.ts'
import { addBrokerOptions } from '../options/broker-options.ts'
import {
  addQueueOptions,
  addSnapshotOption,
  addWhereOption,
  readCount,
  readQueueRequest,
  requestOption,
} from '../options/request-options.ts'
import { renderHeaders } from '../output/render-headers.ts'
import { renderLetter } from '../output/render-letter.ts'
import { renderLookLimits } from '../output/render-look.ts'
import type { Terminal } from '../output/terminal.ts'
import { withMessages } from '../with-messages.ts'

const fields = peekRequestSchema.properties ?? {}

/** `warren dlq peek`: messages as they are, without losing any. */
export const dlqPeek: CliCommand = {
  name: 'dlq peek',
  summary: 'show messages of a dead-letter queue without moving them',
  example: 'warren dlq peek billing.orders.dlq --count 5',
  configure: (command) => {
    command.argument('<queue>')
    command.addOption(requestOption('--count <n>', fields.count).argParser(readCount))
    command.addOption(requestOption('--body-bytes <n>', fields.bodyBytes).argParser(readCount))
    addBrokerOptions(command)
    addWhereOption(command, fields)
    addQueueOptions(command, fields)
    addSnapshotOption(command)
  },
  run: (input, terminal) => {
    const { options, args } = input
    const asked = {
      queue: args[0],
      ...readQueueRequest(options),
      count: options.count,
      bodyBytes: options.bodyBytes,
    }
    const request = parseRequest('dlq peek', asked, peekRequestSchema)
    const { queue, where, count = 20, bodyBytes = 1024 } = request
    // A filter has to look past those that do not match; without one only those shown are touched.
    const looked = where === undefined ? count : Number.POSITIVE_INFINITY
    return withMessages({ input, terminal, request, count: looked }, async (look) => {
      const messages: DeadLetter[] = []
      const report = await look((message) => {
        if (messages.length < count) messages.push(readDeadLetter(message, bodyBytes))
      })
      for (const message of messages) tell(message, terminal)
      terminal.say(`${messages.length} shown of ${report.present} in ${queue}.`)
      for (const text of renderLookLimits(report, queue)) terminal.say(text)
      terminal.result({ queue, ...report, messages: messages.map(toJson) })
      return report.isWhole ? 0 : 3
    })
  },
}

function tell(letter: DeadLetter, { say, paint }: Terminal): void {
  const { id, cause, diedAt, headers, body } = letter
  say(`${paint('bold', escapeLine(id ?? '(no id)'))}  ${escapeLine(cause.label)}  ${diedAt ?? ''}`)
  for (const fact of renderLetter(letter)) say(`  ${fact}`)
  for (const header of renderHeaders(headers)) say(`  ${header}`)
  // No line of a body looks like one of ours: an empty one ends the headers, and all of it is indented.
  say()
  say(`  ${body.text.replaceAll('\n', '\n  ')}${body.isCut ? ' …' : ''}`, 'exact')
}
