import { integer, named, type SchemaValue, text } from './schema.ts'

export const problem = named('Problem', 'Why a request was not answered as asked (RFC 9457).', {
  type: text('The kind of problem; it ends with the code.', 'urn:warren:problem:API_NOT_FOUND'),
  title: text('The problem in a few words; the same for all problems with this status.', 'Not found'),
  status: integer('The HTTP status of the answer.', 404),
  detail: text('What happened and what to do about it.', 'There is no task with this id.'),
  code: text('The problem as a code for programs; the errors reference lists them all.', 'API_NOT_FOUND'),
})
export type Problem = SchemaValue<typeof problem>
