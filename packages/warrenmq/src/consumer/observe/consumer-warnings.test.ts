import { expect, it, onTestFinished } from 'vitest'
import { createConsumerWarnings } from './consumer-warnings.ts'

/** What the process is told from now on; Node tells it a moment later. */
function listen(): { readonly warnings: Error[]; whenTold(): Promise<void> } {
  const warnings: Error[] = []
  const keep = (warning: Error) => warnings.push(warning)
  process.on('warning', keep)
  onTestFinished(() => {
    process.off('warning', keep)
  })
  return { warnings, whenTold: () => new Promise((resolve) => setImmediate(resolve)) }
}

it('the name of a queue cannot steer the terminal that shows a warning', async () => {
  const { warnings, whenTold } = listen()
  const told = createConsumerWarnings('orders\u001b[2J\n\u009b8m')

  told.noWayOut()
  told.dropsOver(20)
  told.tooLarge(5)
  await whenTold()

  expect(warnings).toHaveLength(3)
  for (const { message } of warnings) expect(message).toContain('"orders\\u001b[2J\\n\\u009b8m"')
})

it('each warning is given once', async () => {
  const { warnings, whenTold } = listen()
  const told = createConsumerWarnings('orders')

  told.noWayOut()
  told.noWayOut()
  await whenTold()

  expect(warnings).toHaveLength(1)
})
