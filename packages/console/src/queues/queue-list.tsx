import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { VirtualRows } from '../parts/virtual-rows.tsx'
import { QueueRow } from './queue-row.tsx'
import type { RankedQueue } from './ranked-queue.ts'

export function QueueList({ queues }: { readonly queues: readonly RankedQueue[] }): ReactNode {
  const navigate = useNavigate()
  return (
    <VirtualRows
      label="Dead-letter queues"
      items={queues}
      nameOf={({ queue }) => queue}
      rowHeight={56}
      onOpen={({ queue }) => void navigate({ to: '/queues/$queue', params: { queue } })}
      head={
        <div className="hidden gap-4 px-4 py-2 text-xs text-quiet md:flex">
          <span className="flex-1">Queue</span>
          <span className="hidden w-64 lg:block">Main cause</span>
          <span className="hidden w-16 text-right lg:block">Oldest</span>
          <span className="w-24">Last hour</span>
          <span className="w-24 text-right">Per minute</span>
          <span className="w-24 text-right">Messages</span>
        </div>
      }
    >
      {(queue) => <QueueRow queue={queue} />}
    </VirtualRows>
  )
}
