import type { Schemas } from '../api/api.ts'
import { formatCount } from '../words/format-count.ts'

export interface SaidResult {
  readonly words: string
  /** Its page, where it is about something that has one. */
  readonly about?: { readonly kind: 'task' | 'backup' | 'approval'; readonly id: string }
}

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/
/** The settings of a request that people have chosen, in words. What has none here is told by its name. */
const wishes: Readonly<Record<string, (value: string) => string>> = {
  limit: (value) => `at most ${value}`,
  ratePerSecond: (value) => `${value} per second`,
  stopWhenDead: (value) => `stops if ${value} die again`,
  stopWhenTargetAbove: (value) => `stops if the target holds more than ${value}`,
  attempts: (value) => `attempts ${value}`,
}

/** What came of an action, without ids and JSON: the record itself keeps both. */
export function sayResult({ action, result }: Pick<Schemas['AuditRecord'], 'action' | 'result'>): SaidResult {
  const id = uuid.exec(result)?.[0]
  const kind = id === undefined ? undefined : kindOf(action)
  const json = result.indexOf('{')
  const text = json < 0 ? result : result.slice(0, json)
  const words = [
    text
      .replace(uuid, '')
      .replace(/^begun\b/, 'started')
      .replace(/\s+([:,])/g, '$1')
      .replace(/[\s:,]+$/, '')
      .trim()
      .replace(/\b\d{4,15}\b/g, (digits) => formatCount(Number(digits))),
    json < 0 ? '' : sayRequest(result.slice(json)),
  ].filter((part) => part !== '')
  return { words: words.join(': '), ...(id !== undefined && kind && { about: { kind, id } }) }
}

function kindOf(action: string): 'task' | 'backup' | 'approval' | undefined {
  if (action.startsWith('approval')) return 'approval'
  if (/^(redrive|task\.)/.test(action)) return 'task'
  return /^(discard|restore|backup)/.test(action) ? 'backup' : undefined
}

/** What was asked for, but the queue and the reason, which have their own places. */
function sayRequest(json: string): string {
  try {
    const request = JSON.parse(json) as Readonly<Record<string, unknown>>
    return Object.entries(request)
      .filter(([name]) => name !== 'queue' && name !== 'reason' && name !== 'planDigest')
      .map(([name, value]) => sayWish(name, value))
      .join(', ')
  } catch {
    return json // cut off, because it was long
  }
}

function sayWish(name: string, value: unknown): string {
  if (name === 'canary')
    return `tries ${sayValue((value as { readonly messages?: unknown })?.messages)} first`
  return wishes[name]?.(sayValue(value)) ?? `${name} ${sayValue(value)}`
}

function sayValue(value: unknown): string {
  if (typeof value === 'number') return formatCount(value)
  return typeof value === 'string' ? value : JSON.stringify(value)
}
