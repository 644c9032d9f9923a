import type { Fault } from '../../nemesis/faults.ts'
import type { MortalBroker } from '../mortal-broker.ts'
import type { Mover } from './mover.ts'

/** The same fault for everybody: of the node they share, and of the connections and the process of each. */
export function strikeMovers(
  fault: Fault,
  { movers, broker }: { movers: readonly Mover[]; broker: MortalBroker },
): void {
  const { kind, lastsMs } = fault
  const isShared = kind === 'broker-crash' || kind === 'broker-pause'
  const isDone =
    kind === 'broker-crash'
      ? broker.crash(lastsMs, { vhost: '/', name: '' })
      : isShared && broker.pause(lastsMs)
  for (const mover of movers) {
    if (isShared ? isDone : mover.suffer(fault)) mover.tally.count(kind)
  }
}
