import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import type { SchemaOutput, StandardSchema } from '../../message/standard-schema.ts'
import type { HandlerContext } from '../handler.ts'
import type { ConsumedMessage } from '../run/consumed-message.ts'
import { validateBody } from './validate-body.ts'

const context = {} as HandlerContext
const messageWith = (body: unknown) => ({ id: 'm1', body }) as ConsumedMessage

const ofZod = z.object({ order: z.object({ id: z.number() }) })
const ofValibot = v.object({ order: v.object({ id: v.number() }) })
const ofArktype = type({ order: { id: 'number' } })

describe.each([
  ['zod', ofZod],
  ['valibot', ofValibot],
  ['arktype', ofArktype],
] as readonly [string, StandardSchema][])('a schema of %s', (_, schema) => {
  const handle = (body: unknown) =>
    validateBody(schema)((message) => message.body as never)(messageWith(body), context)

  it('hands over a body that fits', async () => {
    expect(await handle({ order: { id: 7 } })).toEqual({ order: { id: 7 } })
  })

  it('refuses another for good, and says where it is wrong', async () => {
    await expect(handle({ order: { id: 'seven' } })).rejects.toMatchObject({
      code: 'MESSAGE_INVALID',
      isPermanent: true,
      message: expect.stringMatching(/^The message "m1" does not fit its schema: order\.id: ./),
    })
  })
})

it('the handler gets the type of each', () => {
  interface Body {
    order: { id: number }
  }
  expectTypeOf<SchemaOutput<typeof ofZod>>().toEqualTypeOf<Body>()
  expectTypeOf<SchemaOutput<typeof ofValibot>>().toEqualTypeOf<Body>()
  expectTypeOf<SchemaOutput<typeof ofArktype>>().toEqualTypeOf<Body>()
})
