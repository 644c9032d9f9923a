import type { ReactNode } from 'react'
import type { Schemas } from '../api/api.ts'
import { FactList } from '../parts/fact-list.tsx'
import { SectionTitle } from '../parts/page.tsx'
import { TimeText } from '../parts/time-text.tsx'

const names: Readonly<Record<keyof Schemas['MessageProperties'], string>> = {
  contentType: 'Content type',
  contentEncoding: 'Content encoding',
  deliveryMode: 'Delivery mode',
  priority: 'Priority',
  correlationId: 'Correlation id',
  replyTo: 'Reply to',
  expiration: 'Expiration',
  messageId: 'Message id',
  timestamp: 'Timestamp',
  type: 'Type',
  userId: 'User id',
  appId: 'App id',
  clusterId: 'Cluster id',
}

export function PropertyList({
  message: { properties, exchange, routingKey },
}: {
  readonly message: Pick<Schemas['MessageDetail'], 'properties' | 'exchange' | 'routingKey'>
}): ReactNode {
  const given = Object.entries(names).flatMap(([key, name]) => {
    const value = properties[key as keyof typeof names]
    if (value === null) return []
    return [
      [name, key === 'timestamp' ? <Timestamp key={key} value={String(value)} /> : String(value)],
    ] as const
  })
  const rows = [
    ['Exchange', exchange === '' ? '(default)' : exchange],
    ['Routing key', routingKey],
    ...given,
  ] as const
  return (
    <section>
      <SectionTitle>Properties</SectionTitle>
      <FactList facts={rows} />
    </section>
  )
}

/** Publishers may write seconds that are no date. */
function Timestamp({ value }: { readonly value: string }): ReactNode {
  return Number.isNaN(Date.parse(value)) ? value : <TimeText at={value} />
}
