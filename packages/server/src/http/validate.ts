import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'

/**
 * Validates every part of a request by its TypeBox schema. Bodies are taken as they are; in paths and
 * queries, where all is text, an integer is one that is written as one: 12, not 1.5, 1e0 or true.
 */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const validator = compileOnce(schema)
  const integers = httpPart === 'body' ? [] : findIntegers(schema)
  return (value) => {
    const read = integers.length > 0 ? readIntegers(value, integers) : value
    return validator.Check(read) ? { value: read } : { error: validator.Errors(read) }
  }
}

const validators = new Map<string, ReturnType<typeof Compile<TSchema>>>()

/** Equal schemas are compiled once in a process. */
function compileOnce(schema: TSchema) {
  const key = JSON.stringify(schema)
  const known = validators.get(key)
  if (known) return known
  const validator = Compile(schema)
  validators.set(key, validator)
  return validator
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
