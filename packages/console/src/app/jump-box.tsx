import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, type ReactNode, useState } from 'react'
import { queries } from '../api/queries.ts'
import { Dialog } from '../parts/dialog.tsx'
import { LongName } from '../parts/long-name.tsx'
import { formatCount } from '../words/format-count.ts'
import { findJumps, type Jump } from './find-jumps.ts'

export function JumpBox({
  isOpen,
  onClose,
}: {
  readonly isOpen: boolean
  readonly onClose: () => void
}): ReactNode {
  return (
    <Dialog title="Jump to a queue or a page" isOpen={isOpen} onClose={onClose}>
      <JumpList onClose={onClose} />
    </Dialog>
  )
}

function JumpList({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { data: dlqs = [] } = useQuery(queries.dlqs())
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const jumps = findJumps(text, dlqs)
  const go = (jump: Jump | undefined): void => {
    if (!jump) return
    onClose()
    if (jump.kind === 'queue') void navigate({ to: '/queues/$queue', params: { queue: jump.name } })
    else void navigate({ to: jump.to })
  }
  const press = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) {
      event.preventDefault()
      setChosen((now) => Math.max(0, Math.min(jumps.length - 1, now + step)))
    }
    if (event.key === 'Enter') go(jumps[chosen])
  }
  return (
    <>
      <input
        // biome-ignore lint/a11y/noAutofocus: the box was opened to write into it.
        autoFocus
        role="combobox"
        aria-expanded="true"
        aria-controls="jumps"
        aria-activedescendant={jumps[chosen] ? `jump-${chosen}` : undefined}
        aria-label="Jump to a queue or a page"
        placeholder="Jump to a queue or a page…"
        value={text}
        onKeyDown={press}
        onChange={({ target }) => {
          setText(target.value)
          setChosen(0)
        }}
        className="h-12 w-full border-b border-line bg-transparent px-4 text-base outline-none!"
      />
      <div
        id="jumps"
        role="listbox"
        aria-label="Where to"
        tabIndex={-1}
        className="max-h-[50vh] overflow-y-auto p-2"
      >
        {jumps.map((jump, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the box above.
          <div
            key={`${jump.kind} ${jump.name}`}
            id={`jump-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onClick={() => go(jump)}
            className="flex cursor-pointer items-center gap-3 rounded-md px-2.5 py-1.5 aria-selected:bg-hover"
          >
            <span className="min-w-0 flex-1">
              <LongName name={jump.name} />
            </span>
            <span className="num text-xs text-quiet">
              {jump.kind === 'page' ? 'Page' : jump.messages === null ? '–' : formatCount(jump.messages)}
            </span>
          </div>
        ))}
        {jumps.length === 0 && <p className="px-2.5 py-1.5 text-quiet">Nothing has this in its name.</p>}
      </div>
    </>
  )
}
