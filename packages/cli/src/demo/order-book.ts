/**
 * moving: a service has it, or it is on its way to one. waiting: it sits out a delay. delivered and parked are ends,
 * until an operator puts a parked one back.
 */
type OrderState =
  | { readonly kind: 'moving' }
  | { readonly kind: 'waiting'; readonly dueAtMs: number }
  | { readonly kind: 'delivered' }
  | { readonly kind: 'parked' }

export type OrderCounts = Readonly<Record<OrderState['kind'], number>>

/** Where each order is, as the services tell it. What the broker holds is counted apart, and must agree. */
export interface OrderBook {
  readonly counts: OrderCounts
  /** Deliveries of orders that had been delivered before. */
  readonly duplicates: number
  move(id: string): void
  wait(id: string, dueAtMs: number): void
  deliver(id: string): void
  park(id: string): void
  /** An operator puts a parked one back: it is still parked, but not at rest, until a service has it. */
  release(id: string): void
  /** Not all that were released will arrive, and which is not known. */
  keepReleased(): void
  /** The earliest time at which a waiting order comes back; undefined where none waits. */
  earliestDueMs(): number | undefined
  onChange(listener: () => void): () => void
  /** Nothing moves and nothing waits; false where nothing happened for so long before that was so. */
  whenAtRest(options: { readonly patienceMs: number }): Promise<boolean>
}

export function createOrderBook(): OrderBook {
  const orders = new Map<string, OrderState>()
  const counts = { moving: 0, waiting: 0, delivered: 0, parked: 0 }
  const listeners = new Set<() => void>()
  const released = new Set<string>()
  let duplicates = 0

  function set(id: string, state: OrderState): void {
    const previous = orders.get(id)
    if (previous) counts[previous.kind] -= 1
    orders.set(id, state)
    released.delete(id)
    counts[state.kind] += 1
    for (const listener of listeners) listener()
  }

  function onChange(listener: () => void): () => void {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }

  return {
    counts,
    get duplicates() {
      return duplicates
    },
    move: (id) => set(id, { kind: 'moving' }),
    wait: (id, dueAtMs) => set(id, { kind: 'waiting', dueAtMs }),
    deliver: (id) => {
      if (orders.get(id)?.kind === 'delivered') duplicates += 1
      set(id, { kind: 'delivered' })
    },
    park: (id) => set(id, { kind: 'parked' }),
    release: (id) => void released.add(id),
    keepReleased: () => released.clear(),
    earliestDueMs: () => {
      let earliest: number | undefined
      for (const state of orders.values()) {
        if (state.kind === 'waiting' && state.dueAtMs < (earliest ?? Number.POSITIVE_INFINITY)) {
          earliest = state.dueAtMs
        }
      }
      return earliest
    },
    onChange,
    whenAtRest: ({ patienceMs }) =>
      waitForRest({
        isAtRest: () => counts.moving + counts.waiting + released.size === 0,
        onChange,
        patienceMs,
      }),
  }
}

function waitForRest(fields: {
  readonly isAtRest: () => boolean
  readonly onChange: OrderBook['onChange']
  readonly patienceMs: number
}): Promise<boolean> {
  const { isAtRest, onChange, patienceMs } = fields
  return new Promise((resolve) => {
    const end = (hasCome: boolean): void => {
      clearTimeout(timer)
      stop()
      resolve(hasCome)
    }
    const timer = setTimeout(() => end(false), patienceMs)
    timer.unref() // a story that was interrupted must not keep the process
    const look = (): void => {
      timer.refresh()
      if (isAtRest()) end(true)
    }
    const stop = onChange(look)
    look()
  })
}
