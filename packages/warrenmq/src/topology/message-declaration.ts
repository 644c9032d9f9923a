import type { SchemaInput, SchemaOutput, StandardSchema } from '../message/standard-schema.ts'

/** A kind of message: where it is published, and what its body is. */
export interface MessageDeclaration {
  /**
   * The exchange that it is published to; `''` is the default exchange.
   * @example { exchange: 'orders.events' }
   */
  readonly exchange: string
  /**
   * Its routing key. @default ''
   * @example { key: 'order.placed' }
   */
  readonly key?: string
  /**
   * What its body is: a Standard Schema (zod, valibot, arktype, …), which publishers and consumers check, or
   * `unchecked<Body>()`. @default any body
   * @example { schema: z.object({ id: z.number() }) }
   */
  readonly schema?: StandardSchema
  /**
   * Its body as JSON Schema, for documents about your messages. @default what `schema` says of itself, if it can
   * @example { jsonSchema: { type: 'object', required: ['id'] } }
   */
  readonly jsonSchema?: object
  /**
   * What it tells, in a sentence, for documents about your messages.
   * @example { description: 'A customer has placed an order.' }
   */
  readonly description?: string
}

/** Messages by name. The name is what the AMQP property `type` says. */
export type MessageDeclarations = Readonly<Record<string, MessageDeclaration>>

/** The messages of a topology that names none. */
export type NoMessages = Readonly<Record<never, MessageDeclaration>>

/** What keeps TypeScript from taking a misspelt setting for one more that it has to remember. */
export type OnlySettings<Messages> = {
  readonly [Name in keyof Messages]: {
    readonly [Stranger in Exclude<keyof Messages[Name], keyof MessageDeclaration>]: never
  }
}

/** What a publisher gives for a message. */
export type BodyToPublish<Message> = Message extends { readonly schema: infer Schema extends StandardSchema }
  ? SchemaInput<Schema>
  : unknown

/** What a handler gets of a message. */
export type BodyToHandle<Message> = Message extends { readonly schema: infer Schema extends StandardSchema }
  ? SchemaOutput<Schema>
  : unknown
