import { type KeyboardEvent, type ReactNode, type RefObject, useId, useState } from 'react'
import { flushSync } from 'react-dom'
import { Button } from '../parts/button.tsx'
import { KeyCap } from '../parts/key-cap.tsx'
import type { Completion, KnownValue } from './complete-filter.ts'
import { CompletionList } from './completion-list.tsx'
import { useCompletions } from './use-completions.ts'

/** One line in the grammar of the command line's --where, completed as it is written. Enter asks it. */
export function FilterLine({
  ref,
  where,
  valuesOf,
  onFilter,
}: {
  readonly ref: RefObject<HTMLInputElement | null>
  readonly where: string
  readonly valuesOf: (field: string) => readonly KnownValue[]
  readonly onFilter: (where: string | undefined) => void
}): ReactNode {
  const [text, setText] = useState(where)
  const [asked, setAsked] = useState(where)
  const list = useId()
  const completions = useCompletions(valuesOf)
  // A card was chosen, or the reader went back: the line says what is asked now.
  if (asked !== where) {
    setAsked(where)
    setText(where)
  }
  const take = ({ text: next, from }: Completion): void => {
    const field = ref.current
    const caret = field?.selectionStart ?? text.length
    const written = `${text.slice(0, from)}${next}${text.slice(caret).trimStart()}`
    // At once: a letter that is typed before the next frame must not come before the caret is where it belongs.
    flushSync(() => {
      setText(written)
      completions.ask(written, from + next.length)
    })
    field?.setSelectionRange(from + next.length, from + next.length)
  }
  const press = (event: KeyboardEvent<HTMLInputElement>): void => {
    const { found, chosen } = completions
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step && found.length > 0) {
      event.preventDefault()
      completions.move(step)
    }
    const picked = chosen === undefined ? undefined : found[chosen]
    if (picked && (event.key === 'Enter' || event.key === 'Tab')) {
      event.preventDefault()
      take(picked)
    }
    if (event.key === 'Escape') {
      if (found.length > 0) completions.close()
      else event.currentTarget.blur()
    }
  }
  return (
    <search>
      <form
        className="flex gap-2"
        onSubmit={(event) => {
          event.preventDefault()
          completions.close()
          onFilter(text.trim() || undefined)
        }}
      >
        <div className="relative min-w-0 flex-1">
          <input
            ref={ref}
            role="combobox"
            aria-label="Filter"
            aria-expanded={completions.found.length > 0}
            aria-controls={list}
            aria-autocomplete="list"
            aria-activedescendant={
              completions.chosen === undefined ? undefined : `${list}-${completions.chosen}`
            }
            placeholder="cause:Timeout and died<2h and not header.tenant:acme"
            spellCheck={false}
            autoComplete="off"
            value={text}
            onChange={({ target }) => {
              setText(target.value)
              completions.ask(target.value, target.selectionStart ?? target.value.length)
            }}
            onFocus={({ target }) => completions.ask(target.value, target.value.length)}
            onBlur={completions.close}
            onKeyDown={press}
            className="h-8 w-full rounded-md border border-edge bg-panel pr-9 pl-2.5 font-mono text-xs placeholder:text-faint"
          />
          <span aria-hidden="true" className="pointer-events-none absolute top-1.5 right-2">
            <KeyCap>/</KeyCap>
          </span>
          <CompletionList id={list} completions={completions} onTake={take} />
        </div>
        <Button isSubmit>Filter</Button>
        {where !== '' && <Button onClick={() => onFilter(undefined)}>Clear</Button>}
      </form>
    </search>
  )
}
