import { type ListedQueue, listDeadLetters } from 'warrenmq/operations'
import type { CliCommand } from '../command.ts'
import { addBrokerOptions } from '../options/broker-options.ts'
import { addConfigOption } from '../options/config-options.ts'
import { readCount } from '../options/request-options.ts'
import { renderListedQueue } from '../output/render-listed-queue.ts'
import type { Terminal } from '../output/terminal.ts'
import { withBroker } from '../with-broker.ts'

/** `warren dlq list`: where messages end, how many, since when, and why. */
export const dlqList: CliCommand = {
  name: 'dlq list',
  summary:
    'list dead-letter queues with depth, age, growth, the consumers of their origins, and the main causes',
  example: 'warren dlq list --url amqp://localhost',
  configure: (command) => {
    command
      .option('--sample <n>', 'how many messages to look at in each queue, if that is safe', readCount, 1_000)
      .option('--quick', 'look at no messages: shows no age and no causes')
    addBrokerOptions(command)
    addConfigOption(command)
  },
  run: (input, terminal) =>
    withBroker(input, async (broker) => {
      const { sample, quick } = input.options as { sample: number; quick?: boolean }
      const queues = await listDeadLetters({ ...broker, sample: quick === true ? 0 : sample })
      for (const queue of queues) tell(queue, terminal)
      if (queues.length === 0) terminal.say(`No dead-letter queue in the vhost "${broker.vhost}".`)
      terminal.result({ vhost: broker.vhost, queues })
      return 0
    }),
}

const indent = ' '.repeat(12)

function tell(listed: ListedQueue, { say, paint }: Terminal): void {
  const { depth, queue, facts, below, warning } = renderListedQueue(listed, Date.now())
  say(`${depth}  ${paint('bold', queue)}  ${facts}`.trimEnd())
  for (const text of below) say(`${indent}${text}`)
  if (warning !== undefined) say(`${indent}${paint('yellow', warning)}`)
}
