import { Option } from 'commander'
import { Session } from '../../broker/amqp/session.ts'
import { type ApplyReport, applyPlan } from '../../deploy/apply-plan.ts'
import type { TopologyDeclaration } from '../../topology/declaration.ts'
import type { Plan } from '../../topology/plan-topology.ts'
import { audited } from '../audited.ts'
import { addBrokerOptions, type BrokerAddress, readBrokerOptions } from '../broker-options.ts'
import type { CliCommand, CommandInput, ExitCode } from '../command.ts'
import { addConfigOption, readDurationOption } from '../config-options.ts'
import { type Answer, addYesOption, confirm } from '../confirm-options.ts'
import { loadConfig } from '../load-config.ts'
import { declareAll, observeOrDeclare } from '../observe-or-declare.ts'
import { paintLines, resultStyles } from '../paint-lines.ts'
import { operatorName } from '../recovery-line.ts'
import { renderCounts, renderHints, renderReport, renderResult } from '../render-apply.ts'
import type { Terminal } from '../terminal.ts'
import { planDocument, sayPlan } from './plan.ts'

/** Makes the broker what the topology says: safe steps at once, the others only when somebody agrees. */
export const apply: CliCommand = {
  name: 'apply',
  summary: 'carry out the plan: safe steps at once, disruptive ones only when you agree',
  example: 'warren apply --url amqp://localhost --wait 60s',
  configure: (command) => {
    addConfigOption(command)
    addBrokerOptions(command)
    addYesOption(command)
    command
      .addOption(
        new Option('--allow <what>', 'also remove bindings and delete idle queues, without asking').choices([
          'disruptive',
        ]),
      )
      .option('--wait <duration>', 'wait so long for a broker that is still starting', readDurationOption)
      .option('--no-management', 'declare over AMQP alone, without looking at the broker first')
  },
  run: async (input, terminal) => {
    const { file, topology } = await loadConfig(input.options)
    const address = readBrokerOptions(input)
    const waitMs = (input.options.wait as number | undefined) ?? 0
    const deadline = Date.now() + waitMs
    const session = await openSession({ address, waitMs, terminal })
    try {
      const look = { topology, address, brokerVersion: session.broker.version, deadline }
      const planned =
        input.options.management === false
          ? declareAll(look, 'As --no-management says.')
          : await observeOrDeclare(look)
      sayPlan(planned, { vhost: address.vhost, terminal })
      terminal.say()
      const consent = await askConsent(planned.plan, { input, terminal })
      const work = (): Promise<ApplyReport> =>
        applyPlan(session, planned.plan, {
          allowDisruptive: consent === 'yes',
          onResult: (result) => terminal.say(paintLines(renderResult(result), resultStyles, terminal)),
        })
      const report = await (hasSteps(planned.plan)
        ? auditedApply({ work, session, input, terminal, server: topology.server })
        : work())
      saySummary(report, { consent, terminal })
      terminal.result({
        file,
        ...planDocument(planned, address.vhost),
        report: renderReport(report),
      })
      return exitCodeOf(report)
    } finally {
      await session.close()
    }
  },
}

function hasSteps({ safe, disruptive }: Plan): boolean {
  return safe.length + disruptive.length > 0
}

function auditedApply(fields: {
  readonly work: () => Promise<ApplyReport>
  readonly session: Session
  readonly input: CommandInput
  readonly terminal: Terminal
  readonly server: TopologyDeclaration['server']
}): Promise<ApplyReport> {
  const { work, session, input, terminal, server } = fields
  return audited(
    {
      line: { consuming: session, publishing: session, by: operatorName(input), server },
      terminal,
    },
    {
      ...{ action: 'topology.apply', target: session.vhost, work },
      describe: ({ done, failed, skipped }) => [
        { result: `${done} steps done, ${failed} failed, ${skipped} left` },
      ],
    },
  )
}

async function openSession({
  address,
  waitMs,
  terminal,
}: {
  address: BrokerAddress
  waitMs: number
  terminal: Terminal
}): Promise<Session> {
  if (waitMs > 0) terminal.progress('Waiting for the broker …')
  return Session.open(address.url, {
    name: 'warren apply',
    ...(waitMs > 0 && { waitForBrokerMs: waitMs }),
  })
}

async function askConsent(
  { disruptive }: Plan,
  { input, terminal }: { input: CommandInput; terminal: Terminal },
): Promise<Answer> {
  if (disruptive.length === 0) return 'no'
  if (input.options.allow === 'disruptive') return 'yes'
  const steps = disruptive.length === 1 ? 'the disruptive step' : `the ${disruptive.length} disruptive steps`
  return confirm(`Also do ${steps}? The safe ones are done either way.`, { options: input.options, terminal })
}

function saySummary(
  report: ApplyReport,
  { consent, terminal }: { consent: Answer; terminal: Terminal },
): void {
  const { results, impossible, skipped, isComplete } = report
  if (results.length + impossible.length === 0) return
  terminal.say()
  terminal.say(terminal.paint(isComplete ? 'green' : 'yellow', renderCounts(report)))
  if (skipped > 0 && consent === 'nobody') {
    terminal.say(
      'There is no terminal to ask on, so the disruptive steps were left. Add `--allow disruptive`.',
    )
  }
  if (impossible.length > 0) {
    terminal.say('What is impossible in place needs one of the ways out that the plan names.')
  }
  for (const hint of renderHints(report)) terminal.say(hint)
}

function exitCodeOf({ isComplete, done, failed }: ApplyReport): ExitCode {
  if (isComplete) return 0
  return failed > 0 && done === 0 ? 1 : 3
}
