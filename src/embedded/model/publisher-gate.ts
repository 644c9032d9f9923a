/**
 * Who may publish to a quorum queue that refuses when it is full. Each publisher learns that the queue is full
 * from the message that filled it, so one more than the limit gets in.
 */
export interface PublisherGate {
  /** A publisher that comes for the first time is let in unless the queue is full. */
  admits(publisher: object, isFull: boolean): boolean
  close(): void
  open(): void
  forget(publisher: object): void
}

export function createPublisherGate(): PublisherGate {
  const publishers = new Map<object, 'admitted' | 'refused'>()

  function setAll(state: 'admitted' | 'refused'): void {
    for (const publisher of publishers.keys()) publishers.set(publisher, state)
  }

  return {
    admits: (publisher, isFull) => {
      const state = publishers.get(publisher) ?? (isFull ? 'refused' : 'admitted')
      publishers.set(publisher, state)
      return state === 'admitted'
    },
    close: () => setAll('refused'),
    open: () => setAll('admitted'),
    forget: (publisher) => {
      publishers.delete(publisher)
    },
  }
}
