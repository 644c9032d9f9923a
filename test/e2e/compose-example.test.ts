import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { useBroker } from '../support/use-broker.ts'

const broker = await useBroker()

interface Compose {
  readonly services: {
    readonly 'warren-init': {
      readonly command: string
      readonly environment: Readonly<Record<string, string>>
      readonly volumes: readonly string[]
    }
  }
}

it('the container of the compose example makes the seven queues with retry and DLQ, and finds them again', async () => {
  const { services } = parse(readFileSync('examples/compose/docker-compose.yml', 'utf8')) as Compose
  const { command, environment, volumes } = services['warren-init']
  const [mounted = '', inside = ''] = volumes[0]?.split(':') ?? []
  const [npx, yes, name, ...args] = command
    .replace(inside, mounted.replace('.', 'examples/compose'))
    .split(' ')
  const management = new URL(broker.managementUrl)
  management.username = broker.username
  management.password = broker.password
  const address = { AMQP_URL: broker.url, MANAGEMENT_URL: management.href }
  const warren = (more: readonly string[]) =>
    promisify(execFile)(process.execPath, ['packages/cli/dist/main.js', ...more], {
      env: { PATH: process.env.PATH ?? '', ...address },
    })

  const first = await warren(args)
  const second = await warren(args)
  const queues = await broker.management<{ name: string }[]>('GET', `/api/queues/${broker.vhost}`)

  expect([npx, yes, name]).toEqual(['npx', '--yes', '@warrenmq/cli'])
  expect(Object.keys(environment)).toEqual(Object.keys(address))
  expect(first.stdout).toContain('60 done.')
  expect(second.stdout).toContain('Nothing to do')
  const declared = [
    'upload.commands',
    'validator',
    'thumbnail',
    'extractor',
    'projection',
    'notification',
    'audit',
  ]
  const wanted = declared.flatMap((each) => [`q.${each}`, `q.${each}.retry`, `q.${each}.dlq`])
  expect(queues.map((queue) => queue.name).sort()).toEqual(wanted.sort())
})
