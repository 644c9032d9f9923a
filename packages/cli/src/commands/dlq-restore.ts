import { parseRequest, type RestoreRequest, restoreBackup, restoreRequestSchema } from 'warrenmq/operations'
import { audited } from '../audited.ts'
import type { CliCommand, CommandInput } from '../command.ts'
import { addBrokerOptions } from '../options/broker-options.ts'
import { addByOption, requestOption } from '../options/request-options.ts'
import { createProgressTeller, mostlyShort } from '../output/progress-teller.ts'
import { renderRestore } from '../output/render-restore.ts'
import { withBroker } from '../with-broker.ts'

/** `warren dlq restore`: the messages of a backup into their queue, each once. */
export const dlqRestore: CliCommand = {
  name: 'dlq restore',
  summary: 'put back what a discard removed, or what is in a backup but not in its queue; each message once',
  example: 'warren dlq restore orders.backup',
  configure: (command) => {
    const { queue, acceptDeliveryLimit, reason } = restoreRequestSchema.properties ?? {}
    command
      .argument('<file>')
      .addOption(requestOption('--to <queue>', queue))
      .addOption(requestOption('--accept-delivery-limit', acceptDeliveryLimit))
      .addOption(requestOption('--reason <text>', reason))
    addByOption(command)
    addBrokerOptions(command)
  },
  run: (input, terminal) =>
    withBroker(input, async (broker) => {
      const request = readRequest(input.options)
      const { queue, acceptDeliveryLimit, reason } = request
      const file = input.args[0]!
      const report = await audited(
        { broker, terminal },
        {
          action: 'restore',
          target: queue ?? file,
          reason,
          request,
          work: () =>
            restoreBackup({
              ...broker,
              file,
              queue,
              acceptDeliveryLimit,
              onProgress: createProgressTeller({ terminal, lineEvery: mostlyShort }),
            }),
          describe: ({ queue: target, records: all, restored: done }) => [
            { target, result: `${done} of ${all} restored from ${file}` },
          ],
        },
      )
      for (const text of renderRestore(report)) terminal.say(text)
      terminal.result(report)
      return report.failed > 0 || report.isDamaged ? 3 : 0
    }),
}

function readRequest({ to: queue, acceptDeliveryLimit, reason }: CommandInput['options']): RestoreRequest {
  return parseRequest('dlq restore', { queue, acceptDeliveryLimit, reason }, restoreRequestSchema)
}
