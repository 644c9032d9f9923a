import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api, proofOfWho, type Schemas } from '../api/api.ts'
import { dataOf, problemOf } from '../api/api-problem.ts'
import { createOnceKey } from '../api/once-key.ts'
import { serverAddress } from '../api/server-address.ts'
import { useForbidden } from '../app/use-session.ts'
import { Button } from '../parts/button.tsx'
import { Notice, ProblemNotice } from '../parts/notice.tsx'
import { formatCount, formatCounted } from '../words/format-count.ts'

/** Puts the messages of a kept backup back into their queue; each once, however often it is pressed. */
export function RestoreButton({
  backup: { id, queue },
}: {
  readonly backup: Schemas['KeptBackup']
}): ReactNode {
  const forbidden = useForbidden('dlq:restore')
  const [onceKey] = useState(createOnceKey)
  const restore = useMutation({
    mutationFn: async () => {
      const file = await fetch(`${serverAddress}/api/v1/backups/${id}`, { headers: proofOfWho() })
      if (!file.ok) throw problemOf(await file.json().catch(() => undefined), file)
      return dataOf(
        await api.POST('/api/v1/restores', {
          params: { header: { 'idempotency-key': onceKey } },
          headers: { 'content-type': 'application/gzip' },
          body: (await file.blob()) as never,
          bodySerializer: (body: unknown) => body as never,
        }),
      )
    },
  })
  return (
    <>
      <Button
        isMain
        offBecause={forbidden ?? (restore.isPending ? 'It is being restored.' : undefined)}
        onClick={() => restore.mutate()}
        hint={`Puts the messages back into ${queue}. What is there already is left out.`}
      >
        {restore.isPending ? 'Restoring…' : 'Restore'}
      </Button>
      {restore.error && (
        <div className="w-full">
          <ProblemNotice error={restore.error} />
        </div>
      )}
      {restore.data && (
        <div className="w-full">
          <Notice tone="good">
            {formatCounted(restore.data.restored, 'message')} restored
            {restore.data.alreadyThere > 0 &&
              `, ${formatCount(restore.data.alreadyThere)} were there already`}
            {restore.data.failed > 0 && `, ${formatCount(restore.data.failed)} failed`}.
          </Notice>
        </div>
      )}
    </>
  )
}
