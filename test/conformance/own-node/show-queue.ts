import type { OwnBroker } from './on-own-nodes.ts'

interface ShownQueue {
  readonly messages?: number
  readonly messages_ready?: number
  readonly messages_dlx?: number
}

/** What the HTTP API says of a queue. */
export async function showQueue({ managementUrl, vhost }: OwnBroker, queue: string): Promise<ShownQueue> {
  const { origin, username, password } = new URL(managementUrl)
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  const answer = await fetch(`${origin}/api/queues/${vhost}/${queue}`, { headers: { authorization } })
  return (await answer.json()) as ShownQueue
}
