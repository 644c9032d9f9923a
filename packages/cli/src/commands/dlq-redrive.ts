import { InvalidArgumentError as InvalidOptionError, Option } from 'commander'
import { InvalidArgumentError, type Receipt, type RedrivePreview } from 'warrenmq'
import {
  type DeadLimit,
  type Destination,
  escapeLine,
  type IncomingMessage,
  type MessageEdit,
  previewRedrive,
  type RedriveOptions,
  readProperty,
  readRecoverySection,
  renderReceipt,
  startRedrive,
} from 'warrenmq/operations'
import { type AuditedEnd, audited } from '../audited.ts'
import type { CliCommand, CommandInput, ExitCode } from '../command.ts'
import { addBrokerOptions } from '../options/broker-options.ts'
import { addConfigOption, readDurationOption } from '../options/config-options.ts'
import { addYesOption, confirm, refuseUnasked } from '../options/confirm-options.ts'
import { addLookOptions, addWhereOption, readCount, readLook, readWhere } from '../options/dlq-options.ts'
import { readEdit } from '../options/read-edit.ts'
import { decideProgress } from '../output/decide-progress.ts'
import { decideRedriveExit, isAskedFor } from '../output/decide-redrive-exit.ts'
import { openReceiptFile } from '../output/receipt-file.ts'
import { renderPreview } from '../output/render-preview.ts'
import { createProgressTeller, createWaitTeller, createWatchTeller } from '../output/tell-progress.ts'
import type { Terminal } from '../output/terminal.ts'
import { type RecoveryLine, withRecoveryLine } from '../recovery-line.ts'
import { steerRedrive } from '../steer-redrive.ts'

/** `warren dlq redrive`: put dead letters back, lose nothing, and hold a receipt. */
export const dlqRedrive: CliCommand = {
  name: 'dlq redrive',
  summary: 'put dead letters back to work; a plan first, a receipt at the end',
  example: 'warren dlq redrive billing.orders.dlq --where "cause:Timeout" --limit 10',
  configure: (command) => {
    command
      .argument('<queue>')
      .option('--to <target>', 'origin, retry, exchange, or the name of a queue', 'origin')
      .option(
        '--trust-headers',
        'believe headers that say where a message failed, where no queue is known to dead-letter here',
      )
      .addOption(
        new Option('--attempts <rule>', 'reset or continue the count of attempts')
          .choices(['reset', 'continue'])
          .default('reset'),
      )
      .option('--limit <n>', 'move at most so many', readCount)
      .option('--rate <n>', 'messages per second', readCount)
      .addOption(
        new Option('--wait <time>', 'how long to wait for a broker that is away or has an alarm')
          .argParser(readDurationOption)
          .default(10 * 60_000, '10m'),
      )
      .option(
        '--window <n>',
        'messages taken and not acknowledged; so many may be there twice after a crash; 1 is one by one',
        readCount,
      )
      .option(
        '--canary <n>',
        'so many first, then ten times as many each time, if none comes back dead',
        readCount,
      )
      .addOption(
        new Option('--canary-wait <time>', 'how long to watch for messages that die again')
          .argParser(readDurationOption)
          .default(10_000, '10s'),
      )
      .option(
        '--stop-when-dead <n>',
        'stop when so many are dead again: a number, or a share such as 5%',
        readDeadLimit,
      )
      .option('--stop-when-target-above <n>', 'stop before a target holds more messages than this', readCount)
      .option('--edit <file>', 'change one message: JSON with body, headers or both; null takes a header off')
      .option('--reason <text>', 'why; written into every message and the receipt')
      .option('--receipt <file>', 'write the receipt to a new file as JSON')
      .option('--dry-run', 'print the plan and stop')
    addWhereOption(command)
    addLookOptions(command)
    addBrokerOptions(command)
    addConfigOption(command)
    addYesOption(command)
  },
  run: async (input, terminal) => {
    const { options } = input
    const select = readWhere(options)
    const edit = typeof options.edit === 'string' ? await readEdit(options.edit) : undefined
    if (options.dryRun !== true) refuseUnasked('Nothing was moved', { options, terminal })
    return withRecoveryLine(input, (line) => redrive({ input, terminal, line, select, edit }))
  },
}

