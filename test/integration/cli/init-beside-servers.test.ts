import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { runCliHere } from '../../support/run-cli-here.ts'
import { createVhost, useBroker } from '../../support/use-broker.ts'

await useBroker()

test('init leaves out the streams that Warren keeps on the broker for itself', async () => {
  const broker = await createVhost()
  onTestFinished(() => broker.drop())
  const folder = mkdtempSync(join(tmpdir(), 'warren-init-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const management = new URL(broker.managementUrl)
  management.username = broker.username
  management.password = broker.password
  const warren = (...args: readonly string[]) =>
    runCliHere([...args, '--url', broker.url, '--management-url', management.href])
  const audited = join(folder, 'audited.yaml')
  writeFileSync(audited, 'queues: { orders: { retry: false } }\nserver: { audit: on }\n')
  await warren('apply', '--yes', '--config', audited)
  const queues = (await broker.management('GET', `/api/queues/${broker.vhost}`)) as { name: string }[]
  expect(queues.map(({ name }) => name)).toContain('warren.audit')

  const written = join(folder, 'written.yaml')
  const made = await warren('init', '--from-broker', '--config', written)
  const planned = await warren('plan', '--detailed-exitcode', '--config', written)

  expect(made).toMatchObject({ exitCode: 0 })
  const topology = parse(readFileSync(written, 'utf8')) as { queues: object }
  expect(Object.keys(topology.queues)).toEqual(['orders'])
  expect(planned).toMatchObject({ exitCode: 0 })
  expect(planned.said).not.toContain('warren.audit')
})
