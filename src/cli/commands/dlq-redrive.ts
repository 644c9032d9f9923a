import { open, readFile, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from '../../broker/amqp/message.ts'
import { InvalidArgumentError } from '../../errors.ts'
import { parseDuration } from '../../message/duration.ts'
import type { Destination } from '../../recovery/plan-redrive.ts'
import { previewRedrive, type RedrivePreview } from '../../recovery/preview-redrive.ts'
import { readRecoverySection } from '../../recovery/read-recovery-section.ts'
import type { Receipt } from '../../recovery/receipt.ts'
import { type RedriveOptions, startRedrive } from '../../recovery/redrive.ts'
import { renderReceipt } from '../../recovery/render-receipt.ts'
import type { PlainTable } from '../../wire/plain-fields.ts'
import { type AuditedEnd, audited } from '../audited.ts'
import { addBrokerOptions } from '../broker-options.ts'
import type { CliCommand, CommandInput, ExitCode } from '../command.ts'
import { addConfigOption } from '../config-options.ts'
import { addYesOption, confirm } from '../confirm-options.ts'
import { addAcceptOption, addWhereOption, readAccept, readCount, readWhere } from '../dlq-options.ts'
import { type RecoveryLine, withRecoveryLine } from '../recovery-line.ts'
import { renderProgressBar, renderProgressLine, renderWaiting } from '../render-progress.ts'
import { steerRedrive } from '../steer-redrive.ts'
import type { Terminal } from '../terminal.ts'

/** `warren dlq redrive`: put dead letters back, lose nothing, and hold a receipt. */
export const dlqRedrive: CliCommand = {
  name: 'dlq redrive',
  summary: 'put dead letters back to work; a plan first, a receipt at the end',
  example:
    'warren dlq redrive billing.orders.dlq --where "cause:Timeout" --limit 10 --reason "gateway is back"',
  configure: (command) => {
    command
      .argument('<queue>')
      .option('--to <target>', 'origin, retry, exchange, or the name of a queue', 'origin')
      .option('--attempts <rule>', 'reset or continue the count of attempts', 'reset')
      .option('--limit <n>', 'move at most so many', readCount)
      .option('--rate <n>', 'messages per second', readCount)
      .option('--wait <time>', 'how long to wait for a broker that is away or has an alarm', '10m')
      .option('--window <n>', 'publishes under way at a time; 1 is one by one', readCount)
      .option(
        '--canary <n>',
        'so many first, then ten times as many each time, if none comes back dead',
        readCount,
      )
      .option('--canary-wait <time>', 'how long to wait whether they come back', '10s')
      .option('--stop-when-dead <n>', 'stop when so many are dead again: a number, or a share such as 5%')
      .option('--stop-when-target-above <n>', 'stop before a target holds more messages than this', readCount)
      .option('--edit <file>', 'change one message: JSON with body, headers or both; null takes a header off')
      .option('--reason <text>', 'why; written into every message and the receipt')
      .option('--by <name>', 'who (also WARREN_OPERATOR; default: your user name)')
      .option('--receipt <file>', 'write the receipt to a file as JSON')
      .option('--dry-run', 'print the plan and stop')
    addWhereOption(command)
    addAcceptOption(command)
    addBrokerOptions(command)
    addConfigOption(command)
    addYesOption(command)
  },
  run: (input, terminal) => {
    const select = readWhere(input.options)
    return withRecoveryLine(input, (line) => redrive({ input, terminal, line, select }))
  },
}

interface Work {
  readonly input: CommandInput
  readonly terminal: Terminal
  readonly line: RecoveryLine
  readonly select: (message: IncomingMessage) => boolean
}

async function redrive({ input, terminal, line, select }: Work): Promise<ExitCode> {
  const options = await redriveOptions({ input, line, select })
  const isDryRun = input.options.dryRun === true
  const receiptFile = typeof input.options.receipt === 'string' ? input.options.receipt : undefined
  if (receiptFile !== undefined && !isDryRun) await refuseUnwritable(receiptFile)
  if (isDryRun || input.options.yes !== true) {
    const preview = await previewRedrive(options)
    tellPreview(preview, terminal)
    if (isDryRun) {
      terminal.result(preview)
      return 0
    }
    const answer = await confirm(`Move ${preview.moving} messages?`, { options: input.options, terminal })
    if (answer !== 'yes') {
      terminal.say(
        answer === 'no' ? 'Nothing was moved.' : 'Nothing was moved: say --yes to do it without a question.',
      )
      return answer === 'no' ? 0 : 1
    }
  }
  const receipt = await audited(
    { line, terminal },
    {
      ...{ action: 'redrive', target: options.queue, reason: options.reason },
      work: () => runSteered(options, terminal),
      describe: (ended) => [describeRedrive(ended)],
    },
  )
  for (const text of renderReceipt(receipt)) terminal.say(text)
  terminal.result(receipt)
  const isWritten = receiptFile === undefined || (await writeReceipt(receiptFile, receipt, terminal))
  if (!receipt.isBalanced || !isWritten) return 1
  return receipt.failed + receipt.kept > 0 || receipt.outcome !== 'done' ? 3 : 0
}

/** Asked before anything moves, and leaves no trace: a file that was not there is not there afterwards. */
async function refuseUnwritable(file: string): Promise<void> {
  try {
    const created = await open(file, 'ax').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
      return undefined
    })
    await (created ?? (await open(file, 'a'))).close()
    if (created) await rm(file)
  } catch (cause) {
    throw new InvalidArgumentError(
      `Nothing was moved: the receipt cannot be written (--receipt): ${(cause as Error).message}.`,
      { cause },
    )
  }
}

