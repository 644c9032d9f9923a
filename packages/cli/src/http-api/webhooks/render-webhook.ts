import type { SentEvent, WebhookEvent } from './webhook-event.ts'

/** The body of a request, as its receiver expects it. */
export function renderWebhook({ id, at, vhost, event }: SentEvent, format: 'generic' | 'slack'): string {
  const text = renderEvent(event)
  if (format === 'slack') return JSON.stringify({ text: renderSlack(`[${vhost}] ${text}`) })
  const { kind, ...fields } = event
  return JSON.stringify({ id, event: kind, at, vhost, text, ...fields })
}

/** One sentence for people. */
export function renderEvent(event: WebhookEvent): string {
  switch (event.kind) {
    case 'dlq.above':
      return `${event.queue} holds ${counted(event.messages, 'dead letter')}, more than ${number(event.above)}.`
    case 'dlq.growth':
      return `${event.queue} grew by ${counted(event.grownBy, 'dead letter')} within ${duration(event.withinMs)}, to ${number(event.messages)}.`
    case 'cause.new':
      return `${event.queue} has a new cause: ${event.cause.label} (${counted(event.messages, 'message')}).`
    case 'task.finished': {
      const { by, state, progress } = event.task
      const { present, moved, failed, kept } = progress
      const counts = `${number(moved)} moved, ${number(failed)} failed, ${number(kept)} kept of ${number(present)}`
      return `The re-drive of ${event.queue} by ${by} is ${state}: ${counts}.`
    }
  }
}

/** Slack takes these three for its own; nothing of ours may become a link or a mention. */
function renderSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function counted(count: number, noun: string): string {
  return `${number(count)} ${noun}${count === 1 ? '' : 's'}`
}

function number(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',')
}

function duration(ms: number): string {
  const seconds = Math.round(ms / 1000)
  if (seconds < 120) return `${seconds} s`
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`
}
