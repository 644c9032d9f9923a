import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { readTopology } from 'warrenmq/operations'
import { parse, parseAllDocuments } from 'yaml'
import { commands } from './commands.ts'
import { endpoints } from './http-api/contract/endpoints.ts'
import { readServerSection } from './http-api/read-server-section.ts'

/** What is in deploy/ is run by nobody here, so it is held against the code that it is about. */
const read = (name: string): string => readFileSync(join('deploy', name), 'utf8')
const { port: defaultPort, maxUploadBytes } = readServerSection()
/** What `os.tmpdir` is in a container, where nobody sets TMPDIR. */
const temporary = '/tmp'

/** Reads a command line as `warren` would; throws where it has no such command, option or value. */
function parseLine([name, ...args]: readonly string[]): Record<string, unknown> {
  const command = commands.find((each) => each.name === name)
  if (!command) throw new Error(`There is no command ${name}.`)
  const parsed = new Command().exitOverride().configureOutput({ writeErr: () => {} })
  command.configure?.(parsed)
  return parsed
    .action(() => {})
    .parse(args, { from: 'user' })
    .opts()
}

/** Variables that the code reads. */
const variables = new Set(
  ['packages/warrenmq/src', 'packages/cli/src']
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    )
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .flatMap((path) => [...readFileSync(path, 'utf8').matchAll(/\benv\.([A-Z_]+)/g)])
    .map(([, name]) => name!),
)
const wanted = ['AMQP_URL', 'MANAGEMENT_URL', 'WARREN_SESSION_KEY', 'WARREN_SERVER_KEY']

function checkConfig(text: string): void {
  const { server } = readTopology(parse(text))
  readServerSection(server)
}

it('a line that the command does not know is found out', () => {
  expect(() => parseLine(['serve', '--prot', '1'])).toThrow('unknown option')
  expect(() => parseLine(['serve', '--port', 'many'])).toThrow('A port is a number')
  expect(() => parseLine(['server'])).toThrow('There is no command')
})

it('the variables that the files set are read by the code', () => {
  expect(wanted.filter((name) => !variables.has(name))).toEqual([])
})

describe('the Dockerfile', () => {
  const lines = read('Dockerfile').replaceAll('\\\n', '').split('\n')
  const words = (instruction: string): string[][] =>
    lines
      .filter((line) => line.startsWith(`${instruction} `))
      .map((line) => line.slice(instruction.length + 1))
      .map((rest) => (rest.startsWith('[') ? (JSON.parse(rest) as string[]) : rest.split(' ')))
  const { scripts, engines } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    scripts: Record<string, string>
    engines: { node: string }
  }

  it('starts a command that exists, on the port that it exposes and asks for its health', () => {
    const [command] = words('CMD')

    expect(parseLine(command!)).toMatchObject({ host: '0.0.0.0', port: defaultPort })
    expect(words('EXPOSE')).toEqual([[String(defaultPort)]])
    const check = lines.find((line) => line.startsWith('HEALTHCHECK'))
    expect(check).toContain(`:${defaultPort}${endpoints.isReady.path}`)
  })

  it('copies what there is, and runs what the build made', () => {
    const own = words('COPY').filter(([from]) => !from!.startsWith('--'))
    const made = words('COPY').filter(([from]) => from === '--from=build')
    const built = ['node_modules', 'packages/warrenmq/dist', 'packages/cli/dist']
    const sources = [
      ...own.flatMap((each) => each.slice(0, -1)),
      ...made.flatMap((each) => each.slice(1, -1)),
    ]
    const paths = sources.map((path) => path.replace('/src/', ''))

    expect(paths.filter((path) => !existsSync(path) && !built.includes(path))).toEqual([])
    expect(words('ENTRYPOINT')).toEqual([['node', '/app/packages/cli/dist/main.js']])
    expect(existsSync('packages/cli/src/main.ts')).toBe(true)
  })

  it('builds by scripts that exist, on a Node that the package allows', () => {
    const names = lines
      .flatMap((line) => [...line.matchAll(/npm run -s ([a-z:]+)/g)])
      .map(([, name]) => name!)
    const versions = words('FROM').map(([image]) => Number(/^node:(\d+)/.exec(image!)![1]))

    expect(names.filter((name) => scripts[name] === undefined)).toEqual([])
    expect(Math.min(...versions)).toBeGreaterThanOrEqual(Number(/\d+/.exec(engines.node)![0]))
  })

  it('leaves secrets and what was built elsewhere out of the image', () => {
    expect(read('Dockerfile.dockerignore').split('\n')).toEqual(
      expect.arrayContaining(['.git', 'dist', 'node_modules', '**/.env']),
    )
  })
})

