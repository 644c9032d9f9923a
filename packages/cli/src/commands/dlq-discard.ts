import {
  compileLook,
  type DiscardReport,
  type DiscardRequest,
  depthOf,
  discardMessages,
  discardRequestSchema,
  formatCounted,
  parseRequest,
} from 'warrenmq/operations'
import { audited } from '../audited.ts'
import type { CliCommand, CommandInput, ExitCode } from '../command.ts'
import { addBrokerOptions } from '../options/broker-options.ts'
import { addYesOption, confirm, refuseUnasked } from '../options/confirm.ts'
import {
  addKeyOption,
  addQueueOptions,
  addWhereOption,
  readCount,
  readQueueRequest,
  requestOption,
} from '../options/request-options.ts'
import { createPassTeller } from '../output/progress-teller.ts'
import type { Terminal } from '../output/terminal.ts'
import { type CommandBroker, withBroker } from '../with-broker.ts'

const requestFields = discardRequestSchema.properties ?? {}

/** `warren dlq discard`: remove messages, each of them into a backup. */
export const dlqDiscard: CliCommand = {
  name: 'dlq discard',
  summary: 'remove messages from a queue, after writing them to a file, synced and checked',
  example: 'warren dlq discard billing.orders.dlq --where "died>30d" --out old.backup',
  configure: (command) => {
    command
      .argument('<queue>')
      .requiredOption(
        '--out <file>',
        'the backup file for the removed messages; an interrupted discard is continued',
      )
      .addOption(requestOption('--limit <n>', requestFields.limit).argParser(readCount))
      .addOption(requestOption('--reason <text>', requestFields.reason))
    addWhereOption(command, requestFields)
    addKeyOption(command)
    addQueueOptions(command, requestFields)
    addYesOption(command)
    addBrokerOptions(command)
  },
  run: (input, terminal) => {
    const { options, args } = input
    const asked = {
      queue: args[0],
      ...readQueueRequest(options),
      keys: options.key,
      limit: options.limit,
      reason: options.reason,
    }
    const request = parseRequest('dlq discard', asked, discardRequestSchema)
    refuseUnasked('Nothing was removed', { options, terminal })
    return withBroker(input, (broker) => discard({ input, terminal, broker, request }))
  },
}

async function discard(fields: {
  input: CommandInput
  terminal: Terminal
  broker: CommandBroker
  request: DiscardRequest
}): Promise<ExitCode> {
  const { input, terminal, broker, request } = fields
  const { out } = input.options as { out: string }
  const { queue, limit, reason } = request
  const where = request.where ?? request.keys?.join(' ')
  const { select, ...look } = compileLook(request, broker)
  const present = await depthOf(broker.consuming, queue)
  const question = `Remove ${describeChoice({ present, limit, where })} in ${queue} into ${out}?`
  if ((await confirm(question, { options: input.options, terminal })) !== 'yes') {
    terminal.say('Nothing was removed.')
    terminal.result({ queue, outcome: 'declined', present })
    return 0
  }
  const tellOne = createPassTeller(terminal, present)
  const report = await audited(
    { broker, terminal },
    {
      action: 'discard',
      target: queue,
      reason,
      request,
      work: () =>
        discardMessages({
          ...look,
          file: out,
          select: (message) => {
            tellOne()
            return select(message)
          },
          ...(limit !== undefined && { limit }),
        }),
      describe: ({ removed, left, file }) => [{ result: `${removed} removed into ${file}, ${left} left` }],
    },
  )
  tell(report, queue, terminal)
  // Once the limit is reached nobody is asked about the others.
  const isCut = !report.isWhole && report.removed !== limit
  if (isCut) {
    terminal.say(
      'Ended early: messages could not be held any longer, and not all were looked at. Run it again with another --out for the rest.',
    )
  }
  terminal.result({ queue, ...report })
  return report.isDone && !isCut ? 0 : 3
}

/** What is asked about is what will go, not what is there. */
function describeChoice(fields: {
  readonly present: number
  readonly limit: number | undefined
  readonly where: string | undefined
}): string {
  const { present, limit = Number.POSITIVE_INFINITY, where } = fields
  if (where !== undefined) {
    const most = limit < present ? `at most ${limit} of those that match` : 'those that match'
    return `${most} among ${formatCounted(present, 'message')}`
  }
  return limit < present
    ? `the first ${limit} of the ${present} messages`
    : `all ${formatCounted(present, 'message')}`
}

function tell(report: DiscardReport, queue: string, { say }: Terminal): void {
  const { removed, mayComeBack, before, left, file } = report
  say(`${formatCounted(removed, 'message')} removed into ${file}; ${left} left in ${queue}.`)
  if (mayComeBack > 0) {
    say(
      'The queue is not a quorum queue: if RabbitMQ crashes in the next few seconds, some of them can come back.',
    )
  }
  if (before.removed + before.inDoubt === 0) return
  say(
    `Earlier runs into the same file removed ${before.removed}, and may have removed ${before.inDoubt} more.`,
  )
}
