import type { WebhookRules } from './webhook-settings.ts'

/** What a receiver is told, in words. */
export function sayRules({ above, growth, isNewCause, isTaskFinished }: WebhookRules): readonly string[] {
  return [
    ...(above === undefined ? [] : [`a queue holds more than ${count(above)}`]),
    ...(growth ? [`a queue grows by ${count(growth.messages)} within ${growth.withinMs / 1000} s`] : []),
    ...(isNewCause ? ['a new cause'] : []),
    ...(isTaskFinished ? ['a re-drive has ended'] : []),
  ]
}

function count(messages: number): string {
  return `${messages.toLocaleString('en-US')} ${messages === 1 ? 'message' : 'messages'}`
}
