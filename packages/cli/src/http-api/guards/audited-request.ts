import { noteRequest, type RedriveRequest } from 'warrenmq/operations'
import { asksForPayload } from './refuse-hidden-fields.ts'

/** A request as the audit log has it, for everybody who may read that: without what messages say. */
export function auditedRequest(request: object): string {
  const { where } = request as Partial<RedriveRequest>
  const isHidden = where !== undefined && asksForPayload(where)
  const noted = noteRequest(request as RedriveRequest)
  return JSON.stringify({ ...noted, ...(isHidden && { where: '***' }) })
}
