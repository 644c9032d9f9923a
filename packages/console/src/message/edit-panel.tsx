import { useMutation, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { api, type Schemas } from '../api/api.ts'
import { dataOf } from '../api/api-problem.ts'
import { createOnceKey } from '../api/once-key.ts'
import { useForbidden } from '../app/use-session.ts'
import { Button } from '../parts/button.tsx'
import { TextField } from '../parts/field.tsx'
import { Notice, ProblemNotice } from '../parts/notice.tsx'
import { SectionTitle } from '../parts/page.tsx'
import { forgetSnapshot } from '../snapshot/forget-snapshot.ts'
import { DiffView } from './diff-view.tsx'
import { changedHeaders, draftHeaders, sayDrafts } from './draft-headers.ts'
import { editableBody } from './editable-body.ts'
import { HeaderFields } from './header-fields.tsx'
import { indentJson } from './show-readable-body.ts'

const route = getRouteApi('/queues/$queue/messages/$key')

/** Changes a message, shows what has changed, and puts it back. */
export function EditPanel({
  queue,
  message,
}: {
  readonly queue: string
  readonly message: Schemas['SnapshotMessageDetail']
}): ReactNode {
  const navigate = route.useNavigate()
  const { edit: _, ...unedited } = route.useSearch()
  const lockedBody = whyBodyIsLocked(message)
  const { text: before, toSend } = editableBody(message.body?.text ?? '')
  const [body, setBody] = useState(before)
  const [headers, setHeaders] = useState(() => draftHeaders(message.headers))
  const [reason, setReason] = useState('')
  const send = useSend({ queue, key: message.key })
  const forbidden = useForbidden('dlq:redrive')
  const changes = changedHeaders(headers)
  const isChanged = body !== before || changes !== undefined
  const request = {
    ...(body !== before && { body: { encoding: 'utf8' as const, text: toSend(body) } }),
    ...(changes && { headers: changes as never }),
    ...(reason.trim() && { reason: reason.trim() }),
  }
  return (
    <div className="grid grid-cols-1 gap-6 pb-8 lg:grid-cols-2">
      <div className="flex min-w-0 flex-col gap-6">
        <section>
          <SectionTitle>Body</SectionTitle>
          {lockedBody !== undefined && <Notice tone="plain">{lockedBody}</Notice>}
          {lockedBody === undefined && (
            <textarea
              aria-label="Body"
              spellCheck={false}
              value={body}
              onChange={({ target }) => setBody(target.value)}
              className="h-80 w-full resize-y rounded-lg border border-edge bg-panel p-3 font-mono text-xs leading-5"
            />
          )}
          <JsonHint before={before} body={body} />
        </section>
        <HeaderFields headers={headers} onChange={setHeaders} />
      </div>
      <section aria-label="Changes" className="flex min-w-0 flex-col gap-4">
        <div>
          <SectionTitle>What changes</SectionTitle>
          {!isChanged && (
            <p className="text-quiet">Nothing yet. What you change is shown here, line by line.</p>
          )}
          {body !== before && <DiffView before={before} after={body} />}
        </div>
        {changes && <DiffView before={sayDrafts(draftHeaders(message.headers))} after={sayDrafts(headers)} />}
        <TextField label="Why" hint="For the audit log and the receipt" value={reason} onChange={setReason} />
        {send.error && <ProblemNotice error={send.error} />}
        <div className="flex flex-wrap gap-2">
          <Button
            isMain
            offBecause={forbidden ?? whyOff(isChanged, send.isPending)}
            onClick={() => send.mutate(request)}
          >
            Put the changed message back
          </Button>
          <Button onClick={() => void navigate({ to: '.', search: unedited })}>Keep it as it is</Button>
        </div>
        <p className="text-quiet">
          It goes to the queue it failed in. The header warren-previous keeps what it was.
        </p>
      </section>
    </div>
  )
}

function JsonHint({ before, body }: { readonly before: string; readonly body: string }): ReactNode {
  const wasJson = indentJson(before) !== undefined
  if (!wasJson || indentJson(body) !== undefined) return null
  return <p className="mt-1 text-warn">The body was JSON, and it no longer is.</p>
}

function useSend({ queue, key }: { readonly queue: string; readonly key: string }) {
  const client = useQueryClient()
  const navigate = route.useNavigate()
  const [onceKey] = useState(createOnceKey)
  return useMutation({
    mutationFn: async (body: Schemas['MessageRedriveRequest']) =>
      dataOf(
        await api.POST('/api/v1/dlqs/{queue}/messages/{key}/redrive', {
          params: { path: { queue, key }, header: { 'idempotency-key': onceKey } },
          body,
        }),
      ),
    onSuccess: ({ id }) => {
      forgetSnapshot(client, queue)
      return navigate({ to: '/tasks/$id', params: { id } })
    },
  })
}

function whyOff(isChanged: boolean, isSent: boolean): string | undefined {
  if (!isChanged) return 'Nothing is changed yet.'
  return isSent ? 'It has been sent.' : undefined
}

function whyBodyIsLocked({ body, decoded, bodyHidden }: Schemas['MessageDetail']): string | undefined {
  if (!body || bodyHidden) return 'You may not see the body, so you cannot change it. Headers can be changed.'
  if (body.isMasked) return 'Parts of the body are masked, so it cannot be changed. Headers can be.'
  if (body.isCut) return 'The body is too long to be changed here. Headers can be changed.'
  if (body.encoding !== 'utf8' || decoded)
    return 'The body is not plain text, so it cannot be changed here. Headers can be.'
  return undefined
}
