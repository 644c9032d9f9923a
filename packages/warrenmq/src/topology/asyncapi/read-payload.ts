import { checkedSchema } from '../define-messages.ts'
import type { MessageDeclaration } from '../message-declaration.ts'

/** What a document can say of the body of a message. */
export type Payload =
  | { readonly kind: 'described'; readonly schema: object }
  /** Its body may be anything, or only TypeScript knows its type. */
  | { readonly kind: 'untyped' }
  /** It is checked by a schema that cannot be written as JSON Schema. */
  | { readonly kind: 'indescribable'; readonly problem: string }

/** Schemas are asked for what they take, since that is what stands on the wire. */
export function readPayload(message: MessageDeclaration): Payload {
  if (message.jsonSchema) return { kind: 'described', schema: message.jsonSchema }
  const schema = checkedSchema(message)
  if (!schema) return { kind: 'untyped' }
  const { vendor, jsonSchema } = schema['~standard'] as DescribedByItself
  if (typeof jsonSchema?.input !== 'function')
    return { kind: 'indescribable', problem: `schemas of ${vendor} cannot be written as JSON Schema` }
  try {
    return { kind: 'described', schema: jsonSchema.input({ target: 'draft-07' }) }
  } catch (error) {
    return { kind: 'indescribable', problem: (error as Error).message }
  }
}

/** What zod, arktype and others have beside the checks: Standard JSON Schema, of the same specification. */
interface DescribedByItself {
  readonly vendor: string
  readonly jsonSchema?: { readonly input?: (options: { readonly target: string }) => object }
}