interface Work {
  readonly input: CommandInput
  readonly terminal: Terminal
  readonly line: RecoveryLine
  readonly select: (message: IncomingMessage) => boolean
  readonly edit: MessageEdit | undefined
}

async function redrive({ input, terminal, ...work }: Work): Promise<ExitCode> {
  const { line } = work
  const options = redriveOptions({ input, ...work })
  const { dryRun, receipt: receiptName, yes } = input.options
  const isRun = dryRun !== true
  const file = isRun && typeof receiptName === 'string' ? await openReceiptFile(receiptName) : undefined
  let selected: number | undefined
  // Whoever edits a message has to be told beforehand which one it is, and that it is the only one.
  if (!isRun || yes !== true || options.edit) {
    const preview = await previewWithEdited(options)
    if (options.edit && preview.matching > 1) throw severalToEdit(preview)
    const ended = await tellAndAsk({ preview, input, terminal })
    if (ended !== 'go-on') return ended
    if (preview.isWhole) selected = preview.moving
  }
  const where = typeof input.options.where === 'string' ? { where: input.options.where } : {}
  const receipt = await audited(
    { line, terminal },
    {
      ...{ action: 'redrive', target: options.queue, reason: options.reason },
      work: async () => ({ ...(await runSteered({ options, terminal, selected })), ...where }),
      describe: (ended) => [describeRedrive(ended)],
    },
  )
  for (const text of renderReceipt(receipt)) terminal.say(escapeLine(text))
  terminal.result(receipt)
  const isWritten = file === undefined || (await file.write(receipt, terminal))
  return isWritten ? decideRedriveExit(receipt) : 1
}

/** An edit is for one message: what is right for one is hardly right for the next. */
function severalToEdit({ matching, isWhole }: RedrivePreview): InvalidArgumentError {
  return new InvalidArgumentError(
    `Nothing was moved (--edit): ${isWhole ? '' : 'at least '}${matching} messages match, and an edit is for one. Name it with --where, such as --where id:42; \`warren dlq peek\` shows what tells them apart.`,
  )
}

/** The plan, and whether it is to be carried out. */
async function tellAndAsk(fields: {
  readonly preview: RedrivePreview & { edited?: string }
  readonly input: CommandInput
  readonly terminal: Terminal
}): Promise<'go-on' | ExitCode> {
  const { preview, input, terminal } = fields
  const { queue } = preview
  for (const text of renderPreview(preview)) terminal.say(escapeLine(text))
  if (preview.edited !== undefined) terminal.say(`  Edited on its way: ${escapeLine(preview.edited)}`)
  if (input.options.dryRun === true) {
    terminal.result(preview)
    return 0
  }
  if (preview.moving === 0 && preview.isWhole) {
    terminal.say('There is nothing to move.')
    terminal.result({ queue, outcome: 'nothing-to-move', plan: preview })
    return isAskedFor(preview.keeping) ? 3 : 0
  }
  const many = preview.moving === 1 ? '1 message' : `${preview.moving} messages`
  const question = preview.isWhole ? `Move ${many}?` : 'Move all that match?'
  if ((await confirm(question, { options: input.options, terminal })) === 'yes') return 'go-on'
  terminal.say('Nothing was moved.')
  terminal.result({ queue, outcome: 'declined', plan: preview })
  return 0
}

/** Whoever edits a message wants to know beforehand that it is the right one. */
async function previewWithEdited(options: RedriveOptions): Promise<RedrivePreview & { edited?: string }> {
  let edited: string | undefined
  const preview = await previewRedrive(options, ({ properties }) => {
    edited ??= readProperty(properties, 'messageId') ?? '(a message without an id)'
  })
  return options.edit && edited !== undefined ? { ...preview, edited } : preview
}

