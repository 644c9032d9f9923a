import { createHook } from 'node:async_hooks'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { getEventListeners } from 'node:events'
import { onTestFinished } from 'vitest'

/**
 * Timers that were started and neither fired nor were cleared. `process.getActiveResourcesInfo()` leaves out those
 * that do not keep the process alive, and nearly all of ours do not.
 */
export function watchTimers(): { count(): number; describe(): string } {
  const startedAt = new Map<number, string>()
  const hook = createHook({
    init: (id, type) => {
      if (type === 'Timeout') startedAt.set(id, new Error('started').stack ?? '')
    },
    destroy: (id) => void startedAt.delete(id),
  }).enable()
  onTestFinished(() => void hook.disable())
  const ours = (): string[] => [...startedAt.values()].filter((stack) => stack.includes('/src/'))
  return {
    count: () => ours().length,
    describe: () => `timers; the last was started here: ${ours().at(-1)}`,
  }
}

/** Listeners of every abort signal that anybody listened to since it was asked, and that is still alive. */
export function watchAbortListeners(): { count(): number } {
  const signals = new Set<WeakRef<AbortSignal>>()
  const known = new WeakSet<AbortSignal>()
  const { addEventListener } = EventTarget.prototype
  EventTarget.prototype.addEventListener = function (this: EventTarget, ...args) {
    if (this instanceof AbortSignal && !known.has(this)) {
      known.add(this)
      signals.add(new WeakRef(this))
    }
    addEventListener.apply(this, args)
  }
  onTestFinished(() => {
    EventTarget.prototype.addEventListener = addEventListener
  })
  const listenersOf = (signal: AbortSignal | undefined): number =>
    signal ? getEventListeners(signal, 'abort').length : 0
  return { count: () => [...signals].reduce((sum, each) => sum + listenersOf(each.deref()), 0) }
}

/** Client sockets opened since it was asked: how many, and how many of them somebody still holds in memory. */
export function watchSockets(): { openedCount(): number; heldCount(): number } {
  const opened: WeakRef<object>[] = []
  const remember = (message: unknown): void =>
    void opened.push(new WeakRef((message as { socket: object }).socket))
  subscribe('net.client.socket', remember)
  onTestFinished(() => void unsubscribe('net.client.socket', remember))
  return {
    openedCount: () => opened.length,
    heldCount: () => opened.filter((each) => each.deref() !== undefined).length,
  }
}
