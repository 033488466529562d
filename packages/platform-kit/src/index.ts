/** Makes a system a platform of a Recordhub: it serves the endpoints that the hub calls, and pushes changes to the hub. */
export { createPlatformHandler, type HandlerOptions, type PlatformHandler } from './handler.ts'
export type { Outbox, OutboxContent } from './outbox.ts'
export type {
  DigestBucket,
  DigestRequest,
  FoundRecord,
  PlatformDefinition,
  PlatformField,
  PlatformModule,
  PlatformRecord,
  Records,
  RecordsPage,
  RecordsRequest,
} from './platform.ts'
export type { NewRecord, Push, RecordChanges, RecordReference } from './push.ts'
export {
  createPushClient,
  type PushClient,
  type PushClientOptions,
  type PushResult,
} from './push-client.ts'
