import { ConsumerError } from '../../errors.ts'
import { readAnswer } from '../handler-answer.ts'
import { lateError } from '../run/handler-deadlines.ts'
import { failedBy, type HandlerResult } from '../run/handler-result.ts'
import type { AmqplibMessage } from './amqplib-channel.ts'
import { type Attendance, attemptOf, type RetryingContext, type WrappedRun } from './wrapped-run.ts'

/** Runs the callback, in its time: one that hangs would keep its message until the broker closes the channel over it. */
export function runCallback(run: WrappedRun, attendance: Attendance): Promise<HandlerResult> {
  const { flow, options, placer } = attendance
  const { clock, timeoutMs, longestHoldMs } = options
  const allowedMs = Math.min(timeoutMs, run.receivedAtMs + longestHoldMs - clock.now())
  const abort = new AbortController()
  return new Promise((resolve) => {
    const onClose = (): void => abort.abort(new Error('The channel is closed.'))
    const end = (result: HandlerResult): void => {
      callOff()
      placer.closed.removeEventListener('abort', onClose)
      resolve(result)
    }
    const callOff = clock.schedule(allowedMs, () => {
      const late = lateError(flow.queue, allowedMs)
      abort.abort(late)
      end(failedBy(late))
    })
    placer.closed.addEventListener('abort', onClose)
    void call(run, abort.signal, attendance).then(end)
  })
}

async function call(run: WrappedRun, signal: AbortSignal, attendance: Attendance): Promise<HandlerResult> {
  const { handler, flow, options } = attendance
  const context: RetryingContext = {
    signal,
    attempt: attemptOf(run),
    maxAttempts: flow.maxAttempts,
    queue: flow.queue,
    statusTable: options.statusTable,
    message: run.consumed,
  }
  try {
    return readAnswer(await handler(shownMessage(run), context))
  } catch (thrown) {
    return failedBy(thrown)
  }
}

/**
 * The message as its callback knows it, with the exchange and key of its first publish: on a retry it comes by the default
 * exchange. A callback that still acknowledges it is stopped before it does: the second ack would close the channel.
 */
function shownMessage({ message, consumed }: WrappedRun): AmqplibMessage {
  const { exchange, routingKey } = consumed
  const fields = { ...message.fields, exchange, routingKey }
  Object.defineProperty(fields, 'deliveryTag', { enumerable: false, get: refuseTag })
  return { ...message, fields }
}

function refuseTag(): never {
  throw new ConsumerError({
    code: 'RETRYING_SETTLES',
    isPermanent: true,
    message:
      'retrying() settles this message, and its callback must not. Take channel.ack, nack and reject out of it: return to ' +
      'acknowledge, throw to retry, or return reject(reason) to park.',
  })
}
