import type { IncomingMessage } from '../../broker/amqp/message.ts'
import type { Broker } from '../../broker/broker.ts'
import { asTimerMs } from '../../clock.ts'
import { RecoveryError, WarrenError } from '../../errors.ts'
import { joinSignals } from '../../join-signals.ts'
import { headerText } from '../../message/header-values.ts'
import { readDeaths } from '../../message/read-deaths.ts'
import { ownSleep } from '../../own-timer.ts'
import { readProperty } from '../../wire/properties.ts'
import { clearTimeout, performance, randomUUID, setTimeout } from '../../world.ts'
import { sureDepth } from '../look/confirm-depth.ts'
import { isQueueGone } from '../look/is-queue-gone.ts'
import { depthOf } from '../look/settled-depth.ts'
import type { Receipt } from '../receipt/receipt.ts'
import { consumerTagOf } from '../redrive/consumer-tag.ts'
import type { KeepReason, TypeRoutes } from '../redrive/plan-redrive.ts'
import { startRedrive } from '../redrive/redrive.ts'
import type { RedriveOptions, RedriveProgress } from '../redrive/redrive-options.ts'
import { nameAddress } from '../redrive/redrive-tally.ts'
import { answerInTime, untilAway } from './answer-in-time.ts'
import { nameTargets } from './name-targets.ts'
import { type RecoveryRun, RecoveryTotals } from './recovery-totals.ts'
import { describeKept, type QueueRecovery, renderRecovery } from './render-recovery.ts'

/** Which queues to recover, where each type goes, and for how long. */
export interface RecoverOptions extends Broker {
  /**
   * The dead-letter queues, one after the other.
   * @example { queues: ['orders.dlq'] }
   */
  readonly queues: readonly string[]
  /**
   * Which type goes where. A message of another type is kept.
   * @example { types: { routes: { OrderPlaced: { exchange: '', key: 'orders' } } } }
   */
  readonly types: TypeRoutes
  /**
   * How long it waits. @default see `RecoverTimeouts`
   * @example { timeouts: { totalMs: 60_000 } }
   */
  readonly timeouts?: Partial<RecoverTimeouts>
  /**
   * How much may be in flight at once. @default that of a re-drive
   * @example { window: { messages: 100 } }
   */
  readonly window?: RedriveOptions['window']
  /**
   * How long messages are held at most, in milliseconds. @default 1500000, less if the queue says so
   * @example { maxHoldMs: 300_000 }
   */
  readonly maxHoldMs?: number | undefined
  /**
   * See `LookPermission`. @default false
   * @example { acceptDeliveryLimit: true }
   */
  readonly acceptDeliveryLimit?: boolean | undefined
  /**
   * Who does it; written into receipts.
   * @example { by: 'anna' }
   */
  readonly by?: string
  /**
   * Gets each line of the log.
   * @example { log: (line) => console.log(line) }
   */
  readonly log?: (line: string) => void
  /**
   * The progress with a queue; called often. A listener draws it, and the lines per thousand are not logged.
   * @example { onProgress: ({ recovered, total }) => console.log(recovered, 'of', total) }
   */
  readonly onProgress?: ((progress: RecoverProgress) => void) | undefined
  /**
   * Ends the recovery: what is in flight is finished, and the rest stays.
   * @example { signal: AbortSignal.timeout(60_000) }
   */
  readonly signal?: AbortSignal
}

/** How far a recovery is. */
export interface RecoverProgress {
  /** The queue that is recovered now. */
  readonly queue: string
  /** Messages of this queue that are put back, by all runs over it. */
  readonly recovered: number
  /** In the queue at the start, with what came since. */
  readonly total: number
  /** Since this queue was begun, in milliseconds. */
  readonly elapsedMs: number
}

