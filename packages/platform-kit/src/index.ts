/** What a platform needs to be one of a Recordhub: the endpoints that the hub calls, and pushes to it. */
export { type Delivery, type HubAnswer, judgeAnswer } from './delivery.ts'
export { createPlatformHandler, type HandlerOptions, type PlatformHandler } from './handler.ts'
export type { Outbox } from './outbox.ts'
export {
  definePlatform,
  type PlatformDefinition,
  type PlatformField,
  type PlatformModule,
  type PlatformRecord,
  type Records,
  type RecordsPage,
  type RecordsRequest,
} from './platform.ts'
export type { NewRecord, Push, RecordChanges, RecordReference } from './push.ts'
export {
  createPushClient,
  type PushClient,
  type PushClientOptions,
  type PushRefusal,
  type PushResult,
} from './push-client.ts'
