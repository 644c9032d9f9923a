import Type, { type TNull, type TString, type TUnion, type TUnsafe } from 'typebox'

/** For what is kept and read back by ourselves: nobody is told of it, so it needs no words. */

export const text: TString = Type.String()
export const textOrNull: TUnion<[TString, TNull]> = Type.Union([Type.String(), Type.Null()])
export const count: Type.TInteger = Type.Integer({ minimum: 0 })

export function oneOf<const Name extends string>(names: readonly Name[]): TUnsafe<Name> {
  return Type.Unsafe<Name>({ type: 'string', enum: [...names] })
}
