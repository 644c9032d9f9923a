/** What every mover is told: take everything from `source` and put it into `target`, until it is killed. */
export const task = JSON.parse(process.argv[2])

process.on('disconnect', () => process.exit(1))
process.on('message', () => process.exit(0))

/** As services do it: what fails is begun again after a moment. */
export async function keepGoing(play) {
  for (;;) {
    await play().catch(() => undefined)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

/** Settles when the connection or the channel is gone. Nobody else listens to their errors. */
export function whenGone(connection, ...channels) {
  return new Promise((resolve) => {
    for (const each of [connection, ...channels]) each.on('error', () => {}).once('close', resolve)
  })
}
