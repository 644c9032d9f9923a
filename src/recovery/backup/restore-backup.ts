import { hostname } from 'node:os'
import { joinBody } from '../../broker/amqp/message.ts'
import { RecoveryError } from '../../errors.ts'
import { brokerCapabilities } from '../../message/broker-capabilities.ts'
import { parseBrokerVersion } from '../../message/broker-version.ts'
import { Publisher } from '../../publisher/publisher.ts'
import { sureDepth } from '../confirm-depth.ts'
import { describeFailure, type FailureKind } from '../failed-publish.ts'
import { holdMessages } from '../hold-messages.ts'
import type { LookPermission } from '../prepare-look.ts'
import { seenInPart } from '../seen-in-part.ts'
import { takeLock } from '../take-lock.ts'
import type { BackupRecord } from './backup-record.ts'
import { identifyMessage, restorableProperties } from './identify-message.ts'
import { readBackup } from './read-backup.ts'
import { openJournal, type RestoreJournal } from './restore-journal.ts'
import { verifyBackup } from './verify-backup.ts'

export interface RestoreOptions extends Omit<LookPermission, 'queue'> {
  readonly file: string
  /** @default the queue that the backup was made of */
  readonly queue?: string | undefined
  readonly by: string
  /** Told each record that is taken up: so many of the records in the file. */
  readonly onProgress?: ((done: number, records: number) => void) | undefined
}

export interface RestoreReport {
  readonly file: string
  readonly queue: string
  readonly records: number
  /** Published by this run, and confirmed. */
  readonly restored: number
  /** Restored by an earlier run or found in the queue by it, whatever became of them since. */
  readonly restoredBefore: number
  /** Found in the queue. */
  readonly alreadyThere: number
  /** Not taken by the broker; a second restore tries these again. */
  readonly failed: number
  /** Why these were not. `too-large`: this version takes no such body, so trying again is in vain. */
  readonly failures: readonly { readonly kind: FailureKind | 'too-large'; readonly count: number }[]
}

type RestoreCounts = Omit<RestoreReport, 'file' | 'queue' | 'records'>

/** A batch ends at the first of both: what a publisher takes and what is held in memory is bounded by bytes. */
const batchSize = 500
const batchBytes = 16 * 1024 * 1024

/**
 * Puts the records of a backup into a queue, each once. What an earlier restore wrote down is left out, and so
 * is what stands in the queue; the rest is published and confirmed. Both are written down then.
 */
export async function restoreBackup(options: RestoreOptions): Promise<RestoreReport> {
  const { file, consuming, management, by } = options
  const { header, records } = await verifyBackup(file)
  const queue = options.queue ?? header.queue
  const { vhost } = consuming
  const holder = `${by} on ${hostname()} (a restore)`
  const lock = await takeLock({ session: consuming, queue, holder, management, vhost })
  try {
    const cluster = await clusterOf(options)
    const journal = await openJournal(file, { backup: header.id, cluster, vhost, queue })
    return { file, queue, records, ...(await restoreRecords({ ...options, queue, records }, journal)) }
  } finally {
    await lock.release()
  }
}

async function restoreRecords(
  options: RestoreOptions & { queue: string; records: number },
  journal: RestoreJournal,
): Promise<RestoreCounts> {
  const publisher = new Publisher(options.publishing)
  try {
    const run = new RestoreRun({ publisher, journal, present: await idsIn(options), options })
    let done = 0
    await readBackup(options.file, async (line) => {
      if (line.kind !== 'record') return
      await run.take(line.record)
      done += 1
      options.onProgress?.(done, options.records)
    })
    return await run.finish()
  } finally {
    await Promise.all([publisher.close(), journal.close()])
  }
}

/** By its name, which every node tells whoever connects. */
async function clusterOf({ consuming }: RestoreOptions): Promise<string> {
  const { agreement, endpoint } = await consuming.whenConnected()
  return agreement.clusterName ?? `${endpoint.host}:${endpoint.port}`
}

/** How often each message stands in the queue. */
async function idsIn(options: RestoreOptions & { queue: string }): Promise<Map<string, number>> {
  const ids = new Map<string, number>()
  if ((await sureDepth(options)) === 0) return ids
  const { isWhole } = await holdMessages({
    ...options,
    ...{ purpose: 'a restore', isLocked: true },
    onMessage: ({ properties, body }) => {
      const id = identifyMessage({ properties, body: joinBody(body) })
      ids.set(id, (ids.get(id) ?? 0) + 1)
      return undefined
    },
  }).catch((error: unknown) => {
    throw isHeldTooLong(error) ? restoresNothing(options.queue, { cause: error }) : error
  })
  if (!isWhole) throw restoresNothing(options.queue)
  return ids
}

