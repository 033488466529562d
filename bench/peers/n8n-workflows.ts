/** The workflows of the measured n8n: webhook → upsert, and webhook → HTTP request → one item per record → upsert. */

const CREDENTIALS_ID = 'benchPostgres000'

/** The content of a file for `n8n import:credentials`. */
export function credentials(database: URL) {
  return {
    id: CREDENTIALS_ID,
    name: 'bench',
    type: 'postgres',
    data: {
      host: database.hostname,
      port: Number(database.port),
      database: database.pathname.slice(1),
      user: decodeURIComponent(database.username),
      password: decodeURIComponent(database.password),
      ssl: 'disable',
    },
  }
}

/** The content of a file for `n8n import:workflow`. */
export function createWorkflows() {
  const request = {
    ...{ id: 'request', name: 'request', position: [200, 0] },
    ...{ type: 'n8n-nodes-base.httpRequest', typeVersion: 4.2 },
    parameters: { url: '={{ $json.body.url }}', options: {} },
  }
  const split = {
    ...{ id: 'split', name: 'split', position: [400, 0] },
    ...{ type: 'n8n-nodes-base.splitOut', typeVersion: 1 },
    parameters: { fieldToSplitOut: 'records', options: {} },
  }
  return [
    createWorkflow('benchReceive0000', [
      webhook('receive', 'firstEntryJson'),
      upsert('$json.body'),
    ]),
    createWorkflow('benchPull0000000', [
      webhook('pull', 'noData'),
      request,
      split,
      upsert('$json'),
    ]),
  ]
}

/** Connects the nodes in their order. */
function createWorkflow(id: string, nodes: { name: string }[]) {
  const connections = nodes.slice(0, -1).map(({ name }, at) => {
    const next = { node: nodes[at + 1]?.name, type: 'main', index: 0 }
    return [name, { main: [[next]] }] as const
  })
  return { id, name: id, nodes, connections: Object.fromEntries(connections), settings: {} }
}

function webhook(path: string, responseData: 'firstEntryJson' | 'noData') {
  return {
    ...{ id: `webhook-${path}`, name: 'webhook', position: [0, 0], webhookId: path },
    ...{ type: 'n8n-nodes-base.webhook', typeVersion: 2 },
    // Responds after the last node.
    parameters: { httpMethod: 'POST', path, responseMode: 'lastNode', responseData, options: {} },
  }
}

function upsert(record: string) {
  const column = (id: string, type: string) => ({
    ...{ id, displayName: id, type, required: false, display: true },
    ...{ defaultMatch: false, canBeUsedToMatch: true },
  })
  return {
    ...{ id: 'upsert', name: 'upsert', position: [600, 0] },
    ...{ type: 'n8n-nodes-base.postgres', typeVersion: 2.5 },
    credentials: { postgres: { id: CREDENTIALS_ID, name: 'bench' } },
    parameters: {
      operation: 'upsert',
      schema: { __rl: true, mode: 'name', value: 'public' },
      table: { __rl: true, mode: 'name', value: 'records' },
      columns: {
        mappingMode: 'defineBelow',
        value: {
          reference_number: `={{ ${record}.reference_number }}`,
          full_name: `={{ ${record}.full_name }}`,
          data: `={{ JSON.stringify(${record}.data) }}`,
        },
        matchingColumns: ['reference_number'],
        schema: [
          column('reference_number', 'string'),
          column('full_name', 'string'),
          column('data', 'object'),
        ],
      },
      options: {},
    },
  }
}
