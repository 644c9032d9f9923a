import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useId, useState } from 'react'
import { queries } from '../api/queries.ts'
import { targetWays } from './target-ways.ts'

/** Where the messages go: one of the ways, or a queue by its name. */
export function TargetChoice({
  to = 'origin',
  onChange,
}: {
  readonly to: string | undefined
  readonly onChange: (to: string | undefined) => void
}): ReactNode {
  const isWay = targetWays.some(([way]) => way === to)
  const [wantsQueue, setWantsQueue] = useState(!isWay)
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-2 font-semibold">Where</legend>
      {targetWays.map(([way, name, meaning]) => (
        <Choice
          key={way}
          name={name}
          meaning={meaning}
          isChosen={!wantsQueue && to === way}
          onChoose={() => {
            setWantsQueue(false)
            onChange(way === 'origin' ? undefined : way)
          }}
        />
      ))}
      <Choice
        name="Another queue"
        meaning="All of them go to the queue that you name."
        isChosen={wantsQueue}
        onChoose={() => setWantsQueue(true)}
      />
      {wantsQueue && <QueueField queue={isWay ? '' : to} onChange={onChange} />}
    </fieldset>
  )
}

function Choice({
  name,
  meaning,
  isChosen,
  onChoose,
}: {
  readonly name: string
  readonly meaning: string
  readonly isChosen: boolean
  readonly onChoose: () => void
}): ReactNode {
  return (
    <label className="flex gap-2.5 rounded-lg border border-line bg-panel p-3 has-checked:border-accent has-checked:bg-chosen">
      <input
        type="radio"
        name="to"
        checked={isChosen}
        onChange={onChoose}
        className="mt-0.5 size-4 shrink-0 accent-action"
      />
      <span>
        <span className="block font-medium">{name}</span>
        <span className="text-quiet">{meaning}</span>
      </span>
    </label>
  )
}

/** Completes the names of queues that the server sees traffic of; any other may be written. */
function QueueField({
  queue,
  onChange,
}: {
  readonly queue: string
  readonly onChange: (queue: string | undefined) => void
}): ReactNode {
  const { data } = useQuery(queries.traffic())
  const id = useId()
  return (
    <>
      <input
        aria-label="Name of the queue"
        placeholder="Name of the queue"
        list={id}
        value={queue}
        onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
        className="h-8 w-full min-w-0 rounded-md border border-edge bg-panel px-2.5 placeholder:text-faint"
      />
      <datalist id={id}>
        {data?.items.map((each) => (
          <option key={each.queue} value={each.queue} />
        ))}
      </datalist>
    </>
  )
}
