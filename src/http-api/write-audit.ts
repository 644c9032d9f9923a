import type { FastifyRequest } from 'fastify'
import type { ApiContext } from './api-context.ts'
import type { AuditEntry } from './audit/audit-record.ts'
import type { Caller } from './auth/caller.ts'

/** Writes down what somebody does, before it is done. */
export async function writeAudit(
  { audit }: Pick<ApiContext, 'audit'>,
  { caller, request }: { readonly caller: Caller; readonly request: Pick<FastifyRequest, 'ip'> },
  entry: Pick<AuditEntry, 'action' | 'target'> & Partial<AuditEntry>,
): Promise<void> {
  await audit.write({
    ...{ by: caller.name, wayIn: caller.wayIn, from: request.ip },
    ...{ reason: null, result: 'begun', receiptDigest: null },
    ...entry,
  })
}
