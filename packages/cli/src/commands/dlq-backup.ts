import { CommanderError, Option } from 'commander'
import {
  type BackupReport,
  backUpQueue,
  backupRequestSchema,
  compileLook,
  countRemovals,
  depthOf,
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
  summary: 'write the messages of a queue to a file and leave them where they are; or check such a file',
  example: 'warren dlq backup billing.orders.dlq --out orders.backup',
  configure: (command) => {
    command
      .argument('[queue]', 'the queue; not with --verify')
      .addOption(
        new Option('--out <file>', 'the file; an interrupted one is gone on with').conflicts('verify'),
      )
      .option('--verify <file>', 'check every record and the whole of a file; needs no broker')
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
      const usage = 'say which queue, and where to with --out; or which file with --verify'
      throw new CommanderError(2, 'warren.usage', usage)
    }
    return backUp({ input, terminal, queue, file: out })
  },
}

async function verifyFile(file: string, terminal: Terminal): Promise<ExitCode> {
  const { header, records, bodyBytes, seal, runs } = await verifyBackup(file)
  const removal = header.purpose === 'discard' ? countRemovals(runs) : undefined
  const gone = removal ? `; ${removal.removed} were removed from the queue, ${removal.inDoubt} may be` : ''
  terminal.say(`${file} is whole: ${records} messages of ${header.queue}, ${bodyBytes} bytes${gone}.`)
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
  const before = resumed > 0 ? `, ${resumed} of them before` : ''
  say(`${records} messages in ${file}${before}; ${seen} of ${present} in ${queue} were looked at.`)
  if (seal) say(`Checked. SHA-256 ${seal.digest}`)
  else say('Not all were seen. Run it again to go on.')
}
