import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Schemas } from '../api/api.ts'
import { Notice } from '../parts/notice.tsx'
import { SectionTitle } from '../parts/page.tsx'
import { bodyViews, type MessageSearch } from './message-search.ts'
import { type Bodies, showAsItCame, showBytes, showReadableBody } from './show-readable-body.ts'

const route = getRouteApi('/queues/$queue/messages/$key')

const words = { readable: 'Readable', 'as-it-came': 'As it came', bytes: 'Bytes' } as const
const hiddenBecause = {
  'from-your-role': 'Your role may not see message bodies.',
  'cannot-be-masked': 'Parts of bodies are masked here, and this one cannot be read to mask it.',
} as const

const shown = {
  readable: showReadableBody,
  'as-it-came': ({ body }: Bodies) => showAsItCame(body),
  bytes: ({ body }: Bodies) => showBytes(body),
} as const

export function BodyPanel({
  message: { body, decoded, bodyHidden },
}: {
  readonly message: Pick<Schemas['MessageDetail'], 'body' | 'decoded' | 'bodyHidden'>
}): ReactNode {
  const search: MessageSearch = route.useSearch()
  const { view = 'readable' } = search
  const navigate = route.useNavigate()
  if (!body)
    return (
      <section>
        <SectionTitle>Body</SectionTitle>
        <Notice tone="plain">{bodyHidden ? hiddenBecause[bodyHidden] : 'The body is hidden.'}</Notice>
      </section>
    )
  const { text, note } = shown[view]({ body, decoded })
  return (
    <section>
      <div className="mb-2 flex flex-wrap items-center gap-3">
        <h2 className="font-semibold">Body</h2>
        {note && <span className="text-quiet">{note}</span>}
        <div className="ml-auto flex rounded-md border border-line p-0.5 text-xs">
          {bodyViews.map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={each === view}
              onClick={() => void navigate({ to: '.', search: { ...search, view: each }, replace: true })}
              className="rounded px-2 py-0.5 text-quiet aria-pressed:bg-hover aria-pressed:text-ink"
            >
              {words[each]}
            </button>
          ))}
        </div>
      </div>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys.
        tabIndex={0}
        className={`foreign max-h-[32rem] overflow-auto rounded-lg border border-line bg-panel p-4 font-mono text-xs leading-5 ${view === 'bytes' ? 'whitespace-pre' : 'whitespace-pre-wrap'}`}
      >
        {text === '' ? <span className="text-quiet">The body is empty.</span> : text}
      </pre>
    </section>
  )
}
