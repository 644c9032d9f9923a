import { CommanderError, Option } from 'commander'
import {
  type BackupReport,
  backUpQueue,
  backupRequestSchema,
  compileLook,
  countRemovals,
  depthOf,
  formatCounted,
  parseRequest,
  verifyBackup,
} from 'warrenmq/operations'
import type { CliCommand, CommandInput, ExitCode } from '../command.ts'
import { addBrokerOptions } from '../options/broker-options.ts'
import { addQueueOptions, addWhereOption, readQueueRequest } from '../options/request-options.ts'
import { createPassTeller } from '../output/progress-teller.ts'
import type { Terminal } from '../output/terminal.ts'
import { withBroker } from '../with-broker.ts'

/** `warren dlq backup`: messages to a file, byte for byte, without taking them away. */
export const dlqBackup: CliCommand = {
  name: 'dlq backup',
  summary: 'write the messages of a queue to a file without removing them, or check such a file',
  example: 'warren dlq backup billing.orders.dlq --out orders.backup',
  configure: (command) => {
    command
      .argument('[queue]', 'the queue; leave it out with --verify')
      .addOption(
        new Option('--out <file>', 'the file to write; an interrupted backup is continued').conflicts(
          'verify',
        ),
      )
      .option('--verify <file>', 'check every record of a file, and the file as a whole; needs no broker')
    const fields = backupRequestSchema.properties ?? {}
    addWhereOption(command, fields)
    addQueueOptions(command, fields)
    addBrokerOptions(command)
  },
  run: async (input, terminal) => {
    const { out, verify } = input.options as Record<string, unknown>
    const queue = input.args[0]
    if (typeof verify === 'string') return verifyFile(verify, terminal)
    if (queue === undefined || typeof out !== 'string') {
      const usage = 'name a queue, and a file with --out; or check a file with --verify'
      throw new CommanderError(2, 'warren.usage', usage)
    }
    return backUp({ input, terminal, queue, file: out })
  },
}

async function verifyFile(file: string, terminal: Terminal): Promise<ExitCode> {
  const { header, records, bodyBytes, seal, runs } = await verifyBackup(file)
  const removal = header.purpose === 'discard' ? countRemovals(runs) : undefined
  const gone = removal
    ? `; ${removal.removed} removed from the queue, ${removal.inDoubt} perhaps removed`
    : ''
  terminal.say(
    `${file} is intact: ${formatCounted(records, 'message')} of ${header.queue}, ${formatCounted(bodyBytes, 'byte')}${gone}.`,
  )
  terminal.say(`SHA-256 ${seal?.digest}`)
  terminal.result({ file, header, seal, ...(removal && { removal }) })
  return 0
}

function backUp(fields: {
  input: CommandInput
  terminal: Terminal
  queue: string
  file: string
}): Promise<ExitCode> {
  const { input, terminal, queue, file } = fields
  const request = parseRequest(
    'dlq backup',
    { queue, ...readQueueRequest(input.options) },
    backupRequestSchema,
  )
  return withBroker(input, async (broker) => {
    const { select: matches, ...look } = compileLook(request, broker)
    const tellOne = createPassTeller(terminal, await depthOf(broker.consuming, queue))
    const select: typeof matches = (message) => {
      tellOne()
      return matches(message)
    }
    const report = await backUpQueue({ ...look, file, select })
    tell(report, queue, terminal)
    terminal.result({ queue, ...report })
    return report.seal ? 0 : 3
  })
}

function tell(
  { records, resumed, present, seen, file, seal }: BackupReport,
  queue: string,
  { say }: Terminal,
): void {
  const before = resumed > 0 ? `, ${resumed} of them from an earlier run` : ''
  say(
    `${formatCounted(records, 'message')} in ${file}${before}; looked at ${seen} of ${present} in ${queue}.`,
  )
  if (seal) say(`Checked. SHA-256 ${seal.digest}`)
  else say('Not all messages were seen. Run the command again to continue.')
}
