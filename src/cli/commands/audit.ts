import { ApiError } from '../../errors.ts'
import { type AuditLog, type AuditReader, auditStream, findAuditLog } from '../../http-api/audit/audit-log.ts'
import { escapeLine } from '../../message/escape-text.ts'
import { personOf } from '../audited.ts'
import { addBrokerOptions } from '../broker-options.ts'
import type { CliCommand, ExitCode } from '../command.ts'
import { readCount } from '../dlq-options.ts'
import { type RecoveryLine, withRecoveryLine } from '../recovery-line.ts'
import type { Terminal } from '../terminal.ts'

/** `warren audit`: who did what, and the proof that nobody changed the log. */
export const audit: CliCommand = {
  name: 'audit',
  summary: 'show the audit log of the admin API and the command line, or prove that it is whole',
  example: 'warren audit --verify',
  configure: (command) => {
    addBrokerOptions(command)
    command.option('--count <n>', 'the newest so many', readCount, 50)
    command.option('--verify', 'check the hash of every record, and that none is missing or moved')
    command.option('--kept <hash>', 'with --verify: a hash that an earlier one told; it must still be there')
  },
  run: (input, terminal) =>
    withRecoveryLine(input, async (line) => {
      const { verify, kept, count } = input.options
      const log = await requireLog(line)
      const reader = personOf(line)
      try {
        return verify === true || typeof kept === 'string'
          ? await verifyLog({ log, reader, terminal, kept: kept as string | undefined })
          : await showLog({ log, reader, terminal, count: Number(count) })
      } finally {
        await log.close()
      }
    }),
}

async function requireLog(line: RecoveryLine): Promise<AuditLog> {
  const log = await findAuditLog(line)
  if (log) return log
  throw new ApiError({
    code: 'AUDIT_UNAVAILABLE',
    message: `There is no stream ${auditStream} in the vhost "${line.vhost}". \`warren serve\` makes it, and so does server.audit: "on" in the config.`,
  })
}

interface Reading {
  readonly log: AuditLog
  readonly reader: AuditReader
  readonly terminal: Terminal
}

async function verifyLog({
  log,
  reader,
  terminal,
  kept,
}: Reading & { kept: string | undefined }): Promise<ExitCode> {
  const verdict = await log.verify(reader, kept)
  if (verdict.kind === 'broken') {
    const message = `The audit log is broken at record ${verdict.at + 1}. ${verdict.problem}`
    throw new ApiError({ code: 'AUDIT_BROKEN', message })
  }
  const { records, writers, newest, isCut } = verdict
  terminal.say(`${records} records of ${writers} writers: none changed, none missing, none out of order.`)
  if (isCut) terminal.say('Its oldest records are gone: RabbitMQ keeps a stream as long as its policy says.')
  terminal.say(
    `The newest is ${newest}. Keep it: --kept ${newest} proves later that none was cut off the end.`,
  )
  terminal.result(verdict)
  return 0
}

async function showLog({ log, reader, terminal, count }: Reading & { count: number }): Promise<ExitCode> {
  const records = await log.read(count, reader)
  for (const { at, by, from, action, target, result, reason } of records) {
    const why = reason === null ? '' : ` (${reason})`
    const who = terminal.paint('bold', escapeLine(by))
    terminal.say(`${at}  ${who} from ${from}  ${escapeLine(`${action} ${target}  ${result}${why}`)}`)
  }
  terminal.result({ records })
  return 0
}
