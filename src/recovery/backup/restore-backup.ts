import { hostname } from 'node:os'
import { joinBody } from '../../broker/amqp/message.ts'
import { brokerCapabilities } from '../../message/broker-capabilities.ts'
import { parseBrokerVersion } from '../../message/broker-version.ts'
import { Publisher } from '../../publisher/publisher.ts'
import { sureDepth } from '../confirm-depth.ts'
import { holdMessages } from '../hold-messages.ts'
import type { LookPermission } from '../prepare-look.ts'
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
}

type RestoreCounts = Pick<RestoreReport, 'restored' | 'restoredBefore' | 'alreadyThere' | 'failed'>

const batchSize = 500

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
    const cluster = (await management?.overview())?.clusterName ?? endpointOf(options)
    const journal = await openJournal(file, { backup: header.id, cluster, vhost, queue })
    return { file, queue, records, ...(await restoreRecords({ ...options, queue }, journal)) }
  } finally {
    await lock.release()
  }
}

async function restoreRecords(
  options: RestoreOptions & { queue: string },
  journal: RestoreJournal,
): Promise<RestoreCounts> {
  const publisher = new Publisher(options.publishing)
  try {
    const run = new RestoreRun({ publisher, journal, present: await idsIn(options), options })
    await readBackup(options.file, async (line) => {
      if (line.kind === 'record') await run.take(line.record)
    })
    return await run.finish()
  } finally {
    await Promise.all([publisher.close(), journal.close()])
  }
}

function endpointOf({ consuming }: RestoreOptions): string {
  const endpoint = consuming.connection?.endpoint
  return endpoint ? `${endpoint.host}:${endpoint.port}` : 'unknown'
}

/** How often each message stands in the queue. */
async function idsIn(options: RestoreOptions & { queue: string }): Promise<Map<string, number>> {
  const ids = new Map<string, number>()
  if ((await sureDepth(options)) === 0) return ids
  await holdMessages({
    ...options,
    ...{ purpose: 'a restore', isLocked: true },
    onMessage: ({ properties, body }) => {
      const id = identifyMessage({ properties, body: joinBody(body) })
      ids.set(id, (ids.get(id) ?? 0) + 1)
      return undefined
    },
  })
  return ids
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
  #found: number[] = []
  #restored = 0
  #restoredBefore = 0
  #alreadyThere = 0
  #failed = 0

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
    else this.#batch.push(record)
    if (this.#batch.length >= batchSize) await this.#publishBatch()
    if (this.#found.length >= batchSize) await this.#noteFound()
  }

  async finish(): Promise<RestoreCounts> {
    await this.#publishBatch()
    await this.#noteFound()
    const counts = { restored: this.#restored, restoredBefore: this.#restoredBefore }
    return { ...counts, alreadyThere: this.#alreadyThere, failed: this.#failed }
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
    const results = await Promise.all(batch.map((record) => this.#publish(record)))
    const taken = batch.filter((_, index) => results[index])
    if (taken.length > 0) await this.#parts.journal.add(taken.map(({ number }) => number))
    this.#restored += taken.length
    this.#failed += batch.length - taken.length
  }

  #publish({ properties, body }: BackupRecord): Promise<boolean> {
    // The broker would close the channel over it, and take the others along.
    if (body.length > this.#largestBytes) return Promise.resolve(false)
    const { publisher, options } = this.#parts
    return new Promise((resolve) => {
      const restored = restorableProperties(properties, this.#login)
      publisher.publishEncoded({ exchange: '', key: options.queue, properties: restored, body }, ({ kind }) =>
        resolve(kind === 'confirmed'),
      )
    })
  }
}
