// A platform for any runtime with the Request and Response of the Fetch API. The other files of this folder serve its
// `handleRequest`.
import { createPlatformHandler, createPushClient } from '@recordhub/platform-kit'

const RECORDS = 20_000

const handler = (name) =>
  createPlatformHandler({
    name,
    title: `On ${name}`,
    sourceKey: 'choose-a-long-secret',
    modules: [
      {
        name: 'Cases',
        recordType: 'case',
        fields: [{ key: 'number' }, { key: 'closed_on', label: 'Closed on' }],
        version: () => 'unchanged',
        async *records() {
          for (let number = 1; number <= RECORDS; number += 1) {
            yield {
              reference_number: `C-${number}`,
              full_name: `Case ${number} 王`,
              data: { number, closed_on: null },
            }
          }
        },
      },
    ],
    search: (query) => [{ reference_number: 'C-1', full_name: `Found for ${query}`, data: {} }],
  })

const handlers = new Map()

/** `outbox` creates a durable outbox; null if the runtime has no files. */
export async function handleRequest(request, name, outbox = null) {
  const { pathname, searchParams } = new URL(request.url)
  if (pathname === '/push') return Response.json(await push(searchParams, outbox))
  if (!handlers.has(name)) handlers.set(name, handler(name))
  return (await handlers.get(name)(request)) ?? new Response('Not found', { status: 404 })
}

async function push(parameters, outbox) {
  const stored = []
  const hub = createPushClient({
    hubUrl: parameters.get('hub'),
    hubApiKey: parameters.get('key'),
    ...(outbox ? { outbox: outbox() } : {}),
    onStored: ({ method, recordKey }) => stored.push(`${method} ${recordKey}`),
  })
  const names = { record_type: 'case', reference_number: 'C-1' }
  await Promise.all([
    hub.created({
      ...names,
      reference_number: 'new',
      module_name: 'Cases',
      full_name: 'Nova',
      data: { number: 0 },
    }),
    hub.updated(names, { data: { closed_on: '2026-11-22' } }),
  ])
  await hub.idle()
  await hub.close()
  return stored.length
}
