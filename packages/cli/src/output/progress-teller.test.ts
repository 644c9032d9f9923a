import { describe, expect, it } from 'vitest'
import { createProgressTeller, createWatchTeller, type LineEvery } from './progress-teller.ts'
import type { Terminal } from './terminal.ts'

function setup({ isInteractive }: { isInteractive: boolean }) {
  const shown: string[] = []
  let nowMs = 0
  const terminal: Terminal = {
    isJson: false,
    isInteractive,
    canAsk: false,
    paint: (_style, text) => text,
    result: () => {},
    say: (line = '') => shown.push(`say ${line}`),
    progress: (line) => shown.push(`draw ${line}`),
    ask: () => Promise.resolve(''),
  }
  const now = () => nowMs
  const pass = (ms: number) => {
    nowMs += ms
  }
  const teller = (lineEvery: LineEvery) => createProgressTeller({ terminal, lineEvery, now })
  return { shown, pass, teller, watcher: createWatchTeller({ terminal, waitMs: 60_000, now }) }
}

describe('progress', () => {
  it('is a bar on a terminal, drawn ten times a second', () => {
    const { shown, pass, teller } = setup({ isInteractive: true })
    const tell = teller({ ms: 10_000 })

    tell(1, 10)
    tell(2, 10)
    pass(100)
    tell(5, 10)

    expect(shown).toEqual([
      expect.stringMatching(/^draw \[##-+\] 1 of 10/),
      expect.stringMatching(/^draw \[#{12}-{12}\] 5 of 10/),
    ])
  })

  it('is a line per thousand in a log', () => {
    const { shown, pass, teller } = setup({ isInteractive: false })
    const tell = teller({ messages: 1_000 })
    pass(1_000)

    for (const done of [1, 999, 1_001, 1_999, 2_000]) tell(done, 2_000)

    expect(shown).toEqual(['say 1001 of 2000  1001/s  1 s to go', 'say 2000 of 2000  2000/s  0 s to go'])
  })

  it('is a line every ten seconds in a log of work that may be short', () => {
    const { shown, pass, teller } = setup({ isInteractive: false })
    const tell = teller({ ms: 10_000 })

    tell(5_000, 30_000)
    pass(10_000)
    tell(10_000, 30_000)
    pass(9_000)
    tell(19_000, 30_000)

    expect(shown).toEqual(['say 10000 of 30000  1000/s  20 s to go'])
  })
})

describe('a canary that is watched', () => {
  it('counts down on a terminal, anew for each stage', () => {
    const { shown, pass, watcher } = setup({ isInteractive: true })

    watcher(true, 10)
    pass(15_000)
    watcher(true, 10)
    watcher(false, 11)
    watcher(true, 100)
    pass(61_000)
    watcher(true, 100)
    watcher(true, 1_000)

    expect(shown).toEqual([
      'draw 10 moved; watching for messages that die again, up to 1 min 0 s more',
      'draw 10 moved; watching for messages that die again, up to 45 s more',
      'draw 100 moved; watching for messages that die again, up to 1 min 0 s more',
      'draw 100 moved; watching for messages that die again',
      'draw 1000 moved; watching for messages that die again, up to 1 min 0 s more',
    ])
  })

  it('has a line at once and then every ten seconds in a log', () => {
    const { shown, pass, watcher } = setup({ isInteractive: false })

    watcher(true, 10)
    pass(9_000)
    watcher(true, 10)
    pass(1_000)
    watcher(true, 10)

    expect(shown).toEqual([
      'say 10 moved; watching for messages that die again, up to 1 min 0 s more',
      'say 10 moved; watching for messages that die again, up to 50 s more',
    ])
  })
})
