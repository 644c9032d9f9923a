import type { Broker } from './broker/broker.ts'
import type { Management } from './broker/management/open-management.ts'
import { InvalidArgumentError } from './errors.ts'
import { refuseChoice } from './message/refuse-choice.ts'
import { type BackupReport, backUpQueue } from './recovery/backup/backup-queue.ts'
import { type DiscardReport, discardMessages } from './recovery/backup/discard-messages.ts'
import { type RestoreReport, restoreBackup } from './recovery/backup/restore-backup.ts'
import { compileLook } from './recovery/look/compile-look.ts'
import { type LookReport, lookAtQueue } from './recovery/look/look-at-queue.ts'
import { seenInPart } from './recovery/look/seen-in-part.ts'
import { type CauseGroup, createCauseGroups } from './recovery/read/cause-groups.ts'
import { parseGroupBy } from './recovery/read/parse-group-by.ts'
import { type DeadLetter, readDeadLetter } from './recovery/read/read-dead-letter.ts'
import { decideVerdict, type ReceiptCheck, type Verdict } from './recovery/receipt/decide-receipt.ts'
import type { Receipt } from './recovery/receipt/receipt.ts'
import { verifyReceipt } from './recovery/receipt/verify-receipt.ts'
import { compileRedrive } from './recovery/redrive/compile-redrive.ts'
import type { TypeRoutes } from './recovery/redrive/plan-redrive.ts'
import { previewEdit } from './recovery/redrive/preview-edit.ts'
import { previewRedrive, type RedrivePreview } from './recovery/redrive/preview-redrive.ts'
import { type Redrive, startRedrive } from './recovery/redrive/redrive.ts'
import type { RedriveOptions } from './recovery/redrive/redrive-options.ts'
import { parseRequest } from './recovery/request/parse-request.ts'
import type { RequestSchema } from './recovery/request/request-schema.ts'
import {
  backupRequestSchema,
  causesRequestSchema,
  discardRequestSchema,
  peekRequestSchema,
  redriveRequestSchema,
  restoreRequestSchema,
} from './recovery/request/request-schemas.ts'
import type {
  BackupChoice,
  CausesOptions,
  DiscardChoice,
  PeekOptions,
  RedriveChoice,
  RestoreChoice,
  VerifyChoice,
} from './redrive-choice.ts'
import type { QueueFlow } from './topology/queue-flow.ts'
import { hostname } from './world.ts'

/** The messages of one dead-letter queue: see why they died, and put them back without losing one. */
export interface DeadLetters {
  /** The dead-letter queue, by its name on the broker. */
  readonly queue: string
  /**
   * Shows messages from the head of the queue, and leaves them in it. Rejects if it could not look at that many.
   * @example
   * ```ts
   * const [newest] = await warren.deadLetters('orders').peek({ count: 1 })
   * ```
   */
  peek(options?: PeekOptions): Promise<readonly DeadLetter[]>
  /**
   * Why they died, the most frequent cause first. Reads the whole queue unless `count` is given, and rejects if it
   * could not.
   * @example
   * ```ts
   * for (const { label, count } of await warren.deadLetters('orders').causes()) console.log(count, label)
   * ```
   */
  causes(options?: CausesOptions): Promise<readonly CauseGroup[]>
  /**
   * What a re-drive with these options would do. It reads every message and moves none.
   * @example
   * ```ts
   * const { moving, present } = await warren.deadLetters('orders').preview({ where: 'cause:Timeout' })
   * console.log(`${moving} of ${present} would be moved`)
   * ```
   */
  preview(options?: RedriveChoice): Promise<RedrivePreview>
  /**
   * Puts messages back: publish, confirm, acknowledge, in this order. The receipt accounts for every one.
   * @example
   * ```ts
   * const receipt = await warren.deadLetters('orders').redrive({ where: 'cause:Timeout', reason: 'the gateway is back' })
   * console.log(receipt.moved, receipt.outcome)
   * ```
   */
  redrive(options?: RedriveChoice): Promise<Receipt>
  /**
   * The same, but returns a handle to pause, resume and cancel it. Await its `receipt`.
   * @example
   * ```ts
   * const redrive = warren.deadLetters('orders').startRedrive({ ratePerSecond: 100 })
   * process.once('SIGTERM', () => redrive.cancel())
   * const receipt = await redrive.receipt
   * ```
   */
  startRedrive(options?: RedriveChoice): Redrive
  /**
   * Writes messages to a file, byte for byte, and leaves them in the queue.
   * @example
   * ```ts
   * const { records, file } = await warren.deadLetters('orders').backUp({ file: 'orders.backup' })
   * ```
   */
  backUp(options: BackupChoice): Promise<BackupReport>
  /**
   * Removes messages from the queue. Each is first written to a file, which is synced and checked.
   * @example
   * ```ts
   * const { removed } = await warren.deadLetters('orders').discard({ where: 'died>30d', file: 'old.backup' })
   * ```
   */
  discard(options: DiscardChoice): Promise<DiscardReport>
  /**
   * Puts the messages of a backup into this queue, each once.
   * @example
   * ```ts
   * const { restored } = await warren.deadLetters('orders').restore({ file: 'old.backup' })
   * ```
   */
  restore(options: RestoreChoice): Promise<RestoreReport>
  /**
   * Checks a receipt again: its sums, and what the broker still holds of the messages that it names.
   * @example
   * ```ts
   * const receipt = await warren.deadLetters('orders').redrive()
   * const { verdict } = await warren.deadLetters('orders').verify(receipt)
   * ```
   */
  verify(receipt: Receipt, options?: VerifyChoice): Promise<Verification>
}

