import { quoteFilterValue } from '../filter/quote-filter-value.ts'
import { quoteShell } from '../words/quote-shell.ts'

/** The command that shows the same. A message without an id is among all of its queue. */
export function commandOf({ queue, id }: { readonly queue: string; readonly id: string | null }): string {
  const command = `npx @warrenmq/cli dlq peek ${quoteShell(queue)}`
  return id === null ? command : `${command} --where ${quoteShell(`id=${quoteFilterValue(id)}`)}`
}
