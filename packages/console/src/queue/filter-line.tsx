import { type ReactNode, type Ref, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { KeyCap } from '../parts/key-cap.tsx'

/** One line in the grammar of the command line's --where. Enter asks it. */
export function FilterLine({
  ref,
  where,
  onFilter,
}: {
  readonly ref: Ref<HTMLInputElement>
  readonly where: string
  readonly onFilter: (where: string | undefined) => void
}): ReactNode {
  const [text, setText] = useState(where)
  const [asked, setAsked] = useState(where)
  // A card was chosen, or the reader went back: the line says what is asked now.
  if (asked !== where) {
    setAsked(where)
    setText(where)
  }
  return (
    <form
      className="flex gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        onFilter(text.trim() || undefined)
      }}
    >
      <div className="relative min-w-0 flex-1">
        <input
          ref={ref}
          aria-label="Filter"
          placeholder="cause:Timeout and died<2h and not header.tenant:acme"
          spellCheck={false}
          autoComplete="off"
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={({ key, currentTarget }) => key === 'Escape' && currentTarget.blur()}
          className="h-8 w-full rounded-md border border-edge bg-panel pr-9 pl-2.5 font-mono placeholder:text-faint"
        />
        <span aria-hidden="true" className="pointer-events-none absolute top-1.5 right-2">
          <KeyCap>/</KeyCap>
        </span>
      </div>
      <Button isSubmit>Filter</Button>
      {where !== '' && <Button onClick={() => onFilter(undefined)}>Clear</Button>}
    </form>
  )
}
