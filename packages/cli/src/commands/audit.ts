import { InvalidArgumentError as InvalidOptionError } from 'commander'
import { ApiError } from 'warrenmq/operations'
import { personOf } from '../audited.ts'
import type { CliCommand, CommandInput, ExitCode } from '../command.ts'
import { findServerKeys } from '../find-server-keys.ts'
import { type AuditLog, findAuditLog } from '../http-api/audit/audit-log.ts'
import type { AuditReader } from '../http-api/audit/audit-reader.ts'
import type { ServerKeys } from '../http-api/records/server-keys.ts'
import { keepNewest, readKept } from '../kept-records.ts'
import { addBrokerOptions } from '../options/broker-options.ts'
import { readCount } from '../options/request-options.ts'
import { renderAuditRecord, renderBroken, renderWhole } from '../output/render-audit.ts'
import type { Terminal } from '../output/terminal.ts'
import { auditStream } from '../own-streams.ts'
import { type CommandBroker, withBroker } from '../with-broker.ts'

/** `warren audit`: who did what, and the proof that nobody changed the log. */
export const audit: CliCommand = {
  name: 'audit',
  summary: 'show the audit log of the admin API and the command line, or prove that it is complete',
  example: 'warren audit --verify',
  configure: (command) => {
    addBrokerOptions(command)
    command.option('--count <n>', 'show this many of the newest records', readCount, 50)
    command.option(
      '--verify',
      'check that every record is intact and none is missing or moved; with the key of the servers, also who wrote it',
    )
    command.option(
      '--kept <hash|file>',
      'with --verify: a hash printed by an earlier run, which must still be in the log; or a file that collects these hashes',
    )
    command.option(
      '--unsigned-before <offset>',
      'with --verify: the offset where servers began to sign; unsigned records before it are only counted',
      readOffset,
    )
  },
  run: (input, terminal) =>
    withBroker(input, async (broker) => {
      const { verify, kept, count } = input.options
      const log = await requireLog(broker, findServerKeys(broker, terminal))
      const reader = personOf(broker)
      try {
        return verify === true || typeof kept === 'string'
          ? await verifyLog({ log, reader, terminal, options: input.options })
          : await showLog({ log, reader, terminal, count: Number(count) })
      } finally {
        await log.close()
      }
    }),
}

async function requireLog(broker: CommandBroker, keys: ServerKeys): Promise<AuditLog> {
  const { consuming, publishing } = broker
  const log = await findAuditLog({ consuming, publishing, keys })
  if (log) return log
  throw new ApiError({
    code: 'AUDIT_UNAVAILABLE',
    message: `There is no stream ${auditStream} in the vhost "${broker.vhost}". \`warren serve\` creates it, and so does server.audit: "on" in the config. For another vhost, use --vhost.`,
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
  options,
}: Reading & { readonly options: CommandInput['options'] }): Promise<ExitCode> {
  const kept = await readKept(typeof options.kept === 'string' ? options.kept : undefined)
  const unsignedBefore = typeof options.unsignedBefore === 'number' ? options.unsignedBefore : 0
  const verdict = await log.verify(reader, { kept: kept.records, unsignedBefore })
  if (verdict.kind === 'broken') {
    const { problems, firstSigned } = verdict
    for (const { at, problem } of problems) terminal.say(`Record ${at + 1}: ${problem}`)
    if (firstSigned !== null && firstSigned > unsignedBefore)
      terminal.say(
        `The first signed record is at ${firstSigned}. If servers began to sign there, use --unsigned-before ${firstSigned}.`,
      )
    throw new ApiError({ code: 'AUDIT_BROKEN', message: renderBroken(verdict) })
  }
  await keepNewest(kept, verdict)
  for (const line of renderWhole(verdict)) terminal.say(line)
  terminal.result(verdict)
  return 0
}

async function showLog({ log, reader, terminal, count }: Reading & { count: number }): Promise<ExitCode> {
  const records = await log.read(count, reader)
  const how = { isKeyed: log.isSigned, strong: (text: string) => terminal.paint('bold', text) }
  // Not broken between words: what a field says could stand at the beginning of a line.
  for (const record of records) terminal.say(renderAuditRecord(record, how), 'exact')
  terminal.result({ records })
  return 0
}

function readOffset(text: string): number {
  const offset = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(offset)) return offset
  throw new InvalidOptionError('It must be a whole number, 0 or more.')
}
