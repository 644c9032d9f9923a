import { quoteShell } from '../words/quote-shell.ts'
import type { DiscardSearch } from './discard-search.ts'

/** The command that removes the same messages. */
export function discardCommand(
  { queue, reason }: { readonly queue: string; readonly reason: string },
  { where, keys = [] }: DiscardSearch,
): string {
  return [
    `npx @warrenmq/cli dlq discard ${quoteShell(queue)} --out ${quoteShell(`${queue}.backup`)}`,
    ...(where === undefined ? [] : [`--where ${quoteShell(where)}`]),
    ...keys.map((key) => `--key ${quoteShell(key)}`),
    ...(reason === '' ? [] : [`--reason ${quoteShell(reason)}`]),
  ].join(' ')
}
