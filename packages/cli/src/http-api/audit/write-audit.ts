import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiContext } from '../api-context.ts'
import type { Caller } from '../auth/caller.ts'
import type { AuditEntry } from './audit-record.ts'

type Entry = Pick<AuditEntry, 'action' | 'target'> & Partial<AuditEntry>

/** Who does it, from where, and where to tell what the log did not take. */
export interface AuditedCall {
  readonly caller: Caller
  readonly request: Pick<FastifyRequest, 'ip' | 'log'>
  /** Tells whether they still wait; undefined where it is done whether they do or not. */
  readonly reply?: Pick<FastifyReply, 'raw'>
}

/** Writes down what somebody does, before it is done. */
export async function writeAudit(
  { audit }: Pick<ApiContext, 'audit'>,
  { caller, request }: AuditedCall,
  entry: Entry,
): Promise<void> {
  await audit.write({
    by: caller.name,
    wayIn: caller.wayIn,
    from: request.ip,
    reason: null,
    result: 'begun',
    receiptDigest: null,
    ...entry,
  })
}

/** Writes down what came of it. Never throws: it is done, and whoever asked must read that and not the contrary. */
export async function writeAuditEnd(
  context: Pick<ApiContext, 'audit'>,
  call: AuditedCall,
  entry: Entry & Pick<AuditEntry, 'result'>,
): Promise<void> {
  try {
    await writeAudit(context, call, entry)
  } catch (error) {
    // That the log does not have it must at least be seen.
    const { action, target, result } = entry
    call.request.log.error({ err: error, action, target, result }, 'what was done is not in the audit log')
  }
}
