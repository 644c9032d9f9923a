import { readRecoverySection } from '../../recovery/read-recovery-section.ts'
import { recoverQueues } from '../../recovery/recover-queues.ts'
import { addBrokerOptions } from '../broker-options.ts'
import type { CliCommand } from '../command.ts'
import { addConfigOption } from '../config-options.ts'
import { withRecoveryLine } from '../recovery-line.ts'

/** `warren recover`: every dead letter of a known type back to where its type goes. */
export const recover: CliCommand = {
  name: 'recover',
  summary: "recover dead letters by their type, from the config's recovery section",
  example: 'warren recover --config warren.config.ts',
  configure: (command) => {
    addBrokerOptions(command)
    addConfigOption(command)
  },
  run: (input, terminal) =>
    withRecoveryLine(input, async (line) => {
      const section = readRecoverySection(line.recovery)
      const recoveries = await recoverQueues({ ...line, ...section, log: (text) => terminal.say(text) })
      const queues = recoveries.map((each) => ({
        ...each,
        recoveredByQueue: Object.fromEntries(each.recoveredByQueue),
        failedByQueue: Object.fromEntries(each.failedByQueue),
      }))
      terminal.result({ queues })
      if (recoveries.some(({ receipt }) => receipt?.isBalanced === false)) return 1
      return recoveries.some(({ left }) => left > 0) ? 3 : 0
    }),
}
