import type { Session } from '../../broker/amqp/session.ts'
import { brokerCapabilities } from '../../message/broker-capabilities.ts'
import { parseBrokerVersion } from '../../message/broker-version.ts'
import type { Publisher } from '../../publisher/publisher.ts'
import { describeFailure, type FailureKind } from '../redrive/failed-publish.ts'
import type { BackupRecord } from './backup-record.ts'
import { type BackupRun, decideFate, decideRemoval, type Removal } from './decide-removal.ts'
import { identifyMessage, restorableProperties } from './identify-message.ts'
import type { RestoreJournal } from './restore-journal.ts'

/** What became of the messages of a backup. */
export interface RestoreCounts {
  /** Published by this run, and confirmed. */
  readonly restored: number
  /** Put back by an earlier run, whatever became of them since. */
  readonly restoredBefore: number
  /** Found in the queue. Always 0 for a discard, which does not look there. */
  readonly alreadyThere: number
  /** Of a discard: its messages never left the queue, so they were not put back. */
  readonly notRemoved: number
  /**
   * The most extra copies this restore can have put into the queue: messages that may never have left it, or were
   * already back.
   */
  readonly duplicatesPossible: number
  /** Of these, for a discard: equal messages are in the queue, and a crash of the broker may have brought them back. */
  readonly mayBeBack: number
  /**
   * The broker did not accept them, or did not answer (`unanswered`): these may be in the queue. A second restore tries
   * them again.
   */
  readonly failed: number
  /** Why these failed. `too-large`: this version does not accept such a body, so trying again does not help. */
  readonly failures: readonly { readonly kind: FailureKind | 'too-large'; readonly count: number }[]
}

export interface RunParts {
  readonly publisher: Publisher
  readonly publishing: Session
  readonly queue: string
  readonly journal: RestoreJournal
  /** How often each message is in the queue; undefined for a discard, which does not need it. */
  readonly present: Map<string, number> | undefined
  /** What the file says of each of its runs. */
  readonly runs: readonly BackupRun[]
  /** Whether a crash of the broker may have brought back what was removed. Not needed for a backup. */
  readonly mayBeBack: (record: BackupRecord) => boolean
}

/** A batch ends at the first of both: what a publisher takes and what is held in memory is bounded by bytes. */
const batchSize = 500
const batchBytes = 16 * 1024 * 1024

type Published = 'taken' | FailureKind | 'too-large'

/** The queue does not have it. If there was no answer, nobody knows. */
function isRefused(result: Published): boolean {
  return result !== 'taken' && result !== 'unanswered'
}

interface Batched {
  readonly record: BackupRecord
  /** This many copies of it may be in the queue already. */
  readonly copies: number
  /** One more, that a crash of the broker brought back. `never`: no crash could. */
  readonly back: 'never' | 'not-seen' | 'possible'
}

/** One restore: record after record, published in batches, and written down. */
export class RestoreRun {
  readonly #parts: RunParts
  readonly #removals: ReadonlyMap<number, Removal>
  readonly #login: string | undefined
  readonly #largestBytes: number
  #batch: Batched[] = []
  #batchedBytes = 0
  #found: BackupRecord[] = []
  readonly #counts = { restored: 0, restoredBefore: 0, alreadyThere: 0, notRemoved: 0 }
  #copies = 0
  readonly #back = { never: 0, 'not-seen': 0, possible: 0 }
  readonly #failures = new Map<FailureKind | 'too-large', number>()

  constructor(parts: RunParts) {
    this.#parts = parts
    this.#removals = new Map(parts.runs.map((run) => [run.run, decideRemoval(run)]))
    this.#login = parts.publishing.connection?.endpoint.username
    const version = parseBrokerVersion(parts.publishing.broker.version)
    this.#largestBytes = brokerCapabilities(version).maxMessageSizeDefaultBytes
  }

