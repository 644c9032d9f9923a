import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Schemas } from '../api/api.ts'
import { useForbidden } from '../app/use-session.ts'
import { filterOfIds } from '../filter/filter-of-ids.ts'
import { Button } from '../parts/button.tsx'
import { useKeys } from '../parts/use-keys.ts'

/** Leads to the plan of a re-drive of this message. One without an id is named by its key. */
export function RedriveOne({
  queue,
  message: { id, key },
}: {
  readonly queue: string
  readonly message: Pick<Schemas['MessageDetail'], 'id' | 'key'>
}): ReactNode {
  const navigate = useNavigate()
  const forbidden = useForbidden('dlq:redrive')
  const where = filterOfIds([id])
  const search = where === undefined ? { keys: [key] } : { where }
  const start = (): void => {
    if (forbidden === undefined) void navigate({ to: '/queues/$queue/redrive', params: { queue }, search })
  }
  useKeys({ r: start })
  return (
    <Button isMain onClick={start} offBecause={forbidden} hint="r">
      Re-drive…
    </Button>
  )
}