/** The messages are where they are by now, so a disk that is full keeps nobody from the receipt on the screen. */
async function writeReceipt(file: string, receipt: Receipt, terminal: Terminal): Promise<boolean> {
  const text = `${JSON.stringify(receipt, null, 2)}\n`
  try {
    await writeFile(file, text)
    return true
  } catch (error) {
    terminal.say(`The receipt could not be written: ${(error as Error).message}. Keep this one:\n${text}`)
    return false
  }
}

function describeRedrive({ outcome, id, moved, failed, kept, digest }: Receipt): AuditedEnd {
  const result = `${outcome} ${id}: ${moved} moved, ${failed} failed, ${kept} kept`
  return { result, receiptDigest: digest }
}

async function runSteered(options: RedriveOptions, terminal: Terminal): Promise<Receipt> {
  const run = startRedrive({
    ...options,
    onProgress: progressTeller(terminal),
    onWait: waitTeller(terminal),
  })
  const stopSteering = steerRedrive(run, terminal)
  try {
    return await run.receipt
  } finally {
    stopSteering()
  }
}

async function redriveOptions({ input, line, select }: Omit<Work, 'terminal'>): Promise<RedriveOptions> {
  const { limit, rate, window, reason, attempts, to, wait } = input.options as Record<string, unknown>
  const hasWhere = typeof input.options.where === 'string'
  if (attempts !== 'reset' && attempts !== 'continue')
    throw new InvalidArgumentError(`--attempts is "${String(attempts)}"; it must be reset or continue.`)
  return {
    ...{ consuming: line.consuming, publishing: line.publishing, management: line.management, by: line.by },
    queue: input.args[0]!,
    ...readAccept(input.options),
    to: destinationOf(String(to)),
    attempts,
    flows: line.topology?.flows ?? [],
    types: line.recovery && readRecoverySection(line.recovery).types,
    ...(hasWhere && { select }),
    ...(typeof limit === 'number' && { limit }),
    ...(typeof rate === 'number' && { ratePerSecond: rate }),
    ...(typeof window === 'number' && { window: { messages: window } }),
    waitMs: parseDuration(wait as string),
    ...(typeof reason === 'string' && { reason }),
    ...readGuards(input.options),
    ...(typeof input.options.edit === 'string' && (await readEdit(input.options.edit))),
  }
}

