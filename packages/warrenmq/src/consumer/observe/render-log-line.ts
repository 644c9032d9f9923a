import type { Outcome } from '../decide/decide-outcome.ts'
import type { SettledOutcome } from '../settle/settlement.ts'
import type { ConsumerEvents, DeliveryEvent } from './consumer-events.ts'

/** How important a log line is. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** One line of a log: fields for machines, a sentence for people. */
export interface LogLine {
  readonly level: LogLevel
  readonly fields: Readonly<Record<string, unknown>>
  readonly message: string
}

/** The code that event-bus logs when a message has used up its attempts. */
export const maxRetriesExceeded = 'RABBITMQ_MESSAGE_MAX_RETRIES_EXCEEDED'

/** What a consumer's event says in a log. */
export function renderLogLine<Name extends keyof ConsumerEvents>(
  name: Name,
  event: ConsumerEvents[Name],
): LogLine {
  return (renderers[name] as (event: ConsumerEvents[Name]) => LogLine)(event)
}

const renderers: { readonly [Name in keyof ConsumerEvents]: (event: ConsumerEvents[Name]) => LogLine } = {
  'consumer.started': ({ queue }) => line('info', { queue }, `Consuming "${queue}".`),
  'consumer.interrupted': ({ queue, error }) =>
    line(
      'warn',
      { queue, ...errorFields(error) },
      `The channel that consumes "${queue}" is gone; opening another.`,
    ),
  'consumer.start-failed': ({ queue, error }) =>
    line('error', { queue, ...errorFields(error) }, `Cannot consume "${queue}" now: ${error.message}`),
  'consumer.unproved': ({ queue, error }) => line('warn', { queue, ...errorFields(error) }, error.message),
  'consumer.limited': ({ queue, deliveryLimit }) =>
    line('warn', { queue, deliveryLimit }, dropsOver(queue, deliveryLimit)),
  'consumer.paused': ({ queue }) => line('info', { queue }, `Paused consuming "${queue}".`),
  'consumer.resumed': ({ queue }) => line('info', { queue }, `Consuming "${queue}" again.`),
  'consumer.closed': ({ queue, unfinished }) =>
    line('info', { queue, unfinished }, `Stopped consuming "${queue}".`),
  'delivery.settled': (event) => {
    const fields = { ...deliveryFields(event), ...outcomeFields(event.outcome), durationMs: event.durationMs }
    return line(levelOf(event.outcome), fields, sentenceOf(event.outcome))
  },
  'delivery.held': (event) => {
    const { queue, outcome } = event
    const isStuck = outcome.kind === 'hold' && outcome.why === 'no-way-out'
    const sentence = isStuck ? noWayOut(queue) : 'Held; it is run again later.'
    return line(isStuck ? 'warn' : 'debug', { ...deliveryFields(event), ...outcomeFields(outcome) }, sentence)
  },
  'delivery.stale': (event) =>
    line(
      'warn',
      { ...deliveryFields(event), ...outcomeFields(event.outcome) },
      'The channel was lost before the message could be settled; the broker delivers it again.',
    ),
  'delivery.remembered': (event) =>
    line('info', deliveryFields(event), 'Already handled; its acknowledgement was lost.'),
  'settle.failed': (event) => {
    const { result, nextAttemptMs, outcome } = event
    const cause = result.kind === 'unknown' ? errorFields(result.cause) : {}
    const fields = {
      ...deliveryFields(event),
      outcome: outcome.kind,
      publish: result.kind,
      ...cause,
      nextAttemptMs,
    }
    const isNearLimit = outcome.kind === 'recount' && outcome.why === 'near-limit'
    const sentence = isNearLimit
      ? 'It is near its delivery limit but could not be put at the end of its queue; it is handled as it is.'
      : 'Could not be published to its next queue. It is kept and tried again.'
    return line('error', fields, sentence)
  },
  'breaker.changed': ({ queue, from, to }) =>
    line(to === 'closed' ? 'info' : 'warn', { queue, from, to }, `The breaker of "${queue}" is ${to}.`),
}

/** Every event of a consumer. */
export const loggedEvents: readonly (keyof ConsumerEvents)[] = Object.keys(
  renderers,
) as (keyof ConsumerEvents)[]

/** What to know about a failure on a queue that leads nowhere. */
export function noWayOut(queue: string): string {
  return (
    `A message of "${queue}" failed, and the queue has neither a retry policy nor a dead-letter exchange: the message is ` +
    'kept and run again with growing pauses. Declare the queue with one of the two.'
  )
}

