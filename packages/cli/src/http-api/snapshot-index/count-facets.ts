import type { Cause, FacetField, SnapshotFacets } from '../contract/contract.ts'
import type { CodedColumn } from './code-column.ts'
import { codesByCount } from './codes-by-count.ts'
import type { HeaderValue } from './header-columns.ts'
import { isMarked, type Marks } from './marks.ts'
import type { SnapshotColumns } from './snapshot-columns.ts'

/** How often each value of each field is there, the most frequent `most` of them. */
export function countFacets(columns: SnapshotColumns, marks: Marks, most: number): SnapshotFacets['facets'] {
  const texts = (field: FacetField, column: CodedColumn<string | undefined>) =>
    facetOf(field, {
      most,
      found: countCodes(column, marks),
      describe: (value) => ({ value: value ?? null }),
    })
  return [
    facetOf('type', {
      most,
      found: mergeByFirst(countCodes(columns.types, marks)),
      describe: (value) => ({ value: value ?? null }),
    }),
    ...[texts('queue', columns.queues), texts('exchange', columns.exchanges)],
    texts('key', columns.routingKeys),
    ...headerFacets(columns, marks, most),
    facetOf('attempts', {
      most,
      found: countCodes(columns.attempts, marks),
      describe: (value) => ({ value: value === undefined ? null : String(value) }),
    }),
    facetOf('cause', {
      most,
      found: countCodes(columns.causes, marks),
      describe: ({ id, label }: Cause) => ({ value: id, label }),
    }),
  ]
}

/** Those that most of the messages have come first. */
function headerFacets({ headers }: SnapshotColumns, marks: Marks, most: number): SnapshotFacets['facets'] {
  const facets = headers.names.map((name) => {
    const found = countCodes(headers.of(name)!, marks)
    const without = found.find(({ value }) => value === undefined)?.count ?? 0
    const describe = (value: HeaderValue) => ({ value: value === undefined ? null : String(value) })
    return { without, facet: { ...facetOf('header', { most, found, describe }), name } }
  })
  return facets.toSorted((left, right) => left.without - right.without).map(({ facet }) => facet)
}

interface Counted<Value> {
  readonly value: Value
  readonly count: number
}

function facetOf<Value>(
  field: FacetField,
  facet: {
    readonly most: number
    readonly found: readonly Counted<Value>[]
    readonly describe: (value: Value) => { readonly value: string | null; readonly label?: string }
  },
): SnapshotFacets['facets'][number] {
  const { most, found, describe } = facet
  const listed = found.toSorted((left, right) => right.count - left.count).slice(0, most)
  const values = listed.map(({ value, count }) => ({ label: null, ...describe(value), count }))
  return { field, name: null, values, distinct: found.length }
}

function countCodes<Value>({ codes, values }: CodedColumn<Value>, marks: Marks): readonly Counted<Value>[] {
  const counts = new Uint32Array(values.length)
  for (let at = 0; at < codes.length; at += 1) if (!marks || isMarked(marks, at)) counts[codes[at]!]! += 1
  return codesByCount(counts).map((code) => ({ value: values[code]!, count: counts[code]! }))
}

/** Of two types that a message has, the first is shown. */
function mergeByFirst(
  counted: readonly Counted<readonly string[]>[],
): readonly Counted<string | undefined>[] {
  const counts = new Map<string | undefined, number>()
  for (const { value, count } of counted) counts.set(value[0], (counts.get(value[0]) ?? 0) + count)
  return [...counts].map(([value, count]) => ({ value, count }))
}
