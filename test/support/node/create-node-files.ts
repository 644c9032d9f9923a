import { chmod, mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCertificates, type NodeCertificates } from './create-certificates.ts'
import { directoryInContainer } from './docker-runner.ts'
import { canMount } from './in-root.ts'
import type { NodePorts } from './node-runner.ts'
import type { NodeOrder } from './rabbit-node.ts'
import { renderAdvancedConfig, renderEnabledPlugins, renderNodeConfig } from './render-node-config.ts'

/** Everything that is decided about a node before its files are written. */
export interface NodePlan extends NodeOrder {
  readonly name: string
  readonly ports: NodePorts
  readonly username: string
  readonly password: string
}

export interface NodeFiles {
  /** As this machine sees it. */
  readonly directory: string
  readonly certificates: NodeCertificates | undefined
}

/** Writes the directory of a node: configuration, cookie, certificates. The broker adds data and logs. */
export async function createNodeFiles(plan: NodePlan): Promise<NodeFiles> {
  const { source, cookie, hasTls } = plan
  const root = source.kind === 'docker' ? '' : source.root
  const parent = root === '' ? tmpdir() : join(root, 'tmp')
  const directory = await mkdtemp(join(parent, 'warrenmq-node-'))
  // A broker in a container is another user.
  await chmod(directory, 0o755)
  await mkdir(join(directory, 'home'))
  await writeFile(join(directory, 'home/.erlang.cookie'), cookie, { mode: 0o400 })

  const seenDirectory = source.kind === 'docker' ? directoryInContainer : directory.slice(root.length)
  const address = source.kind === 'docker' ? '0.0.0.0' : '127.0.0.1'
  const settings = { ...plan, config: { ...(await configWithoutProc(root)), ...plan.config } }
  const place = { address, ports: plan.ports, directory: seenDirectory }
  await writeFile(join(directory, 'rabbitmq.conf'), renderNodeConfig(settings, place))
  await writeFile(join(directory, 'advanced.config'), renderAdvancedConfig(settings))
  await writeFile(join(directory, 'enabled_plugins'), renderEnabledPlugins(settings))
  const certificates = hasTls ? await createCertificates(join(directory, 'tls')) : undefined
  return { directory, certificates }
}

/** In a root without /proc the broker cannot measure its memory from outside; it asks its allocators. */
async function configWithoutProc(root: string): Promise<Record<string, string>> {
  if (root === '' || (await canMount())) return {}
  return { vm_memory_calculation_strategy: 'allocated', total_memory_available_override_value: '2GB' }
}
