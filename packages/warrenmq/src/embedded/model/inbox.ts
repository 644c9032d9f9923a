import { createFifo } from '../../fifo.ts'

/**
 * What is still to be done after what is being done. In RabbitMQ queues are processes that send each other
 * messages; here a queue posts what concerns another, so that no queue is entered while it is at work.
 */
export interface Inbox {
  post(task: () => void): void
  /** Runs an operation and then all that it and its followers have posted, in order. */
  run<Result>(operation: () => Result): Result
}

export function createInbox(): Inbox {
  const tasks = createFifo<() => void>()
  let isRunning = false

  /** One task that fails must not take along those of others: all are done, then the first failure is told. */
  function drain(): void {
    let failure: { readonly error: unknown } | undefined
    for (let task = tasks.shift(); task; task = tasks.shift()) {
      try {
        task()
      } catch (error) {
        failure ??= { error }
      }
    }
    if (failure) throw failure.error
  }

  return {
    post: (task) => tasks.push(task),
    run: (operation) => {
      if (isRunning) return operation()
      isRunning = true
      try {
        return operation()
      } finally {
        try {
          drain()
        } finally {
          isRunning = false
        }
      }
    },
  }
}
