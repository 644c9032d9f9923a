import { hostname, userInfo } from 'node:os'
import { InvalidArgumentError } from 'warrenmq'
import { ApiError, type Broker } from 'warrenmq/operations'
import { findServerKeys } from './find-server-keys.ts'
import { type AuditLog, findAuditLog, openAuditLog } from './http-api/audit/audit-log.ts'
import type { AuditReader } from './http-api/audit/audit-reader.ts'
import type { AuditEntry } from './http-api/audit/audit-record.ts'
import { auditedRequest } from './http-api/guards/audited-request.ts'
import { reasonOf } from './output/reason-of.ts'
import type { Terminal } from './output/terminal.ts'

/** Who acts, on which broker, and what the config says of the audit log. */
export interface AuditedBroker extends Broker {
  /** The name that is given for the person; anybody can say any. */
  readonly by: string
  /** The config's section for `warren serve`. */
  readonly server: Readonly<Record<string, unknown>> | undefined
  /** Has the key of the servers, if anything has. */
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface AuditedAction<Result> {
  readonly action: string
  readonly target: string
  readonly reason?: string | undefined
  /** What was asked for; the record of the beginning has it. */
  readonly request?: object
  readonly work: () => Promise<Result>
  /** One record each. */
  readonly describe: (result: Result) => readonly AuditedEnd[]
}

export interface AuditedEnd {
  readonly target?: string
  readonly result: string
  readonly receiptDigest?: string | null
}

/**
 * Does something that belongs into the audit log: a record before it, and one of how it ended. The log is the
 * stream of `warren serve`, where the broker has one, or where the config says `server.audit`. Where it cannot be
 * written, a sentence says so and the work goes on, unless the config calls it required.
 */
export async function audited<Result>(
  { broker, terminal }: { readonly broker: AuditedBroker; readonly terminal: Terminal },
  { action, target, reason, request, work, describe }: AuditedAction<Result>,
): Promise<Result> {
  const rule = readRule(broker.server)
  const entry = { ...personOf(broker), action, target, reason: reason ?? null, receiptDigest: null }
  const log = await begin({ rule, broker, terminal, entry: { ...entry, result: describeBegin(request) } })
  const end = async ({ receiptDigest = null, ...record }: AuditedEnd): Promise<void> => {
    try {
      await log?.write({ ...entry, ...record, receiptDigest })
    } catch (error) {
      warn(terminal, error, 'the end of it') // it is done already, so there is nothing left to refuse
    }
  }
  try {
    const result = await work()
    for (const record of describe(result)) await end(record)
    return result
  } catch (error) {
    await end({ result: `failed: ${(error as { code?: string }).code ?? 'UNEXPECTED'}` })
    throw error
  } finally {
    await log?.close()
  }
}

function describeBegin(request: object | undefined): string {
  return request ? `begun: ${auditedRequest(request)}` : 'begun'
}

type AuditRule = 'required' | 'on' | 'off' | 'where-there-is-one'

const rules: readonly unknown[] = ['required', 'on', 'off']

function readRule(server: AuditedBroker['server']): AuditRule {
  const rule = server?.audit
  if (rule === undefined) return 'where-there-is-one'
  if (rules.includes(rule)) return rule as AuditRule
  throw new InvalidArgumentError(`server.audit is ${JSON.stringify(rule)}; it must be required, on or off.`)
}

async function begin(fields: {
  readonly rule: AuditRule
  readonly broker: AuditedBroker
  readonly terminal: Terminal
  readonly entry: AuditEntry
}): Promise<AuditLog | undefined> {
  const { rule, broker, terminal, entry } = fields
  if (rule === 'off') return undefined
  let log: AuditLog | undefined
  try {
    const { consuming, publishing } = broker
    const sessions = { consuming, publishing, keys: findServerKeys(broker, terminal) }
    log = await (rule === 'where-there-is-one' ? findAuditLog(sessions) : openAuditLog(sessions))
    await log?.write(entry)
    if (log && !log.isSigned) warnUnsigned(terminal)
    return log
  } catch (error) {
    await log?.close()
    if (rule === 'required') throw refusal(error)
    warn(terminal, error, 'this')
    return undefined
  }
}

/** What is proved is the account on the broker and the one on this machine; any other name is a claim. */
export function personOf({ consuming, by }: Pick<AuditedBroker, 'consuming' | 'by'>): AuditReader {
  const { username } = userInfo()
  const person = by === username ? username : `${by} (${username})`
  const account = consuming.connection?.endpoint.username
  return { by: account ? `${person} as ${account}` : person, wayIn: 'command-line', from: hostname() }
}

function warn(terminal: Terminal, error: unknown, what: string): void {
  terminal.say(terminal.paint('yellow', `The audit log is missing ${what}: ${reasonOf(error)}`))
}

const warned = new WeakSet<Terminal>()

/** Once a run: some commands write down several things. */
function warnUnsigned(terminal: Terminal): void {
  if (warned.has(terminal)) return
  warned.add(terminal)
  const sentence =
    'This is in the audit log without a signature, because there is no WARREN_SERVER_KEY: `warren audit --verify` will say so. Give the command the key of the servers.'
  terminal.say(terminal.paint('yellow', sentence))
}

function refusal(error: unknown): ApiError {
  const message = `Nothing was done: the config says server.audit: required, and the audit log cannot be written. ${reasonOf(error)}`
  return new ApiError({ code: 'AUDIT_UNAVAILABLE', message }, { cause: error })
}