/** In milliseconds. */
export interface RecoverTimeouts {
  /** All queues together. @default 1800000 */
  readonly totalMs: number
  /** End if kept messages remain and nothing new came for this long. @default 10000 */
  readonly idleMs: number
  /** End if the queue has been empty for this long. @default 5000 */
  readonly emptyMs: number
  /** End if nothing moved for this long. @default 30000 */
  readonly stallMs: number
}

/** For all queues together. */
export const defaultTotalMs: number = 30 * 60_000

const defaultTimeouts: RecoverTimeouts = {
  totalMs: defaultTotalMs,
  idleMs: 10_000,
  emptyMs: 5_000,
  stallMs: 30_000,
}

/**
 * Recovers dead letters by their type when a worker starts: publish first, acknowledge second, keep the unknown. A
 * queue that cannot be recovered says why and does not stop the others; if none can be recovered, that is an error.
 * @example
 * ```ts
 * const recovered = await recoverQueues({ ...broker, queues: ['orders.dlq'], types })
 * ```
 */
export async function recoverQueues(options: RecoverOptions): Promise<readonly QueueRecovery[]> {
  const log = options.log ?? (() => {})
  const timeouts = { ...defaultTimeouts, ...options.timeouts }
  const ending = joinSignals([options.signal], { timeoutMs: timeouts.totalMs })
  ending.signal.addEventListener('abort', () => {
    if (!options.signal?.aborted)
      log(`⚠️  The time of ${Math.round(timeouts.totalMs)} ms for all queues is over. Ending...`)
  })
  try {
    return await recoverAllQueues({ ...options, timeouts, ending: ending.signal, log, runs: new Set() })
  } finally {
    ending.release()
  }
}

async function recoverAllQueues(task: Omit<QueueTask, 'queue'>): Promise<readonly QueueRecovery[]> {
  const { log } = task
  const recoveries: QueueRecovery[] = []
  const errors: WarrenError[] = []
  log('🔄 Starting DLQ Recovery Service...')
  for (const queue of task.queues) {
    if (task.queues.length > 1) log(`DLQ: ${queue}`)
    const { error, ...recovery } = await recoverQueue({ ...task, queue })
    recoveries.push(recovery)
    if (error) errors.push(error)
    for (const line of renderRecovery(recovery)) log(line)
  }
  if (
    errors[0] &&
    recoveries.every(({ problem, receipt, recovered }) => problem && !receipt && recovered === 0)
  )
    throw errors[0]
  return recoveries
}

interface QueueTask extends RecoverOptions {
  readonly queue: string
  readonly timeouts: RecoverTimeouts
  readonly ending: AbortSignal
  readonly log: (line: string) => void
  /** The ids of all runs so far, over whichever queue: what they put back is tried once. */
  readonly runs: Set<string>
}

async function recoverQueue(task: QueueTask): Promise<QueueRecovery & { error?: WarrenError }> {
  const totals = new RecoveryTotals(task.queue, nameTargets(task.types))
  try {
    await recoverAll(task, totals)
    // A run that could not count has already waited for the broker, for as long as a stall may last.
    const signal = totals.isCounted ? task.ending : AbortSignal.abort()
    const left = await answerInTime(signal, () => sureDepth({ ...task, signal }))
    totals.count(left === 'away' ? undefined : left)
    return totals.recovery()
  } catch (error) {
    if (!(error instanceof WarrenError)) throw error
    task.log(`❌ ${error.message}`)
    if (error.code === 'RECOVERY_INTERRUPTED') totals.count(undefined)
    if (isQueueGone(error)) totals.countDeleted()
    return { ...totals.recovery(error.message), error }
  }
}

