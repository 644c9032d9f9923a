import amqplib, { type ChannelModel } from 'amqplib'
import { expect, onTestFinished, test } from 'vitest'
import { startEmbeddedBroker } from '../../packages/warrenmq/src/embedded/start-embedded-broker.ts'
import { sharedBroker } from '../support/shared-broker.ts'
import { createVhost } from '../support/use-broker.ts'
import { profileOf } from './profile-of.ts'

/** One vhost of either broker, and what a program does with it. */
export interface EitherBroker {
  readonly profile: '3.10' | '4.0' | '4.3'
  readonly vhost: string
  /** Unlike that of any other test, since users belong to the whole broker. */
  readonly user: string
  connect(options?: { user?: string; vhost?: string; name?: string }): Promise<ChannelModel>
  /** For a client of another kind. */
  urlFor(options?: { user?: string | undefined; vhost?: string }): string
  api(method: string, path: string, body?: object): Promise<{ status: number; json: unknown }>
}

/** Runs a program on the embedded broker and on RabbitMQ: what it has seen must be the same. */
export function testSameOnBoth(title: string, program: (broker: EitherBroker) => Promise<unknown>): void {
  const profile = profileOf(sharedBroker().version)
  test.skipIf(!profile)(title, async () => {
    const rabbit = await createVhost()
    onTestFinished(rabbit.drop)
    const embedded = await startEmbeddedBroker({ profile: profile!, vhosts: [rabbit.vhost] })
    onTestFinished(embedded.stop)
    const user = `user-${rabbit.vhost}`
    const common = { profile: profile!, vhost: rabbit.vhost, user }

    const onRabbit = await program({ ...common, ...reach(rabbit) })
    const onEmbedded = await program({
      ...common,
      ...reach({
        url: embedded.url,
        username: 'guest',
        password: 'guest',
        vhost: rabbit.vhost,
        managementUrl: embedded.managementUrl.replace('guest:guest@', ''),
      }),
    })

    expect(tidy(onEmbedded, 'guest')).toEqual(tidy(onRabbit, rabbit.username))
  })
}

interface Reached {
  readonly url: string
  readonly managementUrl: string
  readonly username: string
  readonly password: string
  readonly vhost: string
}

function reach(broker: Reached): Pick<EitherBroker, 'connect' | 'urlFor' | 'api'> {
  const urlFor: EitherBroker['urlFor'] = ({ user, vhost = broker.vhost } = {}) => {
    const { host } = new URL(broker.url)
    const login = user ? `${user}:secret` : `${broker.username}:${broker.password}`
    return `amqp://${login}@${host}/${encodeURIComponent(vhost)}`
  }
  return {
    urlFor,
    connect: async ({ name, ...options } = {}) => {
      const connection = await amqplib.connect(
        urlFor(options),
        name ? { clientProperties: { connection_name: name } } : {},
      )
      connection.on('error', () => undefined)
      onTestFinished(() => connection.close().catch(() => undefined))
      return connection
    },
    api: async (method, path, body) => {
      const login = Buffer.from(`${broker.username}:${broker.password}`).toString('base64')
      const answer = await fetch(`${broker.managementUrl}/api/${path}`, {
        method,
        headers: { authorization: `Basic ${login}`, 'content-type': 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      const text = await answer.text()
      return {
        status: answer.status,
        json: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : null,
      }
    },
  }
}

/** Each broker calls its administrator otherwise. */
function tidy(seen: unknown, administrator: string): unknown {
  return JSON.parse(JSON.stringify(seen ?? null).replaceAll(`"${administrator}"`, '"administrator"'))
}
