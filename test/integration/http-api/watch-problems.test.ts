import createFastify from 'fastify'
import { expect, it, onTestFinished } from 'vitest'
import { watchProblems } from './watch-problems.ts'

/** A server that answers two operations with a code that neither declares, and one with a code that it does. */
async function setup() {
  const app = createFastify()
  const answer = (code: string) => ({ type: `urn:warren:problem:${code}`, code })
  app.get('/healthz', () => answer('API_PLAN_CHANGED'))
  app.get('/api/v1/tasks/:id', () => answer('API_TASK_ENDED'))
  app.get('/api/v1/dlqs', () => answer('API_FORBIDDEN'))
  await app.ready()
  onTestFinished(() => app.close())
  return { app, undeclared: watchProblems(app) }
}

it('a problem that an operation does not declare is noticed', async () => {
  const { app, undeclared } = await setup()

  await app.inject('/api/v1/dlqs')
  expect(undeclared()).toEqual([])
  await app.inject({ url: '/api/v1/tasks/1?x=1' })
  expect(undeclared()).toEqual(['showTask: API_TASK_ENDED'])
})

it('so is one that goes over the network', async () => {
  const { app, undeclared } = await setup()
  const url = await app.listen({ host: '127.0.0.1', port: 0 })

  await (await fetch(`${url}/healthz`)).text()

  expect(undeclared()).toEqual(['isAlive: API_PLAN_CHANGED'])
})
