import type { ReactNode } from 'react'
import type { Completion } from './complete-filter.ts'
import type { Completions } from './use-completions.ts'

export function CompletionList({
  id,
  completions: { found, chosen },
  onTake,
}: {
  readonly id: string
  readonly completions: Completions
  readonly onTake: (completion: Completion) => void
}): ReactNode {
  return (
    <div
      id={id}
      role="listbox"
      aria-label="What may come next"
      hidden={found.length === 0}
      className="absolute inset-x-0 top-full z-20 mt-1 max-w-xl rounded-lg border border-line bg-panel p-1 shadow-xl"
    >
      {found.map((completion, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field.
        <div
          key={completion.text}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === chosen}
          // The field keeps the focus.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onTake(completion)}
          className="flex cursor-pointer gap-4 rounded-md px-2 py-1 hover:bg-hover aria-selected:bg-hover"
        >
          <span className="foreign shrink-0 font-mono text-xs leading-5">{completion.text}</span>
          <span className="foreign min-w-0 truncate text-quiet">{completion.about}</span>
        </div>
      ))}
    </div>
  )
}
