import type { Schemas } from '../api/api.ts'
import { readKeys } from '../filter/read-keys.ts'

/** What the address of a re-drive says: everything but why it is done. */
export interface RedriveSearch {
  readonly where?: string
  /** Of messages, where no filter can name them. */
  readonly keys?: readonly string[]
  readonly to?: string
  readonly attempts?: 'continue'
  readonly limit?: number
  readonly rate?: number
  readonly canary?: number
  readonly stopWhenDead?: string
  readonly stopWhenTargetAbove?: number
}

export function readRedriveSearch(given: Readonly<Record<string, unknown>>): RedriveSearch {
  const { where, keys, to, attempts, limit, rate, canary, stopWhenDead, stopWhenTargetAbove } = given
  return {
    ...text('where', where),
    ...readKeys(keys),
    ...(to !== 'origin' && text('to', to)),
    ...(attempts === 'continue' && { attempts }),
    ...wholeNumber('limit', limit),
    ...wholeNumber('rate', rate),
    ...wholeNumber('canary', canary),
    ...text('stopWhenDead', stopWhenDead),
    ...wholeNumber('stopWhenTargetAbove', stopWhenTargetAbove),
  }
}

/** The request that stands for the address. What was left to the server is left out. */
export function requestOf(queue: string, search: RedriveSearch): Schemas['RedriveRequest'] {
  const { where, keys, to, attempts, limit, rate, canary, stopWhenDead, stopWhenTargetAbove } = search
  return {
    queue,
    ...(where !== undefined && { where }),
    ...(keys !== undefined && { keys: [...keys] }),
    ...(to !== undefined && { to }),
    ...(attempts !== undefined && { attempts }),
    ...(limit !== undefined && { limit }),
    ...(rate !== undefined && { ratePerSecond: rate }),
    ...(canary !== undefined && { canary: { messages: canary } }),
    ...(stopWhenDead !== undefined && {
      stopWhenDead: /^\d+$/.test(stopWhenDead) ? Number(stopWhenDead) : stopWhenDead,
    }),
    ...(stopWhenTargetAbove !== undefined && { stopWhenTargetAbove }),
  }
}

const fields = {
  limit: 'At most',
  rate: 'Not faster than',
  canary: 'Try first',
  stopWhenTargetAbove: 'Stop if the target holds more than',
} as const

/** What of an address cannot be planned, as a sentence; the server refuses it, too. */
export function whyNotPlanned(search: RedriveSearch): string | undefined {
  const wrong = (Object.keys(fields) as (keyof typeof fields)[]).find((name) => search[name] === 0)
  if (wrong) return `“${fields[wrong]}” has to be a whole number above 0.`
  if (search.keys?.some((key) => !/^[0-9a-f]{32}$/.test(key)))
    return 'This link names messages in a way that is not understood. It may have been cut off.'
  return undefined
}

/** The address of the page that plans such a request. */
export function searchOf(request: Schemas['RedriveRequest']): RedriveSearch {
  const { to, ratePerSecond, canary, stopWhenDead } = request
  return readRedriveSearch({
    ...request,
    to: typeof to === 'object' ? to.queue : to,
    rate: ratePerSecond,
    canary: canary?.messages,
    stopWhenDead: stopWhenDead === undefined ? undefined : String(stopWhenDead),
  })
}

function text<Name extends string>(name: Name, value: unknown): { readonly [Key in Name]?: string } {
  return value === undefined || value === ''
    ? {}
    : ({ [name]: String(value) } as { readonly [Key in Name]?: string })
}

/** What is no such number is 0, which the server refuses: without its limit a re-drive would move more. */
function wholeNumber<Name extends string>(name: Name, value: unknown): { readonly [Key in Name]?: number } {
  if (value === undefined || value === '') return {}
  const isWhole = typeof value === 'number' && Number.isSafeInteger(value) && value > 0
  return { [name]: isWhole ? value : 0 } as { readonly [Key in Name]?: number }
}
