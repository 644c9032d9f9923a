import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { problemOfCode, statusByCode } from '../problems.ts'
import { describeApi } from './describe-api.ts'
import type { EndpointList } from './endpoint.ts'
import { endpoints } from './endpoints.ts'
import { problemsOf } from './problems-of.ts'

interface Schema {
  readonly $ref?: string
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
}
interface Media {
  readonly schema: Schema
  readonly example?: unknown
}
interface Parameter extends Media {
  readonly name: string
  readonly description?: string
  readonly required: boolean
  readonly schema: Schema & { readonly default?: unknown }
}
interface Operation {
  readonly operationId: string
  readonly summary?: string
  readonly description?: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

const list: EndpointList = endpoints
const document = describeApi({
  endpoints,
  version: '0.0.0-test',
  sessionCookie: 'warren_session',
  problemOf: problemOfCode,
}) as unknown as Document
const operations = Object.values(document.paths).flatMap((path) => Object.values(path))
const schemas = Object.entries(document.components.schemas)

/** Every field below a schema, by the way to it. */
function fieldsOf(schema: Schema, way: string): readonly (readonly [string, Schema])[] {
  const { properties = {}, items, anyOf = [] } = schema
  return [
    ...Object.entries(properties).flatMap(([name, field]): (readonly [string, Schema])[] => [
      [`${way}.${name}`, field],
      ...fieldsOf(field, `${way}.${name}`),
    ]),
    ...(items ? fieldsOf(items, `${way}[]`) : []),
    ...anyOf.flatMap((each) => fieldsOf(each, way)),
  ]
}
const fields = schemas.flatMap(([name, schema]) => fieldsOf(schema, name))

/** The example of a field may be that of what stands in it. */
function hasExample(schema: Schema): boolean {
  if (schema.examples || schema.$ref !== undefined || schema.properties) return true
  return [schema.items, schema.anyOf?.[0]].some((inner) => inner !== undefined && hasExample(inner))
}

function isDescribed(schema: Schema): boolean {
  return schema.description !== undefined || schema.$ref !== undefined
}

function lacking<Item>(items: readonly (readonly [string, Item])[], has: (item: Item) => boolean) {
  return items.filter(([, item]) => !has(item)).map(([name]) => name)
}

describe('the OpenAPI document', () => {
  it('names every operation, and says in a summary and a description what it does', () => {
    expect(operations.map(({ operationId }) => operationId).toSorted()).toEqual(
      Object.keys(endpoints).toSorted(),
    )
    expect(operations.filter(({ summary, description }) => !summary || !description)).toEqual([])
  })

  it('has words and an example for every parameter, field, body and answer', () => {
    const parameters = operations.flatMap(({ operationId, parameters: each = [] }) =>
      each.map((parameter) => [`${operationId}(${parameter.name})`, parameter] as const),
    )
    const bodies = operations.flatMap(({ operationId, requestBody, responses }) =>
      [requestBody, ...Object.values(responses)].flatMap((each) =>
        Object.values(each?.content ?? {}).map((media) => [operationId, media] as const),
      ),
    )

    expect(lacking(parameters, ({ description }) => description !== undefined)).toEqual([])
    expect(lacking(parameters, ({ example }) => example !== undefined)).toEqual([])
    expect(lacking(schemas, ({ description }) => description !== undefined)).toEqual([])
    expect(lacking(fields, isDescribed)).toEqual([])
    expect(lacking(fields, hasExample)).toEqual([])
    // A file has no example but the file.
    expect(
      lacking(bodies, ({ example, schema }) => example !== undefined || 'contentMediaType' in schema),
    ).toEqual([])
    expect([parameters.length > 50, fields.length > 300]).toEqual([true, true])
  })

  it('gives examples that are what their schema says', () => {
    const ajv = new Ajv2020({ strict: false })
    ajv.addSchema(document, 'api')
    const inside = <Value>(value: Value): Value =>
      JSON.parse(JSON.stringify(value).replaceAll('"#/components', '"api#/components')) as Value
    const check = (name: string, { schema, example }: Media): readonly string[] =>
      example === undefined || ajv.validate(inside(schema), example)
        ? []
        : [`${name}: ${JSON.stringify(example)} ${ajv.errorsText()}`]

    const wrong = [
      ...fields.flatMap(([name, schema]) => check(name, { schema, example: schema.examples?.[0] })),
      ...operations.flatMap(({ operationId, parameters = [], requestBody, responses }) => [
        ...parameters.flatMap((parameter) => check(operationId, parameter)),
        ...[requestBody, ...Object.values(responses)].flatMap((each) =>
          Object.values(each?.content ?? {}).flatMap((media) => check(operationId, media)),
        ),
      ]),
    ]
    expect(wrong).toEqual([])
  })

  it('requires no parameter that has a default', () => {
    const withDefault = operations.flatMap(({ parameters = [] }) =>
      parameters.filter(({ schema }) => schema.default !== undefined),
    )

    expect(withDefault.length).toBeGreaterThan(5)
    expect(withDefault.filter(({ required }) => required)).toEqual([])
  })

  it('tells by which operation every problem can be met', () => {
    const declared = new Set(Object.values(list).flatMap((endpoint) => problemsOf(endpoint)))
    const met = Object.keys(statusByCode).filter((code) => statusByCode[code] !== 'inside')
    // An address that does not take a method has no operation of that method.
    expect(met.filter((code) => !declared.has(code))).toEqual(['API_METHOD_NOT_ALLOWED'])
    expect([...declared].filter((code) => !met.includes(code))).toEqual(['API_FAILED'])
  })

  it('takes an idempotency key with every POST, but for those that start nothing', () => {
    const posts = Object.values(document.paths).flatMap(({ post }) => post ?? [])
    const without = posts.filter(
      ({ parameters = [] }) => !parameters.some(({ name }) => name === 'idempotency-key'),
    )

    expect(posts.length).toBeGreaterThan(15)
    expect(without.map(({ operationId }) => operationId).toSorted()).toEqual([
      ...['openSession', 'planRedrive', 'verifyReceipt'],
    ])
  })

  it('passes redocly lint without an error or a warning', async () => {
    const config = await createConfig({ extends: ['recommended'] })
    const found = await lintFromString({ source: JSON.stringify(document), config })

    expect(
      found.map(({ ruleId, severity, message, location }) => ({
        ruleId,
        severity,
        message,
        at: location[0]?.pointer,
      })),
    ).toEqual([])
  }, 30_000)
})
