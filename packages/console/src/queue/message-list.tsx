import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Schemas } from '../api/api.ts'
import { VirtualRows } from '../parts/virtual-rows.tsx'
import { MessageListHead } from './message-list-head.tsx'
import { MessageRow } from './message-row.tsx'
import type { QueueSearch } from './queue-search.ts'
import type { QueueLook } from './use-queue-look.ts'

type Message = Schemas['SnapshotMessage']

const route = getRouteApi('/queues/$queue')

export function MessageList({
  look: { hasMore, loadMore },
  messages,
}: {
  readonly look: QueueLook
  readonly messages: readonly Message[]
}): ReactNode {
  const { selected = [], where } = route.useSearch()
  const navigate = route.useNavigate()
  const open = ({ key }: Message): void =>
    void navigate({
      to: '/queues/$queue/messages/$key',
      params: { key },
      search: where === undefined ? {} : { where },
    })
  const toggle = ({ key }: Message): void =>
    void navigate({
      to: '.',
      // Of the address as it is by now: whoever presses keys is faster than a page.
      search: (now: QueueSearch) => ({ ...now, selected: toggled(now.selected ?? [], key) }),
      replace: true,
    })
  return (
    <VirtualRows
      label="Messages"
      items={messages}
      nameOf={({ position }) => String(position)}
      rowHeight={48}
      head={<MessageListHead />}
      onOpen={open}
      onMark={toggle}
      isMarked={({ key }) => selected.includes(key)}
      onEnd={loadMore}
      foot={hasMore && <p className="px-4 py-3 text-quiet">Reading more…</p>}
    >
      {(message) => (
        <MessageRow
          message={message}
          isSelected={selected.includes(message.key)}
          onSelect={() => toggle(message)}
        />
      )}
    </VirtualRows>
  )
}

function toggled(keys: readonly string[], key: string): readonly string[] {
  return keys.includes(key) ? keys.filter((each) => each !== key) : [...keys, key]
}
