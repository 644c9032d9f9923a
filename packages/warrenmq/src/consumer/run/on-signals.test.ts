import { expect, it, onTestFinished } from 'vitest'
import { onSignals } from './on-signals.ts'

// Signals that vitest itself does not listen to; emitted, so that nothing really ends.
function setup() {
  const heard: [string, boolean][] = []
  const takeOff = onSignals(['SIGUSR2', 'SIGHUP'], (signal, { isHeardByOthers }) =>
    heard.push([signal, isHeardByOthers]),
  )
  onTestFinished(takeOff)
  return { heard, takeOff }
}

it('the first signal runs the task, a second one finds nobody of ours', () => {
  const { heard } = setup()

  process.emit('SIGHUP', 'SIGHUP')
  process.emit('SIGHUP', 'SIGHUP')
  process.emit('SIGUSR2', 'SIGUSR2')

  expect(heard).toEqual([['SIGHUP', false]])
  expect(process.listenerCount('SIGUSR2') + process.listenerCount('SIGHUP')).toBe(0)
})

it('somebody who listened before, and but once, counts as another listener', () => {
  const other: string[] = []
  process.once('SIGUSR2', () => other.push('other'))
  const { heard } = setup()

  process.emit('SIGUSR2', 'SIGUSR2')

  expect({ heard, other }).toEqual({ heard: [['SIGUSR2', true]], other: ['other'] })
})

it('listeners that are taken off hear nothing', () => {
  const { heard, takeOff } = setup()

  takeOff()
  process.emit('SIGHUP', 'SIGHUP')

  expect(heard).toEqual([])
})
