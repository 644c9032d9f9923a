import { Option } from 'commander'
import type { ApplyReport, LeftoverChoice } from 'warrenmq'
import { applyPlan, formatCounted, type Plan, Session, type TopologyDeclaration } from 'warrenmq/operations'
import { audited } from '../audited.ts'
import type { CliCommand, CommandInput, ExitCode } from '../command.ts'
import { loadConfig } from '../config/load-config.ts'
import { declareAll, observeOrDeclare } from '../observe-or-declare.ts'
import { addBrokerOptions, type BrokerAddress, readBrokerOptions } from '../options/broker-options.ts'
import { addConfigOption, readDurationOption } from '../options/config-options.ts'
import { addYesOption, confirm } from '../options/confirm.ts'
import { paintLines, resultStyles } from '../output/paint-lines.ts'
import { renderCounts, renderHints, renderReport, renderResult } from '../output/render-report.ts'
import type { Terminal } from '../output/terminal.ts'
import { operatorName } from '../with-broker.ts'
import { planDocument, sayPlan } from './plan.ts'

/** Makes the broker what the topology says. Where that needs more than safe steps, nothing is done until somebody agrees. */
export const apply: CliCommand = {
  name: 'apply',
  summary: 'carry out the plan: all of it or nothing, unless you agree to less',
  example: 'warren apply --url amqp://localhost --wait 60s',
  configure: (command) => {
    addConfigOption(command)
    addBrokerOptions(command)
    addYesOption(command)
    command
      .addOption(
        new Option('--allow <what>', 'also remove bindings, without asking first').choices(['disruptive']),
      )
      .option('--safe-only', 'carry out only the safe steps, without asking')
      .addOption(
        new Option(
          '--leftovers <what>',
          'what to do with wait queues of delays that the topology no longer has',
        )
          .choices(['keep', 'remove-empty'])
          .default('keep'),
      )
      .option('--wait <duration>', 'how long to wait for a broker that is still starting', readDurationOption)
      .option('--no-management', 'declare everything over AMQP, without checking the broker first')
  },
  run: async (input, terminal) => {
    const { file, topology } = await loadConfig(input.options)
    const address = readBrokerOptions(input)
    const waitMs = (input.options.wait as number | undefined) ?? 0
    const deadline = Date.now() + waitMs
    const session = await openSession({ address, waitMs, terminal })
    try {
      const look = { topology, address, session, deadline }
      const planned =
        input.options.management === false
          ? declareAll(look, 'As --no-management says.')
          : await observeOrDeclare(look)
      sayPlan(planned, { vhost: address.vhost, terminal })
      terminal.say()
      const extent = await decideExtent(planned.plan, { input, terminal })
      if (extent.kind === 'nothing') {
        terminal.say(terminal.paint('yellow', `Nothing was changed. ${extent.reason}`))
        terminal.result({ file, ...planDocument(planned, address.vhost), report: null })
        return 1
      }
      const work = (): Promise<ApplyReport> =>
        applyPlan(session, planned.plan, {
          allowDisruptive: extent.kind === 'all',
          leftovers: input.options.leftovers as LeftoverChoice,
          // Without a look at the broker no leftover is known either.
          observe: async () => (await observeOrDeclare(look)).live,
          onResult: (result) => terminal.say(paintLines(renderResult(result), resultStyles, terminal)),
        })
      const report = await (hasSteps(planned.plan)
        ? auditedApply({ work, session, input, terminal, server: topology.server })
        : work())
      saySummary(report, terminal)
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

function hasSteps({ safe, disruptive, leftovers }: Plan): boolean {
  return safe.length + disruptive.length + leftovers.length > 0
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
      broker: { consuming: session, publishing: session, by: operatorName(input), server, env: input.env },
      terminal,
    },
    {
      action: 'topology.apply',
      target: session.vhost,
      work,
      describe: ({ done, failed, skipped }) => [
        { result: `${formatCounted(done, 'step')} done, ${failed} failed, ${skipped} left` },
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

/** all: also what is disruptive. safe: the safe steps alone. nothing: not even those, because nobody agreed to a half. */
type Extent = { readonly kind: 'all' | 'safe' } | { readonly kind: 'nothing'; readonly reason: string }

async function decideExtent(
  { disruptive, impossible }: Plan,
  { input, terminal }: { input: CommandInput; terminal: Terminal },
): Promise<Extent> {
  const { options } = input
  const mayDisrupt = options.allow === 'disruptive'
  if (options.safeOnly === true) return { kind: 'safe' }
  if (impossible.length === 0 && (disruptive.length === 0 || mayDisrupt)) return { kind: 'all' }
  const answer = await confirm(questionOf({ disruptive, impossible }), { options, terminal })
  if (answer === 'yes') return { kind: 'all' }
  const more =
    impossible.length > 0 ? 'Steps that are impossible in place need one of the ways out above. ' : ''
  const allow = impossible.length > 0 ? '' : 'Add `--allow disruptive` to carry out everything, or '
  const asked = answer === 'nobody' ? 'There is no terminal to ask in. ' : ''
  const safeOnly = `\`--safe-only\` ${allow === '' ? 'does' : 'to do'} only the safe steps.`
  return { kind: 'nothing', reason: `${more}${asked}${allow}${safeOnly}` }
}

function questionOf({ disruptive, impossible }: Pick<Plan, 'disruptive' | 'impossible'>): string {
  const steps = disruptive.length === 1 ? 'the disruptive step' : `the ${disruptive.length} disruptive steps`
  if (impossible.length === 0) return `Carry out everything, including ${steps}? If not, nothing changes.`
  const also = disruptive.length === 0 ? '' : `, including ${steps}`
  return `Some steps are impossible. Carry out the rest${also}? If not, nothing changes.`
}

function saySummary(report: ApplyReport, terminal: Terminal): void {
  const { results, impossible, isComplete } = report
  if (results.length + impossible.length === 0) return
  terminal.say()
  terminal.say(terminal.paint(isComplete ? 'green' : 'yellow', renderCounts(report)))
  if (impossible.length > 0) {
    terminal.say('Steps that are impossible in place need one of the ways out that the plan names.')
  }
  for (const hint of renderHints(report)) terminal.say(hint)
}

function exitCodeOf({ isComplete, done, failed }: ApplyReport): ExitCode {
  if (isComplete) return 0
  return failed > 0 && done === 0 ? 1 : 3
}
