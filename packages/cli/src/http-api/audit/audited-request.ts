import { noteRequest, type RedriveRequest } from 'warrenmq/operations'
import { asksForPayload } from '../guards/refuse-hidden-fields.ts'

/** A request as the audit log has it, for everybody who may read that: without what messages say. */
export function auditedRequest(request: Partial<RedriveRequest>): string {
  const { where } = request
  const isHidden = where !== undefined && asksForPayload(where)
  const noted = noteRequest(request as RedriveRequest)
  return JSON.stringify({ ...noted, ...(isHidden && { where: '***' }) })
}