/** The result of checking a receipt. */
export interface Verification {
  /** `unknown`: nothing contradicts it, but not everything could be checked. */
  readonly verdict: Verdict
  /** The checks, one by one. */
  readonly checks: readonly ReceiptCheck[]
}

/** What the dead letters of a queue are reached by. */
export interface DeadLetterAccess extends Broker {
  readonly queue: string
  readonly management: Management
  readonly flows: readonly QueueFlow[]
  /** Where messages of a type go whose origin nothing else tells. */
  readonly types: TypeRoutes | undefined
}

export function openDeadLetters(access: DeadLetterAccess): DeadLetters {
  const { queue } = access
  return {
    queue,
    peek: (options = {}) => peek(access, options),
    causes: (options = {}) => causes(access, options),
    preview: async (options = {}) => previewRedrive(redriveOptions('preview()', access, options)),
    redrive: async (options = {}) => {
      const asked = redriveOptions('redrive()', access, options)
      if (asked.edit) await previewEdit(asked)
      return startRedrive(asked).receipt
    },
    startRedrive: (options = {}) => {
      const asked = redriveOptions('startRedrive()', access, options)
      if (!asked.edit) return startRedrive(asked)
      throw new InvalidArgumentError(
        'startRedrive() takes no edit. Use redrive(), which first checks that only one message matches.',
      )
    },
    backUp: async ({ file, signal, ...options }) => {
      const request = readChoice('backUp()', options, { queue, schema: backupRequestSchema })
      const look = compileLook(request, contextOf(access, options))
      return backUpQueue({ ...look, file: checkFile('backUp()', file), ...(signal && { signal }) })
    },
    discard: async ({ file, signal, ...options }) => {
      const request = readChoice('discard()', options, { queue, schema: discardRequestSchema })
      const { limit } = request
      return discardMessages({
        ...compileLook(request, contextOf(access, options)),
        file: checkFile('discard()', file),
        ...(limit !== undefined && { limit }),
        ...(signal && { signal }),
      })
    },
    restore: async ({ file, onProgress, ...options }) => {
      const request = readChoice('restore()', options, { queue, schema: restoreRequestSchema })
      return restoreBackup({
        ...contextOf(access, options),
        queue,
        file: checkFile('restore()', file),
        acceptDeliveryLimit: request.acceptDeliveryLimit,
        onProgress,
      })
    },
    verify: async (receipt, options = {}) => {
      const checks = await verifyReceipt(receipt, { ...options, ...contextOf(access, options) })
      return { verdict: decideVerdict(checks), checks }
    },
  }
}

