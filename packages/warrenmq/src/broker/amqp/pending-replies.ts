import { ChannelError, type WarrenError } from '../../errors.ts'
import type { Method, MethodName } from '../../wire/method-specs.ts'
import { clearTimeout, setTimeout } from '../../world.ts'
import type { Content } from './content-reader.ts'

/** An answer, with the message it carries if it is a get-ok. */
export interface Answer {
  readonly method: Method
  readonly content?: Content
}

/**
 * The questions of a channel that the broker has not answered. It answers those of one kind in the order of
 * asking; a consume-ok, which comes from the queue, can be overtaken by the answer to a later question.
 */
export interface PendingReplies {
  /** Waits for the answer to a question that was just sent. */
  wait(asked: Method, expects: readonly MethodName[]): Promise<Answer>
  /** The question that an answer of this name belongs to, if there is one. */
  askedFor(name: MethodName): Method | undefined
  /** Hands an answer to the first who expects it; false when that one gave up waiting, or nobody does. */
  answer(answer: Answer): boolean
  /** Ends the wait of the first who expects an answer of this name. */
  fail(name: MethodName, error: WarrenError): void
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

  function take(index: number): Pending | undefined {
    const [taken] = waiting.splice(index, 1)
    clearTimeout(taken?.timer)
    return taken
  }

  function first(name: MethodName): number {
    return waiting.findIndex(({ expects }) => expects.includes(name))
  }

  function takeFirst(name: MethodName): Pending | undefined {
    const index = first(name)
    return index === -1 ? undefined : take(index)
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
    askedFor: (name) => waiting[first(name)]?.asked,
    answer: (answer) => {
      const pending = takeFirst(answer.method.name)
      if (!pending || pending.hasGivenUp) return false
      pending.resolve(answer)
      return true
    },
    fail: (name, error) => takeFirst(name)?.reject(error),
    failAll: (error) => {
      while (waiting.length > 0) take(0)!.reject(error)
    },
  }
}

function notAnswered(name: MethodName, timeoutMs: number): ChannelError {
  return new ChannelError({
    code: 'CHANNEL_TIMEOUT',
    message: `The broker did not answer ${name} within ${timeoutMs / 1000} s. It may or may not have been done.`,
  })
}
