/** Steps of a test that are told one by one: a line of JSON each, to whoever accepts that. */
import { Readable } from 'node:stream'
import { Type } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'

const LINES_TYPE = 'application/x-ndjson'

/** For the description of a route. */
export const LINES = `With \`Accept: ${LINES_TYPE}\` each check comes as a line of its own as soon as it is made, and the answer is the last line.`

/** The schema of an answer that comes whole or in lines. */
export function answerOrLines<Answer extends TSchema>(schema: Answer) {
  return {
    description: 'The answer, or its lines',
    content: {
      'application/json': { schema },
      [LINES_TYPE]: { schema: Type.Unsafe<Readable>({ type: 'string' }) },
    },
  }
}

export function wantsLines(request: FastifyRequest): boolean {
  return String(request.headers.accept ?? '').includes(LINES_TYPE)
}

/** Aborted when nobody waits for the answer any more. */
export function endOf(reply: FastifyReply): AbortSignal {
  const ended = new AbortController()
  reply.raw.on('close', () => ended.abort())
  return ended.signal
}

export function sendLines(reply: FastifyReply, lines: Readable): FastifyReply {
  // A proxy must not gather them.
  reply.header('X-Accel-Buffering', 'no')
  return reply.type(LINES_TYPE).send(lines)
}

/** The result of the steps of a test. */
export async function resultOf<Step, Result>(steps: AsyncGenerator<Step, Result>): Promise<Result> {
  let step = await steps.next()
  while (!step.done) step = await steps.next()
  return step.value
}

/** The steps of a test, and the line that `last` makes of what they come to. */
export function toLines<Step, Result>(
  steps: AsyncGenerator<Step, Result>,
  last: (result: Result, told: Step[]) => unknown,
): Readable {
  async function* lines() {
    const told: Step[] = []
    let step = await steps.next()
    while (!step.done) {
      told.push(step.value)
      yield `${JSON.stringify(step.value)}\n`
      step = await steps.next()
    }
    yield `${JSON.stringify(last(step.value, told))}\n`
  }
  return Readable.from(lines())
}
