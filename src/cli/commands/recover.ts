import { escapeLine } from '../../message/escape-text.ts'
import { readRecoverySection } from '../../recovery/read-recovery-section.ts'
import { type RecoverProgress, recoverQueues } from '../../recovery/recover-queues.ts'
import type { QueueRecovery } from '../../recovery/render-recovery.ts'
import { type AuditedEnd, audited } from '../audited.ts'
import { addBrokerOptions } from '../broker-options.ts'
import type { CliCommand } from '../command.ts'
import { addConfigOption } from '../config-options.ts'
import { decideRecoveryExit } from '../decide-recovery-exit.ts'
import { addAcceptOption, readAccept } from '../dlq-options.ts'
import { withRecoveryLine } from '../recovery-line.ts'
import { renderProgressBar } from '../render-progress.ts'
import type { Terminal } from '../terminal.ts'

/** `warren recover`: every dead letter of a known type back to where its type goes. */
export const recover: CliCommand = {
  name: 'recover',
  summary: "recover dead letters by their type, from the config's recovery section",
  example: 'warren recover --config warren.config.ts',
  configure: (command) => {
    addBrokerOptions(command)
    addConfigOption(command)
    addAcceptOption(command)
  },
  run: (input, terminal) =>
    withRecoveryLine(input, async (line) => {
      const section = readRecoverySection(line.recovery)
      const ending = new AbortController()
      const end = (): void => ending.abort()
      process.once('SIGINT', end).once('SIGTERM', end)
      const work = (): Promise<readonly QueueRecovery[]> =>
        recoverQueues({
          ...line,
          ...section,
          ...readAccept(input.options),
          log: (text) => terminal.say(escapeLine(text)),
          onProgress: terminal.isInteractive ? progressBar(terminal) : undefined,
          signal: ending.signal,
        })
      const action = { action: 'recover', target: section.queues.join(', '), work }
      const recoveries = await audited(
        { line, terminal },
        { ...action, describe: (all) => all.map(describeRecovery) },
      ).finally(() => process.off('SIGINT', end).off('SIGTERM', end))
      const queues = recoveries.map((each) => ({
        ...each,
        recoveredByQueue: Object.fromEntries(each.recoveredByQueue),
        failedByQueue: Object.fromEntries(each.failedByQueue),
      }))
      terminal.result({ queues })
      return decideRecoveryExit(recoveries)
    }),
}

function describeRecovery({ queue, recovered, failed, receipt, problem }: QueueRecovery): AuditedEnd {
  const counts = `${recovered} recovered, ${failed} failed, ${receipt?.kept ?? 0} kept`
  const result = problem === undefined ? counts : `${counts}; ended early: ${problem}`
  return { target: queue, result, receiptDigest: receipt?.digest ?? null }
}

const redrawMs = 100

function progressBar(terminal: Terminal): (progress: RecoverProgress) => void {
  let drawnAt = 0
  return ({ recovered, total, elapsedMs }) => {
    const now = Date.now()
    if (now - drawnAt < redrawMs && recovered < total) return
    drawnAt = now
    terminal.progress(renderProgressBar({ done: recovered, total, elapsedMs }))
  }
}
