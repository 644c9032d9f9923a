import { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { runCli } from '../../../packages/cli/src/run-cli.ts'
import { openDeadLetters } from '../../../packages/warrenmq/src/dead-letters.ts'
import { previewRedrive } from '../../../packages/warrenmq/src/recovery/redrive/preview-redrive.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { useBroker } from '../../support/use-broker.ts'
import { createRecoveryRig, unlimitedQuorum } from './recovery-rig.ts'

const broker = await useBroker()

/** A dead-letter queue of `work`, into which somebody has written messages that say to be of another queue. */
async function setup() {
  const rig = await createRecoveryRig(broker)
  const name = namePerTry('deputy')
  const [work, dlq, other] = [name, `${name}.dlq`, `${name}.payments`]
  await rig.declare(dlq)
  await rig.declare(other)
  await rig.declare(work, {
    ...unlimitedQuorum(broker.version),
    'x-dead-letter-exchange': '',
    'x-dead-letter-routing-key': dlq,
  })
  const forged = [
    { 'x-original-queue': other },
    { 'x-first-death-queue': other },
    { 'x-original-exchange': '', 'x-original-routing-key': other, 'x-original-queue': other },
  ]
  await rig.fill(dlq, forged.length, (at) => ({ headers: forged[at]! }))
  await rig.fill(dlq, 2, () => ({
    headers: { 'x-original-queue': work, 'x-original-exchange': '', 'x-original-routing-key': work },
  }))
  return { ...rig, work, dlq, other }
}

describe('where no queue is known to dead-letter, a message whose headers tell where it failed', () => {
  async function setupParked() {
    const rig = await createRecoveryRig(broker)
    const name = namePerTry('parked')
    const [work, dlq] = [name, `${name}.dlq`]
    await rig.declare(dlq)
    await rig.declare(work)
    const told = { 'x-original-queue': work, 'x-original-exchange': '', 'x-original-routing-key': work }
    await rig.fill(dlq, 2, () => ({ headers: told }))
    const { consuming, publishing, management } = rig
    const letters = openDeadLetters({
      queue: dlq,
      consuming,
      publishing,
      management,
      flows: [],
      types: undefined,
    })
    return { ...rig, work, dlq, letters }
  }

  it.each(['origin', 'exchange'] as const)('stays in the queue: to the %s', async (to) => {
    const { letters, depth, dlq, work } = await setupParked()

    const preview = await letters.preview({ to })
    const receipt = await letters.redrive({ to })

    expect(preview).toMatchObject({ moving: 0, keeping: [{ reason: 'origin-foreign', count: 2 }] })
    expect(receipt).toMatchObject({ moved: 0, keptBecause: [{ reason: 'origin-foreign', count: 2 }] })
    await expect.poll(() => depth(dlq)).toBe(2)
    expect(await depth(work)).toBe(0)
  })

  it.each([
    ['names the target', (work: string) => ({ to: { queue: work } })],
    ['trusts the headers', () => ({ trustHeaders: true })],
  ])('goes back for who %s', async (_, choiceOf) => {
    const { letters, depth, dlq, work } = await setupParked()

    const receipt = await letters.redrive(choiceOf(work))

    expect(receipt).toMatchObject({ moved: 2, isBalanced: true })
    await expect.poll(async () => [await depth(dlq), await depth(work)]).toEqual([0, 2])
  })

  it.each(['origin', 'exchange'] as const)('stays where nobody can be asked: to the %s', async (kind) => {
    const { redrive, depth, dlq, work } = await setupParked()
    const blind = { queue: dlq, management: undefined, acceptDeliveryLimit: true, to: { kind } }

    const receipt = await redrive({ ...blind, trustHeaders: false })

    expect(receipt.keptBecause).toEqual([{ reason: 'origin-foreign', count: 2 }])
    await expect.poll(async () => [await depth(dlq), await depth(work)]).toEqual([2, 0])
  })

  it('stays by the command line, which says why, and goes with --trust-headers', async () => {
    const { dlq, depth, work } = await setupParked()
    let said = ''
    const stream = () =>
      new Writable({
        write: (chunk, _encoding, done) => {
          said += chunk
          done()
        },
      })
    const line = ['--url', broker.url, '--management-url', broker.managementUrl, '--yes']
    const command = (...more: string[]) =>
      runCli(['dlq', 'redrive', dlq, ...more, ...line], { stdout: stream(), stderr: stream(), env: {} })

    await command()
    const kept = await depth(work)
    await command('--trust-headers')

    expect(kept).toBe(0)
    expect(said).toContain('its headers name a queue whose dead letters do not come here')
    await expect.poll(async () => [await depth(dlq), await depth(work)]).toEqual([0, 2])
  })
})

describe('a message whose headers name a queue whose dead letters do not come here', () => {
  it.each(['origin', 'exchange'] as const)(
    'stays, with that reason, and the others go: to the %s',
    async (kind) => {
      const { redrive, depth, dlq, work, other, consuming, publishing, management } = await setup()

      const line = { consuming, publishing, management, queue: dlq, by: 'test' }
      const preview = await previewRedrive({ ...line, to: { kind } })
      const receipt = await redrive({ queue: dlq, to: { kind } })

      const kept = (list: typeof receipt.keptBecause) =>
        list.filter(({ reason }) => reason === 'origin-foreign')
      // One that tells no exchange at all goes nowhere by it.
      const count = kind === 'origin' ? 3 : 1
      expect(kept(preview.keeping)).toEqual([{ reason: 'origin-foreign', count }])
      expect(kept(receipt.keptBecause)).toEqual([{ reason: 'origin-foreign', count }])
      expect(receipt).toMatchObject({ moved: 2, kept: 3, isBalanced: true })
      await expect.poll(() => depth(dlq)).toBe(3)
      expect([await depth(work), await depth(other)]).toEqual([2, 0])
    },
  )

  it('goes where the operator names', async () => {
    const { redrive, depth, dlq, other } = await setup()

    const receipt = await redrive({ queue: dlq, to: { kind: 'queue', queue: other } })

    expect(receipt).toMatchObject({ moved: 5, isBalanced: true })
    await expect.poll(() => depth(other)).toBe(5)
  })
})
