import Type from 'typebox'
import type { EndpointList } from './endpoint.ts'
import { cursor, period, personName } from './lists.ts'
import {
  count,
  flag,
  integer,
  list,
  listInQuery,
  named,
  orNull,
  parameters,
  type SchemaValue,
  text,
  time,
} from './schema.ts'

const hash = (description: string) => text(description, '9f86d081884c7d659a2feaa0c55ad015')
const recordFields = {
  at: time('When it was written.'),
  by: text('Who did it.', 'ann'),
  wayIn: text('How they proved who they are.', 'broker-account'),
  from: text('The address they came from.', '10.0.0.7'),
  action: text('What they did.', 'redrive.start'),
  target: text('What they did it to; mostly a queue.', 'billing.orders.dlq'),
  reason: orNull(text('Why, in their words.', 'The payment gateway is back.')),
  result: text('What came of it.', 'started'),
  receiptDigest: orNull(
    text(
      'The digest of the receipt. Null: there is none, or the caller may not see all bodies.',
      'sha256:9f86d081',
    ),
  ),
  writer: text('Names the server that wrote it, or the command.', 'warren-1'),
  number: count('The number of the record among those of its writer.', 7),
  previous: hash('The hash of the record of this writer before.'),
  after: orNull(hash('The hash of the newest record of others that the writer had seen.')),
  afterOffset: orNull(integer('Where in the stream that one stands.', 41)),
  hash: hash('Over the record, previous and after.'),
}
/** One line of the audit log. */
export type AuditRecord = SchemaValue<Type.TObject<typeof recordFields>>
const listedRecord = named('AuditRecord', 'One line of the audit log.', {
  ...recordFields,
  isSigned: flag(
    'Somebody with the key of this server wrote it. False: nobody did, or the server has none.',
    true,
  ),
})
export type ListedAuditRecord = SchemaValue<typeof listedRecord>

const auditPage = named('AuditPage', 'A page of the audit log.', {
  items: list(
    listedRecord,
    'The records, the newest first. Without a filter the very first says that the log was read, and by whom.',
  ),
  unreadable: count(
    'Messages among them in the stream that are no records; `warren audit --verify` says where.',
    0,
  ),
  nextCursor: orNull(
    text(
      'Leads to older records. Null: there are none. With a filter there may be more behind an empty page.',
      '1f',
    ),
  ),
})
export type AuditPage = SchemaValue<typeof auditPage>

const auditQuery = parameters({
  action: Type.Optional(
    listInQuery(text('An action.', 'redrive.start', { minLength: 1, maxLength: 255 }), 'Only these actions.'),
  ),
  target: Type.Optional(
    text('Only what was done to this; mostly a queue.', 'billing.orders.dlq', {
      minLength: 1,
      maxLength: 1024,
    }),
  ),
  by: Type.Optional(personName),
  ...period,
  limit: integer('The most records of a page.', 100, { minimum: 1, maximum: 1000, default: 100 }),
  cursor: Type.Optional(cursor),
})
export type AuditQuery = SchemaValue<typeof auditQuery>

export const auditEndpoints = {
  listAudit: {
    ...{ method: 'GET', path: '/api/v1/audit', tag: 'audit', needs: 'audit:read', asksBroker: true },
    summary: 'List who did what',
    description:
      'Page by page from the stream warren.audit, the newest first. Reading it is written down, too.',
    ...{ query: auditQuery, answer: auditPage },
  },
} satisfies EndpointList
