import { describe, expect, it } from 'vitest'
import { orders, setupCli } from './cli-rig.ts'
import { useVhost } from './use-vhost.ts'

const colliding = {
  queues: { a: { retry: { delays: ['5s'] } }, 'a.retry.5s': { deadLetter: false } },
}

describe('a config with a mistake leaves the broker as it was', () => {
  const good = { orders: {} }
  it.each([
    ['a name of more than 255 bytes', { queues: { ...good, ['q'.repeat(256)]: {} } }, 'has 256 bytes'],
    [
      'a name that gets too long by its layout',
      { queues: { ...good, ['q'.repeat(250)]: {} } },
      'RabbitMQ allows at most 255',
    ],
    ['a reserved name', { queues: { ...good, 'amq.mine': {} } }, 'choose another name'],
    [
      'an argument of the wrong type',
      { queues: { orders: { arguments: { 'x-max-length': 'ten' } } } },
      'must be a whole number',
    ],
    ['two queues that make the same wait queue', colliding, 'is declared twice'],
  ])('%s', async (_, config, words) => {
    const broker = await useVhost()
    const { warren } = setupCli(config, broker)

    const { exitCode, stdout, stderr } = await warren('apply --yes')

    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
    expect(stderr).toContain(words)
    expect(await broker.management('GET', `/api/queues/${broker.vhost}`)).toEqual([])
  })
})

describe('--json', () => {
  it.each(['check', 'diagram', 'export', 'plan', 'apply', 'init --config new.config.json'])(
    'of %s is exactly one document, and nothing else is on stdout',
    async (command) => {
      const { warren } = setupCli(orders, await useVhost())

      const { stdout } = await warren(`${command} --json`)

      expect(typeof JSON.parse(stdout)).toBe('object')
    },
  )
})

describe('bad usage ends with 2 and names the option', () => {
  it.each([
    'check --broker-version new',
    'diagram --format png',
    'apply --wait soon',
    'apply --allow everything',
    'apply --leftovers delete',
    'init --layout nothing',
    'init --from-broker --layout warren',
    'plan --detailed-exit',
  ])('%s', async (command) => {
    const { warren } = setupCli(orders)

    const { exitCode, stdout, stderr } = await warren(command)

    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toContain(command.split(' ').find((word) => word.startsWith('--')))
  })
})