function isHeldTooLong(error: unknown): boolean {
  return error instanceof RecoveryError && error.code === 'RECOVERY_HELD_TOO_LONG'
}

/** What was not seen would be put there twice. */
function restoresNothing(queue: string, options?: ErrorOptions): RecoveryError {
  const unknown = 'nobody knows which records are there already, and nothing was restored'
  const wayOut = 'Restore into an empty queue (--to), or work on some of its messages first.'
  return seenInPart({ queue, unknown, wayOut }, options)
}

interface RunParts {
  readonly publisher: Publisher
  readonly journal: RestoreJournal
  readonly present: Map<string, number>
  readonly options: RestoreOptions & { readonly queue: string }
}

class RestoreRun {
  readonly #parts: RunParts
  readonly #login: string | undefined
  readonly #largestBytes: number
  #batch: BackupRecord[] = []
  #batchedBytes = 0
  #found: number[] = []
  #restored = 0
  #restoredBefore = 0
  #alreadyThere = 0
  readonly #failures = new Map<FailureKind | 'too-large', number>()

  constructor(parts: RunParts) {
    this.#parts = parts
    const { publishing } = parts.options
    this.#login = publishing.connection?.endpoint.username
    const version = parseBrokerVersion(publishing.broker.version)
    this.#largestBytes = brokerCapabilities(version).maxMessageSizeDefaultBytes
  }

  async take(record: BackupRecord): Promise<void> {
    const { journal, present } = this.#parts
    // Computed anew: the file may be of a version that computed ids in another way.
    const id = present.size === 0 ? '' : identifyMessage(record)
    const count = present.get(id) ?? 0
    // One in the queue stands for one record: of two that are alike and one that is there, one is restored.
    if (count > 0) present.set(id, count - 1)
    if (journal.has(record.number)) this.#restoredBefore += 1
    // A run that was killed may have put it there without writing it down, and the next one may not find it any more.
    else if (count > 0) this.#found.push(record.number)
    else this.#addToBatch(record)
    if (this.#batch.length >= batchSize || this.#batchedBytes >= batchBytes) await this.#publishBatch()
    if (this.#found.length >= batchSize) await this.#noteFound()
  }

  #addToBatch(record: BackupRecord): void {
    this.#batch.push(record)
    this.#batchedBytes += record.properties.length + record.body.length
  }

  async finish(): Promise<RestoreCounts> {
    await this.#publishBatch()
    await this.#noteFound()
    const counts = { restored: this.#restored, restoredBefore: this.#restoredBefore }
    const failures = [...this.#failures].map(([kind, count]) => ({ kind, count }))
    const failed = failures.reduce((sum, { count }) => sum + count, 0)
    return { ...counts, alreadyThere: this.#alreadyThere, failed, failures }
  }

  async #noteFound(): Promise<void> {
    const found = this.#found
    this.#found = []
    if (found.length > 0) await this.#parts.journal.add(found)
    this.#alreadyThere += found.length
  }

  async #publishBatch(): Promise<void> {
    const batch = this.#batch
    this.#batch = []
    this.#batchedBytes = 0
    const results = await Promise.all(batch.map((record) => this.#publish(record)))
    const taken = batch.filter((_, index) => results[index] === 'taken')
    if (taken.length > 0) await this.#parts.journal.add(taken.map(({ number }) => number))
    this.#restored += taken.length
    for (const result of results)
      if (result !== 'taken') this.#failures.set(result, (this.#failures.get(result) ?? 0) + 1)
  }

  #publish({ properties, body }: BackupRecord): Promise<'taken' | FailureKind | 'too-large'> {
    // The broker would close the channel over it, and take the others along.
    if (body.length > this.#largestBytes) return Promise.resolve('too-large')
    const { publisher, options } = this.#parts
    const address = { exchange: '', key: options.queue }
    return new Promise((resolve) => {
      const restored = restorableProperties(properties, this.#login)
      publisher.publishEncoded({ ...address, properties: restored, body }, (result) =>
        resolve(result.kind === 'confirmed' ? 'taken' : describeFailure(address, result).kind),
      )
    })
  }
}
