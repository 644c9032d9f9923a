import fc from 'fast-check'
import {
  type FieldKinds,
  type Method,
  type MethodName,
  methodSpecs,
} from '../../../packages/warrenmq/src/wire/method-specs.ts'
import { anyBytes, anyShortText } from './bytes.ts'
import { anyFieldTable } from './fields.ts'

const anyOfKind = {
  octet: fc.integer({ min: 0, max: 0xff }),
  short: fc.integer({ min: 0, max: 0xffff }),
  long: fc.integer({ min: 0, max: 0xffffffff }),
  longlong: fc.maxSafeNat(),
  shortstr: anyShortText,
  longstr: anyBytes(40),
  table: anyFieldTable,
  bit: fc.boolean(),
} as const satisfies { [Kind in keyof FieldKinds]: fc.Arbitrary<FieldKinds[Kind]> }

export const methodNames: readonly MethodName[] = Object.keys(methodSpecs) as MethodName[]

/** The fields of a method that have a meaning, in the order of the wire. */
export function shownFields(name: MethodName): readonly (readonly [string, keyof FieldKinds])[] {
  const fields: Readonly<Record<string, keyof FieldKinds>> = methodSpecs[name].fields
  return Object.entries(fields).filter(([field]) => !field.startsWith('reserved'))
}

/** A method of this name with any values; `kinds` narrows what its fields may hold. */
export function anyMethodNamed(
  name: MethodName,
  kinds: Partial<Record<keyof FieldKinds, fc.Arbitrary<unknown>>> = {},
): fc.Arbitrary<Method> {
  const fields = shownFields(name).map(([field, kind]) => [field, kinds[kind] ?? anyOfKind[kind]] as const)
  return fc.record({ name: fc.constant(name), ...Object.fromEntries(fields) }) as fc.Arbitrary<Method>
}

export const anyMethod: fc.Arbitrary<Method> = fc.oneof(...methodNames.map((name) => anyMethodNamed(name)))
