import { describe, expect, it } from 'vitest'
import { renderLook } from './render-look.ts'

const report = { present: 119_762, seen: 119_762, refreshed: 0, isWhole: true }
const head = '119762 of 119762 messages looked at in dlq.'

describe('a look', () => {
  it('at all says no more than that', () => {
    expect(renderLook(report, 'dlq')).toEqual([head])
  })

  it('that ended early says that there may be more', () => {
    expect(renderLook({ ...report, seen: 5_000, isWhole: false }, 'dlq')).toEqual([
      '5000 of 119762 messages looked at in dlq.',
      'Ended early: messages could not be held any longer. Only 5000 of 119762 were looked at; the others may hold more.',
    ])
  })

  it('that changed the order says so', () => {
    expect(renderLook({ ...report, refreshed: 2 }, 'dlq')).toEqual([
      head,
      '2 moved to the end of dlq: returning them would have deleted them at the delivery limit.',
    ])
  })
})
