import build from 'fast-json-stringify'
import type { FastifySchema, FastifySerializerCompiler } from 'fastify'

type Serialize = (body: unknown) => string

const serializers = new Map<string, Serialize>()

/**
 * Serialises responses by their schemas, as Fastify does by default, but compiles equal schemas once in a
 * process: many routes share one, such as that of errors, and tests start a thousand hubs.
 */
export const serializerCompiler: FastifySerializerCompiler<FastifySchema> = ({ schema }) => {
  const key = JSON.stringify(schema)
  const known = serializers.get(key)
  if (known) return known
  const serialize: Serialize = build(Object(schema))
  serializers.set(key, serialize)
  return serialize
}
