/** A typed set of listeners: `on` adds one and returns the function that takes it off again. */
export interface Events<Contract> {
  on<Name extends keyof Contract>(name: Name, listener: (event: Contract[Name]) => void): () => void
}

/** The emitting side, kept by the owner of the events. */
export interface EventSource<Contract> extends Events<Contract> {
  emit<Name extends keyof Contract>(name: Name, event: Contract[Name]): void
  listenerCount(name: keyof Contract): number
}

/**
 * Makes an event source. A listener that throws does not stop the others or the emitter: the throw is
 * reported as an uncaught exception on a later tick, so that a broken log line never loses a message.
 */
export function createEvents<Contract>(): EventSource<Contract> {
  const listeners = new Map<keyof Contract, Set<(event: never) => void>>()

  return {
    on: (name, listener) => {
      const ofName = listeners.get(name) ?? new Set()
      listeners.set(name, ofName.add(listener))
      return () => ofName.delete(listener)
    },
    emit: (name, event) => {
      for (const listener of listeners.get(name) ?? []) {
        try {
          listener(event as never)
        } catch (error) {
          queueMicrotask(() => {
            throw error
          })
        }
      }
    },
    listenerCount: (name) => listeners.get(name)?.size ?? 0,
  }
}
