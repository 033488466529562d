/** Rejected pushes and their replays over HTTP. */
import assert from 'node:assert/strict'
import { type RejectedPush, RejectedPushGroup, ReplayResponse } from '@recordhub/protocol'
import Type from 'typebox'
import { push, type RegisteredPlatform, rejectedOf } from './actions.ts'
import type { TestHub } from './hub.ts'
import { expectBody, type TestResponse } from './response.ts'

export type PushingPlatform = RegisteredPlatform & { platform_name: string }
const Groups = Type.Object({ groups: Type.Array(RejectedPushGroup) })

/** Sends a push that is rejected, and returns the rejected push. */
export async function sendRejectedPush(
  hub: TestHub,
  platform: PushingPlatform,
  body: unknown,
): Promise<RejectedPush> {
  assert.equal((await push(hub, platform.hub_api_key, body)).status, 422)
  const [newest] = await rejectedOf(hub, platform.platform_name)
  assert.ok(newest)
  return newest
}

export function sendRejectedPushRequest(
  hub: TestHub,
  path: string,
  body: unknown,
): Promise<TestResponse> {
  return hub.send({
    method: 'POST',
    url: `/api/v1/rejected-pushes${path}`,
    headers: {
      authorization: hub.authorization('operator'),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body,
  })
}

export function sendReplay(hub: TestHub, id: number, body: unknown): Promise<TestResponse> {
  return sendRejectedPushRequest(hub, `/${id}/replay`, body)
}

export async function replayRejectedPush(hub: TestHub, id: number, body: unknown) {
  return expectBody(await sendReplay(hub, id, body), 200, ReplayResponse).replay
}

export async function rejectedGroupsOf(
  hub: TestHub,
  platform: string,
): Promise<RejectedPushGroup[]> {
  const response = await hub.get(`/api/v1/rejected-pushes/groups?platform=${platform}`)
  return expectBody(response, 200, Groups).groups
}
