import type { ReactNode } from 'react'

const tailLength = 20

/** A name that loses its middle if there is no room: those of one team differ at their ends. */
export function LongName({ name }: { readonly name: string }): ReactNode {
  const letters = [...name]
  if (letters.length <= 2 * tailLength) return <span className="foreign block truncate">{name}</span>
  return (
    <>
      <span className="sr-only">{name}</span>
      <span aria-hidden="true" title={name} className="flex min-w-0">
        <span className="foreign truncate">{letters.slice(0, -tailLength).join('')}</span>
        <span className="foreign shrink-0">{letters.slice(-tailLength).join('')}</span>
      </span>
    </>
  )
}
