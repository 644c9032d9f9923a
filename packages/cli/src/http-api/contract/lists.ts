import Type from 'typebox'
import { as, integer, list, named, orNull, parameters, type SchemaValue, text } from './schema.ts'

/** What the lists have in common. */

/** RabbitMQ's limit is 255 bytes. */
export const queueName = text('The name of a queue.', 'billing.orders.dlq', { minLength: 1, maxLength: 255 })
export const filter = text(
  'Which messages; the same filter as --where of warren dlq peek.',
  'type:order.placed',
  { minLength: 1, maxLength: 2048 },
)
export const reason = text('Why; written to the audit log.', 'The payment gateway is back.', {
  minLength: 1,
  maxLength: 1024,
})
export const uuidPattern = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
/** A snapshot is named by the server that keeps it: its host, its start, and a number. */
export const snapshotIdPattern = '^[A-Za-z0-9.-]{1,63}\\.[0-9a-f]{8}\\.[0-9a-f]{16}$'
export const exampleId = '5f0c9a5e-3c7b-4a53-9b4e-0a4f8f3a9a01'

const cursorWords = 'The nextCursor of the previous page. Leave it out for the first page.'
/** Says where a page of messages or of the audit log begins. */
export const cursor = text(cursorWords, '1f', { pattern: '^[0-9a-z]{1,12}$' })

export const nextCursor = orNull(text('Leads to the next page. Null: this is the last one.', 'eyJhIjoxfQ'))

const timePattern = '^\\d{4}-\\d\\d-\\d\\d(T\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,9})?)?(Z|[+-]\\d\\d:\\d\\d))?$'
const form = 'A date such as 2030-01-31, or a time with its zone such as 2030-01-31T18:00:00Z'
export const period = {
  from: Type.Optional(text(`${form}; nothing older is listed.`, '2030-01-31', { pattern: timePattern })),
  to: Type.Optional(text(`${form}; only what is older is listed.`, '2030-02-01', { pattern: timePattern })),
}

/** Of lists that are kept as a whole. A caller who does not page gets all that there is. */
export const wholeList = {
  ...period,
  limit: integer('The maximum number of items per page.', 100, { minimum: 1, maximum: 1000, default: 1000 }),
  cursor: Type.Optional(text(cursorWords, 'eyJhIjoxfQ', { pattern: '^[A-Za-z0-9_-]{1,512}$' })),
}

export const personName = text('Only what this person did or requested.', 'ann', {
  minLength: 1,
  maxLength: 255,
})
export const ofQueue = { queue: Type.Optional(queueName), by: Type.Optional(personName) }

/** The id of what is on a list, and the parameters of a path that has it. */
export function idOf(
  what: string,
  pattern = uuidPattern,
): { readonly id: Type.TString; readonly params: Type.TObject<{ id: Type.TString }> } {
  const id = text(`Names the ${what}.`, exampleId)
  return { id, params: parameters({ id: { ...as(id, `The id of the ${what}, a UUID.`), pattern } }) }
}

/** A page of a list that is kept as a whole. */
export function pageSchema<Item extends Type.TSchema>(
  title: string,
  items: { readonly of: Item; readonly plural: string },
): Type.TObject<{ items: Type.TArray<Item>; nextCursor: typeof nextCursor }> {
  const { of, plural } = items
  return named(title, `A page of ${plural}.`, {
    items: list(of, `The ${plural}, the newest first.`),
    nextCursor,
  })
}

/** A part of a list, and of a time. */
export type ListQuery = SchemaValue<Type.TObject<typeof wholeList>>
