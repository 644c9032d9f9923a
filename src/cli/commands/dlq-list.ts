import { observeTopology } from '../../deploy/observe-topology.ts'
import { depthOf } from '../../recovery/count-queue.ts'
import { decideDeadLetterQueues } from '../../recovery/decide-dead-letter-queues.ts'
import { addBrokerOptions } from '../broker-options.ts'
import type { CliCommand } from '../command.ts'
import { addConfigOption } from '../config-options.ts'
import { withRecoveryLine } from '../recovery-line.ts'

/** `warren dlq list`: where messages end, and how many. */
export const dlqList: CliCommand = {
  name: 'dlq list',
  summary: 'dead-letter queues with their depth and the queues whose dead letters they hold',
  example: 'warren dlq list --url amqp://localhost',
  configure: (command) => {
    addBrokerOptions(command)
    addConfigOption(command)
  },
  run: (input, terminal) =>
    withRecoveryLine(input, async ({ management, vhost, topology, consuming }) => {
      const found = decideDeadLetterQueues(await observeTopology(management, { vhost }), topology)
      const queues = []
      for (const each of found) queues.push({ ...each, messages: await depthOf(consuming, each.queue) })
      const sorted = queues.toSorted((left, right) => right.messages - left.messages)
      for (const { queue, messages, sources, consumers } of sorted) {
        const from = sources.length === 0 ? '' : `  from ${sources.join(', ')}`
        const watched = consumers ? `  ${consumers} consumers` : ''
        terminal.say(`${String(messages).padStart(10)}  ${terminal.paint('bold', queue)}${from}${watched}`)
      }
      if (sorted.length === 0) terminal.say(`No dead-letter queue in the vhost "${vhost}".`)
      terminal.result({ vhost, queues: sorted })
      return 0
    }),
}
