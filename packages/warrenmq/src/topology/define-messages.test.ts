import { type } from 'arktype'
import { expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { TopologyError } from '../errors.ts'
import { checkedSchema, defineMessages, unchecked } from './define-messages.ts'
import { defineTopology } from './define-topology.ts'
import type { BodyToHandle, BodyToPublish } from './message-declaration.ts'
import { createNaming } from './name-message.ts'

const messages = defineMessages({
  Typed: { exchange: 'a', key: 'typed', schema: z.object({ id: z.string().transform(Number) }) },
  Function: { exchange: 'a', key: 'function', schema: type({ id: 'number' }) },
  Unchecked: { exchange: 'a', key: 'shared', schema: unchecked<{ id: bigint }>() },
  Open: { exchange: 'a', key: 'shared' },
})

it('a message has the type that its schema takes and the one that it makes', () => {
  expectTypeOf<BodyToPublish<(typeof messages)['Typed']>>().toEqualTypeOf<{ id: string }>()
  expectTypeOf<BodyToHandle<(typeof messages)['Typed']>>().toEqualTypeOf<{ id: number }>()
  expectTypeOf<BodyToPublish<(typeof messages)['Unchecked']>>().toEqualTypeOf<{ id: bigint }>()
  expectTypeOf<BodyToHandle<(typeof messages)['Open']>>().toBeUnknown()
  expect([checkedSchema(messages.Unchecked), checkedSchema(messages.Open)]).toEqual([undefined, undefined])
  expect(checkedSchema(messages.Typed)).toBe(messages.Typed.schema)
})

it('its JSON Schema may have the type of a library, and its body keeps its own', () => {
  /** As valibot's toJsonSchema types what it makes: an interface, which no record of unknown values takes. */
  interface OfALibrary {
    readonly type?: 'object'
  }
  const jsonSchema: OfALibrary = { type: 'object' }
  const described = defineMessages({
    Paid: { exchange: 'a', schema: z.object({ id: z.number() }), jsonSchema },
  })

  expectTypeOf<BodyToPublish<(typeof described)['Paid']>>().toEqualTypeOf<{ id: number }>()
})

it('a misspelt setting of a message is a mistake that the compiler finds', () => {
  // @ts-expect-error it is called schema
  expect(() => defineMessages({ A: { exchange: 'x', shema: z.string() } })).toThrow(TopologyError)
  expect(() =>
    // @ts-expect-error it is called key, also in messages that a topology has by itself
    defineTopology({ queues: {}, messages: { A: { exchange: '', kye: 'y' } } }),
  ).toThrow(TopologyError)
})

it('mistakes are told all at once, each with its path', () => {
  const careless = {
    NoSchema: { exchange: 'x', schema: { type: 'object' } },
    Misspelt: { exchange: 'x', routingKey: 'y' },
  }

  expect(() => defineMessages({ Misspelt: careless.Misspelt as never })).toThrow(
    'messages.Misspelt.routingKey: ',
  )
  expect(() =>
    defineMessages({ ['a'.repeat(256)]: { exchange: 'x' }, NoSchema: careless.NoSchema as never }),
  ).toThrow(TopologyError)
})

it('a topology refuses what it names and does not have', () => {
  const define = () =>
    defineTopology({
      queues: { q: { handles: ['Opne'] } },
      messages: { Open: { exchange: 'nowhere' } },
    })

  expect(define).toThrow('queues.q.handles[0]: message "Opne" is not declared; did you mean "Open"?')
  expect(() => defineTopology({ queues: {}, messages: { Open: { exchange: 'nowhere' } } })).toThrow(
    'messages.Open.exchange: exchange "nowhere" is not declared',
  )
})

it.each([
  ['its type', { type: 'Typed', exchange: 'b', routingKey: 'c' }, 'Typed'],
  ['its address, where it has no type', { type: undefined, exchange: 'a', routingKey: 'typed' }, 'Typed'],
  ['nothing, where its type is strange', { type: 'Strange', exchange: 'a', routingKey: 'typed' }, undefined],
  [
    'nothing, where two have its address',
    { type: undefined, exchange: 'a', routingKey: 'shared' },
    undefined,
  ],
  ['nothing, by a name that every object has', { type: 'toString', exchange: '', routingKey: '' }, undefined],
] as const)('a message is known by %s', (_, message, name) => {
  expect(createNaming(messages)(message)).toBe(name)
})
