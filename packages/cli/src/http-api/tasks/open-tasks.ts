import type { FastifyBaseLogger } from 'fastify'
import type { AuditLog } from '../audit/audit-log.ts'
import type { Task } from '../contract/contract.ts'
import { createFailureLog } from '../failure-log.ts'
import type { QueueTurns } from '../guards/queue-turns.ts'
import type { ServerKeys } from '../records/server-keys.ts'
import type { Strays } from '../records/strays.ts'
import type { ServerBroker } from '../server-broker.ts'
import { Tasks } from './tasks.ts'

/** Opens the tasks of all servers. What another one left behind is written down in the audit log. */
export function openTasks(fields: {
  readonly broker: ServerBroker
  readonly turns: QueueTurns
  readonly lookTimeoutMs: number
  readonly audit: AuditLog
  readonly keys: ServerKeys
  readonly strays: Strays
  readonly log: FastifyBaseLogger
}): Promise<Tasks> {
  const { broker, turns, lookTimeoutMs, audit, keys, strays, log } = fields
  const onInterrupted = (task: Task): void => {
    const { id, queue: target, reason, host: from, progress } = task
    log.warn({ task: id, host: from }, 'a server is gone; its task is interrupted')
    const result = `interrupted ${id}: ${progress.moved} moved at least`
    audit
      .write({
        by: 'warren',
        wayIn: 'server',
        from,
        action: 'redrive',
        target,
        reason,
        result,
        receiptDigest: null,
      })
      .catch((error: unknown) =>
        log.error({ err: error, task: id }, 'an interruption is not in the audit log'),
      )
  }
  const onError = createFailureLog(log, { level: 'error', sentence: 'tasks could not be shared' })
  return Tasks.open({ broker, turns, lookTimeoutMs, keys, strays, onInterrupted, onError })
}
