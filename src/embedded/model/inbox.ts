import { createFifo } from './fifo.ts'

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

  function drain(): void {
    for (let task = tasks.shift(); task; task = tasks.shift()) task()
  }

  return {
    post: (task) => tasks.push(task),
    run: (operation) => {
      if (isRunning) return operation()
      isRunning = true
      try {
        return operation()
      } finally {
        drain()
        isRunning = false
      }
    },
  }
}
