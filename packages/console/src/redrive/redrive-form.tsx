import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { NumberField, TextField } from '../parts/field.tsx'
import type { RedriveSearch } from './redrive-search.ts'
import { TargetChoice } from './target-choice.tsx'

const route = getRouteApi('/queues/$queue/redrive')

/** The settings; each is in the address as soon as it is chosen. */
export function RedriveForm({
  reason,
  onReason,
}: {
  readonly reason: string
  readonly onReason: (reason: string) => void
}): ReactNode {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const set = (change: RedriveSearch): void =>
    void navigate({ to: '.', search: { ...search, ...change }, replace: true })
  return (
    <form className="flex flex-col gap-6" onSubmit={(event) => event.preventDefault()}>
      <TargetChoice to={search.to} onChange={(to) => set({ to: to! })} />
      <fieldset>
        <legend className="mb-2 font-semibold">How</legend>
        <div className="grid grid-cols-1 items-start gap-x-3 gap-y-4 sm:grid-cols-2">
          <NumberField
            label="At most"
            unit="messages"
            value={search.limit}
            onChange={(limit) => set({ limit: limit! })}
          />
          <NumberField
            label="Not faster than"
            unit="per second"
            value={search.rate}
            onChange={(rate) => set({ rate: rate! })}
          />
          <NumberField
            label="Try first"
            unit="messages"
            about="The rest follows only if none of them dies again."
            value={search.canary}
            onChange={(canary) => set({ canary: canary! })}
          />
          <TextField
            label="Stop if this many die again"
            hint="5 or 5%"
            about="Checked all the time while it runs."
            value={search.stopWhenDead ?? ''}
            onChange={(stopWhenDead) => set({ stopWhenDead })}
          />
          <NumberField
            label="Stop if the target holds more than"
            unit="messages"
            about="So that consumers are not flooded."
            value={search.stopWhenTargetAbove}
            onChange={(stopWhenTargetAbove) => set({ stopWhenTargetAbove: stopWhenTargetAbove! })}
          />
        </div>
        <label className="mt-3 flex items-center gap-2">
          <input
            type="checkbox"
            checked={search.attempts === 'continue'}
            onChange={({ target }) => set({ attempts: (target.checked ? 'continue' : undefined)! })}
            className="size-4 accent-action"
          />
          Keep the count of attempts, instead of starting at one
        </label>
      </fieldset>
      <TextField label="Why" hint="For the audit log and the receipt" value={reason} onChange={onReason} />
    </form>
  )
}
