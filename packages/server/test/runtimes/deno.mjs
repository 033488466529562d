import { createFileOutbox } from '@recordhub/platform-kit/file-outbox'
import { answer } from './platform.mjs'

const outbox = () => createFileOutbox('./outbox-deno')
const onListen = ({ port }) => console.log(`listens at ${port}`)
Deno.serve({ hostname: '127.0.0.1', port: 0, onListen }, (request) =>
  answer(request, 'on_deno', outbox),
)
