import type { ReactNode } from 'react'
import { formatCount, formatCounted } from '../words/format-count.ts'
import type { Balance } from './balance.ts'

const parts: readonly (readonly [Exclude<keyof Balance, 'present'>, string, string])[] = [
  ['moved', 'moved', 'bg-good'],
  ['failed', 'failed', 'bg-bad'],
  ['kept', 'kept', 'bg-warn'],
  ['stillThere', 'still there', 'bg-edge'],
]

/** With a sign before it, which is for the eye alone. */
const signed = 'relative pl-6 before:absolute before:bottom-1 before:left-1 before:text-faint'

/** Where every message is that was in the queue: the parts always add up. */
export function BalanceBar({ balance }: { readonly balance: Balance }): ReactNode {
  const { present } = balance
  return (
    <section aria-label="Balance" className="rounded-lg border border-line bg-panel p-4">
      <div aria-hidden="true" className="flex h-2 overflow-hidden rounded-full bg-sunken">
        {parts.map(([key, , colour]) => (
          <span
            key={key}
            className={colour}
            style={{ width: `${(100 * balance[key]) / Math.max(1, present)}%` }}
          />
        ))}
      </div>
      <dl className="mt-4 flex flex-wrap items-baseline gap-x-3 gap-y-3">
        {parts.map(([key, name, colour], index) => (
          <div key={key} className={index === 0 ? '' : `${signed} before:content-['+']`}>
            <dt className="flex items-center gap-1.5 text-xs text-quiet">
              <span aria-hidden="true" className={`size-2 rounded-sm ${colour}`} />
              {name}
            </dt>
            <dd className="num text-xl font-semibold">{formatCount(balance[key])}</dd>
          </div>
        ))}
        <div className={`${signed} before:content-['=']`}>
          <dt className="text-xs text-quiet">present at the start</dt>
          <dd className="num text-xl font-semibold" title={formatCounted(present, 'message')}>
            {formatCount(present)}
          </dd>
        </div>
      </dl>
    </section>
  )
}
