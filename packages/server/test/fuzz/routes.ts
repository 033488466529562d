/** The operations of the API, as its OpenAPI document describes them, and generators of their requests. */
import { isJsonObject, type JsonObject } from '@recordhub/protocol/lossless-json'
import type { TestHub } from '../helpers/hub/hub.ts'
import { expectObject } from '../helpers/hub/response.ts'
import { fc } from '../helpers/random/fast-check.ts'
import { anyText, jsonString, jsonValue } from './arbitraries.ts'
import { NUMBERS } from './corpus.ts'

export type Operation = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With parameters in braces: `/api/v1/records/{record_id}`. */
  path: string
  query: { name: string; schema: JsonObject }[]
  /** Null for an operation without a body. */
  body: JsonObject | null
}

export async function readOperations(hub: TestHub): Promise<Operation[]> {
  const document = expectObject(await hub.send({ url: '/api/openapi.json' }), 200)
  return entriesOf(document['paths']).flatMap(([path, item]) =>
    entriesOf(item).flatMap(([method, operation]) => {
      const known = METHODS.find((one) => one.toLowerCase() === method)
      return known ? [toOperation(known, path, Object(operation))] : []
    }),
  )
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

function toOperation(method: Operation['method'], path: string, described: JsonObject): Operation {
  const parameters = Array.isArray(described['parameters']) ? described['parameters'] : []
  return {
    method,
    path,
    query: parameters
      .filter(isJsonObject)
      .filter((one) => one['in'] === 'query')
      .map((one) => ({ name: String(one['name']), schema: Object(one['schema']) })),
    body: bodySchemaOf(described),
  }
}

function bodySchemaOf({ requestBody }: JsonObject): JsonObject | null {
  const [content] = entriesOf(Object(requestBody)['content'])
  const schema: unknown = Object(content?.[1])['schema']
  return isJsonObject(schema) ? schema : null
}

function entriesOf(value: unknown): [string, unknown][] {
  return Object.entries(Object(value ?? {}))
}

/** Values of path parameters: `ids` occur in the hub. */
export function pathOf(path: string, ids: readonly string[]): fc.Arbitrary<string> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([braced]) => braced)
  const segment = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...ids) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...NUMBERS, '999999', '-1', '%', '%00', '%ff', '%2f', '%2e%2e'),
    },
    { weight: 1, arbitrary: anyText.map(encodeURIComponent) },
  )
  return fc
    .tuple(...names.map(() => segment))
    .map((values) =>
      names.reduce((text, name, index) => text.replace(name, () => values[index] ?? ''), path),
    )
}

/** The text of a query parameter: mostly valid by its schema. */
export function parameterValue(schema: JsonObject, own: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 5, arbitrary: own.length > 0 ? fc.constantFrom(...own) : validText(schema) },
    { weight: 3, arbitrary: validText(schema) },
    { weight: 1, arbitrary: anyText },
    { weight: 1, arbitrary: fc.constantFrom(...NUMBERS) },
    { weight: 1, arbitrary: fc.constantFrom(...TIMES) },
  )
}

/** Times of different precision, near the limits of the notation, and invalid ones. */
export const TIMES: readonly string[] = [
  ...[
    '2026-03-10T08:00:00Z',
    '2026-03-10T08:00:00.123456789Z',
    '2026-03-10T09:00:00+01:00',
    '2026-03-10',
  ],
  ...[
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00+23:59',
    '9999-12-31T23:59:59Z',
    '9999-12-31T23:59:59-23:59',
  ],
  ...[
    '2026-02-30T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2016-12-31T23:59:60Z',
    '2026-03-10T24:00:00Z',
    '1970-01-01T00:00:00Z',
  ],
  ...[
    '2026-03-10t08:00:00z',
    '2026-03-10 08:00:00',
    '+275760-09-13T00:00:00Z',
    '-000001-01-01T00:00:00Z',
    'now',
    '1e15',
  ],
]

