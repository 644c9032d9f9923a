import { hostname } from 'node:os'
import {
  ApiError,
  joinSignals,
  type LookReport,
  limitConcurrency,
  lookAtQueue,
  RecoveryError,
} from 'warrenmq/operations'
import type { Caller } from '../auth/caller.ts'
import { type CallerName, isSameCaller } from '../auth/is-same-caller.ts'
import { lookingShare, mostAheadMsOf, waitedTooLong } from '../guards/look-in-time.ts'
import type { QueueTurns } from '../guards/queue-turns.ts'
import { refuseWithoutBroker } from '../guards/refuse-without-broker.ts'
import type { ServerSettings } from '../read-server-section.ts'
import type { ServerBroker } from '../server-broker.ts'
import type { NameMessage } from '../show/name-messages.ts'
import { tick } from '../show/rendered-answers.ts'
import { KeptSnapshot, type SnapshotLook } from './kept-snapshot.ts'
import { createDeathReader, noDeaths, type SnapshotDeaths } from './snapshot-deaths.ts'
import { SnapshotFile } from './snapshot-file.ts'
import { createOwner, makeSnapshotId, ownerOf } from './snapshot-id.ts'
import { createSnapshotKey } from './snapshot-key.ts'

export interface SnapshotsOptions {
  readonly broker: ServerBroker
  readonly turns: QueueTurns
  /** Throws where a task works on a queue. */
  readonly tasks: { readonly refuseIfBusy: (queue: string) => void }
  readonly settings: Pick<ServerSettings, 'snapshots' | 'keys'>
  readonly nameMessage: NameMessage
  /** Something failed that should not have. */
  readonly onError: (error: unknown) => void
}

export interface AskedSnapshot {
  readonly queue: string
  readonly where: string | undefined
  readonly caller: Caller
}

/** How often lists and streams tell how far one is. */
export const growthEveryMs = 500

/** Those of one person that are made at once: others want some, too. */
const mostPerCaller = 2

/** Searches of files that run at once. */
const mostSearches = 2

/** The snapshots that this server makes and keeps, within the bounds that its settings give. */
export class Snapshots {
  readonly owner = createOwner(hostname())
  readonly #options: SnapshotsOptions
  readonly #kept = new Map<string, KeptSnapshot>()
  readonly #timers = new Map<string, NodeJS.Timeout>()
  readonly #inTurn = limitConcurrency(mostSearches)
  readonly #readDeaths = createDeathReader()
  /** Counts what has become of them, but for the progress of those that run. */
  #changes = 0
  #isClosed = false

  constructor(options: SnapshotsOptions) {
    this.#options = options
  }

