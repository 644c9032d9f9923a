import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { IncomingMessage } from '../broker/amqp/message.ts'
import type { Session } from '../broker/amqp/session.ts'
import type { Management } from '../broker/management/open-management.ts'
import { headerText } from '../message/header-values.ts'
import { readDeaths } from '../message/read-deaths.ts'
import { readProperty } from '../wire/properties.ts'
import { sureDepth } from './confirm-depth.ts'
import { depthOf } from './count-queue.ts'
import type { TypeRoutes } from './plan-redrive.ts'
import type { Receipt } from './receipt.ts'
import { type RedriveOptions, startRedrive } from './redrive.ts'
import { consumerTagOf } from './redrive-run.ts'
import { type QueueRecovery, renderRecovery } from './render-recovery.ts'

export interface RecoverOptions {
  readonly consuming: Session
  readonly publishing: Session
  readonly management?: Management | undefined
  /** The dead-letter queues, one after the other. */
  readonly queues: readonly string[]
  /** Which type goes where. A type that is not in it is kept. */
  readonly types: TypeRoutes
  readonly timeouts?: Partial<RecoverTimeouts>
  readonly window?: RedriveOptions['window']
  /** See `LookPermission`. @default false */
  readonly acceptDeliveryLimit?: boolean | undefined
  readonly by?: string
  readonly log?: (line: string) => void
  /** How far it is with a queue; told often. Who listens draws it, and no line per thousand is logged. */
  readonly onProgress?: ((progress: RecoverProgress) => void) | undefined
  readonly signal?: AbortSignal
}

export interface RecoverProgress {
  readonly queue: string
  readonly recovered: number
  /** In the queue at the start, with what came since. */
  readonly total: number
  readonly elapsedMs: number
}

/** In milliseconds. */
export interface RecoverTimeouts {
  /** All queues together. @default 1800000 */
  readonly totalMs: number
  /** Nothing new came for so long while kept messages remain. @default 10000 */
  readonly idleMs: number
  /** The queue has been empty for so long. @default 5000 */
  readonly emptyMs: number
  /** Nothing moved for so long. @default 30000 */
  readonly stallMs: number
}

const defaultTimeouts: RecoverTimeouts = {
  totalMs: 30 * 60_000,
  idleMs: 10_000,
  emptyMs: 5_000,
  stallMs: 30_000,
}

/** Recovers dead letters by their type at a worker's start: publish first, acknowledge second, keep the unknown. */
export async function recoverQueues(options: RecoverOptions): Promise<readonly QueueRecovery[]> {
  const log = options.log ?? (() => {})
  const timeouts = { ...defaultTimeouts, ...options.timeouts }
  const ending = AbortSignal.any([
    AbortSignal.timeout(timeouts.totalMs),
    ...(options.signal ? [options.signal] : []),
  ])
  const recoveries: QueueRecovery[] = []
  log('🔄 Starting DLQ Recovery Service...')
  for (const queue of options.queues) {
    const recovery = await recoverQueue({ ...options, queue, timeouts, ending, log })
    recoveries.push(recovery)
    for (const line of renderRecovery(recovery)) log(line)
  }
  return recoveries
}

interface QueueTask extends RecoverOptions {
  readonly queue: string
  readonly timeouts: RecoverTimeouts
  readonly ending: AbortSignal
  readonly log: (line: string) => void
}

async function recoverQueue(task: QueueTask): Promise<QueueRecovery> {
  const { queue, log } = task
  const totals = { queue, recovered: 0, recoveredByQueue: new Map<string, number>() }
  let last: { receipt: Receipt; failedByQueue: ReadonlyMap<string, number> } | undefined
  let depth = await sureDepth(task)
  if (depth === 0) log('DLQ Empty ✅')
  else log(`⚠️  Found ${depth} messages in DLQ. Starting recovery...`)
  while (depth > 0) {
    last = await runOnce(task, totals.recovered, tellProgress(task, depth))
    totals.recovered += last.receipt.moved
    for (const { target, moved } of last.receipt.targets) {
      const name = target.split(' ').at(-1)!
      totals.recoveredByQueue.set(name, (totals.recoveredByQueue.get(name) ?? 0) + moved)
    }
    if (task.ending.aborted || last.receipt.outcome !== 'done') break
    depth = await awaitMore(task, last.receipt)
  }
  const left = await sureDepth(task)
  return {
    ...totals,
    failed: last?.receipt.failed ?? 0,
    skipped: last?.receipt.kept ?? 0,
    failedByQueue: last?.failedByQueue ?? new Map(),
    left,
    receipt: last?.receipt,
  }
}