function validText(schema: JsonObject): fc.Arbitrary<string> {
  const { type, anyOf, minimum = 0, maximum = 1000 } = schema
  const values = Array.isArray(schema['enum']) ? schema['enum'].map(String) : []
  if (values.length > 0) return fc.constantFrom(...values)
  if (Array.isArray(anyOf)) return fc.oneof(...anyOf.filter(isJsonObject).map(validText))
  if ('const' in schema) return fc.constant(String(schema['const']))
  if (type === 'integer' || type === 'number') {
    return fc
      .oneof(
        fc.integer({ min: Number(minimum), max: Math.min(Number(maximum), 2 ** 31 - 1) }),
        fc.constantFrom(Number(minimum), Number(maximum)),
      )
      .map(String)
  }
  if (type === 'boolean') return fc.constantFrom('true', 'false')
  return fc.oneof(fc.constantFrom('a', '1', 'true', '2026-03-10T08:00:00Z'), anyText)
}

/** The JSON text of a value: mostly valid by its schema, otherwise with members missing, added or of another type. */
export function bodyText(
  schema: JsonObject,
  own: Readonly<Record<string, readonly string[]>>,
): fc.Arbitrary<string> {
  return valueText(schema, '', own)
}

function valueText(
  schema: JsonObject,
  name: string,
  own: Readonly<Record<string, readonly string[]>>,
): fc.Arbitrary<string> {
  const valid = validJson(schema, name, own)
  return fc.oneof({ weight: 12, arbitrary: valid }, { weight: 1, arbitrary: jsonValue })
}

function validJson(
  schema: JsonObject,
  name: string,
  own: Readonly<Record<string, readonly string[]>>,
): fc.Arbitrary<string> {
  const { type, anyOf, items, properties, minimum = 0, maximum = 1000 } = schema
  const known = own[name] ?? []
  if (Array.isArray(schema['enum']))
    return fc.constantFrom(...schema['enum'].map((one) => JSON.stringify(one)))
  if (Array.isArray(anyOf))
    return fc.oneof(...anyOf.filter(isJsonObject).map((one) => validJson(one, name, own)))
  if ('const' in schema) return fc.constant(JSON.stringify(schema['const']))
  if (type === 'integer' || type === 'number')
    return fc.oneof(
      fc.constantFrom(String(minimum), String(maximum), '1'),
      fc.constantFrom(...NUMBERS),
    )
  if (type === 'boolean') return fc.constantFrom('true', 'false')
  if (type === 'null') return fc.constant('null')
  if (type === 'array') {
    const item = isJsonObject(items) ? valueText(items, name, own) : jsonValue
    return fc.array(item, { maxLength: 3 }).map((texts) => `[${texts.join()}]`)
  }
  if (type === 'object' || isJsonObject(properties)) return objectText(schema, own)
  const text = fc.oneof(fc.constantFrom('"a"', '"2026-03-10T08:00:00Z"'), jsonString)
  return known.length > 0
    ? fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom(...known.map((one) => JSON.stringify(one))) },
        { weight: 1, arbitrary: text },
      )
    : text
}

const EXTRA = [
  '"__proto__":{"role":"admin"}',
  '"constructor":{"prototype":{"a":1}}',
  '"toString":null',
  '"extra":1',
]

function objectText(
  schema: JsonObject,
  own: Readonly<Record<string, readonly string[]>>,
): fc.Arbitrary<string> {
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  const members = entriesOf(schema['properties']).map(([name, one]) => {
    const isRequired = required.includes(name)
    const present = valueText(Object(one), name, own).map((text) => [
      `${JSON.stringify(name)}:${text}`,
    ])
    return fc.oneof(
      { weight: isRequired ? 24 : 3, arbitrary: present },
      { weight: 1, arbitrary: fc.constant<string[]>([]) },
    )
  })
  const extra = fc.oneof(
    { weight: 12, arbitrary: fc.constant<string[]>([]) },
    { weight: 1, arbitrary: fc.constantFrom(...EXTRA).map((one) => [one]) },
  )
  return fc
    .tuple(fc.tuple(...members), extra)
    .map(([parts, more]) => `{${[...parts.flat(), ...more].join()}}`)
}
