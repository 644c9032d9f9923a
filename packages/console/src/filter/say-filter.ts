import { formatWholeMoment } from '../words/format-moment.ts'

/** The words of a cause by its id; undefined: it is not known. */
export type LabelOf = (causeId: string) => string | undefined

const nouns: Readonly<Record<string, string>> = {
  type: 'type',
  cause: 'cause',
  queue: 'queue of origin',
  key: 'routing key',
  exchange: 'exchange',
  id: 'id',
  attempts: 'number of attempts',
}
const verbs: Readonly<Record<string, string>> = {
  ':': 'is',
  '=': 'is',
  '!=': 'is not',
  '<': 'is below',
  '<=': 'is at most',
  '>': 'is above',
  '>=': 'is at least',
}
const tokens =
  /([^\s"():=<>!]+)\s*(<=|>=|!=|[:=<>])\s*((?:[^\s"()]|"(?:[^"\\]|\\.)*")+)|"((?:[^"\\]|\\.)*)"|[()]|[^\s"()]+/g

/** A filter as the rest of a sentence that begins with "Messages"; undefined: there is none, and all are meant. */
export function sayFilter(where: string | undefined, labelOf: LabelOf = () => undefined): string | undefined {
  if (where === undefined || where.trim() === '') return undefined
  const said = Array.from(where.matchAll(tokens), ([all, field, sign, value, quoted]) => {
    if (field && sign && value) return sayCondition({ field, sign, value: unquote(value) }, labelOf)
    if (quoted !== undefined) return `that hold “${quoted}”`
    if (/^(and|or|not|[()])$/i.test(all)) return all.toLowerCase()
    return `that hold “${all}”`
  })
  return said.join(' ').replaceAll('( ', '(').replaceAll(' )', ')')
}

function sayCondition(
  { field, sign, value }: { readonly field: string; readonly sign: string; readonly value: string },
  labelOf: LabelOf,
): string {
  if (field === 'died') return sayDeath(sign, value)
  const named = field === 'cause' ? (labelOf(value) ?? value) : value
  const noun =
    nouns[field] ?? field.replace(/^header\.(.*)/, 'header $1').replace(/^body\.(.*)/, 'body at $1')
  return `whose ${noun} ${verbs[sign]} “${named}”`
}

function sayDeath(sign: string, value: string): string {
  const isMoment = /^\d{4}-/.test(value)
  if (isMoment) return `that died ${sign.startsWith('<') ? 'before' : 'since'} ${sayMoment(value)}`
  return `that died ${sign.startsWith('<') ? 'less' : 'more'} than ${sayDuration(value)} ago`
}

const units: Readonly<Record<string, string>> = { m: 'min' }

/** 90m → 90 min, 2h → 2 h */
function sayDuration(value: string): string {
  return value.replace(
    /^(\d+)\s*([a-z]+)$/i,
    (_, count: string, unit: string) => `${count} ${units[unit] ?? unit}`,
  )
}

function sayMoment(value: string): string {
  const timeMs = Date.parse(value)
  return Number.isNaN(timeMs) ? value : formatWholeMoment(timeMs)
}

function unquote(value: string): string {
  return value.startsWith('"') ? value.slice(1, -1).replaceAll(/\\(.)/g, '$1') : value
}
