import { describe, expect, it } from 'vitest'
import type { Task } from '../contract/contract.ts'
import { renderEvent, renderWebhook } from './render-webhook.ts'
import { signWebhook } from './sign-webhook.ts'
import type { WebhookEvent } from './webhook-event.ts'

const task: Task = {
  id: 't',
  kind: 'redrive',
  state: 'done',
  queue: 'a.dlq',
  by: 'ann',
  reason: null,
  host: 'one',
  startedAt: '2030-01-01T00:00:00Z',
  endedAt: null,
  movedBefore: 0,
  problem: null,
  isSigned: true,
  limit: null,
  progress: { present: 119_762, moved: 119_760, failed: 0, kept: 2 },
}
const cause = { id: 'c', label: 'TypeError: <b> & co', kind: 'error' } as const

describe('an event', () => {
  it.each<[WebhookEvent, string]>([
    [
      { kind: 'dlq.above', queue: 'a.dlq', messages: 1204, above: 1000 },
      'a.dlq holds 1,204 dead letters, more than 1,000.',
    ],
    [
      { kind: 'dlq.growth', queue: 'a.dlq', messages: 999, grownBy: 500, withinMs: 300_000 },
      'a.dlq grew by 500 dead letters within 5 min, to 999.',
    ],
    [
      { kind: 'cause.new', queue: 'a.dlq', cause, messages: 3 },
      'a.dlq has a new cause: TypeError: <b> & co (3 messages).',
    ],
    [
      { kind: 'task.finished', queue: 'a.dlq', task },
      'The re-drive of a.dlq by ann is done: 119,760 moved, 0 failed, 2 kept of 119,762.',
    ],
  ])('%j is told as: %s', (event, text) => {
    expect(renderEvent(event)).toBe(text)
  })
})

describe('a body', () => {
  const event: WebhookEvent = { kind: 'cause.new', queue: 'a.dlq', cause, messages: 3 }
  const sent = { id: 'e-1', at: '2030-01-01T00:00:00Z', vhost: '/', event }

  it('for programs has every field of the event', () => {
    expect(JSON.parse(renderWebhook(sent, 'generic'))).toEqual({
      id: 'e-1',
      event: 'cause.new',
      at: '2030-01-01T00:00:00Z',
      vhost: '/',
      queue: 'a.dlq',
      cause,
      messages: 3,
      text: renderEvent(event),
    })
  })

  it('for Slack is a text that cannot become a link or a mention', () => {
    expect(JSON.parse(renderWebhook(sent, 'slack'))).toEqual({
      text: '[/] a.dlq has a new cause: TypeError: &lt;b&gt; &amp; co (3 messages).',
    })
  })

  it('is signed together with its time', () => {
    const fields = { secret: 'key', body: '{}', atMs: 1_900_000_000_999 }
    const signature = signWebhook(fields)

    // echo -n '1900000000.{}' | openssl dgst -sha256 -hmac key
    expect(signature).toBe('t=1900000000,v1=f9f80f30f10c35888fa982cbea5da54c7751cb2516ebf4a2e5ad7204ed86b928')
    expect(signWebhook({ ...fields, secret: 'other' })).not.toBe(signature)
    expect(signWebhook({ ...fields, body: '[]' })).not.toBe(signature)
  })
})
