import { createHmac } from 'node:crypto'

/**
 * The header that proves who sent a body, and when: `t=1767225600,v1=…`. The time is signed with it, so that
 * a receiver can refuse what somebody recorded and sends again.
 */
export function signWebhook({
  secret,
  body,
  atMs,
}: {
  readonly secret: string
  readonly body: string
  readonly atMs: number
}): string {
  const seconds = Math.floor(atMs / 1000)
  const signature = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')
  return `t=${seconds},v1=${signature}`
}
