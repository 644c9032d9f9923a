import type { components } from './schema.d.ts'

type Problem = components['schemas']['Problem']

/** What the server says when it does not do what it was asked. Its message is a sentence for the reader. */
export class ApiProblem extends Error {
  readonly status: number
  readonly code: string

  constructor({ status, code, detail }: Pick<Problem, 'status' | 'code' | 'detail'>) {
    super(detail)
    this.name = 'ApiProblem'
    this.status = status
    this.code = code
  }
}

interface Answered<Data> {
  readonly data?: Data
  readonly error?: unknown
  readonly response: Response
}

/** What was asked for; throws the problem where there is one. */
export function dataOf<Data>({ data, error, response }: Answered<Data>): NonNullable<Data> {
  if (response.ok && data !== undefined && data !== null) return data
  throw problemOf(error, response)
}

/** Throws the problem of an answer that has no content. */
export function done({ error, response }: Answered<unknown>): void {
  if (!response.ok) throw problemOf(error, response)
}

/** A proxy in between answers in words of its own. */
export function problemOf(error: unknown, { status }: Pick<Response, 'status'>): ApiProblem {
  const { code = 'UNKNOWN', detail = `The answer was ${status}.` } = (error ?? {}) as Partial<Problem>
  return new ApiProblem({ status, code, detail })
}
