import type { PlannedDeployment } from 'warrenmq'
import { planDeployment, proveDeployment, renderPlan } from 'warrenmq/operations'
import type { CliCommand } from '../command.ts'
import { loadConfig } from '../config/load-config.ts'
import { addBrokerOptions, readBrokerOptions } from '../options/broker-options.ts'
import { addConfigOption } from '../options/config-options.ts'
import { paintLines, planStyles } from '../output/paint-lines.ts'
import type { Terminal } from '../output/terminal.ts'
import { withManagement } from '../with-management.ts'

/** What `warren apply` would do, without doing it. */
export const plan: CliCommand = {
  name: 'plan',
  summary: 'show the steps from the live broker to the topology, without changing anything',
  example: 'warren plan --url amqp://localhost --detailed-exitcode',
  configure: (command) => {
    addConfigOption(command)
    addBrokerOptions(command)
    command.option('--detailed-exitcode', 'exit with 2 if there is something to do, and with 0 if not')
  },
  run: async (input, terminal) => {
    const { file, topology } = await loadConfig(input.options)
    const address = readBrokerOptions(input)
    const { vhost } = address
    const planned = await withManagement(address, (management) =>
      planDeployment(topology, { management, vhost }),
    )
    sayPlan(planned, { vhost, terminal })
    terminal.result({ file, ...planDocument(planned, vhost) })
    return input.options.detailedExitcode === true && !planned.plan.isEmpty ? 2 : 0
  },
}

/** The plan in words, under a line that says which broker it is for. */
export function sayPlan(
  planned: PlannedDeployment,
  { vhost, terminal }: { vhost: string; terminal: Terminal },
): void {
  const { plan, wanted, unchecked } = planned
  const { text: version } = wanted.brokerVersion
  terminal.say(`RabbitMQ ${version}, vhost ${vhost}`)
  terminal.say(paintLines(renderPlan(plan).trimEnd(), planStyles, terminal))
  if (unchecked.length > 0) terminal.say()
  for (const sentence of unchecked) terminal.say(terminal.paint('yellow', sentence))
  const { findings } = proveDeployment(planned)
  if (findings.length === 0) return
  terminal.say()
  const count = findings.length === 1 ? 'one finding' : `${findings.length} findings`
  terminal.say(
    terminal.paint(
      'yellow',
      `The topology is not proved for it: ${count}. Run \`warren check ${unchecked.length === 0 ? '--from-broker' : `--broker-version ${version}`}\`.`,
    ),
  )
}

/** The plan as a program reads it. */
export function planDocument(planned: PlannedDeployment, vhost: string): object {
  const { plan, wanted, unchecked } = planned
  const { isProved, findings } = proveDeployment(planned)
  return { brokerVersion: wanted.brokerVersion.text, vhost, ...plan, unchecked, isProved, findings }
}
