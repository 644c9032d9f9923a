import { describe, onTestFinished } from 'vitest'
import { startEmbeddedBroker } from '../../../packages/warrenmq/src/embedded/start-embedded-broker.ts'
import { sharedBroker } from '../../support/shared-broker.ts'
import { type BrokerProxy, startProxy } from '../../support/start-proxy.ts'
import { createVhost } from '../../support/use-broker.ts'
import { profileOf } from '../profile-of.ts'

/** A vhost of a broker, as a client's configuration spells it. */
export interface ClientBroker {
  readonly url: string
  readonly hostname: string
  readonly port: number
  readonly username: string
  readonly password: string
  readonly vhost: string
  /** With user and password. */
  readonly managementUrl: string
  /** The same broker over a connection that can be cut. */
  throughProxy(): Promise<BrokerProxy & { readonly url: string }>
}

/** Runs the same tests on the embedded broker and on RabbitMQ: a client cannot tell which of the two it talks to. */
export function describeOnBothBrokers(
  title: string,
  tests: (open: () => Promise<ClientBroker>) => void,
): void {
  const profile = profileOf(sharedBroker().version)
  describe.skipIf(!profile)(`${title} on the embedded broker`, () => {
    tests(async () => {
      const broker = await startEmbeddedBroker({ profile: profile!, vhosts: ['clients'] })
      onTestFinished(broker.stop)
      return describeBroker(`${broker.url}/clients`, broker.managementUrl)
    })
  })
  describe.skipIf(!profile)(`${title} on RabbitMQ`, () => {
    tests(async () => {
      const { url, managementUrl, username, password, drop } = await createVhost()
      onTestFinished(drop)
      return describeBroker(url, Object.assign(new URL(managementUrl), { username, password }).href)
    })
  })
}

/** What a test needs to know of a broker that is there. */
export function describeBroker(url: string, managementUrl: string): ClientBroker {
  const { hostname, port, username, password, pathname } = new URL(url)
  return {
    url,
    hostname,
    port: Number(port),
    username: decodeURIComponent(username),
    password: decodeURIComponent(password),
    vhost: decodeURIComponent(pathname.slice(1)),
    managementUrl: managementUrl.replace(/\/$/, ''),
    throughProxy: async () => {
      const proxy = await startProxy({ target: Number(port) })
      onTestFinished(() => proxy.close())
      return { ...proxy, url: proxy.urlFor(url) }
    },
  }
}

/** What `start` hands over, as soon as there are so many. */
export function collect<Item>(count: number, start: (add: (item: Item) => void) => unknown): Promise<Item[]> {
  return new Promise((resolve, reject) => {
    const items: Item[] = []
    const started = start((item) => {
      items.push(item)
      if (items.length === count) resolve(items)
    })
    if (started instanceof Promise) started.catch(reject)
  })
}
