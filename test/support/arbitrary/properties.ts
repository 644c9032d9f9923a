import fc from 'fast-check'
import type { PropertiesInput, PropertyName } from '../../../packages/warrenmq/src/wire/properties.ts'
import { anyShortText } from './bytes.ts'
import { anyFieldTable } from './fields.ts'

const octet = fc.integer({ min: 0, max: 255 })

/** One arbitrary per property, in the order of the wire. */
const propertyValues: { readonly [Name in PropertyName]: fc.Arbitrary<NonNullable<PropertiesInput[Name]>> } =
  {
    contentType: anyShortText,
    contentEncoding: anyShortText,
    headers: anyFieldTable,
    deliveryMode: octet,
    priority: octet,
    correlationId: anyShortText,
    replyTo: anyShortText,
    expiration: anyShortText,
    messageId: anyShortText,
    timestamp: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    type: anyShortText,
    userId: anyShortText,
    appId: anyShortText,
    clusterId: anyShortText,
  }

export const propertyNames: readonly PropertyName[] = Object.keys(propertyValues) as PropertyName[]

/** Any set of properties with any values. */
export const anyProperties: fc.Arbitrary<PropertiesInput> = fc.record(propertyValues, { requiredKeys: [] })

/** One property and a value for it. */
export const anyPropertySetting: fc.Arbitrary<Omit<PropertiesInput, 'headers'>> = fc.oneof(
  ...propertyNames
    .filter((name) => name !== 'headers')
    .map((name) => propertyValues[name].map((value) => ({ [name]: value }))),
)
