import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Schemas } from '../api/api.ts'
import { quoteFilterValue } from '../filter/quote-filter-value.ts'
import { SectionTitle } from '../parts/page.tsx'
import { amqpTypes } from './amqp-types.ts'

/** By name; a value that a filter can name leads to all messages that have it. */
export function HeaderTable({
  queue,
  headers,
}: {
  readonly queue: string
  readonly headers: readonly Schemas['TypedHeader'][]
}): ReactNode {
  return (
    <section>
      <SectionTitle beside={headers.length === 0 && 'none'}>Headers</SectionTitle>
      {headers.length > 0 && (
        <div className="overflow-hidden rounded-lg border border-line bg-panel">
          <table className="w-full table-fixed text-left">
            <colgroup>
              <col className="w-2/5 sm:w-1/3" />
              <col className="hidden w-20 sm:table-column" />
              <col />
            </colgroup>
            <thead className="sr-only">
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Type</th>
                <th scope="col">Value</th>
              </tr>
            </thead>
            <tbody>
              {headers.map(({ name, type, value }, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a header may stand there twice.
                <tr key={index} className="border-b border-line align-top last:border-b-0">
                  <th scope="row" className="foreign px-3 py-1.5 font-medium">
                    {name}
                  </th>
                  <td
                    className="hidden px-2 py-1.5 text-xs leading-5 text-quiet sm:table-cell"
                    title={`AMQP type ${type}`}
                  >
                    {amqpTypes[type] ?? type}
                  </td>
                  <td className="group/cell px-3 py-1.5">
                    <div className="flex items-baseline gap-3">
                      <div className="min-w-0 flex-1">
                        <HeaderValue value={value} />
                      </div>
                      <SameValue queue={queue} name={name} value={value} />
                    </div>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}

const short = 300

function HeaderValue({ value }: { readonly value: unknown }): ReactNode {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  const shown = <pre className="foreign font-mono text-xs leading-5 whitespace-pre-wrap">{text}</pre>
  if (text.length <= short) return shown
  return (
    <details>
      <summary className="foreign font-mono text-xs leading-5">{text.slice(0, 80)}…</summary>
      {shown}
    </details>
  )
}

function SameValue({
  queue,
  name,
  value,
}: {
  readonly queue: string
  readonly name: string
  readonly value: unknown
}): ReactNode {
  const isNamed = /^[\w.-]+$/.test(name) && typeof value === 'string' && value.length <= 60
  if (!isNamed) return null
  return (
    <Link
      to="/queues/$queue"
      params={{ queue }}
      search={{ where: `header.${name}:${quoteFilterValue(value)}` }}
      className="shrink-0 text-xs text-accent opacity-0 group-hover/cell:opacity-100 hover:underline focus-visible:opacity-100"
    >
      All with this<span className="foreign sr-only"> {name}</span>
    </Link>
  )
}
