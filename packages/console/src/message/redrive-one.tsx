import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { api, type Schemas } from '../api/api.ts'
import { dataOf } from '../api/api-problem.ts'
import { createOnceKey } from '../api/once-key.ts'
import { useForbidden } from '../app/use-session.ts'
import { filterOfIds } from '../filter/filter-of-ids.ts'
import { Button } from '../parts/button.tsx'
import { ProblemNotice } from '../parts/notice.tsx'
import { useKeys } from '../parts/use-keys.ts'
import { forgetSnapshot } from '../snapshot/forget-snapshot.ts'

/** Puts one message back. With an id it is planned like any other re-drive; without one only its key names it. */
export function RedriveOne({
  queue,
  message: { id, key },
}: {
  readonly queue: string
  readonly message: Pick<Schemas['MessageDetail'], 'id' | 'key'>
}): ReactNode {
  const client = useQueryClient()
  const navigate = useNavigate()
  const forbidden = useForbidden('dlq:redrive')
  const [onceKey] = useState(createOnceKey)
  const direct = useMutation({
    mutationFn: async () =>
      dataOf(
        await api.POST('/api/v1/dlqs/{queue}/messages/{key}/redrive', {
          params: { path: { queue, key }, header: { 'idempotency-key': onceKey } },
          body: {},
        }),
      ),
    onSuccess: (task) => {
      forgetSnapshot(client, queue)
      return navigate({ to: '/tasks/$id', params: { id: task.id } })
    },
  })
  const where = filterOfIds([id])
  const start = (): void => {
    if (forbidden) return
    if (where === undefined) direct.mutate()
    else void navigate({ to: '/queues/$queue/redrive', params: { queue }, search: { where } })
  }
  useKeys({ r: start })
  return (
    <>
      <Button isMain onClick={start} offBecause={forbidden} hint="r">
        {where === undefined ? 'Put this message back' : 'Re-drive…'}
      </Button>
      {direct.error && (
        <div className="w-full">
          <ProblemNotice error={direct.error} />
        </div>
      )}
    </>
  )
}
