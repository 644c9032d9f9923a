import type { CutPoint } from '../../packages/warrenmq/src/embedded/server/faults.ts'

/** Every step of the protocol at which a connection can be cut. */
export const cutPoints: readonly CutPoint[] = [
  'before-publish',
  'after-publish-routed',
  'after-publish-confirmed',
  'before-ack',
  'after-ack',
]
