import type { RedriveEvent, TakenMessage } from './redrive-event.ts'

/** Events whose messages come many at a time. */
type Gathered<Message extends TakenMessage> = {
  readonly kind: 'delivered' | 'confirmed'
  readonly messages: Message[]
}

/**
 * What happens to a re-drive, one thing after the other: what taking an event brings about is taken after it. All
 * messages that one read of a connection brings become one event, because what is decided for each event costs more
 * than what is decided for each message.
 */
export class EventQueue<Message extends TakenMessage> {
  readonly #take: (event: RedriveEvent<Message>) => void
  readonly #events: RedriveEvent<Message>[] = []
  /** The last of them, to which messages may still be added. */
  #open: Gathered<Message> | undefined
  #isTaking = false
  #isScheduled = false

  constructor(take: (event: RedriveEvent<Message>) => void) {
    this.#take = take
  }

  /** It is taken now, behind everything that was gathered. */
  tell(event: RedriveEvent<Message>): void {
    this.#open = undefined
    this.#events.push(event)
    this.#takeAll()
  }

  /** It is taken with others of its kind, before anything else is read or written. */
  gather(kind: Gathered<Message>['kind'], message: Message): void {
    if (this.#open?.kind === kind) {
      this.#open.messages.push(message)
      return
    }
    this.#open = { kind, messages: [message] }
    this.#events.push(this.#open)
    if (this.#isTaking || this.#isScheduled) return
    this.#isScheduled = true
    queueMicrotask(this.#takeAll)
  }

  readonly #takeAll = (): void => {
    if (this.#isTaking) return
    this.#isTaking = true
    this.#isScheduled = false
    try {
      for (let event = this.#events.shift(); event; event = this.#events.shift()) {
        if (event === this.#open) this.#open = undefined
        this.#take(event)
      }
    } finally {
      this.#events.length = 0
      this.#isTaking = false
    }
  }
}
