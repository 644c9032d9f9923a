import type { ReactNode } from 'react'
import { type DiffLine, diffLines } from './diff-lines.ts'

const looks: Readonly<Record<DiffLine['kind'], readonly [string, string, string]>> = {
  same: [' ', 'text-quiet', ''],
  removed: ['−', 'bg-bad-soft text-bad', 'removed: '],
  added: ['+', 'bg-good-soft text-good', 'added: '],
}
/** Lines that stayed are shown beside what has changed, as far as this. */
const context = 3

export function DiffView({ before, after }: { readonly before: string; readonly after: string }): ReactNode {
  const lines = diffLines(before, after)
  const isNear = lines.map((_, index) =>
    lines.slice(Math.max(0, index - context), index + context + 1).some(({ kind }) => kind !== 'same'),
  )
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys.
      tabIndex={0}
      className="foreign max-h-80 overflow-auto rounded-lg border border-line bg-panel py-2 font-mono text-xs leading-5 whitespace-pre-wrap"
    >
      {lines.map(({ kind, text }, index) => {
        if (!isNear[index]) return null
        const [sign, colour, said] = looks[kind]
        const isGap = index > 0 && !isNear[index - 1]
        return (
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have nothing but their order.
            key={index}
            className={`block px-3 ${colour} ${isGap ? 'border-t border-dashed border-line' : ''}`}
          >
            <span aria-hidden="true" className="mr-2 select-none">
              {sign}
            </span>
            <span className="sr-only">{said}</span>
            {text}
          </span>
        )
      })}
    </pre>
  )
}
