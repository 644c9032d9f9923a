import type { ReactNode } from 'react'
import { SectionTitle } from '../parts/page.tsx'
import type { HeaderDraft } from './draft-headers.ts'

const box = 'h-8 min-w-0 rounded-md border border-edge bg-panel px-2 font-mono text-xs'

/** The headers that may be changed, one a line, and room for more. */
export function HeaderFields({
  headers,
  onChange,
}: {
  readonly headers: readonly HeaderDraft[]
  readonly onChange: (headers: readonly HeaderDraft[]) => void
}): ReactNode {
  const set = (index: number, change: Partial<HeaderDraft>): void =>
    onChange(headers.map((each, at) => (at === index ? { ...each, ...change } : each)))
  return (
    <section>
      <SectionTitle beside="headers of RabbitMQ and Warren stay as they are">Headers</SectionTitle>
      <ul className="flex flex-col gap-1.5">
        {headers.map((header, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a header may stand there twice, and none moves.
          <li key={index} className="flex items-center gap-2">
            <input
              aria-label="Name of the header"
              readOnly={header.before !== undefined}
              value={header.name}
              onChange={({ target }) => set(index, { name: target.value })}
              className={`${box} w-2/5 read-only:border-transparent read-only:bg-sunken`}
            />
            <input
              aria-label={`Value of ${header.name || 'the new header'}`}
              disabled={header.isRemoved}
              value={header.value}
              onChange={({ target }) => set(index, { value: target.value })}
              className={`${box} flex-1 disabled:text-faint disabled:line-through`}
            />
            <button
              type="button"
              className="w-16 text-left text-xs text-accent hover:underline"
              onClick={() => set(index, { isRemoved: !header.isRemoved })}
            >
              {header.isRemoved ? 'Put back' : 'Remove'}
            </button>
          </li>
        ))}
      </ul>
      <button
        type="button"
        className="mt-2 text-accent hover:underline"
        onClick={() => onChange([...headers, { name: '', value: '', before: undefined, isRemoved: false }])}
      >
        Add a header
      </button>
    </section>
  )
}
