import { randomUUID } from 'node:crypto'
import {
  ApiError,
  createPublisher,
  type Publisher,
  type Session,
  type SessionPair,
} from 'warrenmq/operations'
import { noticeStream } from '../../own-streams.ts'
import { followRecords } from '../records/follow-records.ts'
import { declareStream } from '../records/follow-stream.ts'
import { publishSealed } from '../records/publish-sealed.ts'
import { createRecordSeals, type RecordSeals } from '../records/record-seals.ts'
import type { ServerKeys } from '../records/server-keys.ts'
import type { Strays } from '../records/strays.ts'
import type { HeardNotice, Notice, NoticeRecord } from './notice.ts'
import { readNotice } from './read-notice.ts'

/** Longer than any session or approval lasts, so what is cut off is of no use to anybody. */
const limits = {
  'x-max-age': '31D',
  'x-max-length-bytes': 32_000_000,
  'x-stream-max-segment-size-bytes': 4_000_000,
}

/** How long the broker may take to give back what it was given. */
const mostSilentMs = 10_000

/** What servers tell each other. All read it in one order, so of two that decide the same the first one counts. */
export class NoticeBoard {
  readonly #publisher: Publisher
  readonly #onNotice: (record: HeardNotice) => void
  readonly #seals: RecordSeals
  readonly #waiting = new Map<string, () => void>()
  #follower: { readonly close: () => Promise<void> } | undefined

  /** Resolves when everything that was told before is known here. */
  static async open(
    sessions: SessionPair & {
      readonly keys: ServerKeys
      readonly strays: Pick<Strays, 'found'>
    },
    onNotice: (record: HeardNotice) => void,
  ): Promise<NoticeBoard> {
    const { consuming, publishing, keys, strays } = sessions
    await declareStream(consuming, noticeStream, limits)
    const seals = createRecordSeals(keys, { vhost: consuming.vhost, stream: noticeStream })
    const board = new NoticeBoard({ publishing, seals, onNotice })
    board.#follow(consuming, strays)
    await board.tell({ kind: 'hello' })
    return board
  }

  private constructor(fields: {
    readonly publishing: Session
    readonly seals: RecordSeals
    readonly onNotice: (record: HeardNotice) => void
  }) {
    this.#publisher = createPublisher(fields.publishing, { deadlineMs: mostSilentMs, resend: true })
    this.#seals = fields.seals
    this.#onNotice = fields.onNotice
  }

  /** Tells all servers. Resolves with the number of the notice when this one has read it, and all before it. */
  async tell(notice: Notice): Promise<string> {
    const number = randomUUID()
    const read = this.#whenRead(number)
    const record: NoticeRecord = { number, notice }
    const { kind } = await publishSealed(this.#publisher, this.#seals, {
      stream: noticeStream,
      type: notice.kind,
      record,
    })
    if (kind !== 'confirmed') this.#waiting.delete(number)
    if (kind === 'confirmed' && (await read)) return number
    throw new ApiError({
      code: 'NOTICES_UNAVAILABLE',
      message: `The stream ${noticeStream} did not accept the notice for the other servers, so nothing was done. Try again.`,
    })
  }

  async close(): Promise<void> {
    await Promise.all([this.#follower?.close(), this.#publisher.close()])
  }

  #whenRead(number: string): Promise<boolean> {
    return new Promise((resolve) => {
      const giveUp = setTimeout(() => {
        this.#waiting.delete(number)
        resolve(false)
      }, 2 * mostSilentMs)
      giveUp.unref()
      this.#waiting.set(number, () => {
        clearTimeout(giveUp)
        resolve(true)
      })
    })
  }

  #follow(session: Session, strays: Pick<Strays, 'found'>): void {
    this.#follower = followRecords({
      session,
      stream: noticeStream,
      seals: this.#seals,
      strays,
      read: readNotice,
      onRecord: (record, isSigned) => {
        this.#onNotice({ ...record, isSigned })
        if (!isSigned) return
        this.#waiting.get(record.number)?.()
        this.#waiting.delete(record.number)
      },
    })
  }
}
