/** A typed set of listeners: `on` adds one and returns the function that takes it off again. */
export interface Events<Contract> {
  /**
   * Calls the listener at each event of this name, until the function that it gives is called.
   * @example
   * ```ts
   * const stop = consumer.events.on('delivery.settled', ({ outcome }) => console.log(outcome.kind))
   * stop()
   * ```
   */
  on<Name extends keyof Contract>(name: Name, listener: (event: Contract[Name]) => void): () => void
  /**
   * Calls the listener at the next event of this name, and then no more.
   * @example
   * ```ts
   * consumer.events.once('delivery.settled', () => console.log('the first one'))
   * ```
   */
  once<Name extends keyof Contract>(name: Name, listener: (event: Contract[Name]) => void): () => void
  /**
   * Takes a listener off that was added by `on` or `once`; one that was added twice stays once.
   * @example
   * ```ts
   * const log = () => console.log('settled')
   * consumer.events.on('delivery.settled', log)
   * consumer.events.off('delivery.settled', log)
   * ```
   */
  off<Name extends keyof Contract>(name: Name, listener: (event: Contract[Name]) => void): void
}

/** The emitting side, kept by the owner of the events. */
export interface EventSource<Contract> extends Events<Contract> {
  /**
   * Calls all listeners of this name, one after the other.
   * @example
   * ```ts
   * const events = createEvents<{ moved: { count: number } }>()
   * events.emit('moved', { count: 1 })
   * ```
   */
  emit<Name extends keyof Contract>(name: Name, event: Contract[Name]): void
  /**
   * How many listen for events of this name.
   * @example
   * ```ts
   * const events = createEvents<{ moved: { count: number } }>()
   * const count = events.listenerCount('moved')
   * ```
   */
  listenerCount(name: keyof Contract): number
}

/** A listener, and how it is called, which differs where it is called once. */
interface Listening {
  readonly listener: unknown
  readonly call: (event: never) => void
}

/**
 * Makes an event source. A listener that throws does not stop the others or the emitter: the throw is
 * reported as an uncaught exception on a later tick, so that a broken log line never loses a message.
 * @param oldNames what else an event may be called by who listens
 * @example
 * ```ts
 * const events = createEvents<{ done: { count: number } }>()
 * events.on('done', ({ count }) => console.log(count))
 * events.emit('done', { count: 1 })
 * ```
 */
export function createEvents<Contract>(
  oldNames: { readonly [Name in keyof Contract]?: keyof Contract } = {},
): EventSource<Contract> {
  // Lists are replaced, never changed: who listens is settled when an event is emitted, whatever they do then.
  const listeners = new Map<keyof Contract, readonly Listening[]>()
  const nameOf = (called: keyof Contract): keyof Contract => oldNames[called] ?? called

  function add(name: keyof Contract, added: Listening): () => void {
    listeners.set(name, [...(listeners.get(name) ?? []), added])
    return () => takeOff(name, (one) => one === added)
  }

  function takeOff(name: keyof Contract, isMeant: (one: Listening) => boolean): void {
    const present = listeners.get(name) ?? []
    const index = present.findLastIndex(isMeant)
    if (index !== -1) listeners.set(name, present.toSpliced(index, 1))
  }

  return {
    on: (called, listener) => add(nameOf(called), { listener, call: (event) => listener(event) }),
    once: (called, listener) => {
      const stop = add(nameOf(called), {
        listener,
        call: (event) => {
          stop()
          listener(event)
        },
      })
      return stop
    },
    off: (called, listener) => takeOff(nameOf(called), (one) => one.listener === listener),
    emit: (name, event) => {
      for (const { call } of listeners.get(name) ?? []) {
        try {
          call(event as never)
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
