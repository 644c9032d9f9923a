import { RecoveryError } from '../../errors.ts'
import { formatCounted } from '../../message/format-counted.ts'
import { dateNow } from '../../world.ts'
import type { HeldMessages } from '../look/hold-messages.ts'
import type { BackupWriter } from './backup-writer.ts'

/**
 * This many acks are in flight at a time: if the connection is lost, nobody knows what became of this many messages.
 * It can be more only if a quorum queue gets other messages in the meantime: then only the end proves them.
 */
const stepSize = 250

/** The messages that one run of a discard removes: written down, acknowledged, answered, step by step. */
export class Removing {
  readonly #writer: BackupWriter
  readonly #onFirst: (() => void) | undefined
  readonly #tags: number[] = []
  #removed = 0
  #acknowledged = 0
  #survivesCrash = false
  #isProved = false

  constructor(writer: BackupWriter, onFirst?: () => void) {
    this.#writer = writer
    this.#onFirst = onFirst
  }

  /** Takes the tag of the record that was written last. */
  add(deliveryTag: number): void {
    this.#tags.push(deliveryTag)
  }

  get count(): number {
    return this.#tags.length
  }

  /** This many are proved to be gone. */
  get removed(): number {
    return this.#removed
  }

  /** A crash of the broker can bring back this many of them. */
  get mayComeBack(): number {
    return this.#survivesCrash ? 0 : this.#removed
  }

  /** Acknowledges all. Each step is in the file before its first ack, and ends with an answer of the broker. */
  async removeAll({ acknowledge, prove }: HeldMessages): Promise<number> {
    await this.#writer.prove()
    this.#isProved = true
    while (this.#acknowledged < this.#tags.length) {
      const next = Math.min(this.#acknowledged + stepSize, this.#tags.length)
      await this.#note(next)
      if (this.#acknowledged === 0) this.#onFirst?.()
      const step = this.#tags.slice(this.#acknowledged, next)
      this.#acknowledged = next
      for (const tag of step) acknowledge(tag)
      const proof = await prove(next < this.#tags.length ? 'a-step' : 'the-last')
      if (proof === 'unproved') continue
      this.#removed = next
      this.#survivesCrash = proof === 'written'
    }
    await this.#note(this.#removed)
    return this.#removed
  }

  #note(removing: number): Promise<void> {
    const [removed, survivesCrash] = [this.#removed, this.#survivesCrash]
    return this.#writer.noteRemoval({ removed, removing, survivesCrash })
  }

  async seal(): Promise<void> {
    const inDoubt = this.#acknowledged - this.#removed
    const survivesCrash = this.#survivesCrash
    await this.#writer.seal(new Date(dateNow()), { removed: this.#removed, inDoubt, survivesCrash })
  }

  /** Ends a run that failed. Gives the error, with what it has removed. */
  async end(error: unknown): Promise<unknown> {
    if (!this.#isProved) return error // then nothing was acknowledged, and the file says nothing else
    // Without a seal the last line of the file says the same, so a seal that cannot be written changes nothing.
    await this.seal().catch(() => undefined)
    if (!(error instanceof RecoveryError)) return error
    const inDoubt = this.#acknowledged - this.#removed
    const { code, message } = error
    const counts = `Removed ${this.#removed} of ${formatCounted(this.#tags.length, 'message')}, and perhaps ${inDoubt} more: the file says which.`
    return new RecoveryError({ code, message: `${message} ${counts}` }, { cause: error })
  }
}