describe('the compose file', () => {
  interface Service {
    readonly image?: string
    readonly build?: { readonly context: string; readonly dockerfile: string }
    readonly command?: readonly string[]
    readonly environment: Readonly<Record<string, string>>
    readonly ports: readonly string[]
    readonly volumes: readonly string[]
    readonly read_only?: boolean
    readonly tmpfs?: readonly string[]
    readonly depends_on?: Readonly<Record<string, unknown>>
  }
  const { services } = parse(read('compose.yaml')) as { services: Record<'rabbitmq' | 'warren', Service> }
  const { warren, rabbitmq } = services

  it('starts the server of the Dockerfile with a config that is there and valid', () => {
    const [source = '', target] = warren.volumes[0]!.split(':')

    expect(existsSync(join('deploy', warren.build!.context, warren.build!.dockerfile))).toBe(true)
    expect(parseLine(warren.command!)).toMatchObject({ host: '0.0.0.0', port: defaultPort, config: target })
    checkConfig(read(source))
  })

  it('lets the server write where backups stand on their way, and nowhere else', () => {
    const [, path, gigabytes] = /^(.*):size=(\d+)g,mode=1777$/.exec(warren.tmpfs![0]!)!

    expect(warren.read_only).toBe(true)
    expect(warren.tmpfs).toHaveLength(1)
    expect(path).toBe(temporary)
    expect(Number(gigabytes) * 1024 ** 3).toBeGreaterThan(maxUploadBytes)
    expect(warren.volumes.every((volume) => volume.endsWith(':ro'))).toBe(true)
  })

  it('tells the server where RabbitMQ 4 is, and opens both on this machine only', () => {
    expect(rabbitmq.image).toMatch(/^rabbitmq:4/)
    expect(Object.keys(warren.environment)).toEqual(wanted)
    for (const name of ['AMQP_URL', 'MANAGEMENT_URL'])
      expect(new URL(warren.environment[name]!.replace(/\$\{.*?\}/, 'x')).hostname).toBe('rabbitmq')
    expect(Object.keys(warren.depends_on!)).toEqual(['rabbitmq'])
    for (const port of [...warren.ports, ...rabbitmq.ports]) expect(port).toMatch(/^127\.0\.0\.1:/)
    expect(warren.ports).toEqual([`127.0.0.1:${defaultPort}:${defaultPort}`])
  })
})

