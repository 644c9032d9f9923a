import { describe, expect, it } from 'vitest'
import type { TaskState } from '../contract/contract.ts'
import { endedState, isEnded, nextTaskState, type TaskStep } from './task-state.ts'

describe('a task', () => {
  it.each<[TaskState, TaskStep, TaskState | 'ended']>([
    ['running', 'pause', 'paused'],
    ['running', 'resume', 'running'],
    ['running', 'cancel', 'cancelling'],
    ['paused', 'pause', 'paused'],
    ['paused', 'resume', 'running'],
    ['paused', 'cancel', 'cancelling'],
    ['cancelling', 'pause', 'cancelling'],
    ['cancelling', 'resume', 'cancelling'],
    ['cancelling', 'cancel', 'cancelling'],
    ['interrupted', 'resume', 'running'],
    ['interrupted', 'pause', 'ended'],
    ['interrupted', 'cancel', 'ended'],
    ...(['done', 'cancelled', 'stopped', 'failed'] as const).flatMap((state) =>
      (['pause', 'resume', 'cancel'] as const).map((step): [TaskState, TaskStep, 'ended'] => [
        state,
        step,
        'ended',
      ]),
    ),
  ])('that is %s and asked to %s is %s', (state, step, next) => {
    expect(nextTaskState(state, step)).toBe(next)
  })

  it.each([
    ['done', 'done'],
    ['cancelled', 'cancelled'],
    ['came-back-dead', 'stopped'],
    ['interrupted', 'stopped'],
  ])('whose receipt says %s is %s', (outcome, state) => {
    expect(endedState(outcome)).toBe(state)
  })

  it('that is interrupted is worked on by nobody', () => {
    expect(isEnded('interrupted')).toBe(true)
    expect(isEnded('cancelling')).toBe(false)
  })
})