async function recoverAll(task: QueueTask, totals: RecoveryTotals): Promise<void> {
  const first = await askInTime(task, (signal) => sureDepth({ ...task, signal }))
  if (first === 'away') throw neverThere(task.queue)
  const tell = tellProgress(task)
  let depth = first
  if (depth === 0) task.log('DLQ Empty ✅')
  else task.log(`⚠️  Found ${depth} messages in DLQ. Starting recovery...`)
  while (depth > 0) {
    totals.left = depth
    const before = { recovered: totals.recovered, total: totals.recovered + depth }
    const { receipt, failedByQueue, progress } = await runOnce(task, (moved) => tell(before, moved))
    if (!receipt) {
      const { messages: underWay = defaultUnderWay } = task.window ?? {}
      totals.addUnended({ present: depth, moved: progress.moved, underWay })
      throw notEnded(task.queue)
    }
    totals.add({ receipt, failedByQueue })
    if (task.ending.aborted || !isAllSeen(receipt)) return
    const more = await awaitMore(task, receipt)
    if (more === 'away') totals.count(undefined)
    depth = more === 'away' ? 0 : more
  }
}

/** Other consumers do not prevent the recovery of what comes. */
function isAllSeen({ outcome, interruption }: Receipt): boolean {
  return outcome === 'done' || interruption === 'taken'
}

function neverThere(queue: string): RecoveryError {
  return new RecoveryError({
    code: 'RECOVERY_INTERRUPTED',
    message: `The broker was away until the time of the recovery was over. "${queue}" was not looked at.`,
  })
}

function notEnded(queue: string): RecoveryError {
  return new RecoveryError({
    code: 'RECOVERY_INTERRUPTED',
    message: `The broker did not answer before the time was over. What was in flight is in "${queue}", at its target, or in both.`,
  })
}

/** A run that is told to stop waits only two seconds for a broker that is away, and writes its receipt. */
const stoppingMs = 3_000

/** As many messages as a re-drive has in flight by default. */
const defaultUnderWay = 1_000

