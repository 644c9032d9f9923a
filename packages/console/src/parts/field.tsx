import { type ReactNode, useId } from 'react'

const box =
  'h-8 w-full min-w-0 rounded-md border border-edge bg-panel px-2.5 font-normal placeholder:text-faint'

export function NumberField({
  label,
  unit,
  about,
  value,
  onChange,
}: {
  readonly label: string
  readonly unit: string
  /** What it does, below the field. */
  readonly about?: string
  readonly value: number | undefined
  readonly onChange: (value: number | undefined) => void
}): ReactNode {
  const id = useId()
  return (
    <div>
      <label htmlFor={id} className="mb-1 block">
        {label} <span className="text-quiet">({unit})</span>
      </label>
      <input
        id={id}
        type="number"
        min={1}
        placeholder="–"
        value={value ?? ''}
        onChange={({ target }) => onChange(target.value === '' ? undefined : target.valueAsNumber)}
        aria-describedby={about ? `${id}-about` : undefined}
        className={`num ${box}`}
      />
      <About id={id} text={about} />
    </div>
  )
}

export function TextField({
  label,
  hint,
  about,
  value,
  onChange,
}: {
  readonly label: string
  readonly hint: string
  /** What it does, below the field. */
  readonly about?: string
  readonly value: string
  readonly onChange: (value: string) => void
}): ReactNode {
  const id = useId()
  return (
    <div>
      <label htmlFor={id} className="mb-1 block">
        {label}
      </label>
      <input
        id={id}
        placeholder={hint}
        value={value}
        onChange={({ target }) => onChange(target.value)}
        aria-describedby={about ? `${id}-about` : undefined}
        className={box}
      />
      <About id={id} text={about} />
    </div>
  )
}

function About({ id, text }: { readonly id: string; readonly text: string | undefined }): ReactNode {
  if (text === undefined) return null
  return (
    <p id={`${id}-about`} className="mt-1 text-xs text-quiet">
      {text}
    </p>
  )
}
