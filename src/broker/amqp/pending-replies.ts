import { ChannelError, type WarrenError } from '../../errors.ts'
import type { Method, MethodName } from '../../wire/method-specs.ts'
import type { Content } from './read-content.ts'

/** An answer, with the message it carries if it is a get-ok. */
export interface Answer {
  readonly method: Method
  readonly content?: Content
}

/** The questions of a channel that the broker has not answered; it answers in the order of asking. */
export interface PendingReplies {
  /** Waits for the answer to a question that was just sent. */
  wait(asked: Method, expects: readonly MethodName[]): Promise<Answer>
  /** The question whose answer is due next. */
  next(): Method | undefined
  /** Hands an answer to the first who waits; false when that one gave up waiting. */
  answer(answer: Answer): boolean
  /** Ends the wait of the first. */
  failNext(error: WarrenError): void
  failAll(error: WarrenError): void
}

interface Pending {
  readonly asked: Method
  readonly expects: readonly MethodName[]
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: WarrenError) => void
  readonly timer: NodeJS.Timeout
  hasGivenUp: boolean
}

export function createPendingReplies({ timeoutMs }: { timeoutMs: number }): PendingReplies {
  const waiting: Pending[] = []

  function takeFirst(): Pending | undefined {
    const first = waiting.shift()
    clearTimeout(first?.timer)
    return first
  }

  return {
    wait: (asked, expects) =>
      new Promise((resolve, reject) => {
        // After the timeout a late answer still takes its place in the order.
        const timer = setTimeout(() => {
          pending.hasGivenUp = true
          reject(notAnswered(asked.name, timeoutMs))
        }, timeoutMs).unref()
        const pending: Pending = { asked, expects, resolve, reject, timer, hasGivenUp: false }
        waiting.push(pending)
      }),
    next: () => waiting[0]?.asked,
    answer: (answer) => {
      const first = takeFirst()
      if (!first || first.hasGivenUp) return false
      if (first.expects.includes(answer.method.name)) first.resolve(answer)
      else first.reject(unexpected(answer.method.name))
      return true
    },
    failNext: (error) => takeFirst()?.reject(error),
    failAll: (error) => {
      while (waiting.length > 0) takeFirst()!.reject(error)
    },
  }
}

function notAnswered(name: MethodName, timeoutMs: number): ChannelError {
  return new ChannelError({
    code: 'CHANNEL_TIMEOUT',
    message: `The broker did not answer ${name} within ${timeoutMs / 1000} s. Whether it was done is not known.`,
  })
}

function unexpected(name: MethodName): ChannelError {
  return new ChannelError({
    code: 'CHANNEL_CLOSED',
    message: `The broker answered ${name}, which nobody asked for.`,
  })
}
