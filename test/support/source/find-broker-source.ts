import { type BrokerSource, isOfVersion, type SourceKind } from './broker-source.ts'
import { BrokerUnavailableError } from './broker-unavailable-error.ts'
import { suiteOfVersion, unpackRoot } from './debian-root.ts'
import { dockerAnswers, dockerSource } from './docker-engine.ts'
import { findPackage, installPackage } from './host-package.ts'
import { hasApt, isDebian, isRoot } from './machine.ts'

export interface WantedBroker {
  /** "3.10", "4.0"…; undefined takes the one at hand. */
  readonly version: string | undefined
  /** Asks for one kind of source and no other. */
  readonly kind?: SourceKind | undefined
}

/** The version that WARREN_BROKER_VERSION asks for; undefined is the one at hand. */
export function wantedVersion(): string | undefined {
  return process.env.WARREN_BROKER_VERSION || undefined
}

/**
 * Finds where brokers of the wanted version come from, and brings them here if need be: the installed
 * package, a package by apt-get, an unpacked root, Docker, then a URL that the person gave. In this order,
 * so that a URL left in the environment is never used where a private node can be had.
 */
export async function findBrokerSource(wanted: WantedBroker): Promise<BrokerSource> {
  const kind = wanted.kind ?? (process.env.WARREN_BROKER_SOURCE as SourceKind | undefined)
  const obstacles: string[] = []
  for (const [candidate, find] of Object.entries(finders)) {
    if (kind && kind !== candidate) continue
    const found = await find(wanted.version).catch((error: Error) => void obstacles.push(error.message))
    if (found) return found
  }
  throw new BrokerUnavailableError(explain(wanted.version, obstacles))
}

type Finder = (version: string | undefined) => Promise<BrokerSource | undefined>

const finders: Readonly<Record<SourceKind, Finder>> = {
  host: findHostPackage,
  root: findRoot,
  docker: findDocker,
  url: findGivenUrl,
}

async function findHostPackage(version: string | undefined): Promise<BrokerSource | undefined> {
  const installed = findPackage('')
  if (installed)
    return version === undefined || isOfVersion(installed.version, version) ? installed : undefined
  return hasApt() && isRoot() ? installPackage(version) : undefined
}

async function findRoot(version: string | undefined): Promise<BrokerSource | undefined> {
  const suite = version === undefined ? undefined : suiteOfVersion[version]
  return suite && isDebian() && isRoot() ? unpackRoot(suite) : undefined
}

async function findDocker(version: string | undefined): Promise<BrokerSource | undefined> {
  return (await dockerAnswers()) ? dockerSource(version) : undefined
}

async function findGivenUrl(): Promise<BrokerSource | undefined> {
  const { AMQP_URL: amqpUrl, MANAGEMENT_URL: managementUrl } = process.env
  if (!amqpUrl) return undefined
  if (!managementUrl) throw new Error('AMQP_URL is set but MANAGEMENT_URL is not; the tests need both.')
  return { kind: 'url', amqpUrl, managementUrl }
}

function explain(version: string | undefined, obstacles: readonly string[]): string {
  const wanted = version === undefined ? 'RabbitMQ' : `RabbitMQ ${version}`
  const advice =
    `No ${wanted} can be had here: run as root on Debian, start Docker, ` +
    'or set AMQP_URL and MANAGEMENT_URL to a broker that tests may use.'
  return [advice, ...obstacles].join('\n')
}
