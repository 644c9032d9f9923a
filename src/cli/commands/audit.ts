import { hostname } from 'node:os'
import { ApiError } from '../../errors.ts'
import { openAuditLog } from '../../http-api/audit/audit-log.ts'
import { addBrokerOptions } from '../broker-options.ts'
import type { CliCommand } from '../command.ts'
import { readCount } from '../dlq-options.ts'
import { withRecoveryLine } from '../recovery-line.ts'

/** `warren audit`: who did what, and the proof that nobody changed the log. */
export const audit: CliCommand = {
  name: 'audit',
  summary: 'show the audit log of the admin API, or prove that it is whole',
  example: 'warren audit --verify',
  configure: (command) => {
    addBrokerOptions(command)
    command.option('--count <n>', 'the newest so many', readCount, 50)
    command.option('--verify', 'check the hash of every record and that none is missing')
  },
  run: (input, terminal) =>
    withRecoveryLine(input, async (line) => {
      const log = await openAuditLog(line)
      const reader = { by: line.by, wayIn: 'command-line', from: hostname() }
      try {
        if (input.options.verify === true) {
          const verdict = await log.verify(reader)
          if (verdict.kind === 'broken') {
            const message = `The audit log is broken at record ${verdict.at + 1}. ${verdict.problem}`
            throw new ApiError({ code: 'AUDIT_BROKEN', message })
          }
          terminal.say(
            `${verdict.records} records of ${verdict.writers} writers: none changed, none missing.`,
          )
          terminal.result(verdict)
          return 0
        }
        const records = await log.read(Number(input.options.count), reader)
        for (const { at, by, from, action, target, result, reason } of records) {
          const why = reason === null ? '' : ` (${reason})`
          terminal.say(
            `${at}  ${terminal.paint('bold', by)} from ${from}  ${action} ${target}  ${result}${why}`,
          )
        }
        terminal.result({ records })
        return 0
      } finally {
        await log.close()
      }
    }),
}
