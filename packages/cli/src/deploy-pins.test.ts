import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'

/** What is taken from elsewhere is named so that it cannot become something else. */
const read = (...path: string[]): string => readFileSync(join(...path), 'utf8')
const deployed = readdirSync('deploy')
const workflows = readdirSync('.github/workflows')
const workflow = '.github/workflows'
const { version } = JSON.parse(read('package.json')) as { version: string }

const dockerfile = read('deploy', 'Dockerfile')
  .replaceAll('\\\n', '')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => ({ instruction: line.split(' ')[0]!, rest: line.slice(line.indexOf(' ') + 1) }))
const instructions = (name: string): string[] =>
  dockerfile.filter(({ instruction }) => instruction === name).map(({ rest }) => rest)

describe('each image', () => {
  const inYaml = [...deployed.map((name) => ['deploy', name]), ...workflows.map((name) => [workflow, name])]
    .filter(([, name]) => /\.ya?ml$/.test(name!))
    .flatMap((path) => [...read(...path).matchAll(/^\s*image: (\S+)/gm)].map(([, image]) => image!))
  const images = [...inYaml, ...instructions('FROM').map((rest) => rest.split(' ')[0]!)]

  it('is named by an exact version', () => {
    const loose = images.filter(
      (image) => !/^[\w./-]+:\d+\.\d+\.\d+(-[\w.-]+)?(@sha256:\w{64})?$/.test(image),
    )

    expect(loose).toEqual([])
    expect(images.length).toBeGreaterThan(6)
  })

  it('of Warren is of this version', () => {
    expect(new Set(images.filter((image) => image.startsWith('warrenmq')))).toEqual(
      new Set([`warrenmq:${version}`]),
    )
  })
})

