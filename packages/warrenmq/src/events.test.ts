import { describe, expect, it } from 'vitest'
import { createEvents } from './events.ts'

interface Contract {
  readonly settled: { readonly id: number }
  readonly closed: undefined
}

describe('an event source', () => {
  it('gives each event to the listeners of its name, in the order they came', () => {
    const events = createEvents<Contract>()
    const heard: string[] = []
    events.on('settled', ({ id }) => heard.push(`first ${id}`))
    events.on('settled', ({ id }) => heard.push(`second ${id}`))
    events.on('closed', () => heard.push('closed'))

    events.emit('settled', { id: 1 })
    events.emit('settled', { id: 2 })

    expect(heard).toEqual(['first 1', 'second 1', 'first 2', 'second 2'])
  })

  it('is heard by an old name as well', () => {
    const events = createEvents<Contract & { readonly ended: undefined }>({ ended: 'closed' })
    const heard: string[] = []
    events.on('ended', () => heard.push('by its old name'))
    const takeOff = events.on('ended', () => heard.push('never'))
    takeOff()

    events.emit('closed', undefined)

    expect(heard).toEqual(['by its old name'])
  })

  it('calls a listener once, and not again', () => {
    const events = createEvents<Contract & { readonly ended: undefined }>({ ended: 'closed' })
    const heard: string[] = []
    events.once('settled', ({ id }) => heard.push(`once ${id}`))
    events.once('ended', () => heard.push('ended'))
    const takeOff = events.once('settled', () => heard.push('never'))
    takeOff()

    events.emit('settled', { id: 1 })
    events.emit('settled', { id: 2 })
    events.emit('closed', undefined)
    events.emit('closed', undefined)

    expect(heard).toEqual(['once 1', 'ended'])
    expect(events.listenerCount('settled')).toBe(0)
  })

  it('takes a listener off by itself, added by on or once, one at a time', () => {
    const events = createEvents<Contract>()
    let heard = 0
    const listener = () => {
      heard += 1
    }
    events.on('closed', listener)
    events.on('closed', listener)
    events.once('settled', listener)
    events.off('closed', listener)
    events.off('settled', listener)
    events.off('settled', () => undefined)

    events.emit('closed', undefined)
    events.emit('settled', { id: 1 })

    expect(heard).toBe(1)
  })

  it('forgets a listener that was taken off, and only that one', () => {
    const events = createEvents<Contract>()
    const heard: string[] = []
    const takeOff = events.on('closed', () => heard.push('gone'))
    events.on('closed', () => heard.push('stays'))

    takeOff()
    takeOff()
    events.emit('closed', undefined)

    expect(heard).toEqual(['stays'])
    expect(events.listenerCount('closed')).toBe(1)
    expect(events.listenerCount('settled')).toBe(0)
  })

  it('does without listeners', () => {
    expect(() => createEvents<Contract>().emit('closed', undefined)).not.toThrow()
  })

  it('lets a listener take itself off while it is called, and still calls the next', () => {
    const events = createEvents<Contract>()
    const heard: string[] = []
    const takeOff = events.on('closed', () => {
      takeOff()
      heard.push('once')
    })
    events.on('closed', () => heard.push('always'))

    events.emit('closed', undefined)
    events.emit('closed', undefined)

    expect(heard).toEqual(['once', 'always', 'always'])
  })

  it('does not give an event to a listener that came while it was emitted', () => {
    const events = createEvents<Contract>()
    const heard: string[] = []
    const takeOff = events.on('closed', () => {
      takeOff()
      events.on('closed', () => heard.push('later'))
    })

    events.emit('closed', undefined)

    expect(heard).toEqual([])
    expect(events.listenerCount('closed')).toBe(1)
  })

  it('calls the other listeners and the emitter goes on when one throws; the throw is not swallowed', async () => {
    const events = createEvents<Contract>()
    const heard: string[] = []
    const broken = new Error('a broken log line')
    events.on('closed', () => {
      throw broken
    })
    events.on('closed', () => heard.push('called all the same'))

    const uncaught = await nextUncaughtException(() => events.emit('closed', undefined))

    expect(heard).toEqual(['called all the same'])
    expect(uncaught).toBe(broken)
  })
})

/** The test runner listens too and would call the run failed, so it is set aside meanwhile. */
async function nextUncaughtException(run: () => void): Promise<unknown> {
  const others = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException')
  try {
    const uncaught = new Promise((resolve) => process.once('uncaughtException', resolve))
    run()
    return await uncaught
  } finally {
    for (const listener of others) process.on('uncaughtException', listener)
  }
}
