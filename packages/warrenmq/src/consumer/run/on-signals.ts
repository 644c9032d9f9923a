export const endingSignals = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2'] as const

/** A signal that asks a process to end. */
export type EndingSignal = (typeof endingSignals)[number]

/**
 * Runs a task at the first of these signals, once. A second signal finds no listener of ours, so it ends the process
 * immediately, as it would without us. Returns the function that removes the listeners.
 * @example
 * ```ts
 * const stopListening = onSignals(['SIGTERM'], () => void session.close())
 * ```
 */
export function onSignals(
  signals: readonly EndingSignal[],
  task: (signal: EndingSignal, facts: { readonly isHeardByOthers: boolean }) => void,
): () => void {
  const listeners = signals.map((signal) => {
    const listener = (): void => {
      takeOff()
      task(signal, { isHeardByOthers: process.listenerCount(signal) > 0 })
    }
    // Before the others, so that those who listen but once are still there to be counted.
    process.prependListener(signal, listener)
    return () => process.off(signal, listener)
  })
  const takeOff = (): void => {
    for (const each of listeners) each()
  }
  return takeOff
}
