import type { AuditEntry } from './audit-record.ts'

/** Who reads the log, and from where. */
export type AuditReader = Pick<AuditEntry, 'by' | 'wayIn' | 'from'>
