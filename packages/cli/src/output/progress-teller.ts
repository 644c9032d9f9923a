import { renderProgressBar, renderProgressLine, renderWaiting, renderWatching } from './render-progress.ts'
import type { Terminal } from './terminal.ts'

/** How often a log gets a line; a terminal has a bar that moves. */
export type LineEvery = { readonly messages: number } | { readonly ms: number }

export interface ProgressTelling {
  readonly terminal: Terminal
  readonly lineEvery: LineEvery
  /** @default Date.now */
  readonly now?: () => number
}

const redrawMs = 100

/** Tells how far long work is: on a terminal a bar, elsewhere a line now and then. */
export function createProgressTeller({
  terminal,
  lineEvery,
  now = Date.now,
}: ProgressTelling): (done: number, total: number, note?: string) => void {
  const startedAt = now()
  let drawnAt = Number.NEGATIVE_INFINITY
  let told = { done: 0, at: startedAt }
  return (done, total, note) => {
    const at = now()
    const fields = { done, total, elapsedMs: at - startedAt, note }
    if (terminal.isInteractive) {
      if (at - drawnAt < redrawMs) return
      drawnAt = at
      terminal.progress(renderProgressBar(fields))
      return
    }
    if ('messages' in lineEvery ? done < told.done + lineEvery.messages : at < told.at + lineEvery.ms) return
    told = { done: 'messages' in lineEvery ? done - (done % lineEvery.messages) : done, at }
    terminal.say(renderProgressLine(fields))
  }
}

/** For work that is mostly done before anybody wonders. */
export const mostlyShort: LineEvery = { ms: 10_000 }

/** The same for work that goes through a queue: called once per message. `total` is what the queue held before. */
export function createPassTeller(terminal: Terminal, total: number): () => void {
  const tell = createProgressTeller({ terminal, lineEvery: mostlyShort })
  let seen = 0
  return () => {
    seen += 1
    tell(seen, Math.max(seen, total))
  }
}

const tellEveryMs = 10_000

/** On a terminal the seconds count up; elsewhere a line at once and then every ten seconds. */
export function createWaitTeller(terminal: Terminal): (waitingMs: number) => void {
  let toldMs = Number.POSITIVE_INFINITY
  return (waitingMs) => {
    if (terminal.isInteractive) terminal.progress(renderWaiting(waitingMs))
    else if (waitingMs < toldMs || waitingMs >= toldMs + tellEveryMs) {
      toldMs = waitingMs
      terminal.say(renderWaiting(waitingMs))
    }
  }
}

export interface WatchTelling {
  readonly terminal: Terminal
  /** How long a canary is watched. */
  readonly waitMs: number
  /** @default Date.now */
  readonly now?: () => number
}

/** Called now and then with whether it waits for messages to come back. Tells it as a wait is told, with what is left. */
export function createWatchTeller({
  terminal,
  waitMs,
  now = Date.now,
}: WatchTelling): (isWatching: boolean, moved: number) => void {
  let watched: { readonly moved: number; readonly since: number } | undefined
  let toldAt = Number.NEGATIVE_INFINITY
  return (isWatching, moved) => {
    const at = now()
    // A stage may be so short that nobody was asked in between.
    if (!isWatching || watched?.moved !== moved) {
      watched = isWatching ? { moved, since: at } : undefined
      toldAt = Number.NEGATIVE_INFINITY
    }
    if (!watched) return
    const text = renderWatching({ moved, leftMs: Math.max(0, waitMs - (at - watched.since)) })
    if (terminal.isInteractive) terminal.progress(text)
    else if (at >= toldAt + tellEveryMs) {
      toldAt = at
      terminal.say(text)
    }
  }
}
