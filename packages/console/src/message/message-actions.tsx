import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Schemas } from '../api/api.ts'
import { useForbidden } from '../app/use-session.ts'
import { filterOfIds } from '../filter/filter-of-ids.ts'
import { Button } from '../parts/button.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { useKeys } from '../parts/use-keys.ts'
import { commandOf } from './command-of.ts'
import { RedriveOne } from './redrive-one.tsx'

/** What can be done with one message. */
export function MessageActions({
  queue,
  message,
}: {
  readonly queue: string
  readonly message: Schemas['SnapshotMessageDetail']
}): ReactNode {
  const { id, key, sameContent } = message
  const navigate = useNavigate()
  const mayNotRedrive = useForbidden('dlq:redrive')
  const mayNotDiscard = useForbidden('dlq:discard')
  const where = filterOfIds([id])
  const noEdit =
    mayNotRedrive ??
    (sameContent > 0 ? 'Other messages have the same content, so this one cannot be told apart.' : undefined)
  const edit = (): void => {
    if (noEdit === undefined)
      void navigate({ to: '/queues/$queue/messages/$key', params: { queue, key }, search: { edit: true } })
  }
  useKeys({ e: edit })
  return (
    <>
      <CopyButton text={commandOf({ queue, id })}>Copy as command</CopyButton>
      <Button
        offBecause={mayNotDiscard}
        onClick={() =>
          void navigate({
            to: '/queues/$queue/discard',
            params: { queue },
            search: where === undefined ? { keys: [key] } : { where },
          })
        }
      >
        Discard…
      </Button>
      <Button offBecause={noEdit} onClick={edit} hint="e">
        Edit…
      </Button>
      <RedriveOne queue={queue} message={message} />
    </>
  )
}