const lineEvery = 1_000

/** Either draws, or logs a line for every thousand. */
function tellProgress({ queue, log, onProgress }: QueueTask, depth: number): TellProgress {
  const startedAt = Date.now()
  return (before, moved) => {
    const recovered = before + moved
    if (onProgress) onProgress({ queue, recovered, total: before + depth, elapsedMs: Date.now() - startedAt })
    else if (recovered % lineEvery === 0) log(`📦 Recovered ${recovered} messages so far...`)
  }
}

type TellProgress = (before: number, moved: number) => void

async function runOnce(
  task: QueueTask,
  recoveredBefore: number,
  tell: TellProgress,
): Promise<{ receipt: Receipt; failedByQueue: ReadonlyMap<string, number> }> {
  const { log, timeouts, ending, types } = task
  const failedByQueue = new Map<string, number>()
  const id = randomUUID()
  const stalling = new AbortController()
  const stallTimer = setTimeout(() => stalling.abort(), timeouts.stallMs)
  log(`Started DLQ consumer with tag: ${consumerTagOf(id)}`)
  const run = startRedrive({
    ...{ consuming: task.consuming, publishing: task.publishing, management: task.management },
    ...{ queue: task.queue, id, to: { kind: 'type', routes: types }, by: task.by ?? 'dlq-recovery' },
    ...(task.window && { window: task.window }),
    acceptDeliveryLimit: task.acceptDeliveryLimit,
    signal: AbortSignal.any([ending, stalling.signal]),
    onProgress: ({ moved }) => {
      stallTimer.refresh()
      tell(recoveredBefore, moved)
    },
    onKept: (message, reason) => {
      if (reason === 'type-unknown')
        log(`⚠️  ${describeUnknown(message, types)}. Keeping in DLQ for manual review.`)
    },
    onAgain: () => failedByQueue.clear(),
    onFailed: (message, { key }) => {
      failedByQueue.set(key, (failedByQueue.get(key) ?? 0) + 1)
      log(`❌ Failed to republish message. Keeping in DLQ. MessageType=${typeName(message, types)}`)
    },
  })
  try {
    return { receipt: await run.receipt, failedByQueue }
  } finally {
    clearTimeout(stallTimer)
  }
}

/** Waits whether more comes: the new depth, or zero when the queue has been quiet for long enough. */
async function awaitMore(task: QueueTask, receipt: Receipt): Promise<number> {
  const { timeouts, ending, consuming, queue } = task
  const kept = receipt.present - receipt.moved
  const quietMs = kept === 0 ? timeouts.emptyMs : timeouts.idleMs
  const stepMs = Math.max(1, Math.min(200, quietMs / 5))
  for (let quietFor = 0; quietFor < quietMs && !ending.aborted; quietFor += stepMs) {
    const depth = await depthOf(consuming, queue)
    if (depth > kept) return depth
    await wait(stepMs)
  }
  return 0
}

function typeName({ properties }: IncomingMessage, { header = 'MessageType' }: TypeRoutes): string {
  return headerText(readProperty(properties, 'headers'), header) ?? 'unknown'
}

/** Who reviews it needs to know whether a route is missing in the map or the type in the message. */
function describeUnknown({ properties }: IncomingMessage, { header = 'MessageType' }: TypeRoutes): string {
  const headers = readProperty(properties, 'headers')
  const type = headerText(headers, header)
  if (type !== undefined) return `${header}=${type} has no route`
  const key = readDeaths(headers).deaths[0]?.routingKeys[0]
  if (key !== undefined) return `Message has no ${header}, and its routing key ${key} has no route`
  return `Message has no ${header} or routing key`
}
