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
  target: text('What they did it to; usually a queue.', 'billing.orders.dlq'),
  reason: orNull(text('Why, in their words.', 'The payment gateway is back.')),
  result: text('The result.', 'started'),
  receiptDigest: orNull(
    text(
      'The digest of the receipt. Null: there is none, or the caller may not see all bodies.',
      'sha256:9f86d081',
    ),
  ),
  writer: text('The server or command that wrote it.', 'warren-1'),
  number: count('The number of the record among those of its writer.', 7),
  previous: hash('The hash of the previous record by this writer.'),
  after: orNull(hash('The hash of the newest record by others that the writer had seen.')),
  afterOffset: orNull(integer('The offset of that record in the stream.', 41)),
  hash: hash('The hash over the record, previous and after.'),
}
/** One line of the audit log. */
export type AuditRecord = SchemaValue<Type.TObject<typeof recordFields>>
const listedRecord = named('AuditRecord', 'One line of the audit log.', {
  ...recordFields,
  isSigned: flag(
    'It was written with the key of this server. False: it was not, or the server has no key.',
    true,
  ),
})
export type ListedAuditRecord = SchemaValue<typeof listedRecord>

const auditPage = named('AuditPage', 'A page of the audit log.', {
  items: list(
    listedRecord,
    'The records, newest first. Without a filter, the first one says that the log was read, and by whom.',
  ),
  unreadable: count(
    'Messages in the stream between them that are not records; `warren audit --verify` says where.',
    0,
  ),
  nextCursor: orNull(
    text(
      'Leads to older records. Null: there are none. With a filter, an empty page may still be followed by more.',
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
    text('Only what was done to this; usually a queue.', 'billing.orders.dlq', {
      minLength: 1,
      maxLength: 1024,
    }),
  ),
  by: Type.Optional(personName),
  ...period,
  limit: integer('The maximum number of records per page.', 100, { minimum: 1, maximum: 1000, default: 100 }),
  cursor: Type.Optional(cursor),
})
export type AuditQuery = SchemaValue<typeof auditQuery>

export const auditEndpoints = {
  listAudit: {
    method: 'GET',
    path: '/api/v1/audit',
    tag: 'audit',
    needs: 'audit:read',
    asksBroker: true,
    summary: 'List who did what',
    description: 'Page by page from the stream warren.audit, newest first. Reading the log is recorded, too.',
    query: auditQuery,
    answer: auditPage,
  },
} satisfies EndpointList
