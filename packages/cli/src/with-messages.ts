import {
  compileLook,
  depthOf,
  type IncomingMessage,
  type LookReport,
  lookAtQueue,
  messageFilter,
  parseFilter,
  type QueueRequest,
} from 'warrenmq/operations'
import type { CommandInput, ExitCode } from './command.ts'
import { lookAtSnapshot } from './look-at-snapshot.ts'
import { createPassTeller } from './output/progress-teller.ts'
import type { Terminal } from './output/terminal.ts'
import { withBroker } from './with-broker.ts'

/** Shows each message that was asked for. */
type Look = (onMessage: (message: IncomingMessage) => void) => Promise<LookReport>

/** Gives a command the messages of its queue: by a look, or from the file that `--snapshot` names, without a broker. */
export function withMessages(
  fields: {
    readonly input: CommandInput
    readonly terminal: Terminal
    readonly request: QueueRequest
    /** How many are looked at, from the head. */
    readonly count: number
  },
  work: (look: Look) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { input, terminal, request, count } = fields
  const { queue, where } = request
  const { snapshot: file } = input.options
  if (typeof file === 'string') {
    const isWanted = where === undefined ? () => true : messageFilter(parseFilter(where), Date.now())
    return work((show) =>
      lookAtSnapshot({
        file,
        queue,
        terminal,
        count,
        onMessage: (message) => {
          if (isWanted(message)) show(message)
        },
      }),
    )
  }
  return withBroker(input, async (broker) => {
    const tellOne = createPassTeller(terminal, Math.min(count, await depthOf(broker.consuming, queue)))
    const { select, ...look } = compileLook(request, broker)
    return work((show) =>
      lookAtQueue({
        ...look,
        ...(Number.isFinite(count) && { count }),
        onMessage: (message) => {
          tellOne()
          if (select(message)) show(message)
        },
      }),
    )
  })
}
