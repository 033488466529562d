/**
 * Validates requests and serialises responses by their schemas. A schema is compiled when it is first used: most routes
 * of a hub are called rarely, and all compiled schemas take much memory. Equal schemas are compiled once in a process:
 * many routes share a schema, such as that of errors, and tests start a thousand hubs.
 */
import { RECEIVER_PATH } from '@recordhub/protocol'
import build from 'fast-json-stringify'
import type { FastifySchema, FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'

/**
 * Validates without coercion, except that a whole number in a path or query, which consist of text, is accepted as an
 * integer: 12, but not 1.5, 1e0 or true.
 */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart, url }) => {
  const compiled = whenUsed(url, () => compileValidator(schema))
  const integers = httpPart === 'body' ? [] : findIntegers(schema)
  return (value) => {
    const validator = compiled()
    const read = integers.length > 0 ? readIntegers(value, integers) : value
    return validator.Check(read) ? { value: read } : { error: validator.Errors(read) }
  }
}

export const serializerCompiler: FastifySerializerCompiler<FastifySchema> = ({ schema, url }) => {
  const compiled = whenUsed(url, () => compileSerializer(schema))
  return (body) => compiled()(body)
}

/** Compiles with the first call. The schemas of the receiver are compiled at once, so that no push waits for it. */
function whenUsed<Compiled>(url: string, compile: () => Compiled): () => Compiled {
  let compiled = url === RECEIVER_PATH ? compile() : null
  return () => (compiled ??= compile())
}

const compileValidator = cacheBySchema((schema: TSchema) => Compile(schema))
const compileSerializer = cacheBySchema((schema: unknown): ((body: unknown) => string) =>
  build(Object(schema)),
)

function cacheBySchema<Schema, Compiled>(compile: (schema: Schema) => Compiled) {
  const cache = new Map<string, Compiled>()
  return (schema: Schema): Compiled => {
    const key = JSON.stringify(schema)
    const cached = cache.get(key)
    if (cached !== undefined) return cached
    const compiled = compile(schema)
    cache.set(key, compiled)
    return compiled
  }
}

function findIntegers(schema: TSchema): string[] {
  const properties = 'properties' in schema ? Object.entries(Object(schema.properties)) : []
  return properties
    .filter(([, property]) => Object(property).type === 'integer')
    .map(([name]) => name)
}

function readIntegers(value: unknown, names: string[]): Record<string, unknown> {
  const read: Record<string, unknown> = { ...Object(value) }
  for (const name of names) {
    const text = read[name]
    if (typeof text !== 'string' || !/^(?:0|[1-9]\d{0,15})$/.test(text)) continue
    if (Number.isSafeInteger(Number(text))) read[name] = Number(text)
  }
  return read
}
