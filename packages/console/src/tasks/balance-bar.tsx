import type { ReactNode } from 'react'
import { formatCount, formatCounted } from '../words/format-count.ts'
import type { Balance } from './balance.ts'

const parts: readonly (readonly [Exclude<keyof Balance, 'present'>, string, string])[] = [
  ['moved', 'moved', 'bg-good'],
  ['failed', 'failed', 'bg-bad'],
  ['kept', 'kept', 'bg-warn'],
  ['stillThere', 'still there', 'bg-edge'],
]

/** A line each on a phone, and one sum on a line elsewhere. */
const part = 'flex items-baseline justify-between sm:block'
/** With a sign before it, which is for the eye alone. */
const signed = `${part} relative sm:pl-6 sm:before:absolute sm:before:bottom-1 sm:before:left-1 sm:before:text-faint`

/** Where every message is that was in the queue: the parts always add up. */
export function BalanceBar({ balance }: { readonly balance: Balance }): ReactNode {
  const { present } = balance
  return (
    <section aria-label="Balance" className="rounded-lg border border-line bg-panel p-4">
      <div aria-hidden="true" className="keeps-colour flex h-2 overflow-hidden rounded-full bg-sunken">
        {parts.map(([key, , colour]) => (
          <span
            key={key}
            className={colour}
            style={{ width: `${(100 * balance[key]) / Math.max(1, present)}%` }}
          />
        ))}
      </div>
      <dl className="mt-4 flex flex-col gap-1.5 sm:flex-row sm:flex-wrap sm:items-baseline sm:gap-3">
        {parts.map(([key, name, colour], index) => (
          <div key={key} className={index === 0 ? part : `${signed} sm:before:content-['+']`}>
            <dt className="flex items-center gap-1.5 text-xs text-quiet">
              <span aria-hidden="true" className={`keeps-colour size-2 rounded-sm ${colour}`} />
              {name}
            </dt>
            <dd className="num text-xl font-semibold">{formatCount(balance[key])}</dd>
          </div>
        ))}
        <div
          className={`${signed} border-t border-line pt-1.5 sm:border-t-0 sm:pt-0 sm:before:content-['=']`}
        >
          <dt className="text-xs text-quiet">present at the start</dt>
          <dd className="num text-xl font-semibold" title={formatCounted(present, 'message')}>
            {formatCount(present)}
          </dd>
        </div>
      </dl>
    </section>
  )
}
