import { describe, expect, it } from 'vitest'
import {
  countLoss,
  decideNextPass,
  isLostTooOften,
  type LostPass,
  type NextPass,
  noLosses,
  type PassFacts,
} from './decide-next-pass.ts'

const quiet: PassFacts = {
  end: 'all-seen',
  moved: 10,
  idlePasses: 0,
  isLimitReached: false,
  isPaused: false,
  isHeldUp: false,
  unseen: 0,
  hasLostNode: false,
  returnsInMs: 0,
  isRefusalRetriable: false,
  refusalRetries: 0,
  isUnanswered: false,
}
const done: NextPass = { kind: 'end', outcome: 'done' }
const interrupted = { kind: 'end', outcome: 'interrupted' } as const
const refused = { isRefusalRetriable: true }
const lostNode = { end: 'emptied', unseen: 18, hasLostNode: true } as const

describe('after a pass', () => {
  it.each<[what: string, facts: Partial<PassFacts>, next: NextPass]>([
    ['that saw all there is nothing to do', {}, done],
    ['that missed some of those counted the rest follows', { unseen: 2 }, { kind: 'again' }],
    [
      'that again and again moves nothing there is an end',
      { unseen: 2, moved: 0, idlePasses: 3 },
      { ...interrupted, interruption: 'no-progress' },
    ],
    ['that moved as many as were asked for there is an end', { unseen: 2, isLimitReached: true }, done],
    ['that was stopped there is an end', { end: 'stopped', unseen: 2 }, done],
    ['that others left too little for there is nothing to do', { end: 'emptied', unseen: 3 }, done],
    ['that was held for too long another follows', { end: 'held-too-long' }, { kind: 'again' }],
    [
      'that was held for too long and moved nothing there is an end',
      { end: 'held-too-long', moved: 0 },
      { kind: 'end', outcome: 'held-too-long' },
    ],
    [
      'that was held for too long while paused another follows',
      { end: 'held-too-long', moved: 0, isPaused: true },
      { kind: 'again' },
    ],
    ['with refusals a new channel is tried', { ...refused, moved: 0 }, { kind: 'again-when-led' }],
    ['with refusals on a new channel too there is an end', { ...refused, moved: 0, refusalRetries: 1 }, done],
    [
      'with refusals on a new channel that took others another is tried',
      { ...refused, refusalRetries: 1 },
      { kind: 'again-when-led' },
    ],
    ['with refusals for the sixth time there is an end', { ...refused, refusalRetries: 5 }, done],
    ['without answers during an alarm another follows', { isUnanswered: true, moved: 0 }, { kind: 'again' }],
    [
      'without answers or a move for the fifth time there is an end',
      { isUnanswered: true, moved: 0, idlePasses: 5 },
      done,
    ],
    [
      'that moved as many as were asked for nobody asks for the other answers',
      { isUnanswered: true, isLimitReached: true },
      done,
    ],
    [
      'that missed what a lost node holds it is waited for',
      { ...lostNode, returnsInMs: 500 },
      { kind: 'again-when-returned' },
    ],
    [
      'that missed what a lost node should have given back it is not done',
      lostNode,
      { ...interrupted, interruption: 'node-lost' },
    ],
    [
      'that gave back what waited for its turn another follows',
      { end: 'held-too-long', moved: 0, isHeldUp: true },
      { kind: 'again' },
    ],
    ['that saw all although a node was lost there is nothing to do', { ...lostNode, unseen: 0 }, done],
  ])('%s', (_, facts, next) => {
    expect(decideNextPass({ ...quiet, ...facts })).toEqual(next)
  })
})

describe('lost passes', () => {
  it.each([
    { returnLimit: 20, most: 5 },
    { returnLimit: 3, most: 1 },
    { returnLimit: 0, most: 1 },
    { returnLimit: undefined, most: 100 },
  ])('end a run long before a limit of $returnLimit returns', ({ returnLimit, most }) => {
    expect(isLostTooOften({ losses: most - 1, returnLimit })).toBe(false)
    expect(isLostTooOften({ losses: most, returnLimit })).toBe(true)
  })

  const after = (...passes: readonly Partial<LostPass>[]) =>
    passes.reduce(
      (losses, pass) => countLoss(losses, { hasTaken: true, moved: 0, held: 400, ...pass }),
      noLosses,
    )

  it.each([
    ['without a move count', [{}, {}, {}], 3],
    ['that were sent nothing do not', [{ hasTaken: false }, { hasTaken: false }], 0],
    ['that moved all that they held at a time do not', [{ moved: 400 }, { moved: 9_000 }], 0],
    ['are forgiven once', [{ moved: 2 }], 0],
    [
      'that give back the same messages again count, however many they moved',
      [{ moved: 2 }, { moved: 300 }],
      1,
    ],
    [
      'count no more once all that they gave back are moved',
      [{}, {}, { held: 100, moved: 300 }, { held: 100, moved: 100 }],
      0,
    ],
    ['with one message at a time count while they move none', [{}, { held: 1, moved: 1 }, { held: 1 }], 2],
  ])('%s', (_, passes, count) => {
    expect(after(...passes).count).toBe(count)
  })
})
