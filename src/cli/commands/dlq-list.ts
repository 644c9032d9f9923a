import { type ListedQueue, listDeadLetters } from '../../recovery/list-dead-letters.ts'
import { addBrokerOptions } from '../broker-options.ts'
import type { CliCommand } from '../command.ts'
import { addConfigOption } from '../config-options.ts'
import { readCount } from '../dlq-options.ts'
import { withRecoveryLine } from '../recovery-line.ts'
import { renderAge } from '../render-age.ts'
import type { Terminal } from '../terminal.ts'

/** `warren dlq list`: where messages end, how many, since when, and why. */
export const dlqList: CliCommand = {
  name: 'dlq list',
  summary: 'dead-letter queues: depth, oldest, growth, who works on their origins, and the main causes',
  example: 'warren dlq list --url amqp://localhost',
  configure: (command) => {
    command
      .option('--sample <n>', 'how many messages to look at in each, where that is safe', readCount, 1_000)
      .option('--quick', 'look at none: no age and no causes')
    addBrokerOptions(command)
    addConfigOption(command)
  },
  run: (input, terminal) =>
    withRecoveryLine(input, async (line) => {
      const { sample, quick } = input.options as { sample: number; quick?: boolean }
      const queues = await listDeadLetters({ ...line, sample: quick === true ? 0 : sample })
      for (const queue of queues) tell(queue, terminal)
      if (queues.length === 0) terminal.say(`No dead-letter queue in the vhost "${line.vhost}".`)
      terminal.result({ vhost: line.vhost, queues })
      return 0
    }),
}

const causesShown = 3

function tell(listed: ListedQueue, { say, paint }: Terminal): void {
  const { queue, messages, oldest, growthPerMinute = 0, sources, consumers, causes, looked } = listed
  const facts = [
    ...(oldest === undefined ? [] : [`oldest ${renderAge(Date.now() - Date.parse(oldest))}`]),
    ...(growthPerMinute === 0 ? [] : [`${growthPerMinute > 0 ? '+' : ''}${Math.round(growthPerMinute)}/min`]),
    ...(consumers ? [`${consumers} consumers`] : []),
  ]
  say(`${String(messages).padStart(10)}  ${paint('bold', queue)}  ${facts.join(', ')}`.trimEnd())
  for (const source of sources)
    say(`${' '.repeat(12)}from ${source.queue} (${source.consumers ?? 0} consumers)`)
  for (const { count, label } of causes.slice(0, causesShown)) {
    say(`${' '.repeat(12)}${Math.round((count / looked) * 100)} % ${label}`)
  }
  if (listed.notLookedAt !== undefined) say(`${' '.repeat(12)}${paint('yellow', listed.notLookedAt)}`)
}