  async take(record: BackupRecord): Promise<void> {
    if (this.#parts.present) this.#takeCopied(record, this.#parts.present)
    else this.#takeRemoved(record)
    if (this.#batch.length >= batchSize || this.#batchedBytes >= batchBytes) await this.#publishBatch()
    if (this.#found.length >= batchSize) await this.#noteFound()
  }

  /** For a discard, its own file decides, whatever is in the queue. */
  #takeRemoved(record: BackupRecord): void {
    const { journal } = this.#parts
    const fate = decideFate(record.number, this.#removals.get(record.run)!)
    if (fate === 'left') this.#counts.notRemoved += 1
    else if (journal.has(record)) this.#counts.restoredBefore += 1
    else if (fate === 'in-doubt')
      this.#addToBatch({ record, copies: 1 + journal.countBegun(record), back: 'never' })
    else this.#addToBatch({ record, copies: journal.countBegun(record), back: this.#backOf(record) })
  }

  #backOf(record: BackupRecord): Batched['back'] {
    if (this.#removals.get(record.run)!.survivesCrash) return 'never'
    return this.#parts.mayBeBack(record) ? 'possible' : 'not-seen'
  }

  /** Of a backup: its messages stayed in the queue, and only those that are not there any more are put back. */
  #takeCopied(record: BackupRecord, present: Map<string, number>): void {
    const { journal } = this.#parts
    // Computed again: the file may be of a version that computed ids in another way.
    const id = present.size === 0 ? '' : identifyMessage(record)
    const count = present.get(id) ?? 0
    // One message in the queue stands for one record: if two records are equal and one message is there, one is
    // restored.
    if (count > 0) present.set(id, count - 1)
    const copies = journal.countBegun(record)
    // A line of 0.1 is believed here as well: what it found in the queue was there.
    if (journal.has(record) || journal.isToldByOld(record)) this.#counts.restoredBefore += 1
    else if (count === 0) this.#addToBatch({ record, copies, back: 'never' })
    else {
      this.#counts.alreadyThere += 1
      // A run that was killed has put it there, and the next one may not find it any more.
      if (copies > 0) this.#found.push(record)
    }
  }

  #addToBatch(batched: Batched): void {
    this.#batch.push(batched)
    this.#batchedBytes += batched.record.properties.length + batched.record.body.length
  }

  /** `isSteady`: the broker was there all the time. Nobody has seen what a crash in the meantime brought back. */
  async finish({ isSteady }: { isSteady: () => boolean }): Promise<RestoreCounts> {
    await this.#publishBatch()
    await this.#noteFound()
    const failures = [...this.#failures].map(([kind, count]) => ({ kind, count }))
    const failed = failures.reduce((sum, { count }) => sum + count, 0)
    const mayBeBack = this.#back.possible + (isSteady() ? 0 : this.#back['not-seen'])
    const duplicatesPossible = this.#copies + mayBeBack
    return { ...this.#counts, duplicatesPossible, mayBeBack, failed, failures }
  }

  async #noteFound(): Promise<void> {
    const found = this.#found
    this.#found = []
    if (found.length > 0) await this.#parts.journal.add(found)
  }

  async #publishBatch(): Promise<void> {
    const batch = this.#batch
    this.#batch = []
    this.#batchedBytes = 0
    if (batch.length === 0) return
    const { journal } = this.#parts
    await journal.begin(batch.map(({ record }) => record))
    const results = await Promise.all(batch.map(({ record }) => this.#publish(record)))
    const taken = batch.filter((_, index) => results[index] === 'taken')
    if (taken.length > 0) await journal.add(taken.map(({ record }) => record))
    const refused = batch.filter((_, index) => isRefused(results[index]!))
    if (refused.length > 0) await journal.refuse(refused.map(({ record }) => record))
    this.#counts.restored += taken.length
    // What has no answer may be there, beside the copies that may have been there before.
    const arrived = batch.filter((_, index) => !isRefused(results[index]!))
    for (const { copies, back } of arrived) {
      this.#copies += copies
      this.#back[back] += 1
    }
    for (const result of results)
      if (result !== 'taken') this.#failures.set(result, (this.#failures.get(result) ?? 0) + 1)
  }

  #publish({ properties, body }: BackupRecord): Promise<Published> {
    // The broker would close the channel over it, and take the others along.
    if (body.length > this.#largestBytes) return Promise.resolve('too-large')
    const { publisher, queue } = this.#parts
    const address = { exchange: '', key: queue }
    return new Promise((resolve) => {
      const restored = restorableProperties(properties, this.#login)
      publisher.publishEncoded({ ...address, properties: restored, body }, (result) =>
        resolve(result.kind === 'confirmed' ? 'taken' : describeFailure(address, result).kind),
      )
    })
  }
}
