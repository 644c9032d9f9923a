/** A typed set of listeners: `on` adds one and returns the function that takes it off again. */
export interface Events<Contract> {
  /** Calls the listener at each event of this name, until the function that it gives is called. */
  on<Name extends keyof Contract>(name: Name, listener: (event: Contract[Name]) => void): () => void
}

/** The emitting side, kept by the owner of the events. */
export interface EventSource<Contract> extends Events<Contract> {
  emit<Name extends keyof Contract>(name: Name, event: Contract[Name]): void
  listenerCount(name: keyof Contract): number
}

type AnyListener = (event: never) => void

/**
 * Makes an event source. A listener that throws does not stop the others or the emitter: the throw is
 * reported as an uncaught exception on a later tick, so that a broken log line never loses a message.
 * @param oldNames what else an event may be called by who listens
 */
export function createEvents<Contract>(
  oldNames: { readonly [Name in keyof Contract]?: keyof Contract } = {},
): EventSource<Contract> {
  // Lists are replaced, never changed: who listens is settled when an event is emitted, whatever they do then.
  const listeners = new Map<keyof Contract, readonly AnyListener[]>()

  function takeOff(name: keyof Contract, listener: AnyListener): void {
    const present = listeners.get(name) ?? []
    const index = present.indexOf(listener)
    if (index !== -1) listeners.set(name, present.toSpliced(index, 1))
  }

  return {
    on: (called, listener) => {
      const name: keyof Contract = oldNames[called] ?? called
      const added: AnyListener = (event) => listener(event)
      listeners.set(name, [...(listeners.get(name) ?? []), added])
      return () => takeOff(name, added)
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
    listenerCount: (name) => listeners.get(name)?.length ?? 0,
  }
}
