import { ConnectionError } from '../../errors.ts'
import { encodeTable } from '../../wire/encode-table.ts'
import type { Endpoint } from './parse-amqp-url.ts'

/** How a connection logs in (SASL): by name and password, or with a client certificate (`EXTERNAL`). */
export type Mechanism = 'PLAIN' | 'AMQPLAIN' | 'EXTERNAL'

/** Picks the mechanism and writes its response. EXTERNAL (a client certificate) is used only when asked for. */
export function authenticate({
  offered,
  wanted,
  endpoint,
}: {
  offered: string
  wanted?: Mechanism
  endpoint: Endpoint
}): {
  mechanism: Mechanism
  response: Buffer
} {
  const mechanisms = offered.split(' ')
  const mechanism = wanted ?? (mechanisms.includes('PLAIN') ? 'PLAIN' : 'AMQPLAIN')
  if (!mechanisms.includes(mechanism)) {
    throw new ConnectionError({
      code: 'CONNECTION_AUTHENTICATION_REFUSED',
      isFinal: true,
      message: `The broker offers the authentication mechanisms ${mechanisms.join(', ')}, not ${mechanism}. Enable it there or choose another.`,
    })
  }
  return { mechanism, response: responses[mechanism](endpoint) }
}

const responses: Readonly<Record<Mechanism, (endpoint: Endpoint) => Buffer>> = {
  PLAIN: ({ username, password }) => Buffer.from(`\0${username}\0${password.reveal()}`, 'utf8'),
  AMQPLAIN: ({ username, password }) =>
    encodeTable([
      { name: 'LOGIN', value: { type: 'S', value: username } },
      { name: 'PASSWORD', value: { type: 'S', value: password.reveal() } },
    ]),
  EXTERNAL: () => Buffer.alloc(0),
}
