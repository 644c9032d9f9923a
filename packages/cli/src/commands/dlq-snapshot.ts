import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { CommanderError } from 'commander'
import {
  backUpQueue,
  backupRequestSchema,
  compileLook,
  depthOf,
  escapeLine,
  parseRequest,
} from 'warrenmq/operations'
import type { CliCommand } from '../command.ts'
import { addBrokerOptions } from '../options/broker-options.ts'
import { addQueueOptions, addWhereOption, readQueueRequest } from '../options/request-options.ts'
import { createPassTeller } from '../output/progress-teller.ts'
import { withBroker } from '../with-broker.ts'

const fields = backupRequestSchema.properties ?? {}

/** `warren dlq snapshot`: one look into a file, which causes, peek and plans then read. */
export const dlqSnapshot: CliCommand = {
  name: 'dlq snapshot',
  summary: 'write what one look sees to a file, for causes, peek and redrive --dry-run',
  example: 'warren dlq snapshot billing.orders.dlq --out orders.snapshot',
  configure: (command) => {
    command
      .argument('<queue>')
      .option('--out <file>', 'the file, a new one (default: the queue and the time, in this folder)')
    addWhereOption(command, fields)
    addQueueOptions(command, fields)
    addBrokerOptions(command)
  },
  run: (input, terminal) => {
    const asked = { queue: input.args[0], ...readQueueRequest(input.options) }
    const request = parseRequest('dlq snapshot', asked, backupRequestSchema)
    const { queue } = request
    const { out } = input.options
    const file = typeof out === 'string' ? out : nameFor(queue, new Date())
    if (existsSync(file))
      throw new CommanderError(2, 'warren.usage', `${file} is there already; name a new file with --out`)
    return withBroker(input, async (broker) => {
      const { select: matches, ...look } = compileLook(request, broker)
      const tellOne = createPassTeller(terminal, await depthOf(broker.consuming, queue))
      const select: typeof matches = (message) => {
        tellOne()
        return matches(message)
      }
      const { seal, records, present, seen } = await backUpQueue({ ...look, file, select })
      if (!seal) {
        await rm(file, { force: true }) // a part of a queue looks like all of it
        terminal.say(
          `Only ${seen} of ${present} messages could be looked at, so there is no snapshot. Try again.`,
        )
        terminal.result({ queue, present, seen, messages: 0, file: null, asOf: null })
        return 3
      }
      const asOf = seal.sealedAt
      terminal.say(`${records} of ${present} messages of ${queue} in ${escapeLine(file)}, as of ${asOf}.`)
      terminal.say(`Read it with --snapshot: warren dlq causes ${queue} --snapshot ${escapeLine(file)}`)
      terminal.result({ queue, present, seen, messages: records, file, asOf })
      return 0
    })
  },
}

/** A name that every file system takes. */
function nameFor(queue: string, now: Date): string {
  const plain = queue.replaceAll(/[^A-Za-z0-9._-]/g, '_').slice(0, 100)
  return `${plain}-${now.toISOString().slice(0, 19).replaceAll(/[:]/g, '')}.snapshot`
}
