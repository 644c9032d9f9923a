import { quoteShell } from '../words/quote-shell.ts'
import type { RedriveSearch } from './redrive-search.ts'

/** The command that does the same. */
export function redriveCommand(
  { queue, reason }: { readonly queue: string; readonly reason: string },
  { where, keys = [], to, attempts, limit, rate, canary, stopWhenDead, stopWhenTargetAbove }: RedriveSearch,
): string {
  const options: readonly (readonly [string, string | number | undefined])[] = [
    ['where', where],
    ...keys.map((key) => ['key', key] as const),
    ['to', to],
    ['attempts', attempts],
    ['limit', limit],
    ['rate', rate],
    ['canary', canary],
    ['stop-when-dead', stopWhenDead],
    ['stop-when-target-above', stopWhenTargetAbove],
    ['reason', reason === '' ? undefined : reason],
  ]
  const given = options.flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name} ${quoteShell(String(value))}`],
  )
  return ['npx @warrenmq/cli dlq redrive', quoteShell(queue), ...given].join(' ')
}
