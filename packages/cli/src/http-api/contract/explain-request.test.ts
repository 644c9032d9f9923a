import createFastify from 'fastify'
import { describe, expect, test } from 'vitest'
import { messageQuery } from './dlqs.ts'
import { explainRequest } from './explain-request.ts'
import { adminRedriveRequest, startRequest } from './requests.ts'

async function refusal(body: object, query = '') {
  const app = createFastify({
    ajv: { customOptions: { removeAdditional: false, verbose: true } },
    schemaErrorFormatter: (mistakes, place) => new Error(explainRequest(mistakes, place)),
  })
  app.post('/', { schema: { body: startRequest, querystring: messageQuery } }, () => ({}))
  app.post('/limit', { schema: { body: adminRedriveRequest } }, () => ({}))
  const answer = await app.inject({ method: 'POST', url: `/${query}`, payload: body })
  return answer.json<{ message: string }>().message
}

describe('a mistake in a request is told by the name of what is wrong', () => {
  test.each([
    [{ queue: 'dlq', limt: 3 }, '', /^body\.limt is unknown; allowed: queue, .*; did you mean "limit"\?$/],
    [{ limit: 3 }, '', /^body\.queue is missing$/],
    [{ queue: 'dlq', limit: 'many' }, '', /^body\.limit must be integer$/],
    [{ queue: 'dlq', limit: 0 }, '', /^body\.limit must be >= 1$/],
    [{ queue: 'dlq', attempts: 'again' }, '', /^body\.attempts must be "reset" or "continue"$/],
    [{ queue: 'dlq' }, '?limmit=3', /^query\.limmit is unknown; allowed: .*limit/],
    [
      { queue: 'dlq' },
      '?cursor=A-B',
      /^query\.cursor is not valid\. Expected: The nextCursor of the previous page/,
    ],
    [{ queue: 'dlq' }, '?limit=many', /^query\.limit must be integer$/],
  ])('%j %s', async (body, query, expected) => {
    expect(await refusal(body, query)).toMatch(expected)
  })
})
