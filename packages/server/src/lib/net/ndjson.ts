/** Sends values as lines of JSON (NDJSON) while they become available. */
import { Readable } from 'node:stream'
import { Type } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'

export const NDJSON_TYPE = 'application/x-ndjson'

/** Part of the description of a route. */
export const LINES = `With \`Accept: ${NDJSON_TYPE}\` each check is sent as a line when it is done, and the response is the last line.`

/** The schema of a response in JSON or in JSON lines. */
export function jsonOrLines<Schema extends TSchema>(schema: Schema) {
  return {
    description: 'The response, or its lines',
    content: {
      'application/json': { schema },
      [NDJSON_TYPE]: { schema: Type.Unsafe<Readable>({ type: 'string' }) },
    },
  }
}

export function acceptsNdjson(request: FastifyRequest): boolean {
  return String(request.headers.accept ?? '').includes(NDJSON_TYPE)
}

export function toJsonLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`
}

/** Returns a signal that aborts when the client closes the connection. */
export function abortOnClose(reply: FastifyReply): AbortSignal {
  const closed = new AbortController()
  if (reply.raw.closed) closed.abort()
  reply.raw.on('close', () => closed.abort())
  return closed.signal
}

export function sendLines(reply: FastifyReply, lines: Readable): FastifyReply {
  // A proxy must not buffer the lines.
  reply.header('X-Accel-Buffering', 'no')
  return reply.type(NDJSON_TYPE).send(lines)
}

/** Runs all steps and returns the result. */
export async function resultOf<Step, Result>(steps: AsyncGenerator<Step, Result>): Promise<Result> {
  let step = await steps.next()
  while (!step.done) step = await steps.next()
  return step.value
}

/** Returns the steps as lines, and a last line that `last` creates from the result and the steps. */
export function toLines<Step, Result>(
  steps: AsyncGenerator<Step, Result>,
  last: (result: Result, steps: Step[]) => unknown,
): Readable {
  async function* lines() {
    const done: Step[] = []
    let step = await steps.next()
    while (!step.done) {
      done.push(step.value)
      yield toJsonLine(step.value)
      step = await steps.next()
    }
    yield toJsonLine(last(step.value, done))
  }
  return Readable.from(lines())
}