describe('the systemd unit', () => {
  const unit = read('warren.service')
  const value = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)![1]!

  it('starts a command that exists and names the variables that it reads', () => {
    const [env, warren, ...line] = value('ExecStart').split(' ')

    expect([env, warren]).toEqual(['/usr/bin/env', 'warren'])
    expect(parseLine(line)).toMatchObject({ host: '127.0.0.1', port: defaultPort })
    expect([...unit.matchAll(/^# {3}([A-Z_]+)=/gm)].map(([, name]) => name)).toEqual(wanted)
  })

  it('may write to a folder of its own, which is closed to others, and nowhere else', () => {
    expect([value('StateDirectory'), value('StateDirectoryMode')]).toEqual(['warren', '0700'])
    expect([value('ProtectSystem'), value('DynamicUser')]).toEqual(['strict', 'yes'])
  })
})

interface Container {
  readonly args: readonly string[]
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[]
  readonly volumeMounts: readonly {
    readonly name: string
    readonly mountPath: string
    readonly readOnly?: boolean
  }[]
  readonly securityContext: { readonly readOnlyRootFilesystem: boolean }
}
interface Resource {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> }
}

describe('the Kubernetes manifest', () => {
  const resources = parseAllDocuments(read('kubernetes.yaml')).map((each) => each.toJS() as Resource)
  const find = <Kind extends object>(kind: string) =>
    resources.find((each) => each.kind === kind) as Resource & Kind
  const { data } = find<{ data: Record<string, string> }>('ConfigMap')
  const { spec } = find<{
    spec: {
      selector: { matchLabels: object }
      template: {
        metadata: { labels: object }
        spec: {
          containers: [Container]
          volumes: [object, { name: string; emptyDir: { sizeLimit: string } }]
        }
      }
    }
  }>('Deployment')
  const [container] = spec.template.spec.containers

  it('starts a command that exists with the config that it mounts, which is valid', () => {
    const [mount] = container.volumeMounts
    const [volume] = spec.template.spec.volumes
    const [[file, text]] = Object.entries(data) as [[string, string]]

    expect(parseLine(container.args)).toMatchObject({
      host: '0.0.0.0',
      port: defaultPort,
      config: `${mount!.mountPath}/${file}`,
    })
    expect(volume).toEqual({ name: mount!.name, configMap: { name: find('ConfigMap').metadata.name } })
    checkConfig(text)
  })

  it('lets the server write where backups stand on their way, and nowhere else', () => {
    const writable = container.volumeMounts.filter(({ readOnly }) => readOnly !== true)
    const [, { name, emptyDir }] = spec.template.spec.volumes

    expect(container.securityContext.readOnlyRootFilesystem).toBe(true)
    expect(writable).toEqual([{ name, mountPath: temporary }])
    const [, gigabytes] = /^(\d+)Gi$/.exec(emptyDir.sizeLimit)!
    expect(Number(gigabytes) * 1024 ** 3).toBeGreaterThan(maxUploadBytes)
  })

  it('asks for health where the server answers without credentials', () => {
    const probes = [...JSON.stringify(container).matchAll(/"httpGet":\{"path":"(.*?)","port":"(.*?)"/g)]

    expect(probes.map(([, path]) => path)).toEqual(['/healthz', '/healthz', '/readyz'])
    const open = Object.values(endpoints).filter(({ needs }) => needs === 'anyone')
    for (const [, path, port] of probes) {
      expect(open.map((endpoint) => endpoint.path)).toContain(path)
      expect(container.ports).toContainEqual({ name: port, containerPort: defaultPort })
    }
  })

  it('leads from the service to the pods', () => {
    const service = find<{ spec: { selector: object; ports: [{ targetPort: string }] } }>('Service').spec
    const budget = find<{ spec: { selector: { matchLabels: object } } }>('PodDisruptionBudget').spec

    const { labels } = spec.template.metadata
    expect([service.selector, spec.selector.matchLabels, budget.selector.matchLabels]).toEqual([
      ...[labels, labels, labels],
    ])
    expect(service.ports[0].targetPort).toBe(container.ports[0]!.name)
  })

  it('keeps who reads a snapshot on the server that made it', () => {
    const { sessionAffinity } = find<{ spec: { sessionAffinity: string } }>('Service').spec

    expect(sessionAffinity).toBe('ClientIP')
  })
})

describe('the Kubernetes manifest of consumers', () => {
  interface Workload extends Resource {
    readonly spec: {
      readonly template: {
        readonly spec: { terminationGracePeriodSeconds?: number; containers: [Container]; volumes?: object[] }
      }
    }
  }
  const resources = parseAllDocuments(read('kubernetes-consumers.yaml')).map(
    (each) => each.toJS() as Resource,
  )
  const workload = (name: string, kind: string) =>
    (resources.find((each) => each.kind === kind && each.metadata.name === name) as Workload).spec.template
      .spec
  const { data } = resources.find(({ kind }) => kind === 'ConfigMap') as Resource & {
    data: Record<string, string>
  }
  const [file, config] = Object.entries(data)[0]!
  const mounted = ({ containers: [{ volumeMounts }] }: Workload['spec']['template']['spec']) =>
    `${volumeMounts[0]!.mountPath}/${file}`

  it('applies a valid topology and waits for the broker', () => {
    const job = workload('orders-topology', 'Job')

    checkConfig(config)
    expect(parseLine(job.containers[0].args)).toMatchObject({ config: mounted(job), wait: 60_000 })
  })

  it('delivers a queue of that topology, and kills nobody before the deadline', () => {
    const pod = workload('shipping-deliver', 'Deployment')
    const options = parseLine(pod.containers[0].args) as { queue: string; config: string; deadline: number }

    expect(options.config).toBe(mounted(pod))
    expect(Object.keys((parse(config) as { queues: object }).queues)).toContain(options.queue)
    expect(pod.terminationGracePeriodSeconds! * 1000).toBeGreaterThan(options.deadline)
  })
})
