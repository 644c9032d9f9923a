import type { Caller } from './caller.ts'
import { matchesName } from './matches-name.ts'

/** Whether RabbitMQ itself would let the caller read the queue, as far as its pattern can be told. */
export function mayReadQueue({ readableQueues }: Pick<Caller, 'readableQueues'>, queue: string): boolean {
  return readableQueues === undefined || matchesName(readableQueues, queue)
}
