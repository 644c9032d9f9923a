import { describe, expect, it } from 'vitest'
import { deadThreshold, nextStageLimit } from './canary.ts'

describe('the stages of a re-drive', () => {
  it.each([
    ['the canary first', { sent: 0, canary: { messages: 10 } }, 10],
    ['then ten times as many', { sent: 10, canary: { messages: 10 } }, 100],
    ['and again', { sent: 100, canary: { messages: 10 } }, 1_000],
    ['all at once without a canary', { sent: 0, canary: undefined }, Number.POSITIVE_INFINITY],
  ])('are %s', (_, fields, expected) => {
    expect(nextStageLimit(fields)).toBe(expected)
  })
})

describe('how many may be dead again', () => {
  const canary = { messages: 10 }
  it.each([
    ['none with a canary', { moved: 100, deadLimit: undefined, canary }, 1],
    ['any number without', { moved: 100, deadLimit: undefined, canary: undefined }, Number.POSITIVE_INFINITY],
    ['as many as were named', { moved: 100, deadLimit: { messages: 7 }, canary }, 7],
    ['a share of those moved', { moved: 1_000, deadLimit: { share: 0.05 }, canary: undefined }, 50],
    ['at least one of a share', { moved: 3, deadLimit: { share: 0.05 }, canary: undefined }, 1],
  ])('is %s', (_, fields, expected) => {
    expect(deadThreshold(fields)).toBe(expected)
  })
})
