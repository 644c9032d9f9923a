import type { ReactNode } from 'react'
import { Button } from '../parts/button.tsx'
import { ProblemNotice } from '../parts/notice.tsx'

export function LoginForm({
  children,
  error,
  isBusy,
  onSubmit,
}: {
  readonly children: ReactNode
  readonly error: Error | null
  readonly isBusy: boolean
  readonly onSubmit: (form: FormData) => void
}): ReactNode {
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy) onSubmit(new FormData(event.currentTarget))
      }}
    >
      {children}
      {error && <ProblemNotice error={error} />}
      <Button isMain isSubmit>
        {isBusy ? 'Logging in…' : 'Log in'}
      </Button>
    </form>
  )
}

export function TextField({
  name,
  label,
  type = 'text',
  autoComplete,
}: {
  readonly name: string
  readonly label: string
  readonly type?: 'text' | 'password'
  readonly autoComplete: string
}): ReactNode {
  return (
    <label className="flex flex-col gap-1 font-medium">
      {label}
      <input
        name={name}
        type={type}
        autoComplete={autoComplete}
        required
        className="h-9 rounded-md border border-edge bg-panel px-2.5 font-normal"
      />
    </label>
  )
}