/** What to know about a consumer that waits for its start, while nobody can listen to it yet. */
export function waitsToStart(
  queue: string,
  error: Error & { readonly replyCode?: number | undefined },
): string {
  return `The consumer of "${queue}" cannot start, and tries again until it can: ${error.message} ${cureOf(queue, error)}`
}

function cureOf(queue: string, { message, replyCode }: Parameters<typeof waitsToStart>[1]): string {
  if (replyCode !== accessRefused)
    return 'Declare what is missing with `await warren.apply()` or `warren apply`, before anything is consumed.'
  // The broker has one code for both.
  if (message.includes(' in exclusive use'))
    return `Another consumer takes from "${queue}", and one of the two is exclusive. It starts when the other has ended.`
  return `Give its user the permission to read "${queue}".`
}

const accessRefused = 403

/** What to do about a message that this process may not read. */
export function tooLarge(queue: string, bodyBytes: number): string {
  return (
    `A message of ${bodyBytes} bytes in "${queue}" is larger than \`maxBodyBytes\` of the connection allows. It is held, ` +
    'not handled, and goes back later; the consumer stops when it holds as many of these as its prefetch. Raise `maxBodyBytes`.'
  )
}

/** What to know about a queue that deletes what was returned too often. */
export function dropsOver(queue: string, deliveryLimit: number): string {
  const care =
    deliveryLimit > 0 ? 'This consumer puts a message at the end of the queue before that happens. ' : ''
  return (
    `RabbitMQ deletes a message of "${queue}" that was returned more than ${deliveryLimit} times, by any consumer or ` +
    `crash: the queue has a delivery limit and no dead-letter exchange. ${care}Declare the queue with a dead-letter exchange ` +
    'or, from RabbitMQ 4.0 on, with x-delivery-limit -1, or lift the limit by a policy; if it is lifted, the option ' +
    'deliveryLimit: false says so.'
  )
}

function line(level: LogLevel, fields: LogLine['fields'], message: string): LogLine {
  return { level, fields, message }
}

function deliveryFields({ queue, message, attempt }: DeliveryEvent): LogLine['fields'] {
  return {
    queue,
    routingKey: message.routingKey,
    messageId: message.id,
    messageType: message.type,
    correlationId: message.correlationId,
    attempt,
  }
}

function outcomeFields(outcome: Outcome | SettledOutcome): LogLine['fields'] {
  const failure = 'failure' in outcome ? outcome.failure : undefined
  return {
    outcome: outcome.kind,
    ...(outcome.kind === 'dead-letter' && { reason: outcome.reason, code: codeOf(outcome) }),
    ...(outcome.kind === 'retry' && { delayMs: outcome.delay.delayMs }),
    ...(failure && {
      error: failure.errorMessage,
      errorType: failure.errorType,
      statusCode: failure.statusCode,
    }),
  }
}

function codeOf({ reason }: Outcome & { kind: 'dead-letter' }): string | undefined {
  return reason === 'attempts-exhausted' ? maxRetriesExceeded : undefined
}

function errorFields(error: Error | undefined): LogLine['fields'] {
  return error === undefined ? {} : { error: error.message, errorType: error.name }
}

function levelOf(outcome: Outcome | SettledOutcome): LogLevel {
  if (outcome.kind === 'dead-letter') return 'error'
  const isWarning =
    outcome.kind === 'recount' && (outcome.why === 'near-limit' || outcome.why === 'suspected')
  return outcome.kind === 'retry' || isWarning ? 'warn' : 'debug'
}

function sentenceOf(outcome: Outcome | SettledOutcome): string {
  switch (outcome.kind) {
    case 'acknowledge':
      return 'Handled.'
    case 'retry':
      return `Attempt ${outcome.attempt} failed; the next one is due in ${outcome.delay.delayMs} ms.`
    case 'dead-letter':
      return outcome.reason === 'attempts-exhausted'
        ? `${maxRetriesExceeded}: attempt ${outcome.attempt} was the last; moved to the dead-letter queue.`
        : `Moved to the dead-letter queue: ${outcome.reason}.`
    case 'defer':
      return 'Too early; moved to a wait queue.'
    case 'recount':
      if (outcome.why === 'near-limit')
        return 'Put at the end of its queue, because it is near its delivery limit.'
      if (outcome.why === 'alone') return 'Put at the end of its queue, marked to run alone next.'
      if (outcome.why === 'suspected')
        return `Held ${outcome.deliveries} times by a process or a connection that ended; it will run alone.`
      return `Delivered ${outcome.deliveries} times without an answer; put at the end of its queue with that count.`
    case 'give-back':
    case 'requeue':
    case 'hold':
      return 'Given back to its queue.'
  }
}
