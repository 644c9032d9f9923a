import type { Redrive } from 'warrenmq/operations'
import type { Terminal } from './output/terminal.ts'

/** What can be told to a re-drive that runs. */
export type Steering = Pick<Redrive, 'pause' | 'resume' | 'cancel' | 'progress'>

const interrupt = '\u0003'

/**
 * Lets a person steer: `p` pauses, `r` resumes, `q` or Ctrl-C ends it with a receipt. Programs do the same with
 * SIGUSR2 (pause and resume in turn), SIGINT and SIGTERM. A second SIGINT ends the process at once, which loses
 * nothing either. Gives back how to stop listening.
 */
export function steerRedrive(run: Steering, terminal: Terminal): () => void {
  let isEnding = false
  const end = (): void => {
    if (isEnding) process.exit(130)
    isEnding = true
    terminal.say('Ending: messages in flight are finished and counted. Press again to stop immediately.')
    run.cancel()
  }
  const toggle = (): void => {
    if (run.progress.state === 'paused') resume()
    else pause()
  }
  const pause = (): void => {
    terminal.say('Paused. Press r to continue, q to end.')
    run.pause()
  }
  const resume = (): void => {
    terminal.say('Continuing.')
    run.resume()
  }
  const keys: Readonly<Record<string, () => void>> = { p: pause, r: resume, q: end, [interrupt]: end }
  const onKey = (typed: Buffer): void => keys[typed.toString()]?.()
  const signals = [
    ['SIGINT', end],
    ['SIGTERM', end],
    ['SIGUSR2', toggle],
  ] as const
  for (const [signal, act] of signals) process.on(signal, act)
  const hasKeys = terminal.isInteractive && process.stdin.isTTY === true
  if (hasKeys) process.stdin.setRawMode(true).resume().on('data', onKey)
  return () => {
    for (const [signal, act] of signals) process.off(signal, act)
    if (hasKeys) process.stdin.off('data', onKey).pause().setRawMode(false)
  }
}