/** Asks what only counts. A broker that says nothing for as long as a stall may last is away. */
async function askInTime<Answer>(
  { ending, timeouts }: QueueTask,
  ask: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer | 'away'> {
  const patience = joinSignals([ending], { timeoutMs: timeouts.stallMs })
  try {
    return await answerInTime(patience.signal, () => ask(patience.signal))
  } finally {
    patience.release()
  }
}

const lineEvery = 1_000

interface RunStart {
  /** By earlier runs over the same queue. */
  readonly recovered: number
  readonly total: number
}

/** Over all runs of a queue: either draws the progress, or logs a line for every thousand. */
function tellProgress({ queue, log, onProgress }: QueueTask): (before: RunStart, moved: number) => void {
  const startedAt = performance.now()
  let told = 0
  return (before, moved) => {
    const recovered = before.recovered + moved
    if (onProgress) {
      onProgress({ queue, recovered, total: before.total, elapsedMs: performance.now() - startedAt })
      return
    }
    // What came again is counted without a word, so the thousandth may be passed over.
    const thousands = Math.floor(recovered / lineEvery)
    if (thousands > told) log(`📦 Recovered ${thousands * lineEvery} messages so far...`)
    told = thousands
  }
}

async function runOnce(
  task: QueueTask,
  tell: (moved: number) => void,
): Promise<RecoveryRun & { readonly progress: RedriveProgress }> {
  const { timeouts, ending, types } = task
  let isLeft = false
  // A run that nobody waits for any longer does not change what was reported as the end.
  const log = (line: string): void => {
    if (!isLeft) task.log(line)
  }
  const failedByQueue = new Map<string, number>()
  const nameOf = nameTargets(types)
  let waitedMs = Number.POSITIVE_INFINITY
  const id = randomUUID()
  const stalling = new AbortController()
  const stallTimer = setTimeout(() => stalling.abort(), asTimerMs(timeouts.stallMs))
  const tellStall = (): void => log(`⚠️  No progress in ${task.queue} for ${timeouts.stallMs} ms. Ending...`)
  stalling.signal.addEventListener('abort', tellStall)
  const stopping = joinSignals([ending, stalling.signal])
  log(`Started DLQ consumer with tag: ${consumerTagOf(id)}`)
  const run = startRedrive({
    consuming: task.consuming,
    publishing: task.publishing,
    management: task.management,
    queue: task.queue,
    id,
    to: { kind: 'type', routes: types },
    by: task.by ?? 'dlq-recovery',
    follows: new Set(task.runs),
    ...(task.window && { window: task.window }),
    acceptDeliveryLimit: task.acceptDeliveryLimit,
    maxHoldMs: task.maxHoldMs,
    signal: stopping.signal,
    waitMs: Number.POSITIVE_INFINITY, // a stall ends it
    onWait: (waitingMs) => {
      if (waitingMs < waitedMs) log('⚠️  Waiting for the broker...')
      waitedMs = waitingMs
    },
    onProgress: ({ moved }) => {
      stallTimer.refresh()
      if (!isLeft) tell(moved)
    },
    onKept: (message, reason) => {
      stallTimer.refresh()
      log(`⚠️  ${whyKept(message, reason, types)}`)
    },
    // Another pass is no progress: passes over a queue that cannot be reached follow each other without an end.
    onAgain: () => failedByQueue.clear(),
    onFailed: (message, address) => {
      stallTimer.refresh()
      const name = nameOf(nameAddress(address))
      failedByQueue.set(name, (failedByQueue.get(name) ?? 0) + 1)
      log(`❌ Failed to republish message. Keeping in DLQ. MessageType=${typeName(message, types)}`)
    },
  })
  task.runs.add(id)
  try {
    const receipt = await untilAway(run.receipt, { ending: stopping.signal, graceMs: stoppingMs })
    return { receipt: receipt === 'away' ? undefined : receipt, failedByQueue, progress: run.progress }
  } finally {
    isLeft = true
    clearTimeout(stallTimer)
    stopping.release()
  }
}

/** Waits whether more comes: the new depth, or zero when the queue has been quiet for long enough. */
async function awaitMore(task: QueueTask, receipt: Receipt): Promise<number | 'away'> {
  const { timeouts, ending, consuming, queue } = task
  const { present, moved, movedAside = 0, unproved = 0 } = receipt
  // What may have been recovered is not sent once more on its own account.
  const kept = present - moved - movedAside + unproved
  const quietMs = kept === 0 ? timeouts.emptyMs : timeouts.idleMs
  const stepMs = Math.max(1, Math.min(200, quietMs / 5))
  for (let quietFor = 0; quietFor < quietMs && !ending.aborted; quietFor += stepMs) {
    const depth = await askInTime(task, () => depthOf(consuming, queue))
    if (depth === 'away') return depth
    if (depth > kept) return depth
    await ownSleep(stepMs)
  }
  return 0
}

function typeName({ properties }: IncomingMessage, { header = 'MessageType' }: TypeRoutes): string {
  return headerText(readProperty(properties, 'headers'), header) ?? 'unknown'
}

function whyKept(message: IncomingMessage, reason: KeepReason, types: TypeRoutes): string {
  if (reason === 'type-unknown')
    return `${describeUnknown(message, types)}. Keeping in DLQ for manual review.`
  // Whatever is wrong with its headers, the type is among them.
  if (reason === 'unreadable') return `Keeping message in DLQ: ${describeKept(reason)}.`
  return `Keeping message in DLQ: ${describeKept(reason)}. MessageType=${typeName(message, types)}`
}

/** The person who reviews it needs to know whether a route is missing in the map or the type in the message. */
function describeUnknown({ properties }: IncomingMessage, { header = 'MessageType' }: TypeRoutes): string {
  const headers = readProperty(properties, 'headers')
  const type = headerText(headers, header)
  if (type !== undefined) return `${header}=${type} has no route`
  const key = readDeaths(headers).deaths[0]?.routingKeys[0]
  if (key !== undefined) return `Message has no ${header}, and its routing key ${key} has no route`
  return `Message has no ${header} or routing key`
}
