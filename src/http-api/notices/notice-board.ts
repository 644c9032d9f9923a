import { randomUUID } from 'node:crypto'
import type { Session } from '../../broker/amqp/session.ts'
import { ApiError } from '../../errors.ts'
import { Publisher } from '../../publisher/publisher.ts'
import { declareStream, followStream } from '../follow-stream.ts'
import { type Notice, type NoticeRecord, readNotice } from './notice.ts'

/** The stream that all servers share. */
const noticeStream = 'warren.notices'

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
  readonly #onNotice: (record: NoticeRecord) => void
  readonly #waiting = new Map<string, () => void>()
  #follower: { readonly close: () => Promise<void> } | undefined

  /** Resolves when everything that was told before is known here. */
  static async open(
    lines: { readonly consuming: Session; readonly publishing: Session },
    onNotice: (record: NoticeRecord) => void,
  ): Promise<NoticeBoard> {
    await declareStream(lines.consuming, noticeStream, limits)
    const board = new NoticeBoard(lines.publishing, onNotice)
    board.#follow(lines.consuming)
    await board.tell({ kind: 'hello' })
    return board
  }

  private constructor(publishing: Session, onNotice: (record: NoticeRecord) => void) {
    this.#publisher = new Publisher(publishing, { deadlineMs: mostSilentMs, resend: true })
    this.#onNotice = onNotice
  }

  /** Tells all servers. Resolves with the number of the notice when this one has read it, and all before it. */
  async tell(notice: Notice): Promise<string> {
    const number = randomUUID()
    const read = this.#whenRead(number)
    const record: NoticeRecord = { number, notice }
    const { kind } = await this.#publisher.publish({ key: noticeStream, body: record, type: notice.kind })
    if (kind !== 'confirmed') this.#waiting.delete(number)
    if (kind === 'confirmed' && (await read)) return number
    throw new ApiError({
      code: 'NOTICES_UNAVAILABLE',
      message: `The stream ${noticeStream} did not take what the servers must know, so nothing was done. Try again.`,
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

  #follow(session: Session): void {
    this.#follower = followStream({
      ...{ session, stream: noticeStream, from: 'first' },
      onEntry: ({ value }) => {
        const record = readNotice(value)
        if (!record) return
        this.#onNotice(record)
        this.#waiting.get(record.number)?.()
        this.#waiting.delete(record.number)
      },
    })
  }
}
