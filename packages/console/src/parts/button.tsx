import { type ReactNode, useId } from 'react'

interface ButtonProps {
  readonly children: ReactNode
  readonly onClick?: () => void
  /** The one thing that the page is for. */
  readonly isMain?: boolean
  /** It takes something away. */
  readonly isDangerous?: boolean
  readonly isSubmit?: boolean
  /** Why it cannot be pressed now. It stays visible and says so. */
  readonly offBecause?: string | undefined
  readonly hint?: string
}

export function Button(props: ButtonProps): ReactNode {
  const { children, onClick, isMain, isDangerous, isSubmit, offBecause, hint } = props
  const id = useId()
  const isOff = offBecause !== undefined
  return (
    <>
      <button
        type={isSubmit ? 'submit' : 'button'}
        onClick={(event) => {
          if (isOff) event.preventDefault()
          else onClick?.()
        }}
        aria-disabled={isOff}
        aria-describedby={isOff ? id : undefined}
        title={offBecause ?? hint}
        className={`${shape} ${isOff ? off : isMain ? main : isDangerous ? dangerous : plain}`}
      >
        {children}
      </button>
      {isOff && (
        <span id={id} className="sr-only">
          {offBecause}
        </span>
      )}
    </>
  )
}

const shape =
  'inline-flex h-8 shrink-0 items-center justify-center gap-1.5 rounded-md border px-3 font-medium whitespace-nowrap motion-safe:transition-colors'
const main = 'border-transparent bg-action text-on-action hover:bg-action-hover'
const plain = 'border-line bg-panel hover:bg-hover'
const dangerous = 'border-transparent bg-danger text-on-action hover:bg-danger-hover'
const off = 'cursor-not-allowed! border-dashed border-line bg-sunken text-faint'