describe('the workflows', () => {
  const text = workflows.map((name) => read(workflow, name)).join('\n')

  it('use actions by their commits, and say which version that is', () => {
    const uses = [...text.matchAll(/uses: (.*)/g)].map(([, action]) => action!)

    expect(uses.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual(
      [],
    )
    expect(uses.length).toBeGreaterThan(0)
  })

  it('run on a version of their system, with what the lock file names and with few rights', () => {
    expect(text).not.toMatch(/runs-on: \S*latest/)
    expect(text).not.toContain('npm install')
    expect(text).toMatch(/^permissions:\n {2}contents: read$/m)
  })
})

describe('the Dockerfile', () => {
  const runs = instructions('RUN')

  it('has only instructions that there are, and begins with its image', () => {
    const known =
      /^(FROM|ENV|WORKDIR|COPY|RUN|EXPOSE|USER|ENTRYPOINT|CMD|HEALTHCHECK|ARG|LABEL|VOLUME|STOPSIGNAL)$/

    expect(dockerfile.filter(({ instruction }) => !known.test(instruction))).toEqual([])
    expect(dockerfile[0]!.instruction).toBe('FROM')
  })

  it('installs what the lock file names, and leaves what only builds behind', () => {
    expect(runs[0]).toMatch(/^npm ci /)
    expect(runs.join('\n')).not.toMatch(/npm (install|i) |curl|wget|sudo|\bcd /)
    expect(runs.at(-1)).toContain('npm prune --omit=dev')
  })

  it('installs what each package needs that it builds', () => {
    const packages = readdirSync('packages').filter((name) =>
      existsSync(join('packages', name, 'package.json')),
    )
    const install = dockerfile.findIndex(({ rest }) => rest.startsWith('npm ci '))
    const before = dockerfile.slice(0, install).map(({ rest }) => rest)

    expect(packages).toContain('console')
    expect(before).toEqual(
      expect.arrayContaining(packages.map((name) => `packages/${name}/package.json ./packages/${name}/`)),
    )
  })

  it('copies from stages that there are, into folders that are named in full', () => {
    const stages = instructions('FROM').flatMap((rest) => / AS (\S+)$/.exec(rest)?.[1] ?? [])
    const from = instructions('COPY').flatMap((rest) => /^--from=(\S+)/.exec(rest)?.[1] ?? [])

    expect(from.filter((stage) => !stages.includes(stage))).toEqual([])
    expect(instructions('WORKDIR').filter((folder) => !folder.startsWith('/'))).toEqual([])
  })

  it('runs as somebody who is not root, as process 1, and without secrets', () => {
    const last = dockerfile.slice(dockerfile.findLastIndex(({ instruction }) => instruction === 'FROM'))
    const of = (name: string) => last.filter(({ instruction }) => instruction === name)

    expect(of('USER')).toEqual([{ instruction: 'USER', rest: 'node' }])
    for (const name of ['ENTRYPOINT', 'CMD', 'HEALTHCHECK']) expect(of(name)).toHaveLength(1)
    for (const name of ['ENTRYPOINT', 'CMD']) expect(of(name)[0]!.rest).toMatch(/^\[".*"\]$/)
    expect([...instructions('ENV'), ...instructions('ARG')].join()).not.toMatch(
      /KEY|PASSWORD|SECRET|TOKEN|URL/,
    )
  })
})

describe('the NetworkPolicy', () => {
  interface Rule {
    readonly from?: readonly object[]
    readonly ports: readonly { readonly protocol: string; readonly port: number | string }[]
  }
  interface Policy {
    readonly podSelector: { readonly matchLabels: object }
    readonly policyTypes: readonly string[]
    readonly ingress: readonly Rule[]
    readonly egress: readonly Rule[]
  }
  const resources = parseAllDocuments(read('deploy', 'kubernetes.yaml')).map(
    (each) => each.toJS() as { kind: string; spec: unknown },
  )
  const policy = resources.find(({ kind }) => kind === 'NetworkPolicy')!.spec as Policy
  const { template } = resources.find(({ kind }) => kind === 'Deployment')!.spec as {
    template: { metadata: { labels: object }; spec: { containers: [{ ports: { name: string }[] }] } }
  }

  it('is about the pods of the Deployment, both ways', () => {
    expect(policy.podSelector.matchLabels).toEqual(template.metadata.labels)
    expect(policy.policyTypes).toEqual(['Ingress', 'Egress'])
  })

  it('lets those who are named in, to the port of the server', () => {
    const [{ name }] = template.spec.containers[0].ports as [{ name: string }]

    for (const { from, ports } of policy.ingress) {
      expect(from?.length).toBeGreaterThan(0)
      expect(ports).toEqual([{ protocol: 'TCP', port: name }])
    }
  })

  it('lets the server out to names, RabbitMQ and HTTPS', () => {
    const ports = policy.egress.flatMap((rule) => rule.ports.map(({ port }) => port))

    expect(ports).toEqual([53, 53, 5672, 5671, 15672, 15671, 443])
  })
})

describe('the lock file', () => {
  type Entry = Readonly<Record<'dependencies' | 'optionalDependencies', Record<string, string> | undefined>>
  const text = read('package-lock.json')
  const { packages } = JSON.parse(text) as { packages: Record<string, Entry> }

  it('has all that is needed on any platform, or `npm ci` refuses it on all of them', () => {
    const missing = Object.entries(packages).flatMap(([place, entry]) =>
      Object.keys({ ...entry.dependencies, ...entry.optionalDependencies }).filter(
        (name) => !placesOf(place).some((folder) => packages[`${folder}node_modules/${name}`]),
      ),
    )

    expect(missing).toEqual([])
  })

  it('names no registry', () => {
    // A package of this repository is found by its folder.
    expect(text).not.toMatch(/"resolved": "(?!packages\/)/)
    // As a word: there are packages with it in their name.
    expect(text).not.toMatch(/\bregistry\b/)
  })
})

/** The folders in which a package looks for others: its own first, the root last. */
function placesOf(place: string): readonly string[] {
  if (place === '') return ['']
  return [`${place}/`, ...placesOf(place.slice(0, Math.max(0, place.lastIndexOf('/node_modules/'))))]
}
