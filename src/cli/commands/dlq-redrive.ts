import { writeFile } from 'node:fs/promises'
import type { IncomingMessage } from '../../broker/amqp/message.ts'
import type { Destination } from '../../recovery/plan-redrive.ts'
import { previewRedrive, type RedrivePreview } from '../../recovery/preview-redrive.ts'
import { type RedriveOptions, startRedrive } from '../../recovery/redrive.ts'
import { renderReceipt } from '../../recovery/render-receipt.ts'
import { addBrokerOptions } from '../broker-options.ts'
import type { CliCommand, CommandInput, ExitCode } from '../command.ts'
import { addConfigOption } from '../config-options.ts'
import { addYesOption, confirm } from '../confirm-options.ts'
import { addWhereOption, readCount, readWhere } from '../dlq-options.ts'
import { type RecoveryLine, withRecoveryLine } from '../recovery-line.ts'
import type { Terminal } from '../terminal.ts'

/** `warren dlq redrive`: put dead letters back, lose nothing, and hold a receipt. */
export const dlqRedrive: CliCommand = {
  name: 'dlq redrive',
  summary: 'put dead letters back to work; a plan first, a receipt at the end',
  example:
    'warren dlq redrive billing.orders.dlq --where "cause:Timeout" --limit 10 --reason "gateway is back"',
  configure: (command) => {
    command
      .argument('<queue>')
      .option('--to <target>', 'origin, retry, exchange, or the name of a queue', 'origin')
      .option('--attempts <rule>', 'reset or continue the count of attempts', 'reset')
      .option('--limit <n>', 'move at most so many', readCount)
      .option('--rate <n>', 'messages per second', readCount)
      .option('--window <n>', 'publishes under way at a time; 1 is one by one', readCount)
      .option('--reason <text>', 'why; written into every message and the receipt')
      .option('--by <name>', 'who (also WARREN_OPERATOR; default: your user name)')
      .option('--receipt <file>', 'write the receipt to a file as JSON')
      .option('--dry-run', 'print the plan and stop')
    addWhereOption(command)
    addBrokerOptions(command)
    addConfigOption(command)
    addYesOption(command)
  },
  run: (input, terminal) => {
    const select = readWhere(input.options)
    return withRecoveryLine(input, (line) => redrive({ input, terminal, line, select }))
  },
}

interface Work {
  readonly input: CommandInput
  readonly terminal: Terminal
  readonly line: RecoveryLine
  readonly select: (message: IncomingMessage) => boolean
}

async function redrive({ input, terminal, line, select }: Work): Promise<ExitCode> {
  const options = redriveOptions({ input, line, select })
  const isDryRun = input.options.dryRun === true
  if (isDryRun || input.options.yes !== true) {
    const preview = await previewRedrive(options)
    tellPreview(preview, terminal)
    if (isDryRun) {
      terminal.result(preview)
      return 0
    }
    const answer = await confirm(`Move ${preview.moving} messages?`, { options: input.options, terminal })
    if (answer !== 'yes') {
      terminal.say(
        answer === 'no' ? 'Nothing was moved.' : 'Nothing was moved: say --yes to do it without a question.',
      )
      return answer === 'no' ? 0 : 1
    }
  }
  const progress = progressTeller(terminal)
  const receipt = await startRedrive({ ...options, onProgress: progress }).receipt
  for (const text of renderReceipt(receipt)) terminal.say(text)
  if (typeof input.options.receipt === 'string') {
    await writeFile(input.options.receipt, `${JSON.stringify(receipt, null, 2)}\n`)
  }
  terminal.result(receipt)
  if (!receipt.isBalanced) return 1
  return receipt.failed + receipt.kept > 0 ? 3 : 0
}

function redriveOptions({ input, line, select }: Omit<Work, 'terminal'>): RedriveOptions {
  const { limit, rate, window, reason, attempts, to } = input.options as Record<string, unknown>
  const hasWhere = typeof input.options.where === 'string'
  return {
    ...{ consuming: line.consuming, publishing: line.publishing, management: line.management, by: line.by },
    queue: input.args[0]!,
    to: destinationOf(String(to)),
    attempts: attempts === 'continue' ? 'continue' : 'reset',
    flows: line.topology?.flows ?? [],
    ...(hasWhere && { select }),
    ...(typeof limit === 'number' && { limit }),
    ...(typeof rate === 'number' && { ratePerSecond: rate }),
    ...(typeof window === 'number' && { window: { messages: window } }),
    ...(typeof reason === 'string' && { reason }),
  }
}

function destinationOf(to: string): Destination {
  return to === 'origin' || to === 'retry' || to === 'exchange' ? { kind: to } : { kind: 'queue', queue: to }
}

function tellPreview(preview: RedrivePreview, terminal: Terminal): void {
  terminal.say(`${preview.moving} of ${preview.present} messages would move out of ${preview.queue}:`)
  for (const { target, count, why, secondFailure } of preview.targets) {
    const again = secondFailure === undefined ? '' : `; a second failure: ${secondFailure}`
    terminal.say(`  ${count} to ${target} (known by ${why}${again})`)
  }
  for (const { reason, count } of preview.keeping) terminal.say(`  ${count} stay (${reason})`)
  for (const problem of preview.refusals) terminal.say(`  refused: ${problem}`)
}

const progressEvery = 1_000

function progressTeller(terminal: Terminal): NonNullable<RedriveOptions['onProgress']> {
  const startedAt = Date.now()
  return ({ present, moved }) => {
    if (moved % progressEvery !== 0) return
    const perSecond = Math.round(moved / Math.max(0.001, (Date.now() - startedAt) / 1000))
    const line = `${moved} of ${present} moved, ${perSecond}/s, ${Math.ceil((present - moved) / Math.max(1, perSecond))} s to go`
    if (terminal.isInteractive) terminal.progress(line)
    else terminal.say(line)
  }
}