  /** Those of all queues, the newest first. */
  all(): readonly KeptSnapshot[] {
    return [...this.#kept.values()].reverse()
  }

  /** The newest first. */
  list(queue: string): readonly KeptSnapshot[] {
    return this.all().filter((kept) => kept.queue === queue)
  }

  /** What the newest whole copy of a queue tells of why and since when its messages are dead. */
  deathsOf(queue: string): SnapshotDeaths {
    const newest = this.list(queue).find(({ state, where }) => state === 'done' && where === undefined)
    return newest ? this.#readDeaths(newest) : noDeaths
  }

  /** Is another one as soon as `all` may be; progress is told every now and then. */
  get edition(): string {
    const isGrowing = this.all().some(({ state }) => state === 'running')
    return isGrowing ? `${this.#changes} ${tick(growthEveryMs)}` : String(this.#changes)
  }

  /** The one that is being made of the same messages. Throws where other ones of the queue are being written down. */
  findRunning({ queue, where }: Pick<AskedSnapshot, 'queue' | 'where'>): KeptSnapshot | undefined {
    const running = this.list(queue).find(({ state }) => state === 'running')
    if (!running || running.where === where) return running
    const message = `A snapshot of the queue "${queue}" with another filter is being made. Wait until it is done.`
    throw new RecoveryError({ code: 'RECOVERY_LOCKED', message })
  }

  /** Begins one. Whoever asks for the same while it is running gets the same. */
  start(asked: AskedSnapshot): KeptSnapshot {
    const { broker, tasks, settings, nameMessage, onError } = this.#options
    const running = this.findRunning(asked)
    if (running) return running
    const { queue, where, caller } = asked
    refuseWithoutBroker(broker)
    tasks.refuseIfBusy(queue)
    this.#refuseGreed(caller)
    this.#makePlace(caller)
    const { folder, ageMs } = settings.snapshots
    const kept = new KeptSnapshot({
      id: makeSnapshotId(this.owner),
      queue,
      where,
      maker: caller,
      ageMs,
      onError,
      openFile: () => SnapshotFile.open(folder, createSnapshotKey(settings.keys.keys[0]!)),
      look: (look) => this.#look(asked, look),
      nameMessage: (message) => nameMessage(message, {}),
      checkRoom: () => this.#checkRoom(caller),
      inTurn: this.#inTurn,
    })
    this.#kept.set(kept.id, kept)
    this.#changes += 1
    void kept.ended.then(() => {
      this.#changes += 1
      this.#expire(kept, ageMs)
    })
    return kept
  }

  /** Throws where it is not kept here, with the name of who may keep it. */
  get(id: string): KeptSnapshot {
    const kept = this.#kept.get(id)
    if (kept) return kept
    const { host, server } = ownerOf(id)
    if (server !== this.owner.server) {
      const message = `Another server made the snapshot ${id}: the one on ${host}, which has been restarted if that is this host. Ask it there, or make one here.`
      throw new ApiError({ code: 'API_SNAPSHOT_ELSEWHERE', message })
    }
    throw goneSnapshot(id)
  }

  async erase(kept: KeptSnapshot): Promise<void> {
    clearTimeout(this.#timers.get(kept.id))
    this.#timers.delete(kept.id)
    this.#kept.delete(kept.id)
    this.#changes += 1
    await kept.erase()
  }

  /** Erases all, also what is being made. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#kept.values()].map((kept) => this.erase(kept)))
  }

  /** What could not be seen in time is left out, and told. */
  async #look({ queue, caller }: AskedSnapshot, look: SnapshotLook): Promise<LookReport> {
    const { broker, turns, settings } = this.#options
    const { timeoutMs } = settings.snapshots
    const { signal, release } = joinSignals([look.signal], {
      timeoutMs: timeoutMs * lookingShare,
      timeoutReason: waitedTooLong,
    })
    const limits = { endAtMs: performance.now() + timeoutMs, mostAheadMs: mostAheadMsOf(timeoutMs) }
    try {
      return await turns.look({ queue, looker: caller, signal }, () =>
        lookAtQueue({ ...broker, queue, by: caller.name, ...look, ...limits, signal }),
      )
    } finally {
      release()
    }
  }

  #expire(kept: KeptSnapshot, ageMs: number): void {
    if (!this.#kept.has(kept.id)) return
    const timer = setTimeout(() => void this.erase(kept), ageMs)
    timer.unref()
    this.#timers.set(kept.id, timer)
  }

  #refuseGreed(caller: CallerName): void {
    const running = this.all().filter(
      ({ maker, state }) => state === 'running' && isSameCaller(maker, caller),
    )
    if (running.length >= mostPerCaller)
      throw noRoom(`${mostPerCaller} of yours are being made, which is the limit per caller.`)
  }

  /** For one more. Of those that are done the oldest goes: it is a copy. */
  #makePlace(caller: CallerName): void {
    if (this.#isClosed) throw noRoom('The server ends.')
    const { mostSnapshots } = this.#options.settings.snapshots
    while (this.#kept.size >= mostSnapshots)
      if (!this.#dropOldest(caller)) throw noRoom(`${mostSnapshots} are being made.`)
  }

  /** Of the bytes that all have. */
  #checkRoom(caller: CallerName): void {
    const { mostBytes, mostMemoryBytes } = this.#options.settings.snapshots
    const sumOf = (bytesOf: (kept: KeptSnapshot) => number): number =>
      [...this.#kept.values()].reduce((sum, kept) => sum + bytesOf(kept), 0)
    for (;;) {
      const isOnDisk = sumOf(({ bytes }) => bytes) > mostBytes
      if (!isOnDisk && sumOf(({ columns }) => columns.bytes) <= mostMemoryBytes) return
      const what = isOnDisk
        ? `${mostBytes} bytes of files (snapshots.bytes)`
        : `${mostMemoryBytes} bytes of memory (snapshots.memoryBytes)`
      if (!this.#dropOldest(caller)) throw noRoom(`They would take more than ${what}.`)
    }
  }

  /** Who wants the room gives up their own first. */
  #dropOldest(caller: CallerName): boolean {
    const done = [...this.#kept.values()].filter(({ state }) => state !== 'running')
    const oldest = done.find(({ maker }) => isSameCaller(maker, caller)) ?? done[0]
    if (oldest) void this.erase(oldest)
    return oldest !== undefined
  }
}

/** Of one that was here, or never was. */
export function goneSnapshot(id: string): ApiError {
  const message = `There is no snapshot ${id} any more: it has expired, or others needed its space. Make a new one.`
  return new ApiError({ code: 'API_NOT_FOUND', message })
}

function noRoom(why: string): ApiError {
  const message = `There is no space for this snapshot. ${why} Wait for the others, use a filter, or allow more space in server.snapshots.`
  return new ApiError({ code: 'API_SNAPSHOT_NO_ROOM', message })
}
