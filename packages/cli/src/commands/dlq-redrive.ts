import { CommanderError } from 'commander'
import type { Receipt, RedrivePreview } from 'warrenmq'
import {
  ApiError,
  compileRedrive,
  type EditPreview,
  escapeLine,
  formatCounted,
  previewEdit,
  previewRedrive,
  type RedriveOptions,
  type RedriveRequest,
  readRecoverySection,
  renderReceipt,
  startRedrive,
} from 'warrenmq/operations'
import { type AuditedEnd, audited } from '../audited.ts'
import type { CliCommand, CommandInput, ExitCode } from '../command.ts'
import { lookAtSnapshot } from '../look-at-snapshot.ts'
import { addBrokerOptions } from '../options/broker-options.ts'
import { addConfigOption } from '../options/config-options.ts'
import { addYesOption, confirm, refuseUnasked } from '../options/confirm.ts'
import { addRedriveOptions, readRedriveRequest } from '../options/read-redrive-request.ts'
import { addSnapshotOption } from '../options/request-options.ts'
import { decideProgress } from '../output/decide-progress.ts'
import { decideRedriveExit, isAskedFor } from '../output/decide-redrive-exit.ts'
import { createProgressTeller, createWaitTeller, createWatchTeller } from '../output/progress-teller.ts'
import { openReceiptFile } from '../output/receipt-file.ts'
import { renderPreview } from '../output/render-preview.ts'
import type { Terminal } from '../output/terminal.ts'
import { steerRedrive } from '../steer-redrive.ts'
import { type CommandBroker, withBroker } from '../with-broker.ts'

/** `warren dlq redrive`: put dead letters back, lose nothing, and hold a receipt. */
export const dlqRedrive: CliCommand = {
  name: 'dlq redrive',
  summary: 'put dead letters back to work, with a plan first and a receipt at the end',
  example: 'warren dlq redrive billing.orders.dlq --where "cause:Timeout" --limit 10',
  configure: (command) => {
    command.argument('<queue>')
    addRedriveOptions(command)
    command
      .option('--receipt <file>', 'write the receipt as JSON to a new file')
      .option('--dry-run', 'print the plan and exit')
      .option('--plan <digest>', 'move nothing unless the plan is this one; --dry-run prints it')
    addSnapshotOption(command)
    addBrokerOptions(command)
    addConfigOption(command)
    addYesOption(command)
  },
  run: async (input, terminal) => {
    const { options } = input
    const request = await readRedriveRequest(input)
    refuseSnapshotToMove(options, request)
    if (options.dryRun !== true) refuseUnasked('Nothing was moved', { options, terminal })
    return withBroker(input, (broker) => redrive({ input, terminal, broker, request }))
  },
}

interface Work {
  readonly input: CommandInput
  readonly terminal: Terminal
  readonly broker: CommandBroker
  readonly request: RedriveRequest
}

async function redrive({ input, terminal, broker, request }: Work): Promise<ExitCode> {
  const options = compileRedrive(request, {
    ...broker,
    flows: broker.topology?.flows ?? [],
    types: broker.recovery && readRecoverySection(broker.recovery).types,
  })
  const { dryRun, receipt: receiptName, yes } = input.options
  const isRun = dryRun !== true
  const file = isRun && typeof receiptName === 'string' ? await openReceiptFile(receiptName) : undefined
  let selected: number | undefined
  let limit: Pick<RedriveOptions, 'limit'> = {}
  // Whoever edits a message has to be told beforehand which one it is, and that it is the only one.
  if (!isRun || yes !== true || options.edit || input.options.plan !== undefined) {
    const preview = await (options.edit ? previewEdit(options) : previewOf({ options, input, terminal }))
    refuseOtherPlan(input.options.plan, preview)
    const ended = await tellAndAsk({ preview, input, terminal })
    if (ended !== 'go-on') return ended
    if (preview.isWhole) selected = preview.moving
    if (input.options.plan !== undefined) limit = { limit: preview.moving }
  }
  const receipt = await audited(
    { broker, terminal },
    {
      action: 'redrive',
      target: request.queue,
      reason: request.reason,
      request,
      work: () => runSteered({ options: { ...options, ...limit }, terminal, selected }),
      describe: (ended) => [describeRedrive(ended)],
    },
  )
  for (const text of renderReceipt(receipt)) terminal.say(escapeLine(text))
  terminal.result(receipt)
  const isWritten = file === undefined || (await file.write(receipt, terminal))
  return isWritten ? decideRedriveExit(receipt) : 1
}

/** Whoever has read a plan means that one. */
function refuseOtherPlan(plan: unknown, { digest, moving }: RedrivePreview): void {
  if (plan === undefined || plan === digest) return
  throw new ApiError({
    code: 'API_PLAN_CHANGED',
    message: `Nothing was moved: the plan has changed since you read it. Now ${moving} messages would move. Run it with --dry-run to read the plan again.`,
  })
}

/** A snapshot tells what was there; what is moved is what is there. */
function refuseSnapshotToMove(options: CommandInput['options'], { edit }: RedriveRequest): void {
  if (options.snapshot === undefined || (options.dryRun === true && !edit)) return
  const usage = '--snapshot is for a plan: use it with --dry-run and without --edit'
  throw new CommanderError(2, 'warren.usage', usage)
}

/** Planned with the routes of now, for the messages of the queue or of a snapshot. */
function previewOf(fields: {
  readonly options: RedriveOptions
  readonly input: CommandInput
  readonly terminal: Terminal
}): Promise<RedrivePreview> {
  const { options, input, terminal } = fields
  const { snapshot: file } = input.options
  if (typeof file !== 'string') return previewRedrive(options)
  const { queue } = options
  return previewRedrive(options, undefined, (onMessage) =>
    lookAtSnapshot({ file, queue, terminal, onMessage }),
  )
}

/** The plan, and whether it is to be carried out. */
async function tellAndAsk(fields: {
  readonly preview: EditPreview
  readonly input: CommandInput
  readonly terminal: Terminal
}): Promise<'go-on' | ExitCode> {
  const { preview, input, terminal } = fields
  const { queue } = preview
  for (const text of renderPreview(preview)) terminal.say(escapeLine(text))
  if (preview.edited !== undefined) terminal.say(`  Edited on its way: ${escapeLine(preview.edited)}`)
  if (input.options.dryRun === true) {
    terminal.say(`  Plan: ${preview.digest}`)
    terminal.result(preview)
    return 0
  }
  if (preview.moving === 0 && preview.isWhole) {
    terminal.say('There is nothing to move.')
    terminal.result({ queue, outcome: 'nothing-to-move', plan: preview })
    return isAskedFor(preview.keeping) ? 3 : 0
  }
  const many = formatCounted(preview.moving, 'message')
  const question = preview.isWhole ? `Move ${many}?` : 'Move all that match?'
  if ((await confirm(question, { options: input.options, terminal })) === 'yes') return 'go-on'
  terminal.say('Nothing was moved.')
  terminal.result({ queue, outcome: 'declined', plan: preview })
  return 0
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
