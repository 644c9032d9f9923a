import { createHook, executionAsyncResource } from 'node:async_hooks'
import { isOwnTimer } from '../../own-timer.ts'
import { performance, setTimeout } from '../../world.ts'

/** A timer of this process that runs once and keeps the process alive until then. */
export interface WatchedTimer {
  readonly delayMs: number
  /** When it should run, as `performance` counts. */
  readonly dueAtMs: number
  /** Neither run nor cleared. */
  readonly isPending: boolean
  /** The calls that started it, a line each, innermost first. */
  readonly calls: string
}

/** Sees the timers that are started in this process between `start` and `stop`, by whomever. */
export interface TimerWatch {
  readonly isRunning: boolean
  start(): void
  stop(): void
  /** Those started since `start`, also such as have run. */
  timers(): readonly WatchedTimer[]
  /** Leaves out what whoever calls this has started or starts without waiting for anything, such as a limit to a test. */
  leaveOutCaller(): void
  /** Waits by a timer that is none of those. */
  pause(ms: number): Promise<void>
}

/** What Node keeps in a timer; there is no other way to learn it. */
interface NodeTimer extends NodeJS.Timeout {
  readonly _destroyed?: boolean
  readonly _idleTimeout?: number
  readonly _repeat?: number | null
}

interface StartedTimer {
  readonly timer: NodeTimer
  readonly startedBy: object
  readonly watched: WatchedTimer
}

/** So many that have run are kept before they are cleared out. */
const keptAtMost = 5000

export function createTimerWatch(): TimerWatch {
  let started: StartedTimer[] = []
  let leftOut = new WeakSet<object>()
  let isRunning = false
  let isOurOwn = false
  const hook = createHook({
    init: (_id, type, _trigger, resource) => {
      if (type !== 'Timeout' || isOurOwn || isOwnTimer()) return
      const timer = resource as NodeTimer
      if (timer._repeat !== null || timer._destroyed !== false) return
      if (started.length >= keptAtMost) started = started.filter(({ watched }) => watched.isPending)
      started.push({ timer, startedBy: executionAsyncResource(), watched: describeTimer(timer) })
    },
  })

  return {
    get isRunning() {
      return isRunning
    },
    start: () => {
      if (isRunning) return
      isRunning = true
      hook.enable()
    },
    stop: () => {
      isRunning = false
      hook.disable()
      started = []
      leftOut = new WeakSet()
    },
    timers: () =>
      started
        .filter(({ timer, startedBy }) => timer.hasRef() && !leftOut.has(startedBy))
        .map(({ watched }) => watched),
    leaveOutCaller: () => {
      leftOut.add(executionAsyncResource())
    },
    pause: (ms) =>
      new Promise((resolve) => {
        isOurOwn = true
        setTimeout(resolve, ms)
        isOurOwn = false
      }),
  }
}

function describeTimer(timer: NodeTimer): WatchedTimer {
  const delayMs = timer._idleTimeout ?? 0
  const dueAtMs = performance.now() + delayMs
  // It costs little until somebody reads it.
  const trace = new Error('started here')
  let calls: string | undefined
  return {
    delayMs,
    dueAtMs,
    get isPending() {
      return timer._destroyed === false
    },
    get calls() {
      calls ??= callsIn(trace.stack ?? '')
      return calls
    },
  }
}

/** Those of Node are the same for every timer, and so are those of this file, which come first. */
function callsIn(stack: string): string {
  const lines = stack.split('\n').map((line) => line.trim())
  const isNodes = (line: string): boolean => /\bnode:|^at new Timeout|^at <anonymous>$/.test(line)
  const lastOfNode = lines.findIndex((line) => /\bnode:/.test(line))
  return lines
    .slice(lastOfNode + 1)
    .filter((line) => line.startsWith('at ') && !isNodes(line))
    .join('\n')
}
