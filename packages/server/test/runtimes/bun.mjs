import { createFileOutbox } from '@recordhub/platform-kit/file-outbox'
import { handleRequest } from './platform.mjs'

const outbox = () => createFileOutbox('./outbox-bun')
const fetch = (request) => handleRequest(request, 'on_bun', outbox)
const { port } = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch })
console.log(`listens at ${port}`)
