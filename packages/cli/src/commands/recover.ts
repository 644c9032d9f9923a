import type { QueueRecovery } from 'warrenmq'
import {
  defaultTotalMs,
  escapeLine,
  type RecoverProgress,
  readRecoverySection,
  recoverQueues,
  redriveRequestSchema,
} from 'warrenmq/operations'
import { type AuditedEnd, audited } from '../audited.ts'
import type { CliCommand, ExitCode } from '../command.ts'
import { addBrokerOptions } from '../options/broker-options.ts'
import { addConfigOption } from '../options/config-options.ts'
import { requestOption } from '../options/request-options.ts'
import { decideRecoveryExit } from '../output/decide-recovery-exit.ts'
import { renderProgressBar } from '../output/render-progress.ts'
import type { Terminal } from '../output/terminal.ts'
import { type CommandBroker, withBroker } from '../with-broker.ts'

/** `warren recover`: every dead letter of a known type back to where its type goes. */
export const recover: CliCommand = {
  name: 'recover',
  summary: "put dead letters back by type, as the config's recovery section says",
  example: 'warren recover --config warren.config.ts',
  configure: (command) => {
    addBrokerOptions(command)
    addConfigOption(command)
    const { acceptDeliveryLimit } = redriveRequestSchema.properties ?? {}
    command.addOption(requestOption('--accept-delivery-limit', acceptDeliveryLimit))
  },
  run: (input, terminal) => {
    const startedAt = performance.now()
    const waiting = setTimeout(() => terminal.say('⚠️  Waiting for the broker...'), tellAfterMs)
    const recoverAll = async (broker: CommandBroker): Promise<ExitCode> => {
      clearTimeout(waiting)
      const section = readRecoverySection(broker.recovery)
      const { totalMs = defaultTotalMs, ...timeouts } = section.timeouts
      // The time is for all of it, the wait for the broker included.
      const leftMs = Math.max(1, totalMs - (performance.now() - startedAt))
      const ending = new AbortController()
      const end = (): void => ending.abort()
      process.once('SIGINT', end).once('SIGTERM', end)
      const work = (): Promise<readonly QueueRecovery[]> =>
        recoverQueues({
          ...broker,
          ...section,
          timeouts: { ...timeouts, totalMs: leftMs },
          acceptDeliveryLimit: input.options.acceptDeliveryLimit === true,
          log: (text) => terminal.say(escapeLine(text)),
          onProgress: terminal.isInteractive ? progressBar(terminal) : undefined,
          signal: ending.signal,
        })
      const action = { action: 'recover', target: section.queues.join(', '), work }
      const recoveries = await audited(
        { broker, terminal },
        { ...action, describe: (all) => all.map(describeRecovery) },
      ).finally(() => process.off('SIGINT', end).off('SIGTERM', end))
      const queues = recoveries.map((each) => ({
        ...each,
        recoveredByQueue: Object.fromEntries(each.recoveredByQueue),
        failedByQueue: Object.fromEntries(each.failedByQueue),
      }))
      terminal.result({ queues })
      return decideRecoveryExit(recoveries)
    }
    // A worker may start before its broker.
    return withBroker(input, recoverAll, {
      waitMs: (declaration) => readRecoverySection(declaration?.recovery).timeouts.totalMs ?? defaultTotalMs,
      goodbyeMs,
    }).finally(() => clearTimeout(waiting))
  },
}

function describeRecovery({ queue, recovered, failed, receipt, problem }: QueueRecovery): AuditedEnd {
  const counts = `${recovered} recovered, ${failed} failed, ${receipt?.kept ?? 0} kept`
  const result = problem === undefined ? counts : `${counts}; ended early: ${problem}`
  return { target: queue, result, receiptDigest: receipt?.digest ?? null }
}

const redrawMs = 100
/** All is settled by then. A broker with an alarm, or one that says nothing, answers no goodbye, and the time may be over. */
const goodbyeMs = 500
/** A connection takes no longer where the broker is there. */
const tellAfterMs = 1_000

function progressBar(terminal: Terminal): (progress: RecoverProgress) => void {
  let drawnAt = 0
  return ({ recovered, total, elapsedMs }) => {
    const now = Date.now()
    if (now - drawnAt < redrawMs && recovered < total) return
    drawnAt = now
    terminal.progress(renderProgressBar({ done: recovered, total, elapsedMs }))
  }
}
