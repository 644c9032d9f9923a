import { InvalidArgumentError } from '../../errors.ts'
import { refuseChoice } from '../../message/refuse-choice.ts'
import { refuseUnknown } from '../../message/refuse-unknown.ts'
import { dateNow } from '../../world.ts'
import type { Consumer } from '../consumer.ts'
import { type LogLevel, loggedEvents, renderLogLine } from './render-log-line.ts'

/** What Warren needs of a logger; pino's and the like have it. */
export type Logger = Readonly<Record<LogLevel, (fields: object, message: string) => void>>

/**
 * Writes what a consumer tells into a log. Gives the function that ends it.
 * @example
 * ```ts
 * const stop = logConsumer(await warren.consume('orders', save), jsonLogger())
 * ```
 */
export function logConsumer(consumer: Pick<Consumer, 'events'>, logger: Logger): () => void {
  if (typeof consumer?.events?.on !== 'function' || typeof logger?.info !== 'function') {
    throw new InvalidArgumentError(
      'logConsumer() takes a consumer, as consume() gives it, and a logger: logConsumer(consumer, jsonLogger()).',
    )
  }
  const stops = loggedEvents.map((name) =>
    consumer.events.on(name, (event) => {
      const { level, fields, message } = renderLogLine(name, event)
      logger[level]({ event: name, ...fields }, message)
    }),
  )
  return () => {
    for (const stop of stops) stop()
  }
}

const levelNumbers = { debug: 20, info: 30, warn: 40, error: 50 } as const

/**
 * A logger that writes JSON lines as pino does: `level`, `time`, the fields, `msg`.
 * @example
 * ```ts
 * const logger = jsonLogger({ level: 'debug' })
 * logger.info({ queue: 'orders' }, 'started')
 * ```
 */
export function jsonLogger(
  options: {
    readonly write?: (line: string) => unknown
    /** The lowest level that is written. @default 'info' */
    readonly level?: LogLevel
    readonly now?: () => number
  } = {},
): Logger {
  refuseUnknown('jsonLogger()', options, { write: true, level: true, now: true })
  refuseChoice('level of jsonLogger()', options.level, Object.keys(levelNumbers))
  const { write = (text) => process.stdout.write(text), level = 'info', now = dateNow } = options
  const log = (of: LogLevel) => (fields: object, message: string) => {
    if (levelNumbers[of] < levelNumbers[level]) return
    write(`${JSON.stringify({ level: levelNumbers[of], time: now(), ...fields, msg: message })}\n`)
  }
  return { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') }
}