function describeRedrive({ outcome, id, moved, failed, kept, digest }: Receipt): AuditedEnd {
  const result = `${outcome} ${id}: ${moved} moved, ${failed} failed, ${kept} kept`
  return { result, receiptDigest: digest }
}

async function runSteered(fields: {
  readonly options: RedriveOptions
  readonly terminal: Terminal
  /** How many the plan has; undefined where nobody planned, or not all was looked at. */
  readonly selected: number | undefined
}): Promise<Receipt> {
  const { options, terminal, selected } = fields
  const { canary } = options
  const tell = createProgressTeller({ terminal, lineEvery: { messages: 1_000 } })
  const run = startRedrive({
    ...options,
    onProgress: (progress) => {
      const { done, total, note } = decideProgress(progress, { ...options, selected })
      tell(done, total, note)
    },
    onWait: createWaitTeller(terminal),
  })
  const stopSteering = steerRedrive(run, terminal)
  const tellWatch = createWatchTeller({ terminal, waitMs: canary?.waitMs ?? 0 })
  const watching = setInterval(() => {
    const { state, moved, waitingMs } = run.progress
    tellWatch(state === 'watching' && waitingMs === undefined, moved)
  }, askEveryMs)
  try {
    return await run.receipt
  } finally {
    clearInterval(watching)
    stopSteering()
  }
}

const askEveryMs = 1_000

function redriveOptions({ input, line, select, edit }: Omit<Work, 'terminal'>): RedriveOptions {
  const { limit, rate, window, reason, attempts, to, wait } = input.options as Record<string, unknown>
  const hasWhere = typeof input.options.where === 'string'
  return {
    ...{ consuming: line.consuming, publishing: line.publishing, management: line.management, by: line.by },
    queue: input.args[0]!,
    ...readLook(input.options),
    to: destinationOf(String(to)),
    trustHeaders: input.options.trustHeaders === true,
    attempts: attempts as 'reset' | 'continue',
    flows: line.topology?.flows ?? [],
    types: line.recovery && readRecoverySection(line.recovery).types,
    ...(hasWhere && { select }),
    ...(typeof limit === 'number' && { limit }),
    ...(typeof rate === 'number' && { ratePerSecond: rate }),
    ...(typeof window === 'number' && { window: { messages: window } }),
    waitMs: wait as number,
    ...(typeof reason === 'string' && { reason }),
    ...readGuards(input.options),
    // An edit is for one message: what is right for one is hardly right for the next.
    ...(edit !== undefined && { edit: () => edit, limit: 1 }),
  }
}

function readGuards(
  options: Readonly<Record<string, unknown>>,
): Pick<RedriveOptions, 'canary' | 'stopWhenDead' | 'stopWhenTargetAbove'> {
  const { canary, canaryWait, stopWhenDead, stopWhenTargetAbove } = options
  return {
    ...(typeof canary === 'number' && {
      canary: { messages: canary, waitMs: canaryWait as number },
    }),
    ...(stopWhenDead !== undefined && { stopWhenDead: stopWhenDead as DeadLimit }),
    ...(typeof stopWhenTargetAbove === 'number' && { stopWhenTargetAbove }),
  }
}

function readDeadLimit(text: string): DeadLimit {
  const [, digits, percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text) ?? []
  const value = Number(digits)
  if (percent === '%' && value > 0 && value <= 100) return { share: value / 100 }
  if (percent === '' && Number.isSafeInteger(value) && value > 0) return { messages: value }
  throw new InvalidOptionError('It must be a number such as 20 or a share such as 5%.')
}

function destinationOf(to: string): Destination {
  return to === 'origin' || to === 'retry' || to === 'exchange' ? { kind: to } : { kind: 'queue', queue: to }
}