function readGuards(
  options: Readonly<Record<string, unknown>>,
): Pick<RedriveOptions, 'canary' | 'stopWhenDead' | 'stopWhenTargetAbove'> {
  const { canary, canaryWait, stopWhenDead, stopWhenTargetAbove } = options
  return {
    ...(typeof canary === 'number' && {
      canary: { messages: canary, waitMs: parseDuration(canaryWait as string) },
    }),
    ...(typeof stopWhenDead === 'string' && { stopWhenDead: readDeadLimit(stopWhenDead) }),
    ...(typeof stopWhenTargetAbove === 'number' && { stopWhenTargetAbove }),
  }
}

function readDeadLimit(text: string): NonNullable<RedriveOptions['stopWhenDead']> {
  const [, digits, percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text) ?? []
  const value = Number(digits)
  if (percent === '%' && value > 0 && value <= 100) return { share: value / 100 }
  if (percent === '' && Number.isSafeInteger(value) && value > 0) return { messages: value }
  throw new InvalidArgumentError(
    `--stop-when-dead is "${text}"; it must be a number such as 20 or a share such as 5%.`,
  )
}

/** An edit is for one message: what is right for one is hardly right for the next. */
async function readEdit(file: string): Promise<Pick<RedriveOptions, 'edit' | 'limit'>> {
  const text = await readFile(file, 'utf8')
  const { body, headers } = parseEdit(text, file)
  const edit = {
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...(headers !== undefined && { headers }),
  }
  return { edit: () => edit, limit: 1 }
}

function parseEdit(text: string, file: string): { body?: unknown; headers?: PlainTable } {
  try {
    const edit: unknown = JSON.parse(text)
    if (typeof edit === 'object' && edit !== null && !Array.isArray(edit)) return edit
  } catch (cause) {
    throw new InvalidArgumentError(`${file} is not JSON: ${(cause as Error).message}`, { cause })
  }
  throw new InvalidArgumentError(`${file} must hold an object such as { "body": …, "headers": { … } }.`)
}

function destinationOf(to: string): Destination {
  return to === 'origin' || to === 'retry' || to === 'exchange' ? { kind: to } : { kind: 'queue', queue: to }
}

function tellPreview(preview: RedrivePreview, terminal: Terminal): void {
  const { moving, matching, seen, present } = preview
  const limited = moving < matching ? ` (${matching} match)` : ''
  terminal.say(`${moving} of ${present} messages would move out of ${preview.queue}${limited}:`)
  for (const { target, count, why, secondFailure } of preview.targets) {
    const again = secondFailure === undefined ? '' : `; a second failure: ${secondFailure}`
    terminal.say(`  ${count} to ${target} (known by ${why}${again})`)
  }
  for (const { reason, count } of preview.keeping) terminal.say(`  ${count} stay (${reason})`)
  for (const problem of preview.refusals) terminal.say(`  refused: ${problem}`)
  if (!preview.isWhole)
    terminal.say(`  This is not all: only ${seen} of ${present} messages could be looked at.`)
}

const progressEvery = 1_000
const redrawMs = 100

/** On a terminal a bar; elsewhere a line for every thousand. */
function progressTeller(terminal: Terminal): NonNullable<RedriveOptions['onProgress']> {
  const startedAt = Date.now()
  let told = 0
  let drawnAt = 0
  return ({ present, moved }) => {
    const now = Date.now()
    const fields = { done: moved, total: present, elapsedMs: now - startedAt }
    if (terminal.isInteractive) {
      if (now - drawnAt < redrawMs) return
      drawnAt = now
      terminal.progress(renderProgressBar(fields))
    } else if (moved >= told + progressEvery) {
      told = moved - (moved % progressEvery)
      terminal.say(renderProgressLine(fields))
    }
  }
}

const tellWaitEveryMs = 10_000

/** On a terminal the seconds count up; elsewhere a line at once and then every ten seconds. */
function waitTeller(terminal: Terminal): NonNullable<RedriveOptions['onWait']> {
  let toldMs = Number.POSITIVE_INFINITY
  return (waitingMs) => {
    if (terminal.isInteractive) terminal.progress(renderWaiting(waitingMs))
    else if (waitingMs < toldMs || waitingMs >= toldMs + tellWaitEveryMs) {
      toldMs = waitingMs
      terminal.say(renderWaiting(waitingMs))
    }
  }
}
