import { createFileOutbox } from '@recordhub/platform-kit/file-outbox'
import { handleRequest } from './platform.mjs'

const outbox = () => createFileOutbox('./outbox-deno')
const onListen = ({ port }) => console.log(`listens at ${port}`)
Deno.serve({ hostname: '127.0.0.1', port: 0, onListen }, (request) =>
  handleRequest(request, 'on_deno', outbox),
)
