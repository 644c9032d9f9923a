import type { SchemaInput, SchemaOutput, StandardSchema } from '../message/standard-schema.ts'

/** A kind of message: where it is published, and what its body is. */
export interface MessageDeclaration {
  /** The exchange that it is published to; `''` is the default exchange. */
  readonly exchange: string
  /** Its routing key. @default '' */
  readonly key?: string
  /**
   * What its body is: a Standard Schema (zod, valibot, arktype, …), which publishers and consumers check, or
   * `unchecked<Body>()`. @default any body
   */
  readonly schema?: StandardSchema
  /** Its body as JSON Schema, for `warren export --asyncapi`. @default what `schema` says of itself, if it can */
  readonly jsonSchema?: Readonly<Record<string, unknown>>
  /** What it tells, in a sentence, for `warren export --asyncapi`. */
  readonly description?: string
}

/** Messages by name. The name is what the AMQP property `type` says. */
export type MessageDeclarations = Readonly<Record<string, MessageDeclaration>>

/** No messages: what a topology has that names none. */
export type NoMessages = Readonly<Record<never, MessageDeclaration>>

/** What a publisher gives for a message. */
export type BodyToPublish<Message> = Message extends { readonly schema: infer Schema extends StandardSchema }
  ? SchemaInput<Schema>
  : unknown

/** What a handler gets of a message. */
export type BodyToHandle<Message> = Message extends { readonly schema: infer Schema extends StandardSchema }
  ? SchemaOutput<Schema>
  : unknown
