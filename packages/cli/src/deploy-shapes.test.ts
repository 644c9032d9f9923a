import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'

// No schema of Kubernetes or Compose can be fetched where these tests run. So this is as much of them as the files use,
// at every depth: another field is a slip, or belongs here.

const read = (name: string): string => readFileSync(join('deploy', name), 'utf8')

/** `true` is any value; in a list each item has the shape of its one item; a field called `*` is one of any name. */
type Shape = true | readonly [Shape] | { readonly [field: string]: Shape }

const any = true
const anyNames = { '*': any } as const
const selector = { matchLabels: anyNames } as const
const port = { protocol: any, port: any } as const
const probe = { httpGet: { path: any, port: any }, failureThreshold: any, periodSeconds: any } as const
const container: Shape = {
  name: any,
  image: any,
  args: [any],
  envFrom: [{ secretRef: { name: any } }],
  ports: [{ name: any, containerPort: any }],
  startupProbe: probe,
  livenessProbe: probe,
  readinessProbe: probe,
  resources: { requests: { cpu: any, memory: any }, limits: { memory: any } },
  securityContext: {
    runAsNonRoot: any,
    runAsUser: any,
    readOnlyRootFilesystem: any,
    allowPrivilegeEscalation: any,
    capabilities: { drop: [any] },
    seccompProfile: { type: any },
  },
  volumeMounts: [{ name: any, mountPath: any, readOnly: any }],
}
const template: Shape = {
  metadata: { labels: anyNames },
  spec: {
    terminationGracePeriodSeconds: any,
    automountServiceAccountToken: any,
    restartPolicy: any,
    topologySpreadConstraints: [
      { maxSkew: any, topologyKey: any, whenUnsatisfiable: any, labelSelector: selector },
    ],
    containers: [container],
    volumes: [{ name: any, configMap: { name: any }, emptyDir: { sizeLimit: any } }],
  },
}
/** Of Kubernetes 1.30, each kind with its version of the API. */
const kinds: Readonly<Record<string, readonly [version: string, fields: Readonly<Record<string, Shape>>]>> = {
  ConfigMap: ['v1', { data: anyNames }],
  Service: [
    'v1',
    {
      spec: {
        selector: anyNames,
        sessionAffinity: any,
        ports: [{ name: any, port: any, targetPort: any }],
      },
    },
  ],
  Deployment: ['apps/v1', { spec: { replicas: any, selector, template } }],
  Job: ['batch/v1', { spec: { backoffLimit: any, ttlSecondsAfterFinished: any, template } }],
  PodDisruptionBudget: ['policy/v1', { spec: { minAvailable: any, selector } }],
  NetworkPolicy: [
    'networking.k8s.io/v1',
    {
      spec: {
        podSelector: selector,
        policyTypes: [any],
        ingress: [{ from: [{ namespaceSelector: selector }], ports: [port] }],
        egress: [{ to: [{ namespaceSelector: selector }], ports: [port] }],
      },
    },
  ],
}

const composeFile: Shape = {
  services: {
    '*': {
      image: any,
      build: { context: any, dockerfile: any },
      hostname: any,
      command: [any],
      environment: anyNames,
      ports: [any],
      volumes: [any],
      tmpfs: [any],
      read_only: any,
      restart: any,
      healthcheck: { test: [any], interval: any, timeout: any, retries: any },
      depends_on: { '*': { condition: any } },
      stop_grace_period: any,
      cap_drop: [any],
      security_opt: [any],
    },
  },
  volumes: anyNames,
}

/** The ways to what a shape does not have. */
function strangeIn(value: unknown, shape: Shape | undefined, way = ''): readonly string[] {
  if (shape === undefined) return [way]
  if (shape === true) return typeof value === 'object' && value !== null ? [way] : []
  if (isList(shape))
    return Array.isArray(value)
      ? value.flatMap((item, at) => strangeIn(item, shape[0], `${way}[${at}]`))
      : [way]
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [way]
  return Object.entries(value).flatMap(([name, each]) =>
    strangeIn(each, Object.hasOwn(shape, name) ? shape[name] : shape['*'], `${way}.${name}`),
  )
}

function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape)
}

it.each<[string, unknown, Shape, readonly string[]]>([
  ['a field that there is not', { a: { c: 1 } }, { a: { b: any } }, ['.a.c']],
  ['a field in an item of a list', { a: [{ b: 1 }, { c: 1 }] }, { a: [{ b: any }] }, ['.a[1].c']],
  ['a list where a value belongs', { a: [1] }, { a: any }, ['.a']],
  ['a value where a list belongs', { a: 1 }, { a: [any] }, ['.a']],
  ['nothing where all is known', { a: { x: 1 }, b: null }, { a: anyNames, b: any }, []],
])('%s is found', (_, value, shape, ways) => {
  expect(strangeIn(value, shape)).toEqual(ways)
})

describe.each(readdirSync('deploy').filter((name) => name.startsWith('kubernetes')))(
  'the manifest %s',
  (name) => {
    interface Resource {
      readonly apiVersion: string
      readonly kind: string
      readonly metadata: { readonly name: string }
      readonly spec?: { readonly template?: { readonly spec: { automountServiceAccountToken?: boolean } } }
    }
    const documents = parseAllDocuments(read(name))
    const resources = documents.map((each) => each.toJS() as Resource)

    it('is YAML, of kinds and fields that Kubernetes knows', () => {
      expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([])
      for (const resource of resources) {
        const [version, fields] = kinds[resource.kind] ?? []
        const shape: Shape = {
          apiVersion: any,
          kind: any,
          metadata: { name: any, labels: anyNames },
          ...fields,
        }
        expect(strangeIn(resource, shape, resource.kind)).toEqual([])
        expect(resource.apiVersion).toBe(version)
        expect(resource.metadata.name).toMatch(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/)
      }
    })

    it('gives no pod a token of the cluster, and puts no secret into itself', () => {
      const pods = resources.flatMap(({ spec }) => spec?.template?.spec ?? [])

      expect(pods.map((pod) => pod.automountServiceAccountToken)).toEqual(pods.map(() => false))
      expect(resources.some(({ kind }) => kind === 'Secret')).toBe(false)
    })
  },
)

it('the compose file has fields that Compose knows', () => {
  const [document] = parseAllDocuments(read('compose.yaml'))

  expect([...document!.errors, ...document!.warnings]).toEqual([])
  expect(strangeIn(document!.toJS(), composeFile)).toEqual([])
})

it('the systemd unit has directives that systemd knows, each in its section', () => {
  const known: Readonly<Record<string, RegExp>> = {
    Unit: /^(Description|After|Wants|StartLimitIntervalSec)$/,
    Service:
      /^(EnvironmentFile|WorkingDirectory|ExecStart|DynamicUser|StateDirectory|StateDirectoryMode|Restart|RestartSec|TimeoutStopSec|NoNewPrivileges|PrivateTmp|PrivateDevices|RestrictAddressFamilies|CapabilityBoundingSet|Protect(System|Home|KernelTunables|ControlGroups))$/,
    Install: /^WantedBy$/,
  }
  const strange: string[] = []
  let section = ''
  for (const line of read('warren.service')
    .split('\n')
    .filter((each) => each !== '' && !each.startsWith('#'))) {
    const heading = /^\[(\w+)\]$/.exec(line)
    if (heading) section = heading[1]!
    else if (!known[section]?.test(line.split('=')[0]!)) strange.push(`[${section}] ${line}`)
  }

  expect(strange).toEqual([])
})
