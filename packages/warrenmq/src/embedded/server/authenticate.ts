import { createHash, timingSafeEqual } from 'node:crypto'
import { decodeTable } from '../../wire/decode-table.ts'
import type { User } from '../model/access/access.ts'
import type { Broker } from '../model/broker.ts'
import { lookUp, textOf } from '../model/message/terms.ts'
import { ProtocolError } from '../model/protocol-error.ts'

/** The user that the response of a client proves, or undefined when it proves none. */
export function authenticate(broker: Broker, mechanism: string, response: Buffer): User | undefined {
  const claim = readClaim(mechanism, response)
  return claim && checkPassword(broker, claim.name, claim.password)
}

export function checkPassword(broker: Broker, name: string, password: string): User | undefined {
  const user = broker.users.get(name)
  if (!user) return undefined
  const { credentials } = user
  const isRight =
    credentials.kind === 'password'
      ? credentials.password === password
      : matchesHash(password, credentials.passwordHash, credentials.algorithm)
  return isRight ? user : undefined
}

/** RabbitMQ stores four bytes of salt and the digest of the salt and the password, in base 64. */
export function hashPassword(password: string): string {
  const salt = createHash('sha256').update(password).digest().subarray(0, 4)
  return Buffer.concat([salt, digest('sha256', salt, password)]).toString('base64')
}

function readClaim(mechanism: string, response: Buffer): { name: string; password: string } | undefined {
  switch (mechanism) {
    case 'PLAIN': {
      const [, name, password] = response.toString('utf8').split('\0')
      return name === undefined || password === undefined ? undefined : { name, password }
    }
    case 'AMQPLAIN': {
      const table = decodeTable(response)
      const name = textOf(lookUp(table, 'LOGIN'))
      const password = textOf(lookUp(table, 'PASSWORD'))
      return name === undefined || password === undefined ? undefined : { name, password }
    }
    default:
      throw new ProtocolError('COMMAND_INVALID', `unknown authentication mechanism '${mechanism}'`)
  }
}

function matchesHash(password: string, passwordHash: string, algorithm: string): boolean {
  const stored = Buffer.from(passwordHash, 'base64')
  const name = algorithm === 'rabbit_password_hashing_sha512' ? 'sha512' : 'sha256'
  const expected = digest(name, stored.subarray(0, 4), password)
  const actual = stored.subarray(4)
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}

function digest(algorithm: 'sha256' | 'sha512', salt: Buffer, password: string): Buffer {
  return createHash(algorithm).update(salt).update(password, 'utf8').digest()
}
