import { EmbeddedBrokerError } from '../../errors.ts'
import { escapeLine } from '../../message/escape-text.ts'
import { performance } from '../../world.ts'
import type { AmqpConnection } from './amqp-connection.ts'
import { consumersOf, createDeliveryNotes } from './consumers-in-hand.ts'
import { findLoops } from './find-loops.ts'
import { createTimerWatch, type WatchedTimer } from './timer-watch.ts'

/**
 * The time from the first delivery until the clients have come to rest again. Timers that are started in it, anywhere
 * in this process, may be those of handlers that go on after they have settled their delivery.
 */
export interface Wake {
  /** A client gets a delivery. */
  open(): void
  /** Tells whether something is under way that is over soon enough after `spokeAtMs`, when a client last said something. */
  isUnderWay(spokeAtMs: number): boolean
  /** Nothing more is waited for. Whoever has a longer timer is named in a warning, unless `isMeant`. */
  close(rest: Rest): void
  /** What whoever calls this starts beside it is none of the handlers' timers. */
  leaveOutCaller(): void
  /** Waits by a timer that is none of the handlers'. */
  pause(ms: number): Promise<void>
  end(): void
}

/** How the clients came to rest. */
export interface Rest {
  readonly connections: readonly AmqpConnection[]
  readonly spokeAtMs: number
  /** Whoever holds deliveries or goes on after them does so on purpose. */
  readonly isMeant: boolean
  /** Time was moved since the last rest, and nobody else had the floor: who publishes unasked comes late. */
  readonly isTurn: boolean
}

/** A longer timer is a limit, a lease or a cache rather than a part of a handler under test, and nobody is told of it. */
const longestToldMs = 5000

interface PassedOver {
  readonly timer: WatchedTimer
  /** The consumers that had got deliveries. */
  readonly who: string
}

/** `timersMs`: as long after the last word of a client may a timer run for time to wait for it. */
export function createWake({ timersMs }: { timersMs: number }): Wake {
  const watch = createTimerWatch()
  const served = createDeliveryNotes()
  let passedOver: readonly PassedOver[] = []
  let publishCounts = new Map<AmqpConnection, number>()

  const pending = (): WatchedTimer[] => watch.timers().filter((timer) => timer.isPending && !isOfLoop(timer))
  // One that is put off again and again is none to wait for.
  const isWaitedFor = ({ dueAtMs }: WatchedTimer, spokeAtMs: number): boolean =>
    dueAtMs <= spokeAtMs + timersMs && performance.now() < dueAtMs + timersMs

  function passOver({ connections, spokeAtMs }: Rest): PassedOver[] {
    noteLoops(watch.timers(), spokeAtMs)
    const timers = pending().filter(({ delayMs }) => delayMs <= longestToldMs)
    if (timers.length === 0) return []
    const who = [...new Set(served.served(connections).flatMap(consumersOf))].join('; ')
    return who === '' ? [] : timers.map((timer) => ({ timer, who }))
  }

  function findLate({ connections }: Rest): EmbeddedBrokerError | undefined {
    const fired = passedOver.find(({ timer }) => hasRun(timer))
    // Nobody can tell which timer a publish follows. Where one has run that time did wait for, the publish may be its:
    // what was passed over may belong to somebody else in this process, such as the runner of the tests.
    if (!fired || watch.timers().some(hasRun)) return undefined
    const answering = new Set(served.served(connections).map(({ connection }) => connection))
    const late = [...connections].find(
      (connection) =>
        !answering.has(connection) && connection.publishCount() > (publishCounts.get(connection) ?? 0),
    )
    return late && cameLate(fired, late)
  }

  return {
    open: watch.start,
    isUnderWay: (spokeAtMs) => {
      if (!watch.isRunning) return false
      if (pending().some((timer) => isWaitedFor(timer, spokeAtMs))) return true
      return performance.now() < spokeAtMs + timersMs && hasRequests()
    },
    close: (rest) => {
      const late = rest.isTurn ? findLate(rest) : undefined
      const more = rest.isMeant ? [] : passOver(rest)
      for (const one of more) warnOf(one, timersMs)
      passedOver = [...passedOver.filter(({ timer }) => timer.isPending), ...more]
      publishCounts = new Map([...rest.connections].map((each) => [each, each.publishCount()]))
      served.note(rest.connections)
      watch.stop()
      if (late) throw late
    },
    leaveOutCaller: watch.leaveOutCaller,
    pause: watch.pause,
    end: watch.stop,
  }
}

function hasRun({ isPending, dueAtMs }: WatchedTimer): boolean {
  return !isPending && dueAtMs <= performance.now()
}

/** Files, names of hosts: short, and over by themselves. */
function hasRequests(): boolean {
  return process.getActiveResourcesInfo().some((name) => name.includes('Req'))
}

/** Loops that were seen to say nothing to any client. They are the same for all brokers of this process. */
const loops = new Set<string>()

function isOfLoop(timer: WatchedTimer): boolean {
  return loops.size > 0 && loops.has(timer.calls)
}

function noteLoops(timers: readonly WatchedTimer[], spokeAtMs: number): void {
  const sinceThen = timers.filter(({ dueAtMs }) => dueAtMs > spokeAtMs)
  if (!sinceThen.some(({ isPending }) => isPending)) return // most often, and then nobody reads the calls
  for (const calls of findLoops(sinceThen)) loops.add(calls)
}

const warned = new Set<string>()

function warnOf({ timer, who }: PassedOver, timersMs: number): void {
  if (warned.has(timer.calls)) return
  warned.add(timer.calls)
  const warning =
    `The clock did not wait for a timer of ${timer.delayMs} ms that was started ${placeOf(timer)} after a delivery from ${who}. ` +
    `It waits for timers until ${timersMs} ms after it last heard from a client. If this timer leads to a publish, raise the ` +
    'option timers; if it belongs to no handler, unref() it.'
  process.emitWarning(escapeLine(warning), { code: 'EMBEDDED_PASSED_OVER' })
}

function cameLate({ timer, who }: PassedOver, { name }: AmqpConnection): EmbeddedBrokerError {
  return new EmbeddedBrokerError({
    code: 'EMBEDDED_PASSED_OVER',
    message:
      `The clock moved on, and then ${name} published. The reason is a timer of ${timer.delayMs} ms, started ${placeOf(timer)} ` +
      `after a delivery from ${who}. ` +
      'Let the handler acknowledge when it is done, or raise the option timers above what it takes.',
  })
}

/** The innermost call that has a line. */
function placeOf({ calls }: WatchedTimer): string {
  return calls.split('\n').find((call) => /:\d+/.test(call)) ?? 'somewhere'
}
