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

/**
 * Nobody says when a publisher is done, so none is kept: what was said to all counts for each that was known by then,
 * and is looked up when it comes again.
 */
export function createPublisherGate(): PublisherGate {
  const known = new WeakMap<object, { readonly isAdmitted: boolean; readonly sinceWord: number }>()
  let words = 0
  let isOpen = true

  function tellAll(open: boolean): void {
    words += 1
    isOpen = open
  }

  function isAdmitted(publisher: object, isFull: boolean): boolean {
    const state = known.get(publisher)
    if (!state) return !isFull
    return state.sinceWord === words ? state.isAdmitted : isOpen
  }

  return {
    admits: (publisher, isFull) => {
      const state = { isAdmitted: isAdmitted(publisher, isFull), sinceWord: words }
      known.set(publisher, state)
      return state.isAdmitted
    },
    close: () => tellAll(false),
    open: () => tellAll(true),
    forget: (publisher) => {
      known.delete(publisher)
    },
  }
}
