/** The description of the API by itself (OpenAPI), with what holds for every route filled in. */
import swagger from '@fastify/swagger'
import { ErrorAnswer } from '@recordhub/protocol'
import type { FastifyInstance, FastifySchema } from 'fastify'
import { ACCESS, type Access } from './access.ts'

export async function describeApi(app: FastifyInstance, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      info: { title: 'Recordhub', version, description: ABOUT },
      components: {
        securitySchemes: {
          session: { type: 'apiKey', in: 'cookie', name: 'recordhub.session_token' },
          token: { type: 'http', scheme: 'bearer' },
          hubKey: { type: 'apiKey', in: 'header', name: 'X-API-KEY' },
        },
      },
    },
    transform({ schema, url, route }) {
      const method = Array.isArray(route.method) ? route.method[0] : route.method
      return { url, schema: complete(schema, url, ACCESS[`${method} ${url}`] ?? 'admin') }
    },
  })
  app.get('/api/openapi.json', { schema: { hide: true } }, async () => app.swagger())
}

const ABOUT = `Programs send a token (\`Authorization: Bearer rht_…\`, made with \`recordhub token create\`);
the dashboard rides on its session and sends \`X-CSRF-TOKEN\` with all that is not GET. Platforms push with
their hub API key in \`X-API-KEY\`. A 401 says in \`WWW-Authenticate\` which of these its path takes: \`Bearer\`,
\`Cookie\` (the session) or \`ApiKey\`. Every error is \`{success: false, code, message, request_id}\`. Numbers in
\`data\` are as they were sent, however many digits they have.`

const SECURITY: Record<'anyone' | 'platform' | 'role', { [scheme: string]: string[] }[]> = {
  anyone: [],
  platform: [{ hubKey: [] }],
  role: [{ token: [] }, { session: [] }],
}

function complete(given: FastifySchema | undefined, url: string, access: Access): FastifySchema {
  const schema = given ?? {}
  const isOpen = access === 'anyone' || access === 'platform'
  const role = isOpen ? [] : [`Takes the role ${access}.`]
  const description = [...(schema.description ? [schema.description] : []), ...role].join(' ')
  return {
    ...schema,
    tags: schema.tags ?? [tagOf(url)],
    security: SECURITY[isOpen ? access : 'role'],
    ...(description === '' ? {} : { description }),
    response: { '4xx': ErrorAnswer, '5xx': ErrorAnswer, ...Object(schema.response) },
  }
}

/** The noun of a path: `records` of /api/v1/records/{record_id}. */
function tagOf(url: string): string {
  return /^\/(?:api\/)?(?:v1\/)?([\w-]+)/.exec(url)?.[1] ?? 'hub'
}
