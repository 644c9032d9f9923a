import type { Schemas } from '../api/api.ts'

type Header = Schemas['TypedHeader']

/** A header while it is edited. */
export interface HeaderDraft {
  readonly name: string
  readonly value: string
  /** As it came; undefined: it is new. */
  readonly before: Header | undefined
  readonly isRemoved: boolean
}

/** Written by RabbitMQ or by Warren, or sends copies elsewhere: the server refuses a change of these. */
const reserved =
  /^(CC|BCC|x-death|x-(first|last)-death-.*|x-(delivery|acquired)-count|x-stream-.*|x-redriven-.*|x-original-.*|x-final-.*|x-retry-count|warren-.*)$/i

/** Those that may be changed: of plain values, and not written by anybody but the publisher. */
export function draftHeaders(headers: readonly Header[]): readonly HeaderDraft[] {
  return headers
    .filter(({ name, value }) => !reserved.test(name) && /^(string|number|boolean)$/.test(typeof value))
    .map((before) => ({ name: before.name, value: String(before.value), before, isRemoved: false }))
}

type Change = readonly [string, string | number | boolean | null]

/** What the server is told; undefined: nothing has changed. Null takes a header off. */
export function changedHeaders(
  drafts: readonly HeaderDraft[],
): Readonly<Record<string, string | number | boolean | null>> | undefined {
  const changes = drafts.flatMap((draft): readonly Change[] => {
    const { name, value, before, isRemoved } = draft
    if (before && isRemoved) return [[name, null]]
    if (before ? String(before.value) === value : isRemoved || name === '') return []
    return [[name, valueLike(before, value)]]
  })
  return changes.length === 0 ? undefined : Object.fromEntries(changes)
}

/** Of the kind that it had. */
function valueLike(before: Header | undefined, value: string): string | number | boolean {
  if (typeof before?.value === 'number' && value.trim() !== '' && Number.isFinite(Number(value)))
    return Number(value)
  if (typeof before?.value === 'boolean' && (value === 'true' || value === 'false')) return value === 'true'
  return value
}

/** As text, one a line, for the eye. */
export function sayHeaders(headers: readonly Pick<Header, 'name' | 'value'>[]): string {
  return headers.map(({ name, value }) => `${name}: ${JSON.stringify(value)}`).join('\n')
}

export function sayDrafts(drafts: readonly HeaderDraft[]): string {
  const kept = drafts.filter(({ name, isRemoved }) => !isRemoved && name !== '')
  return sayHeaders(kept.map(({ name, value, before }) => ({ name, value: valueLike(before, value) })))
}
