import type { ReactNode, Ref } from 'react'
import { KeyCap } from './key-cap.tsx'

export function SearchField({
  ref,
  label,
  value,
  onChange,
}: {
  readonly ref?: Ref<HTMLInputElement>
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}): ReactNode {
  return (
    <div className="relative w-full max-w-80">
      <input
        ref={ref}
        type="search"
        aria-label={label}
        placeholder={label}
        value={value}
        onChange={({ target }) => onChange(target.value)}
        onKeyDown={({ key, currentTarget }) => key === 'Escape' && currentTarget.blur()}
        className="h-8 w-full rounded-md border border-edge bg-panel pr-8 pl-2.5 placeholder:text-faint"
      />
      <span aria-hidden="true" className="pointer-events-none absolute top-1.5 right-2">
        <KeyCap>/</KeyCap>
      </span>
    </div>
  )
}
