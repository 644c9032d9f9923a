import { describe, expect, it } from 'vitest'
import { meaningOfStatus, type StatusTableName, statusTables } from './status-tables.ts'

describe('an HTTP status', () => {
  it.each([
    [200, 'acknowledge', 'acknowledge'],
    [204, 'acknowledge', 'acknowledge'],
    [299, 'acknowledge', 'acknowledge'],
    [301, 'retry', 'retry'],
    [400, 'retry', 'dead-letter'],
    [404, 'retry', 'dead-letter'],
    [408, 'retry', 'retry'],
    [409, 'retry', 'retry'],
    [410, 'retry', 'dead-letter'],
    [422, 'retry', 'dead-letter'],
    [423, 'retry', 'retry'],
    [425, 'defer', 'defer'],
    [429, 'retry', 'retry'],
    [500, 'retry', 'retry'],
    [503, 'retry', 'retry'],
    [599, 'retry', 'retry'],
  ])('%i means %s on the event bus and %s by default', (status, eventBus, warren) => {
    const meaning = (name: StatusTableName) => meaningOfStatus(status, statusTables[name])
    expect([meaning('event-bus'), meaning('warren')]).toEqual([eventBus, warren])
  })

  it('that a table of yours leaves out is retried', () => {
    expect(
      meaningOfStatus(418, { honoursRetryAfter: true, rules: [{ from: 200, means: 'acknowledge' }] }),
    ).toBe('retry')
  })
})