async function peek(access: DeadLetterAccess, options: PeekOptions): Promise<readonly DeadLetter[]> {
  const { queue } = access
  const request = readChoice('peek()', options, { queue, schema: peekRequestSchema })
  const { count = 20, bodyBytes = 1024, where } = request
  const { select, ...look } = compileLook(request, contextOf(access, options))
  const found: DeadLetter[] = []
  const report = await lookAtQueue({
    ...look,
    // A filter has to look past those that do not match; without one only those shown are touched.
    ...(where === undefined && { count }),
    onMessage: (message) => {
      if (found.length < count && select(message)) found.push(readDeadLetter(message, bodyBytes))
    },
  })
  if (found.length < count) refusePart(queue, report)
  return found
}

async function causes(
  access: DeadLetterAccess,
  { groupBy: fields = [], ...options }: CausesOptions,
): Promise<readonly CauseGroup[]> {
  const { queue } = access
  const groupBy = Array.isArray(fields) ? fields.join(',') : (fields as string)
  const choice = { ...options, ...(groupBy !== '' && { groupBy }) }
  const request = readChoice('causes()', choice, { queue, schema: causesRequestSchema })
  const groups = createCauseGroups(
    request.groupBy === undefined ? { splits: 'all' } : { groupBy: parseGroupBy(request.groupBy) },
  )
  const { select, ...look } = compileLook(request, contextOf(access, options))
  const report = await lookAtQueue({
    ...look,
    ...(request.count !== undefined && { count: request.count }),
    onMessage: (message) => {
      if (select(message)) groups.add(message)
    },
  })
  refusePart(queue, report)
  return groups.list()
}

/** A list has no place to say that it is not all, and whoever counts it would count wrong. */
function refusePart(queue: string, { isWhole, seen, present }: LookReport): void {
  if (isWhole) return
  throw seenInPart({
    queue,
    unknown: `only ${seen} of ${present} were seen`,
    wayOut: 'Ask for fewer messages (count), or hold them for longer (hold) if the broker allows it.',
  })
}

function redriveOptions(owner: string, access: DeadLetterAccess, choice: RedriveChoice): RedriveOptions {
  const { queue, flows, types } = access
  const { signal, onProgress, onWait, ...asked } = choice
  // A misspelt word would be the name of a queue.
  if (typeof asked.to === 'string') refuseChoice(`to of ${owner}`, asked.to, ['origin', 'retry', 'exchange'])
  const request = readChoice(owner, asked, { queue, schema: redriveRequestSchema })
  return compileRedrive(request, {
    ...contextOf(access, choice),
    flows,
    types,
    ...(signal && { signal }),
    ...(onProgress && { onProgress }),
    ...(onWait && { onWait }),
  })
}

/** Takes apart what is asked for and who asks. */
function readChoice<Request>(
  owner: string,
  { by, ...asked }: { readonly by?: string | undefined },
  { queue, schema }: { readonly queue: string; readonly schema: RequestSchema<Request> },
): Request {
  if (by !== undefined && typeof by !== 'string')
    throw new InvalidArgumentError(`by of ${owner} is ${String(by)}; it must be text.`)
  return parseRequest(owner, { queue, ...asked }, schema)
}

function contextOf(
  { consuming, publishing, management }: DeadLetterAccess,
  { by = hostname() }: { readonly by?: string },
): Broker & { readonly management: Management; readonly by: string } {
  return { consuming, publishing, management, by }
}

function checkFile(owner: string, file: unknown): string {
  if (typeof file === 'string' && file !== '') return file
  throw new InvalidArgumentError(`${owner} needs the name of a file: { file: 'orders.backup' }.`)
}

/** The queue of `deadLetters()`. */
export function checkQueueName(queue: unknown): void {
  if (typeof queue === 'string' && queue !== '') return
  throw new InvalidArgumentError(
    `deadLetters() takes the name of a queue, but got ${queue === '' ? "''" : String(queue)}.`,
  )
}
