import { readFile } from 'node:fs/promises'
import type { Receipt } from 'warrenmq'
import {
  compileLook,
  decideVerdict,
  escapeLine,
  parseReceipt,
  peekRequestSchema,
  RecoveryError,
  type Verdict,
  verifyReceipt,
} from 'warrenmq/operations'
import type { CliCommand, ExitCode } from '../command.ts'
import { addBrokerOptions } from '../options/broker-options.ts'
import { addQueueOptions, readQueueRequest } from '../options/request-options.ts'
import { reasonOf } from '../output/reason-of.ts'
import type { Style } from '../output/terminal.ts'
import { withBroker } from '../with-broker.ts'

/** `warren dlq verify`: is the receipt of a re-drive still true? */
export const dlqVerify: CliCommand = {
  name: 'dlq verify',
  summary: 'check the receipt of a re-drive, by itself and against the broker',
  example: 'warren dlq verify receipt.json --targets',
  configure: (command) => {
    command
      .argument('<receipt>')
      .option('--targets', 'also search the queues where messages went; their consumers wait meanwhile')
    addQueueOptions(command, peekRequestSchema.properties ?? {})
    addBrokerOptions(command)
  },
  run: async (input, terminal) => {
    const receipt = await readReceipt(input.args[0]!)
    return withBroker(input, async (broker) => {
      const includesTargets = input.options.targets === true
      const look = compileLook({ queue: receipt.queue, ...readQueueRequest(input.options) }, broker)
      const checks = await verifyReceipt(receipt, { ...look, includesTargets })
      for (const { name, verdict, detail } of checks) {
        terminal.say(
          `${terminal.paint(styles[verdict], verdict.padEnd(8))} ${name.padEnd(8)} ${escapeLine(detail)}`,
        )
      }
      const verdict = decideVerdict(checks)
      if (verdict === 'unknown')
        terminal.say('Nothing contradicts the receipt, but not everything could be checked.')
      terminal.result({ id: receipt.id, queue: receipt.queue, verdict, checks })
      return exitCodes[verdict]
    })
  },
}

const exitCodes: Readonly<Record<Verdict, ExitCode>> = { holds: 0, broken: 1, unknown: 3 }

const styles: Readonly<Record<Verdict, Style>> = {
  holds: 'green',
  broken: 'red',
  unknown: 'yellow',
}

async function readReceipt(file: string): Promise<Receipt> {
  try {
    return parseReceipt(await readFile(file, 'utf8'))
  } catch (cause) {
    throw new RecoveryError({ code: 'RECEIPT_INVALID', message: `${file}: ${reasonOf(cause)}` }, { cause })
  }
}
