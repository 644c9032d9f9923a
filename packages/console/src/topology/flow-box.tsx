import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { DottedName } from '../parts/dotted-name.tsx'
import { formatCount, formatCounted } from '../words/format-count.ts'
import type { FlowQueue } from './queue-flows.ts'

const roles: Readonly<Record<FlowQueue['role'], string>> = {
  work: '',
  wait: 'waits',
  'dead-letter': 'dead letters',
  queue: '',
}

/** A queue in the picture, with its depth. */
export function FlowBox({ queue }: { readonly queue: FlowQueue }): ReactNode {
  const { name, role, messages, isMissing, isLossy } = queue
  const isBad = isMissing || isLossy
  const isDeep = role === 'dead-letter' && (messages ?? 0) > 0
  return (
    <li
      className={`flex min-w-0 items-center gap-3 rounded-md border px-2.5 py-1.5 ${isBad ? 'border-bad bg-bad-soft' : 'border-line bg-sunken'}`}
    >
      <span className="min-w-0 flex-1">
        <span className="foreign block font-medium">
          {role === 'dead-letter' && !isMissing ? (
            <Link to="/queues/$queue" params={{ queue: name }} className="hover:underline">
              <DottedName name={name} />
            </Link>
          ) : (
            <DottedName name={name} />
          )}
        </span>
        <span className={`block text-xs ${isBad ? 'text-bad' : 'text-quiet'}`}>{sayState(queue)}</span>
      </span>
      <span className={`num ${isDeep ? 'font-semibold text-bad' : 'text-quiet'}`}>
        {messages === null ? '–' : formatCount(messages)}
      </span>
    </li>
  )
}

function sayState({ role, consumers, isMissing, isLossy }: FlowQueue): string {
  if (isMissing) return 'not on the broker'
  if (isLossy) return 'can lose messages'
  if (roles[role] !== '') return roles[role]
  return consumers === null ? 'worked on' : formatCounted(consumers, 'consumer')
}
